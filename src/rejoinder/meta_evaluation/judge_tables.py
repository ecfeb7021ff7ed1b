"""What is shown of judges beside people: how they follow ratings, where they err, whether they stand in."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.document.numbers import NONE, decimals, p_value, starred
from rejoinder.document.parts import GAP, Document, Line, lines, reasons, signed, spaced
from rejoinder.document.table import Table, estimate, key, number, text
from rejoinder.messages import AS_JSON, SIGNIFICANT, Call
from rejoinder.meta_evaluation.judge_sentences import answer
from rejoinder.meta_evaluation.with_people.estimates import PREFERS
from rejoinder.statistics.judge_errors import Estimate

MOST_SYSTEMS = 20  # of more, those with a significant error are named alone
MOST_NAMED = 3
"""So many numbers that are missing for the same reason are named."""

HEADINGS = {
    "severity": "severity",
    "slope": "slope",
    "correlation": "r",
    "within": "r within",
    "corrected": "corrected",
}
"""The measures that are on paper, and what their columns are called."""

LEGEND = (
    "severity: mean mark less mean rating; slope: marks' units for one of the ratings', within systems; "
    "r: Pearson's correlation with mean ratings, of all replies and within systems: of deviations from each "
    "system's means ('{correlate}' averages the correlations of the systems and does not remove severity); "
    "corrected: within systems, as it would be with very many raters, which can exceed 1 by chance; "
    "[low, high]: 95% interval"
)
ERRORS = (
    "error: the judge's marks, divided by the slope where the raters' noise is known, less people's ratings: "
    "above 0 the judge favours the system. length, markdown: for each unit of the logarithm of words (marks) "
    "+ 1; p Holm: corrected over a judge's rows"
)
TEST = (
    "stands in: whether the judge beats half of the raters or more, each of whom is left out in turn: it is "
    "not worse by more than the tolerance; advantage: on which share of items the judge is at least as close "
    "to the other raters as the one left out; rater: that share of the rater's"
)
MEANINGS = {
    "measure": "severity, slope, correlation, within, corrected, or reliability (of the mean ratings).",
    "n": "Number of replies.",
    "factor": "system, length or markdown.",
    "level": "The system; empty for the other factors.",
    "replies": "Number of replies that were marked more than once.",
    "marks": "Number of marks of these.",
    "single": "Reliability of a single mark (intraclass correlation).",
    "mean": "Reliability of the mean of a reply's marks.",
    "judges": "Number of judges.",
    "beaten": "Number of raters that the judge beats.",
    "raters": "Number of raters that were left out in turn.",
    "advantage": "Share of items on which the judge is at least as close to the others as the rater.",
    "rater_advantage": "The same share of the rater.",
    "passed": "Whether the judge can replace a rater.",
}

_two = decimals(2)
_CELLS = ("value", "low", "high")


def judges(
    measures: pl.DataFrame,
    errors: pl.DataFrame,
    repeats: pl.DataFrame,
    tests: pl.DataFrame,
    panel: Estimate | None,
    notes: Sequence[str],
    signature: str,
) -> Document:
    """How each judge follows people, where it errs, and whether it can replace a rater.

    Some sentences for each judge follow the tables and say whether its marks can be trusted. For the
    arguments see ``JudgeReport``.

    Args:
        measures: The measures of all judges.
        errors: Their errors by system.
        repeats: How far each agrees with itself.
        tests: Whether each can replace a rater.
        panel: The effective number of judges; None: it was not asked for.
        notes: The notes on the result.
        signature: Everything that the numbers follow from.
    """
    names = measures["judge"].unique(maintain_order=True).to_list()
    tested = tests.filter(pl.col("reason").is_null())
    shown = _measures(measures)
    for name in names:
        shown += _errors(errors.filter(pl.col("judge") == name), name)
    shown += [*_repeats(repeats), *_tests(tests, tested)]
    if panel is not None:
        shown += _panel(panel, len(names))
    answers = [answer(measures, errors, tests, notes, name) for name in names]
    shown += lines(answers)
    legends = [
        LEGEND.format(correlate=Call("rejoinder.correlate")),
        ERRORS,
        *[TEST] * bool(tested.height),
        f"* p below 0.05; {NONE}: undefined",
    ]
    shown += [GAP, *lines(legends, "legend")]
    level = pl.when(pl.col("level") == "").then("factor").otherwise("level")
    of_errors = errors.with_columns(measure=pl.format("error of {}", level))
    of_tests = tests.with_columns(measure=pl.lit("alternative annotator test"))
    before = " ".join((*answers, *notes))
    new = [each.filter(_is_new(each, before)) for each in (measures, of_errors, of_tests)]
    shown += reasons(*new, most=MOST_NAMED)
    notes = [each for each in notes if PREFERS not in each]  # the answers say it
    return [*shown, *lines(notes, "note"), GAP, *signed({"signature": signature})]


def _is_new(rows: pl.DataFrame, before: str) -> pl.Series:
    """Which rows have a reason that no sentence and no note before has given."""
    given = rows.get_column("reason").fill_null("").to_list()
    words = [each.removeprefix("the ").removeprefix("not done: ") for each in given]
    return pl.Series([each not in before for each in words], dtype=pl.Boolean)


def _measures(measures: pl.DataFrame) -> Document:
    columns = [
        key("judge"),
        number("replies", "n"),
        estimate(HEADINGS.__getitem__, _CELLS, _two, across=True),
    ]
    paper = measures.filter(pl.col("measure").is_in(list(HEADINGS)))
    return spaced(Table(measures, columns, across="measure", paper=paper, meanings=MEANINGS))


def _errors(errors: pl.DataFrame, judge: str) -> Document:
    """The errors of a judge; of many systems those alone that are significant are on paper."""
    system = pl.col("factor") == "system"
    errors = errors.sort(~system, "value", descending=[False, True], maintain_order=True)
    paper, hidden = errors, 0
    if errors["value"].is_nan().all():
        paper = errors.clear()
    elif errors.filter(system).height > MOST_SYSTEMS:
        paper = errors.filter((pl.col("p_holm") < SIGNIFICANT) | ~system)
        hidden = errors.height - paper.height
    columns = [
        key(f"error of {judge}", ("factor", "level"), lambda factor, level: level or factor),
        number("replies", "n"),
        estimate("error", _CELLS, _two),
        number("p", show=p_value, paper=False),
        number("p Holm", "p_holm", starred, belongs=True),
        text("reason", paper=False),
    ]
    table = Table(errors, columns, name="errors", above=("judge",), paper=paper, meanings=MEANINGS)
    words = f"{judge}: {hidden} systems without a significant error are in {AS_JSON}"
    if hidden:
        return [Line(words, "legend"), table, GAP]
    return spaced(table)


def _repeats(repeats: pl.DataFrame) -> Document:
    columns = [
        key("marked more than once", "judge"),
        number("replies"),
        number("marks"),
        number("reliability of one mark", "single", _two),
        number("of their mean", "mean", _two),
    ]
    table = Table(repeats, columns, name="repeats", meanings=MEANINGS)
    return spaced(table) if repeats.height else []


def _tests(tests: pl.DataFrame, tested: pl.DataFrame) -> Document:
    columns = [
        key("alternative annotator test", "judge"),
        number(
            "raters beaten", ("beaten", "raters"), lambda beaten, raters: f"{beaten} of {raters}"
        ),
        number("advantage", show=_two),
        number("rater", "rater_advantage", _two),
        text("stands in", "passed", lambda passed: "yes" if passed else "no"),
    ]
    return spaced(Table(tests, columns, name="tests", paper=tested, meanings=MEANINGS))


def _panel(panel: Estimate, judges: int) -> Document:
    columns = [
        key("panel", "judges", lambda judges: f"{judges} judges"),
        estimate("effective number of judges", _CELLS, _two),
    ]
    frame = pl.DataFrame([{"judges": judges, **panel._asdict()}])
    return spaced(Table(frame, columns, name="panel", meanings=MEANINGS))
