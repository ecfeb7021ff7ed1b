"""A judge beside people: bias, errors, reliability, and whether it can replace a rater."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError
from rejoinder.human_evaluation.grades import SCALE, Scale
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, Call, counted, listed, merged, quoted
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.meta_evaluation.judge_sentences import CONSTANT_STANDS_IN
from rejoinder.meta_evaluation.matching import RANDOM, match, other_criterion_notes
from rejoinder.meta_evaluation.with_people.estimates import (
    LEAST_SPAN,
    PREFERS,
    contradictions,
    on_scale,
    preferences,
)
from rejoinder.meta_evaluation.with_people.refusals import check_signatures
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.metrics.external import External
from rejoinder.progress import Progress, advance
from rejoinder.result import Basis, TableResult, with_basis
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.annotator_test import Alignment, AnnotatorTest, alternative_annotator_test
from rejoinder.statistics.calibration import cross_fitted
from rejoinder.statistics.clusters import Groups, variance_components
from rejoinder.statistics.conventions import NO_SPREAD, NOISE, check_choice
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.holm import holm
from rejoinder.statistics.judge_errors import Estimate, JudgeErrors, judge_errors
from rejoinder.statistics.judge_panel import independent_judges
from rejoinder.statistics.prediction_powered import FEWEST_LABELLED
from rejoinder.statistics.rating_matrix import RaterEffects, Severity
from rejoinder.statistics.skewed_mean import strongly_skewed
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.covariates import MEASURED
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.item_clusters import cluster_note
from rejoinder.tables.types import Ratings, Responses

KEPT = Argument("rater_severity", "kept")

TOLERANCE = 0.1
"""By how much a judge may be worse than a rater: what Calderon et al. 2025 take for crowd workers."""

MOSTLY = 0.9
"""From this share of the replies in common on, the replies of other raters are left out."""

MEASURES = ("severity", "slope", "correlation", "within", "corrected", "reliability")

OTHER_SCALE = "the marks are not on the ratings' scale"

_TEXT, _COUNT, _NUMBER = pl.String, pl.Int64, pl.Float64
_ESTIMATE = {
    "value": _NUMBER, "low": _NUMBER, "high": _NUMBER, "p": _NUMBER, "n": _COUNT, "reason": _TEXT,
}  # fmt: skip
_MEASURES = {"judge": _TEXT, "measure": _TEXT} | _ESTIMATE
_ERRORS = {"judge": _TEXT, "factor": _TEXT, "level": _TEXT} | _ESTIMATE | {"p_holm": _NUMBER}
_REPEATS = {
    "judge": _TEXT, "replies": _COUNT, "marks": _COUNT, "single": _NUMBER, "mean": _NUMBER,
    "reason": _TEXT,
}  # fmt: skip
_TESTS = {
    "judge": _TEXT, "raters": _COUNT, "beaten": _COUNT, "winning_rate": _NUMBER,
    "advantage": _NUMBER, "rater_advantage": _NUMBER, "passed": pl.Boolean, "reason": _TEXT,
}  # fmt: skip
_RATERS = {
    "judge": _TEXT, "rater": _TEXT, "items": _COUNT, "advantage": _NUMBER, "difference": _NUMBER,
    "p": _NUMBER, "p_corrected": _NUMBER, "beaten": pl.Boolean, "reason": _TEXT,
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class JudgeReport(TableResult):
    """Judges beside people. Undefined numbers are NaN, and ``reason`` says why.

    Attributes:
        measures: A row for each judge and measure: ``judge``, ``measure`` (``severity``: mean mark
            less mean rating; ``slope``: marks' units for one of the ratings', within systems;
            ``correlation``: Pearson's, all replies; ``within``: within systems; ``corrected``:
            within systems, corrected for the raters' noise; ``reliability`` of the mean ratings),
            ``value``, ``low``, ``high`` (95%), ``p`` (of severity 0, slope 1, correlation 0), ``n``
            (replies), ``reason``.
        errors: A row for each judge, ``factor`` (``system``, ``length``, ``markdown``) and ``level``
            (the system): the judge's error in units of the ratings, above 0 where it favours the
            system, or for each unit of the factor (the logarithm of words + 1); ``p_holm``,
            corrected over the judge's rows.
        repeats: Of judges that marked a reply more than once: the reliability of a ``single`` mark
            and of the ``mean`` of them (intraclass correlation).
        tests: The alternative annotator test: ``raters`` tested, ``beaten``, ``winning_rate``,
            ``advantage`` (mean over raters) and ``rater_advantage``, the same share of the raters left
            out, ``passed``.
        raters: Its rows for each rater.
        panel: How many independent judges all of them are worth; None for one judge.
        notes: What was left out, and how values are to be read.
        signature: Everything that the numbers follow from.
    """

    measures: pl.DataFrame
    errors: pl.DataFrame
    repeats: pl.DataFrame
    tests: pl.DataFrame
    raters: pl.DataFrame
    panel: Estimate | None
    notes: tuple[str, ...]
    signature: str
    _basis: Basis | None = field(default=None, repr=False)

    def document(self, view: View = AS_USUAL) -> Document:
        """How each judge follows people, where it errs, and whether it can replace a rater."""
        from rejoinder.meta_evaluation.judge_tables import judges

        tables = self.measures, self.errors, self.repeats, self.tests
        return judges(*tables, self.panel, self.notes, self.signature)

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder judge --json`` prints."""
        panel = {"panel": None if self.panel is None else self.panel._asdict()}
        tables = self.json_of("measures", "errors", "repeats", "tests", "raters")
        return tables | panel | self.json_of("signature", "notes")


class _Judge(NamedTuple):
    """One judge's marks of the replies that it marked."""

    label: str
    marked: np.ndarray
    apart: int
    effects: RaterEffects
    on_scale: bool
    errors: JudgeErrors
    test: AnnotatorTest
    equal: float | None


def judge(
    scores: Scores | Frame,
    ratings: Frame | Ratings,
    *,
    responses: ResponsesLike | None = None,
    repeats: pl.DataFrame | None = None,
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    cluster: str | None = None,
    tolerance: float = TOLERANCE,
    alignment: Alignment = "rmse",
    rater_severity: Severity = "adjusted",
    seed: int = 12345,
    progress: Progress | None = None,
) -> JudgeReport:
    """Compares judges, or metrics, with the people whose place they would take.

    Args:
        scores: Each metric of it is a judge: marks of another tool (``External``), or a metric of
            texts.
        ratings: The table of ``read_ratings``.
        responses: The replies, whose length and markdown are tested as causes of error; None: they
            are not.
        repeats: ``read_scores`` of the judges' files, where a judge marked a reply more than once.
        criterion: Which criterion, where there are several.
        without: Systems to leave out, people for instance.
        scale: The worst and the best grade that could be given; None takes those that were.
        cluster: A column of the contexts whose equal values are not independent. None takes what the
            scores were measured with; ``none`` takes every item as independent.
        tolerance: Epsilon of the alternative annotator test: by how much the judge may be worse than
            a rater, in the share of items.
        alignment: Of that test: ``rmse`` for grades, ``accuracy`` for categories.
        rater_severity: ``adjusted``: the mean rating of a reply is without the severity of each rater (by a
            two-way additive fit of replies and raters); ``kept``: severity stays in it, and counts as
            the raters' noise.
        seed: Of the folds in which marks of another scale are made ratings for that test.
        progress: Called with how many judges are done, and of how many.

    Raises:
        InputError: The ratings are not the table, or have nothing in common with the scores; a judge's
            marks are the ratings themselves, or its signature names them.
        ParameterError: A parameter is unknown, or there are several criteria and none is named.
    """
    return judge_by(
        scores,
        ratings,
        covariates=None if responses is None else _covariates_of(responses),
        repeats=repeats,
        criterion=criterion,
        without=without,
        scale=scale,
        cluster=cluster,
        tolerance=tolerance,
        alignment=alignment,
        rater_severity=rater_severity,
        seed=seed,
        progress=progress,
    )


@with_basis("scores", "ratings", "covariates", "repeats")
def judge_by(
    scores: Scores | Frame,
    ratings: Frame | Ratings,
    *,
    covariates: pl.DataFrame | None = None,
    repeats: pl.DataFrame | None = None,
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    cluster: str | None = None,
    tolerance: float = TOLERANCE,
    alignment: Alignment = "rmse",
    rater_severity: Severity = "adjusted",
    seed: int = 12345,
    progress: Progress | None = None,
) -> JudgeReport:
    """Does what `judge` does, without a text: ``covariates`` has length and markdown by system and id.

    See `judge` for the other arguments.

    Raises:
        InputError: As `judge` does.
        ParameterError: As `judge` does.
    """
    scores = scores_of(scores, Scores, "rejoinder.judge(scores, ratings)")
    without = strings(without, "without", "systems")
    check_draws(0, seed)
    check_choice(get_args(Severity), rater_severity=rater_severity)
    scores.need_items()
    if cluster is not None:
        scores = clustered(scores, cluster)
    given = taken(Ratings, ratings).of_criterion(criterion, one=True)
    rated, notes, criterion = match(scores, given, criterion, "mean", without, seed, scale)
    labels = [label for label in rated.subjects if label != RANDOM]
    signatures = {label: scores.measured[label].signature for label in labels}
    check_signatures(signatures, given.table())
    _check_no_ratings(rated, labels)
    if same := _raters_that_are_judges(rated, labels):
        others = given.where(~pl.col("rater").is_in([*same]))
        rated, notes, _ = match(scores, others, criterion, "mean", without, seed, scale)
        notes += [
            f"{label}: its marks are equal to the grades of rater {quoted(rater)} on every reply that both "
            "have, so that it would be compared with itself: the ratings of this rater are left out"
            for rater, label in same.items()
        ]
    measured = _covariates(rated, covariates, notes)
    judges = []
    for done, label in enumerate(labels, start=1):
        one = _judge(label, rated, scale, measured, tolerance, alignment, rater_severity, seed)
        judges.append(one)
        advance(progress, done, len(labels))
    if scores.cluster:
        notes.append(cluster_note(rated.group, scores.cluster))
    notes += _swapped_note(rated, labels)
    notes += other_criterion_notes(labels, criterion)
    if len(rated.systems) > 1:
        pairs = preferences(RepliesWithRatings.of(scores, rated, given.table(), scale), seed)
        ranking = [label for label in labels if rated.subjects[label].metric.ranks]
        opposed = contradictions(pairs, ranking)
        notes += [f"{label} {PREFERS} {words}" for label, words in opposed.items()]
    notes += _notes(judges, rated, scale)
    notes += _severity_notes(judges, rated)
    notes += _constant_note(rated, judges, tolerance, alignment)
    panel = _panel(judges, rated)
    facts = [
        "judge",
        f"criterion:{criterion}",
        f"tolerance:{tolerance:g}",
        f"alignment:{alignment}",
        f"rater_severity:{rater_severity}",
        *([f"without:{'+'.join(without)}"] if without else []),
        *([f"cluster:{scores.cluster}"] if rated.cluster is not None else []),
        f"seed:{seed}",
        *(f"{label}={signature}" for label, signature in signatures.items()),
        f"version:{__version__}",
    ]
    return JudgeReport(
        pl.DataFrame([row for each in judges for row in _measure_rows(each)], schema=_MEASURES),
        pl.DataFrame(
            [row for each in judges for row in _error_rows(each, rated, measured)], schema=_ERRORS
        ),
        pl.DataFrame(_repeat_rows(repeats, labels), schema=_REPEATS),
        pl.DataFrame([_test_row(each) for each in judges], schema=_TESTS),
        pl.DataFrame([row for each in judges for row in _rater_rows(each, rated)], schema=_RATERS),
        panel,
        tuple(dict.fromkeys(notes)),
        "|".join(facts),
    )


def _check_no_ratings(rated: Rated, labels: Sequence[str]) -> None:
    """Raises where the marks of a judge are the mean ratings themselves."""
    for label in labels:
        marks, metric = rated.segments[label], rated.subjects[label].metric
        marked = np.isfinite(marks)
        equal = np.allclose(marks[marked], rated.human[marked], rtol=0, atol=NOISE)
        values, number = np.unique(rated.human[marked]).size, int(marked.sum())
        raters = metric.raters if isinstance(metric, External) else 1
        if equal and values > 1 and (raters > 1 or (values > 2 and number >= FEWEST_LABELLED)):
            raise InputError(
                f"{label}: its marks of all {number} rated replies are equal to the mean ratings, so that "
                "they seem to be the ratings themselves; give the judge's own marks (with "
                f"{Argument('scores')}), and people's ratings (with {Argument('ratings')}); there is nothing "
                "to test in a judge without any error"
            )


def _raters_that_are_judges(rated: Rated, labels: Sequence[str]) -> dict[str, str]:
    """By rater the judge whose marks are that rater's grades.

    Somebody who graded few of the replies, or grades of two values, may agree with a good judge by chance.

    Raises:
        InputError: No other rater is left.
    """
    same: dict[str, str] = {}
    for label in labels:
        marks = rated.segments[label]
        for rater, grades in zip(rated.raters, rated.matrix.T, strict=False):
            both = np.isfinite(marks) & np.isfinite(grades)
            values, number = np.unique(grades[both]).size, int(both.sum())
            least = max(FEWEST_LABELLED * (1 if values > 2 else 5), np.isfinite(marks).sum() / 2)
            if values > 1 and number >= least and np.all(abs(marks - grades)[both] <= NOISE):
                same.setdefault(rater, label)
    if same and len(same) == len(rated.raters):
        raise InputError(
            f"{listed([*same.values()])}: the marks are equal to the grades of the raters {listed(same)} on "
            "every reply that both have, and nobody else rated; give the judge's own marks alone (with "
            f"{Argument('scores')}), and people's ratings (with {Argument('ratings')})"
        )
    return same


def _swapped_note(rated: Rated, labels: Sequence[str]) -> list[str]:
    """A note where marks are of several raters and ratings of one: the two may be swapped."""
    if rated.matrix.shape[1] > 1:
        return []
    several = []
    for label in labels:
        metric = rated.subjects[label].metric
        if isinstance(metric, External) and metric.raters > 1:
            several.append((label, metric.raters))
    return [
        f"{label}: the marks have {raters} raters, and the ratings have one; if the two tables are "
        "swapped, give them the other way round"
        for label, raters in several
    ]


def _judge(
    label: str,
    rated: Rated,
    scale: Scale | None,
    covariates: Mapping[str, Floats],
    tolerance: float,
    alignment: Alignment,
    rater_severity: Severity,
    seed: int,
) -> _Judge:
    marks = rated.segments[label]  # higher is better: turned around where lower was
    marked = np.isfinite(marks)
    effects = RaterEffects.of(rated.matrix[marked], rater_severity)
    usable = effects.part == np.bincount(effects.part, minlength=1).argmax()
    apart = int((~usable).sum())
    if 0 < apart <= (1 - MOSTLY) * usable.size:
        marked[marked] = usable
        effects = RaterEffects.of(rated.matrix[marked], rater_severity)
    given_marks, ratings, group = marks[marked], rated.matrix[marked], rated.group[marked]
    sign = rated.subjects[label].sign
    alike = sign > 0 and bool(given_marks.size) and _on(given_marks, rated, label, scale)
    columns = [each[marked] for each in covariates.values()]
    x = np.stack(columns, axis=1) if columns else None
    system = rated.system[marked]
    errors = judge_errors(ratings, given_marks, system, group, x, alike, rater_severity)
    answers = given_marks if alike else cross_fitted(given_marks, rated.human[marked], group, seed)
    # A context that several systems answered is one cluster of replies.
    test = alternative_annotator_test(ratings, answers, tolerance, alignment, group)
    equal = given_marks[0] * sign if given_marks.size and np.ptp(given_marks) <= NO_SPREAD else None
    return _Judge(label, marked, apart, effects, alike, errors, test, equal)


def _on(marks: Floats, rated: Rated, label: str, scale: Scale | None) -> bool:
    """Whether marks are on the raters' scale, as far as one can tell: within it, or grades near it."""
    low, high = _ends(rated, scale)
    if low <= marks.min() and marks.max() <= high:
        return True
    grades = rated.matrix[np.isfinite(rated.matrix)]
    return _are_grades(rated, label) and on_scale(marks, grades, scale)


def _are_grades(rated: Rated, label: str) -> bool:
    """Whether the marks of a judge may be grades: those of another tool, and of no metric of texts."""
    return isinstance(rated.subjects[label].metric, External)


def _ends(rated: Rated, scale: Scale | None) -> Scale:
    """The scale; where it is not given, from the worst to the best grade that was."""
    return scale or (float(np.nanmin(rated.matrix)), float(np.nanmax(rated.matrix)))


def _covariates_of(responses: ResponsesLike) -> pl.DataFrame:
    """Length and markdown of each reply: ``system``, ``id`` and a column for each of `MEASURED`."""
    table = taken(Responses, responses).frame.unique(
        ["system", "id"], keep="first", maintain_order=True
    )
    texts = table["text"].to_list()
    measured = {name: [measure(text) for text in texts] for name, measure in MEASURED.items()}
    return table.select("system", "id").with_columns(pl.Series(*each) for each in measured.items())


def _covariates(
    rated: Rated, of_replies: pl.DataFrame | None, notes: list[str]
) -> dict[str, Floats]:
    """Length and markdown of each rated reply: float64 [r]; one that does not vary is left out."""
    if of_replies is None:
        return {}
    known = {(system, id): values for system, id, *values in of_replies.iter_rows()}
    places = [(rated.systems[s], rated.ids[i]) for s, i in _places(rated)]
    absent = sum(place not in known for place in places)
    if absent:
        what = counted(absent, "rated reply", "rated replies")
        notes.append(f"length and markdown are not tested: {what} without a text")
        return {}
    values = np.array([known[place] for place in places], float).reshape(-1, len(MEASURED))
    return {
        name: column for name, column in zip(MEASURED, values.T, strict=True) if np.ptp(column) > 0
    }


def _places(rated: Rated) -> list[tuple[int, int]]:
    return list(zip(rated.system.tolist(), rated.item.tolist(), strict=True))


def _panel(judges: Sequence[_Judge], rated: Rated) -> Estimate | None:
    """How many independent judges those are worth that have errors, on the replies that all marked."""
    usable = [each for each in judges if np.isfinite(each.errors.errors).any()]
    if len(usable) < 2:
        return None
    errors = np.full((len(usable), rated.human.size), np.nan)
    for row, each in zip(errors, usable, strict=True):
        row[each.marked] = each.errors.errors
    common = np.isfinite(errors).all(axis=0)
    if common.sum() < 2:
        return None
    noise = float(np.mean([each.errors.noise for each in usable]))
    left_out = [each.errors.noise_left_out for each in usable]
    same = {each.size for each in left_out} == {np.unique(rated.group[common]).size}
    without = np.mean(left_out, axis=0) if same else None
    return independent_judges(errors[:, common].T, noise, rated.group[common], without)


def _notes(judges: Sequence[_Judge], rated: Rated, scale: Scale | None) -> list[str]:
    """What was left out, and how marks became ratings; of several judges together."""
    several, (low, high) = [], _ends(rated, scale)
    for one in judges:
        absent = int((~one.marked).sum()) - one.apart * one.effects.connected()
        if absent:
            what = counted(absent, "rated reply", "rated replies")
            several.append((one.label, f"{what} without a mark left out"))
        if one.equal is not None:
            line = f"all marks are equal ({one.equal:g}): they do not distinguish replies"
            several.append((one.label, line))
        marks = rated.segments[one.label][one.marked]
        least, most = map(float, (marks.min(), marks.max()) if marks.size else (low, high))
        if not one.on_scale:
            wide = most - least >= LEAST_SPAN * (high - low)
            upwards = rated.subjects[one.label].sign > 0
            wider = scale is None and wide and upwards and _are_grades(rated, one.label)
            line = (
                f"marks are not on the ratings' scale ({low:g} to {high:g}): no severity; "
                "beside raters they are made ratings by a straight line, fitted on other contexts"
            ) + f"; if both have one scale, {SCALE} names it" * wider
            several.append((one.label, line))
        elif least < low or most > high:
            both = Argument("scale", (min(low, least), max(high, most)))
            line = (
                f"ratings lie from {low:g} to {high:g}, and marks from {least:g} to {most:g}: they are taken "
                f"to be on one scale, which severity rests on; {both} says so, or another scale"
            )
            several.append((one.label, line))
    notes = merged(several)
    of_reply = np.isfinite(rated.matrix).sum(axis=1)
    repeated = int((of_reply > 1).sum())
    if any(one.errors.calibration != "slope" for one in judges):
        why = "each reply has one rating (or a mean of people not named)"
        if repeated:
            why = "too few replies have several ratings"
        notes.append(
            f"{why}: the raters' noise is unknown, so slopes and correlations are not corrected for it, and "
            "a panel seems worth fewer judges than it is"
        )
    elif 0 < repeated < of_reply.size / 2:
        panel = "that of a panel in 77 to 93, " * (len(judges) > 1)
        notes.append(
            f"{repeated} of {of_reply.size} rated replies have several ratings, so "
            "that the raters' noise is hardly known: of 100 such studies the interval of a corrected "
            f"correlation contained the truth in 95 to 98, {panel}where 95 should"
        )
    means = [one.effects.means for one in judges if one.effects.means.size]
    if any(strongly_skewed(each) for each in means):
        notes.append(
            "people's ratings are strongly skewed: intervals of correlations, of the slope and of the "
            "reliability leave out the truth in up to 15 of 100 studies"
        )
    return notes


def _severity_notes(judges: Sequence[_Judge], rated: Rated) -> list[str]:
    """What was done about the severity of raters, or could not be."""
    notes, several = [], []
    for one in judges:
        if one.apart and one.effects.connected():
            what = counted(one.apart, "rated reply", "rated replies")
            line = f"{what} left out, whose raters share no reply with the other raters"
            several.append((one.label, line))
        elif one.apart:
            notes.append(
                f"the raters fall into {one.effects.part.max() + 1} groups that rated no reply in common, "
                f"not even by way of other raters ({_groups(one, rated)}): the severity of a group cannot be "
                "told from the quality of its replies, so that nothing is given that compares ratings of "
                "different groups. Have some replies rated by several groups; or, if replies were given to "
                f"raters at random, count severity as noise ({KEPT}), as "
                f"'{Call('rejoinder.correlate')}' does"
            )
    known = [
        one.effects.severities for one in judges if one.effects.connected() and one.effects.rank
    ]
    if known and len(rated.raters) == known[0].size:
        rounded = known[0].round(
            9
        )  # of raters who are equally severe the first, whatever the last bits
        low, high = rounded.argmin(), rounded.argmax()
        notes.append(
            f"the severity of raters is taken off their ratings: from {known[0][low]:+.2f} "
            f"('{rated.raters[low]}') to {known[0][high]:+.2f} ('{rated.raters[high]}') beside the others on "
            f"the same replies; {KEPT} leaves it in and counts it as noise. "
            "Intervals hold for these raters; others may favour another system, or be less reliable"
        )
    return merged(several) + notes


def _groups(one: _Judge, rated: Rated) -> str:
    """Whom two groups of raters rate: the first two."""
    words = []
    for part in (0, 1):
        of_part = one.effects.part == part
        raters = np.flatnonzero(one.effects.shares[of_part].sum(axis=0))
        systems = np.unique(rated.system[one.marked][of_part])
        words.append(
            f"{listed([rated.raters[r] for r in raters])} of {listed([rated.systems[s] for s in systems])}"
        )
    return "; ".join(words)


def _constant_note(
    rated: Rated, judges: Sequence[_Judge], tolerance: float, alignment: Alignment
) -> list[str]:
    """A note where the mean rating, given to every reply, could replace a rater too."""
    constant = np.full(rated.human.size, rated.human.mean())
    if alignment == "accuracy":
        grades, counts = np.unique(rated.matrix[np.isfinite(rated.matrix)], return_counts=True)
        constant[:] = grades[counts.argmax()]
    test = alternative_annotator_test(rated.matrix, constant, tolerance, alignment, rated.group)
    if not test.passed or not any(one.test.passed for one in judges):
        return []
    beaten = sum(each.beaten for each in test.raters)
    tested = sum(each.reason is None for each in test.raters)
    return [
        f"{CONSTANT_STANDS_IN} (it beats {beaten} of {tested}): raters differ so much here that the test "
        "says little; read 'r within'"
    ]


def _measure_rows(one: _Judge) -> list[dict[str, Any]]:
    rows = []
    for name in MEASURES:
        estimate: Estimate = getattr(one.errors, name)
        if name == "severity" and not one.on_scale:
            none = math.nan
            estimate = Estimate(none, none, none, none, estimate.n, OTHER_SCALE)
        rows.append({"judge": one.label, "measure": name, **estimate._asdict()})
    return rows


def _error_rows(
    one: _Judge, rated: Rated, covariates: Mapping[str, Floats]
) -> list[dict[str, Any]]:
    named = [("system", name) for name in rated.systems] + [(name, "") for name in covariates]
    estimates = (*one.errors.systems, *one.errors.effects)
    corrected = holm(np.array([each.p for each in estimates]))
    return [
        {"judge": one.label, "factor": factor, "level": level, **each._asdict(), "p_holm": float(p)}
        for (factor, level), each, p in zip(named, estimates, corrected, strict=True)
    ]


def _repeat_rows(repeats: pl.DataFrame | None, labels: Sequence[str]) -> list[dict[str, Any]]:
    """The intraclass correlation of marks of one reply, for each judge that marked one twice."""
    if repeats is None:
        return []
    rows = []
    for (name,), of_name in repeats.drop_nulls("value").group_by("name", maintain_order=True):
        replies = of_name.select("system", "id").unique().height
        if name not in labels or of_name.height == replies:
            continue
        key = of_name.select(pl.struct("system", "id").rank("dense")).to_series().to_numpy()
        parts = variance_components(of_name["value"].to_numpy(), Groups.of(key, of_name.height))
        total, number = parts.between + parts.within, of_name.height / replies
        known = total > 0
        single = parts.between / total if known else math.nan
        mean = parts.between / (parts.between + parts.within / number) if known else math.nan
        reason = None if known else "all marks are equal"
        rows.append(
            {"judge": name, "replies": replies, "marks": of_name.height, "single": single, "mean": mean,
             "reason": reason}
        )  # fmt: skip
    return rows


def _test_row(one: _Judge) -> dict[str, Any]:
    test = one.test
    tested = [each for each in test.raters if each.reason is None]
    return {
        "judge": one.label,
        "raters": len(tested),
        "beaten": sum(each.beaten for each in tested),
        "winning_rate": test.winning_rate,
        "advantage": test.advantage,
        "rater_advantage": test.advantage + _mean([each.difference for each in tested]),
        "passed": test.passed,
        "reason": test.reason,
    }


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _rater_rows(one: _Judge, rated: Rated) -> list[dict[str, Any]]:
    return [
        {"judge": one.label, "rater": rater, **each._asdict()}
        for rater, each in zip(rated.raters, one.test.raters, strict=False)
    ]
