"""What is shown of systems compared by people and by judges: differences, errors of judges, ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from rejoinder.document.numbers import NONE, decimals, not_as_zero, starred, with_interval
from rejoinder.document.parts import GAP, Document, Line, View, lines, spaced
from rejoinder.document.rank_table import ranks_of
from rejoinder.document.sign_matrix import MOST_LISTED
from rejoinder.document.table import PAIR, Table, ends, key, number
from rejoinder.document.text import styled
from rejoinder.human_evaluation.by_people.tables import P_HEADINGS, matrix_legend, sign_matrix
from rejoinder.messages import ALL_PAIRS, SIGNIFICANT, Call
from rejoinder.meta_evaluation.with_people.estimates import (
    CORRECTED,
    OFF_SCALE,
    PEOPLE,
    PREFERS,
    contradictions,
)
from rejoinder.metrics.base import Metric
from rejoinder.scoring.shown_values import number_of, times100_of
from rejoinder.scoring.verdict_sentences import standing

MEANS = (
    "people: the rated items alone; corrected: people's difference, moved by what the judge's scores say "
    "of the items that are not rated"
)
JUDGE = Call("rejoinder.judge(scores, ratings)")
"""What tests the error of a judge on any scale."""

COLUMNS = (
    "[low, high]: 95% interval ({intervals}); {p}: corrected {how} "
    "all pairs (of people, of each judge, and corrected), * below 0.05; rated: items with ratings of both / "
    "with scores of both; saved: share of ratings that the judge saves, 1 - (width corrected / by people)^2"
)
ONE_LOOK = "Student's t, of a judge alone too"
ANY_LOOK = (
    "a confidence sequence, which holds at every look while ratings come in; of a judge alone Student's "
    "t"
)
JUDGE_ALONE = (
    "a judge alone: the mean difference of its scores of single replies, by which people's is corrected; "
    "'{compare}' without ratings has the metric's own score of the whole test set, a randomization test and "
    "another interval: believe that for which system the metric prefers, and these rows for what corrects "
    "people's difference. The two can differ much where replies differ in length (BLEU of a test set counts "
    "long replies more) or one cluster is large (which the interval here allows for)"
)
ERRORS = (
    "error: the judge's difference less people's, on the same rated items: above 0 the judge favours a, "
    "below 0 b"
)
MEANINGS = {
    "saved": "Share of the ratings that the judges save; null but of corrected.",
    "rated": "Number of items on which both are rated.",
    "items": "Number of items that have scores of both.",
    "error": "The judge's difference less people's, on the same rated items.",
}


def comparison(
    pairs: pl.DataFrame,
    errors: pl.DataFrame,
    ranks: pl.DataFrame,
    metrics: Mapping[str, Metric],
    p: str,
    anytime: bool,
    notes: Sequence[str],
    view: View,
) -> Document:
    """Every pair of systems by people, by each judge and corrected, and the judges' errors.

    More than 6 systems are two matrices of symbols, or where not all of their pairs are compared, the
    pairs that have an interval; with ``view.all_pairs`` every pair has rows.

    Args:
        pairs: ``PeopleComparison.pairs``.
        errors: ``PeopleComparison.errors``.
        ranks: ``PeopleComparison.ranks``; shown with ``view.ranks``.
        metrics: The metrics of the judges, by name.
        p: The column of the p-values that say which pairs differ.
        anytime: Whether intervals hold at every look.
        notes: Further notes.
        view: What was asked of the showing.
    """
    many = len({*pairs["a"], *pairs["b"]}) > MOST_LISTED and not view.all_pairs
    matrix = many and ranks.height > 0
    show = decimals(2 if view.digits is None else view.digits)
    shows = {label: number_of(each, view.digits) for label, each in metrics.items()}
    shows |= {PEOPLE: show, CORRECTED: show}
    listed, listed_errors = pairs, errors
    words: list[str] = []
    if matrix:
        listed_errors = errors.filter(pl.col(p) < SIGNIFICANT)
        tested = int(errors[p].is_not_nan().sum())
        count = f"{listed_errors.height} of {tested} tested are significant"
        words = [f"errors of the judges: {count}{', and listed' * (listed_errors.height > 0)}"]
    elif many:
        listed, listed_errors = (_with_interval(each, pairs) for each in (pairs, errors))

    estimates = Table(
        pairs,
        [
            key(
                "pair",
                ("a", "b"),
                lambda a, b, place: (a, f"vs {b}", "")[min(place, 2)],
                placed=True,
            ),
            key("by", show=lambda by: styled(by, "bold") if by == CORRECTED else by),
            number("a - b", "difference", shows.__getitem__, by="by"),
            ends(shows.__getitem__, by="by"),
            number(P_HEADINGS[p], p, starred),
            number("saved", ("by", "saved"), _saved),
            number(
                "rated",
                ("by", "rated", "items"),
                lambda by, rated, items: f"{rated}/{items}" * (by == CORRECTED),
            ),
        ],
        section=("a", "b"),
        meanings=MEANINGS,
        paper=pairs.clear() if matrix else listed,
    )
    shown: Document = spaced(estimates)
    if matrix:
        for by in (PEOPLE, CORRECTED):
            of = pairs.filter(pl.col("by") == by), ranks.filter(pl.col("by") == by)
            shown += [sign_matrix(by, *of, estimates.columns, p, show), GAP]
    shown += _errors(errors, listed_errors, p, view)
    if view.ranks and ranks.height:
        shown += [*ranks_of(ranks, "by"), GAP]
    unknown = bool(pairs.filter(pl.col("by").is_in([PEOPLE, CORRECTED]))[p].is_nan().any())
    means = matrix_legend(p, unknown) if matrix else _columns_legend(p, anytime)
    shown.append(Line(f"{MEANS}; {means}", "legend"))
    if not matrix:
        alone = JUDGE_ALONE.format(compare=Call("rejoinder.compare"))
        shown.append(Line(alone, "legend"))
    if (shares := times100_of(metrics)) and not matrix:
        shown.append(Line(f"{', '.join(shares)} x100; ratings as they were given", "legend"))
    if listed_errors.height:
        shown.append(Line(ERRORS, "legend"))
    if listed.height < pairs.height:
        shown.append(
            Line(f"pairs without an interval are not listed: {ALL_PAIRS} lists them", "legend")
        )
    words = words if errors.height else []
    ranking = [label for label, each in metrics.items() if each.ranks]
    for judge, prefers in contradictions(pairs, ranking, p).items():
        words.append(f"{judge} {PREFERS} {prefers}: do not rank systems by {judge}")
    tested = f"; '{JUDGE}' converts scores of another scale and tests the error"
    shown_notes = [note + tested * (OFF_SCALE in note) for note in notes]
    return [*shown, *lines([*words, *summary(pairs, p), *shown_notes], "note")]


def _saved(by: str, saved: float | None) -> str:
    if by != CORRECTED:
        return ""
    return NONE if saved is None or math.isnan(saved) else f"{100 * saved:z.0f}%"


def _errors(errors: pl.DataFrame, listed: pl.DataFrame, p: str, view: View) -> Document:
    """A row for each pair and judge."""
    show = decimals(2 if view.digits is None else view.digits)
    columns = [
        *PAIR,
        key("judge"),
        number("error", show=show),
        ends(show),
        number(P_HEADINGS[p], p, starred),
    ]
    table = Table(
        errors,
        columns,
        name="errors",
        title="errors of the judges",
        meanings=MEANINGS,
        paper=listed,
    )
    return spaced(table) if errors.height else []


def _with_interval(rows: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The rows of the pairs whose corrected difference has an interval."""
    ours = pairs.filter((pl.col("by") == CORRECTED) & pl.col("reason").is_null())
    return rows.join(ours, on=["a", "b"], how="semi", maintain_order="left")


def _columns_legend(p: str, anytime: bool) -> str:
    """What the columns of a row for each pair hold."""
    how = "by the maximum over" if p == "p_max" else "over"
    intervals = ANY_LOOK if anytime else ONE_LOOK
    return COLUMNS.format(intervals=intervals, p=P_HEADINGS[p], how=how)


def summary(pairs: pl.DataFrame, p: str) -> Iterator[str]:
    """In how many pairs the two agree, and how much is saved in the middle pair."""
    by = {name: pairs.filter(pl.col("by") == name) for name in (PEOPLE, CORRECTED)}
    saved = by[CORRECTED]["saved"].drop_nans()
    if not saved.len():
        return
    alone, corrected = (int((each[p] < SIGNIFICANT).sum()) for each in by.values())
    if by[PEOPLE].height == 1:
        (row,) = by[CORRECTED].rows(named=True)
        share = round(100 * row["saved"])
        saves = f"save {share}% of the ratings" if share > 0 else "save no ratings"
        words = standing(row, row[p], with_interval(decimals(2), not_as_zero(2)), P_HEADINGS[p])
        yield f"corrected by people, {words}; the judges {saves}"
        return
    yield (
        f"of {by[PEOPLE].height} pairs, {alone} {'differs' if alone == 1 else 'differ'} significantly by "
        f"people alone and {corrected} corrected; " + _middle(float(saved.median()))  # pyright: ignore[reportArgumentType]
    )


def _middle(saved: float) -> str:
    """What the judges save in the pair in the middle.

    >>> _middle(0.254)
    'half of the pairs with an interval save 25% of the ratings or more'
    >>> _middle(0.001)
    'in at least half of the pairs with an interval the judges save no ratings'
    """
    share = round(100 * saved)
    if share <= 0:
        return "in at least half of the pairs with an interval the judges save no ratings"
    return f"half of the pairs with an interval save {share}% of the ratings or more"
