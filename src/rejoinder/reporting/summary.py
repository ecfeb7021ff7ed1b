"""What a report says in sentences: what the data show, and what is not known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rejoinder.messages import counted, enumerated, p_is
from rejoinder.metrics.base import Metric
from rejoinder.scoring.compare import is_upper_limit
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.visible import visible

if TYPE_CHECKING:
    from rejoinder.meta_evaluation.correlate import Agreement
    from rejoinder.reporting.parts import ReportParts
    from rejoinder.scoring.scores import Scores

NAMED = 3
"""So many pairs of systems are named in a sentence; of more only the number stands there."""

COEFFICIENT = "spearman"
"""The coefficient of the sentences; the tables have the others too."""


NAMES = {
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "kendall-b": "Kendall's tau-b",
    "kendall-c": "Kendall's tau-c",
}


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
    known = (
        _size,
        _standings,
        _agreements,
        _signs,
        _raters,
        _strengths,
        _verdicts,
        _quantities,
    )
    unknown = (_no_intervals, _ties, _detectable, _no_agreement, _left_out)
    return Summary(
        tuple(sentence for part in known for sentence in part(report)),
        tuple(sentence for part in unknown for sentence in part(report)),
        report.notes,
    )


def _size(report: ReportParts) -> Iterator[str]:
    """How many systems, items and references there are, and how many items have no reference."""
    names, items = report.scores.names, report.scores.items
    if report.responses.is_empty():
        words = f"{counted(len(names), 'system')} and {counted(items.height, 'item')}"
        yield f"{words}; the texts of the replies are not given."
        return
    counts = (
        report.references.join(items.select("id"), on="id", how="semi")
        .group_by("id")
        .len()
        .get_column("len")
    )
    words = f"{counted(len(names), 'system')} replied to {counted(items.height, 'item')}"
    fewer = [
        f"{_name(name)} to {own}"
        for name, own in answered(report, items).items()
        if own < items.height
    ]
    words += f" ({enumerated(fewer)} of them)" * bool(fewer)
    if counts.is_empty():
        yield f"{words}, none of which has a reference."
        return
    fewest, most = counts.min(), counts.max()
    amount = f"{most}" if fewest == most else f"{fewest} to {most}"
    references = f"{amount} reference{'s' * (most != 1)}"
    without = items.height - counts.len()
    if without:
        has, none = ("has" if number == 1 else "have" for number in (counts.len(), without))
        each = " each" * (counts.len() != 1)
        words += f"; {counts.len()} of them {has} {references}{each}, and {without} {none} none"
    else:
        words += f"; an item has {references}"
    yield f"{words}."


def answered(report: ReportParts, items: pl.DataFrame) -> dict[str, int]:
    """To how many of some items each system replied; empty where texts are not given."""
    replies = report.responses.join(items.select("id"), on="id", how="semi")
    counts = replies.group_by("system", maintain_order=True).agg(pl.col("id").n_unique())
    return dict(counts.iter_rows())


def _differs(row: Mapping[str, Any]) -> bool:
    p = row["p_holm"]
    return p is not None and p < SIGNIFICANT


def _standings(report: ReportParts) -> Iterator[str]:
    """The best system under each metric that ranks systems, and whether its lead is significant."""
    scores, table = report.scores, report.scores.systems()
    ranks = None if report.comparison is None else report.comparison.ranks()
    leads = None if report.comparison is None else scores.leads()
    for label, each in scores.measured.items():
        rows = table.filter(pl.col("metric") == label).to_dicts()
        if not each.metric.ranks or not rows or math.isnan(rows[0]["value"]):
            continue
        best = rows[0]
        value = _value(each.metric, best)
        if len(rows) == 1:
            yield f"{_name(label)} of {_name(best['system'])} is {value}."
            continue
        end = "highest" if each.metric.higher_is_better else "lowest, which is best,"
        equal = _equal(rows, "value")
        words = f"{_name(label)} is {end} for {_names(equal)}: {value}"
        if len(equal) > 1:
            words += "; these systems are equal"
        elif leads is not None:
            words += _lead(scores, leads.filter(pl.col("metric") == label).to_dicts())
        if ranks is not None and _tested(report, label):
            groups = ranks.filter(pl.col("metric") == label).get_column("group").n_unique()
            words += f"; the systems form {groups} clusters of ranks" * (groups > 1)
        yield f"{words}."


def _equal(rows: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    """The systems that are as good as the first one, which is the best."""
    return [row["system"] for row in rows if row[key] == rows[0][key]]


def _names(systems: Sequence[str]) -> str:
    """Names of systems in a sentence; of more than `NAMED` the number."""
    if len(systems) > NAMED:
        return counted(len(systems), "system")
    return " and ".join(map(_name, systems))


def _tested(report: ReportParts, label: str) -> bool:
    """Whether any pair of systems has a test under a metric."""
    if report.comparison is None:
        return False
    rows = report.comparison.table.filter(pl.col("metric") == label)
    return rows.get_column("p_randomization_holm").fill_nan(None).count() > 0


def _lead(scores: Scores, rows: list[dict[str, Any]]) -> str:
    if not rows or math.isnan(rows[0]["p"]):
        return "; whether its lead is more than chance cannot be tested"
    row = rows[0]
    verb = "is" if row["p"] < SIGNIFICANT else "is not"
    pairs = len(scores.names) * (len(scores.names) - 1) // 2
    p = p_is(row["p"], is_upper_limit(scores.measured[row["metric"]], row, pairs))
    return f"; its lead over {_name(row['b'])} {verb} significant ({p}, corrected for all pairs)"


def _agreements(report: ReportParts) -> Iterator[str]:
    """How far metrics agree with people, criterion by criterion, on single replies."""
    for criterion, agreement in report.agreement.items():
        table = agreement.table()
        within = "within" in table.columns
        keys = ("within", "within_low", "within_high") if within else ("value", "low", "high")
        rows = table.filter(pl.col("correlation") == _coefficient(agreement))
        words = [
            f"{_name(row['metric'])} {_interval([row[key] for key in keys], _two)}"
            for row in rows.filter(pl.col("metric").is_in(list(agreement.labels))).to_dicts()
        ]
        how = ", the mean over systems of the correlation within each" if within else ""
        yield (
            f"Agreement with people on single replies, {_name(criterion)} "
            f"({NAMES[_coefficient(agreement)]}{how}): {'; '.join(words)}."
        )


def _raters(report: ReportParts) -> Iterator[str]:
    """How many people rated, and how far they agree."""
    if report.ratings is None:
        return
    agreement = report.ratings.agreement
    for row in report.ratings.counts.to_dicts():
        own = (agreement["criterion"] == row["criterion"]) & (
            agreement["measure"] == "alpha ordinal"
        )
        alpha = agreement.filter(own).to_dicts()
        words = (
            f"Ratings, {_name(row['criterion'])}: {counted(row['ratings'], 'rating')} by "
            f"{counted(row['raters'], 'rater')} of {counted(row['replies'], 'reply', 'replies')}"
        )
        if alpha and not math.isnan(alpha[-1]["value"]):
            ends = [alpha[-1][key] for key in ("value", "low", "high")]
            words += f"; Krippendorff's alpha (ordinal) is {_interval(ends, _two)}"
        means = report.ratings.systems.filter(
            pl.col("criterion") == row["criterion"], pl.col("mean").is_not_nan()
        )
        if means.height > 1:
            rows = means.sort("mean", descending=True, maintain_order=True).to_dicts()
            ends, equal = [rows[0][key] for key in ("mean", "low", "high")], _equal(rows, "mean")
            has = "has" if len(equal) == 1 else "have"
            words += f"; {_names(equal)} {has} the highest mean, {_interval(ends, _two)}"
        yield f"{words}."


def _signs(report: ReportParts) -> Iterator[str]:
    """Of the pairs of systems that people tell apart, in how many each metric prefers the same one."""
    if report.comparison is None:
        return
    table = report.comparison.table.to_dicts()
    for criterion, compared in report.with_people.items():
        of_people = compared.pairs.filter(pl.col("by") == "people").to_dicts()
        clear = {(row["a"], row["b"]): row["difference"] for row in of_people if _differs(row)}
        clear |= {(b, a): -difference for (a, b), difference in clear.items()}
        words = []
        for label, each in report.scores.measured.items():
            rows = [r for r in table if r["metric"] == label and (r["a"], r["b"]) in clear]
            if not each.metric.ranks or not rows:
                continue
            way = 1 if each.metric.higher_is_better else -1
            same = [way * r["difference"] * clear[r["a"], r["b"]] > 0 for r in rows]
            p = [r["p_randomization_holm"] for r in rows]
            wrong = sum(not s and q < SIGNIFICANT for s, q in zip(same, p, strict=True))
            words.append(f"{_name(label)} in {sum(same)}")
            words[-1] += f" (in {wrong} it significantly prefers the other one)" * bool(wrong)
        if words:
            yield (
                f"Of {counted(len(clear) // 2, 'pair')} of systems that people tell apart "
                f"({_name(criterion)}), metrics prefer the same one: {', '.join(words)}."
            )


def _strengths(report: ReportParts) -> Iterator[str]:
    """The system that people prefer most."""
    if report.preferences is None:
        return
    for row in report.preferences.counts.to_dicts():
        own = pl.col("criterion") == row["criterion"]
        rows = report.preferences.strengths.filter(own, pl.col("strength").is_not_nan())
        words = (
            f"Preferences, {_name(row['criterion'])}: {counted(row['comparisons'], 'comparison')} by "
            f"{counted(row['raters'], 'rater')}"
        )
        if not rows.is_empty():
            ordered = rows.sort("strength", descending=True, maintain_order=True).to_dicts()
            equal = _equal(ordered, "strength")
            end = "is the strongest system" if len(equal) == 1 else "are equal, and the strongest"
            words += f"; {_names(equal)} {end}"
        yield f"{words}."


def _verdicts(report: ReportParts) -> Iterator[str]:
    if report.audit is not None:
        yield from (f"Audit: {each.sentence}" for each in report.audit.verdicts)


def _quantities(report: ReportParts) -> Iterator[str]:
    """The RUQ of each model against the strongest generic reply."""
    for scores in report.ruq.values():
        label = scores.labels[0]
        metric = scores.measured[label].metric
        rows = scores.systems().filter(pl.col("metric") == label)
        words = [f"{_name(row['system'])} {_value(metric, row)}" for row in rows.to_dicts()]
        yield f"{_name(label)}: {'; '.join(words)}."


def _no_intervals(report: ReportParts) -> Iterator[str]:
    scores = report.scores
    if not scores.resamples and scores.measured:
        yield "Intervals and tests were turned off: how certain the values are is not known."
    elif len(scores.names) == 1:
        yield "There is one system alone: nothing is compared."


def _ties(report: ReportParts) -> Iterator[str]:
    """The pairs of systems that no test separates."""
    if report.comparison is None:
        return
    table = report.comparison.table
    for label, each in report.scores.measured.items():
        rows = table.filter(pl.col("metric") == label)
        if not each.metric.ranks:
            continue
        p = pl.col("p_randomization_holm").fill_nan(None)
        untested = rows.filter(p.is_null()).height
        if untested:
            yield (
                f"{_name(label)}: {untested} of {counted(rows.height, 'pair')} of systems cannot be "
                "tested: there are too few items, clusters or values that differ."
            )
        pairs = rows.filter(p >= SIGNIFICANT).select("a", "b").rows()
        if not pairs:
            continue
        named = ", ".join(f"{_name(a)} and {_name(b)}" for a, b in pairs)
        names = f" ({named})" if len(pairs) <= NAMED else ""
        verb = "does" if len(pairs) == 1 else "do"
        yield (
            f"{_name(label)}: {len(pairs)} of {counted(rows.height, 'pair')} of systems {verb} not differ "
            f"significantly{names}: which system of a pair is better is not known."
        )


def _detectable(report: ReportParts) -> Iterator[str]:
    """The smallest difference of the best two systems that such a study would show."""
    if report.comparison is None:
        return
    table, scores, sizes = report.comparison.table, report.scores, {}
    measured: list[int] = []
    best = scores.systems()
    for label, each in scores.measured.items():
        if not each.metric.ranks:
            continue
        first = best.filter(pl.col("metric") == label).get_column("system").to_list()[:2]
        pair = pl.col("a").is_in(first) & pl.col("b").is_in(first)
        rows = table.filter(pl.col("metric") == label, pair).to_dicts()
        if rows and rows[0]["detectable"] is not None and not math.isnan(rows[0]["detectable"]):
            sizes[label] = _show(each.metric)(rows[0]["detectable"])
            measured.append(rows[0]["n"])
    if sizes:
        named = ", ".join(f"{size} in {_name(label)}" for label, size in sizes.items())
        least, most = min(measured), max(measured)
        items = counted(most, "item") if least == most else f"{least} to {most} items"
        yield (
            f"With {items}, a true difference of {named} between the two best systems is significant in 80 "
            "of 100 such studies; a smaller one is often missed."
        )


def _no_agreement(report: ReportParts) -> Iterator[str]:
    """That agreement with people is not known, or not sure."""
    if report.ratings is None and report.scores.measured:
        yield (
            "No human ratings are given: how far the metrics agree with people on these replies is not "
            "known."
        )
    for criterion, agreement in report.agreement.items():
        table = agreement.table()
        low, high = ("within_low", "within_high") if "within" in table.columns else ("low", "high")
        rows = table.filter(
            pl.col("correlation") == _coefficient(agreement),
            pl.col("metric").is_in(list(agreement.labels)),
        )
        # NaN would count as greater than any number.
        above, below = pl.col(low).fill_nan(None) > 0, pl.col(high).fill_nan(None) < 0
        unsure = rows.filter(~(above | below).fill_null(False))
        if unsure.is_empty():
            continue
        names = ", ".join(_name(each) for each in unsure.get_column("metric"))
        yield (
            f"{_name(criterion)}: whether {names} agree{'s' * (unsure.height == 1)} with people on single "
            "replies at all is not known: the interval of the correlation holds 0, or there is none."
        )


def _left_out(report: ReportParts) -> Iterator[str]:
    for part, why in report.failed.items():
        yield f"Not computed: {_name(part)}: {visible(why)}."


def _coefficient(agreement: Agreement) -> str:
    return COEFFICIENT if COEFFICIENT in agreement.correlations else agreement.correlations[0]


def _name(name: str) -> str:
    return visible(name)


def _value(metric: Metric, row: Mapping[str, Any]) -> str:
    return _interval([row[key] for key in ("value", "low", "high")], _show(metric))


def _interval(ends: list[float | None], show: Callable[[float], str]) -> str:
    """A value with its 95% interval, where there is one."""
    value, low, high = (math.nan if each is None else each for each in ends)
    if math.isnan(value):
        return "undefined"
    if math.isnan(low):
        return show(value)
    return f"{show(value)} (95% interval {show(low)} to {show(high)})"


def _show(metric: Metric) -> Callable[[float], str]:
    """A value as tables show it."""
    return (lambda value: f"{100 * value:z.1f}") if metric.times100 else _two


def _two(value: float) -> str:
    return f"{value:z.2f}"
