"""What a report says in sentences: what the data show, and what is not known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rejoinder.document.best_system import best_sentence
from rejoinder.document.numbers import Show, decimals
from rejoinder.messages import SIGNIFICANT, counted, enumerated
from rejoinder.reporting.evidence import coefficient, metrics_of, too_few
from rejoinder.scoring.shown_values import number_of

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric
    from rejoinder.reporting.parts import ReportParts

NAMED = 3
"""So many pairs of systems are named in a sentence; of more only the number stands there."""

NAMES = {
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "kendall-b": "Kendall's tau-b",
    "kendall-c": "Kendall's tau-c",
}

TWO = decimals(2)


class Summary(NamedTuple):
    """The sentences of a report.

    Args:
        known: What the data show.
        unknown: What they cannot tell.
        notes: How the scores are to be read; see ``Scores.notes``.
    """

    known: tuple[str, ...]
    unknown: tuple[str, ...]
    notes: tuple[str, ...] = ()


def summary(report: ReportParts) -> Summary:
    """The sentences of a report, from the tables of its parts."""
    known = _size, _standings, _agreements, _signs, _raters, _choices, _audit, _quantities
    unknown = _no_intervals, _ties, _detectable, _few_audited, _no_agreement, _left_out
    return Summary(
        tuple(sentence for part in known for sentence in part(report)),
        tuple(sentence for part in unknown for sentence in part(report)),
        report.notes,
    )


def _size(report: ReportParts) -> Iterator[str]:
    """How many systems, items and references there are, and how many items have no reference."""
    systems, items = counted(len(report.scores.names), "system"), report.scores.items
    replied = f"{systems} replied to {counted(items.height, 'item')}"
    if fewer := [f"{system} to {number}" for system, number in incomplete(report, items)]:
        replied += f" ({enumerated(fewer)} of them)"
    references = report.references.join(items.select("id"), on="id", how="semi")
    counts = references.group_by("id").len().get_column("len")
    if report.responses.is_empty():
        of = f"{systems} and {counted(items.height, 'item')}"
        yield f"{of}; the texts of the replies are not given."
    elif counts.is_empty():
        yield f"{replied}, none of which has a reference."
    else:
        ends = dict.fromkeys((counts.min(), counts.max()))
        of_item = f"{' to '.join(map(str, ends))} reference{'s' * (counts.max() != 1)}"
        if without := items.height - counts.len():
            has, none = ("has" if number == 1 else "have" for number in (counts.len(), without))
            each = " each" * (counts.len() != 1)
            rest = f"{counts.len()} of them {has} {of_item}{each}, and {without} {none} none"
            yield f"{replied}; {rest}."
        else:
            yield f"{replied}; an item has {of_item}."


def incomplete(report: ReportParts, items: pl.DataFrame) -> Iterator[tuple[str, int]]:
    """The systems that did not reply to each of some items, each with how many it replied to."""
    replies = report.responses.join(items, on="id", how="semi")
    counts = replies.group_by("system", maintain_order=True).agg(n=pl.col("id").n_unique())
    yield from counts.filter(pl.col("n") < items.height).iter_rows()


def _standings(report: ReportParts) -> Iterator[str]:
    """The best system under each metric that ranks systems, or those that are tied."""
    for each in metrics_of(report):
        yield best_sentence(each.ordered, f"{each.label} alone", each.show)


def _agreements(report: ReportParts) -> Iterator[str]:
    """How far metrics agree with people, criterion by criterion, on single replies."""
    for criterion, agreement in report.agreement.items():
        kind, ends = coefficient(agreement)
        table = agreement.table().filter(pl.col("correlation") == kind)
        table = table.filter(pl.col("metric").is_in(list(agreement.labels)))
        rows = table.select("metric", *ends).iter_rows()
        words = [f"{label} {_interval(values, TWO)}" for label, *values in rows]
        within = ends[0] == "within"
        how = ", the mean over systems of the correlation within each" * within
        yield (
            f"Agreement with people on single replies, {criterion} ({NAMES[kind]}{how}): {'; '.join(words)}."
        )


def _raters(report: ReportParts) -> Iterator[str]:
    """How many people rated, and how far they agree."""
    if report.ratings is None:
        return
    agreement = report.ratings.agreement.filter(measure="alpha ordinal")
    for row in report.ratings.counts.to_dicts():
        words = (
            f"Ratings, {row['criterion']}: {counted(row['ratings'], 'rating')} by "
            f"{counted(row['raters'], 'rater')} of {counted(row['replies'], 'reply', 'replies')}"
        )
        alpha = agreement.filter(criterion=row["criterion"]).select("value", "low", "high").rows()
        if alpha and not math.isnan(alpha[-1][0]):
            words += f"; Krippendorff's alpha (ordinal) is {_interval(alpha[-1], TWO)}"
        yield f"{words}."


def _signs(report: ReportParts) -> Iterator[str]:
    """Of the pairs of systems that people tell apart, in how many each metric prefers the same one."""
    if report.comparison is None:
        return
    table = report.comparison.table.to_dicts()
    for criterion, compared in report.with_people.items():
        of_people = compared.pairs.filter(pl.col("p_holm") < SIGNIFICANT, by="people")
        rows = of_people.select("a", "b", "difference").rows()
        clear = {pair: way * d for a, b, d in rows for pair, way in (((a, b), 1), ((b, a), -1))}
        words = []
        for label, each in report.scores.measured.items():
            rows = [r for r in table if r["metric"] == label and (r["a"], r["b"]) in clear]
            if not each.metric.ranks or not rows:
                continue
            way = 1 if each.metric.higher_is_better else -1
            same = [way * r["difference"] * clear[r["a"], r["b"]] > 0 for r in rows]
            p = [r["p_randomization_holm"] for r in rows]
            wrong = sum(not s and q < SIGNIFICANT for s, q in zip(same, p, strict=True))
            words.append(f"{label} in {sum(same)}")
            words[-1] += f" (in {wrong} it significantly prefers the other one)" * bool(wrong)
        if words:
            yield (
                f"People tell {counted(len(clear) // 2, 'pair')} of systems apart ({criterion}); metrics "
                f"prefer the same system: {', '.join(words)}."
            )


def _choices(report: ReportParts) -> Iterator[str]:
    """How many choices people made, and which system is best by them."""
    if report.preferences is None:
        return
    verdicts = dict(report.preferences.verdicts.iter_rows())
    for row in report.preferences.counts.to_dicts():
        raters = counted(row["raters"], "rater")
        of = f"Preferences, {row['criterion']}: {counted(row['comparisons'], 'comparison')} by {raters}"
        yield f"{of}. {verdicts.get(row['criterion'], '')}".strip()


def _audit(report: ReportParts) -> Iterator[str]:
    if report.audit is not None:
        yield from (f"Audit: {each.sentence}" for each in report.audit.verdicts)


def _quantities(report: ReportParts) -> Iterator[str]:
    """The RUQ of each model against the strongest generic reply."""
    for scores in report.ruq.values():
        label = scores.labels[0]
        show = number_of(scores.measured[label].metric)
        rows = scores.systems().filter(metric=label).select("system", "value", "low", "high")
        words = [f"{system} {_interval(ends, show)}" for system, *ends in rows.iter_rows()]
        yield f"{label}: {'; '.join(words)}."


def _no_intervals(report: ReportParts) -> Iterator[str]:
    scores = report.scores
    if not scores.resamples and scores.measured:
        yield "Intervals and tests were turned off: how certain the values are is not known."
    elif len(scores.names) == 1:
        yield "There is one system alone: nothing is compared."


def _pairs_of(report: ReportParts) -> Iterator[tuple[str, Metric, pl.DataFrame]]:
    """The pairs of systems under each metric that ranks systems, with their corrected ``p``."""
    if report.comparison is not None:
        table = report.comparison.table.with_columns(
            p=pl.col("p_randomization_holm").fill_nan(None)
        )
        for label, each in report.scores.measured.items():
            if each.metric.ranks:
                yield label, each.metric, table.filter(metric=label)


def _ties(report: ReportParts) -> Iterator[str]:
    """The pairs of systems that no test separates."""
    for label, _, rows in _pairs_of(report):
        every = f"{counted(rows.height, 'pair')} of systems"
        if untested := rows.get_column("p").null_count():
            yield (
                f"{label}: {untested} of {every} cannot be tested: there are too few items, clusters or "
                "values that differ."
            )
        if pairs := rows.filter(pl.col("p") >= SIGNIFICANT).select("a", "b").rows():
            names = f" ({', '.join(f'{a} and {b}' for a, b in pairs)})" * (len(pairs) <= NAMED)
            verb = "does" if len(pairs) == 1 else "do"
            yield (
                f"{label}: {len(pairs)} of {every} {verb} not differ significantly{names}: which system of "
                "a pair is better is not known."
            )


def _detectable(report: ReportParts) -> Iterator[str]:
    """The smallest difference of the best two systems that such a study would show."""
    best, sizes, items = report.scores.systems(), [], []
    for label, metric, rows in _pairs_of(report):
        first = best.filter(metric=label).get_column("system").head(2).implode()
        (row,) = rows.filter(*(pl.col(each).is_in(first) for each in "ab")).to_dicts()
        if not math.isnan(row["detectable"]):
            sizes.append(f"{number_of(metric)(row['detectable'])} in {label}")
            items.append(row["n"])
    if sizes:
        ends = dict.fromkeys((min(items), max(items)))
        number = f"{' to '.join(map(str, ends))} item{'s' * (max(items) != 1)}"
        yield (
            f"With {number}, a true difference of {', '.join(sizes)} between the two systems that "
            "the metric puts first is significant in 80 of 100 such studies; a smaller one is often missed."
        )


def _few_audited(report: ReportParts) -> Iterator[str]:
    """The metrics of which so few items cannot tell whether they reward trivial replies."""
    if (audited := report.audit) is None:
        return
    if labels := [each.metric for each in audited.verdicts if too_few(audited, each.metric)]:
        verb = "rewards" if len(labels) == 1 else "reward"
        yield (
            f"Whether {enumerated(labels)} {verb} trivial replies is not known: there are too few items or "
            "clusters for an interval."
        )


def _no_agreement(report: ReportParts) -> Iterator[str]:
    """That agreement with people is not known, or not sure."""
    if report.ratings is None and report.scores.measured:
        yield (
            "No human ratings are given: how far the metrics agree with people on these replies is not "
            "known."
        )
    for criterion, agreement in report.agreement.items():
        kind, (_, low, high) = coefficient(agreement)
        table = agreement.table().filter(pl.col("metric").is_in(list(agreement.labels)))
        # NaN would count as greater than any number.
        above, below = pl.col(low).fill_nan(None) > 0, pl.col(high).fill_nan(None) < 0
        unsure = table.filter(~(above | below).fill_null(False), correlation=kind)
        if unsure.height:
            names = ", ".join(unsure.get_column("metric"))
            yield (
                f"{criterion}: whether {names} agree{'s' * (unsure.height == 1)} with people on single "
                "replies at all is not known: the interval of the correlation holds 0, or there is none."
            )


def _left_out(report: ReportParts) -> Iterator[str]:
    for part, why in report.failed.items():
        yield f"Not computed: {part}: {why}."


def _interval(ends: Sequence[float | None], show: Show) -> str:
    """A value with its 95% interval, where there is one."""
    value, low, high = (math.nan if each is None else each for each in ends)
    if math.isnan(value):
        return "undefined"
    return show(value) + f" (95% interval {show(low)} to {show(high)})" * (not math.isnan(low))
