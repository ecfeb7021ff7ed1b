"""What the parts of a report say of which system is best: by people, corrected, and by each metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from rejoinder.auditing.trivial_baselines import BASELINES, COPY
from rejoinder.document.best_system import Standing, standings
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED, PEOPLE
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.reporting.verdict import MetricEvidence, PeopleEvidence, Verdict, decide
from rejoinder.scoring.shown_values import number_of

if TYPE_CHECKING:
    from rejoinder.auditing.audit import Audit
    from rejoinder.meta_evaluation.correlate import Agreement
    from rejoinder.meta_evaluation.with_people.compare import PeopleComparison
    from rejoinder.reporting.parts import ReportParts

COEFFICIENT = "spearman"
"""The coefficient by which metrics agree with people, where it was computed; the tables have others."""


def verdict_of(report: ReportParts) -> Verdict | None:
    """Which system is best by the best evidence of a report."""
    judged = report.ratings is not None or report.preferences is not None
    return decide(people_of(report), metrics_of(report), judged)


def people_of(report: ReportParts) -> list[PeopleEvidence]:
    """The systems by people's ratings; by their choices where ratings are not enough."""
    return [*_by_ratings(report)] or [*_by_choices(report)]


def pairs_by_people(
    report: ReportParts, criterion: str
) -> tuple[pl.DataFrame, pl.DataFrame, str] | None:
    """The pairs and ranks of systems by people, and the column of p; None where they are not compared."""
    if (compared := report.with_people.get(criterion)) is not None:
        return compared.pairs, compared.ranks, compared.p_column
    if (alone := report.by_people) is None:
        return None
    of_criterion = (each.filter(criterion=criterion) for each in (alone.pairs, alone.ranks))
    pairs, ranks = (each.with_columns(by=pl.lit(PEOPLE)) for each in of_criterion)
    return (pairs, ranks, alone.p_column) if pairs.height else None


def metrics_of(report: ReportParts) -> list[MetricEvidence]:
    """The systems by each metric that ranks them."""
    return [*_by_metrics(report)]


def _by_ratings(report: ReportParts) -> Iterator[PeopleEvidence]:
    """The systems by people, for each criterion on which enough of them are rated."""
    if (alone := report.by_people) is not None:
        for criterion in alone.verdicts.get_column("criterion"):
            pairs, ranks = (each.filter(criterion=criterion) for each in (alone.pairs, alone.ranks))
            tests = pairs.select("a", "b", "difference", alone.p_column).iter_rows()
            means = ranks.select("system", "mean").iter_rows()
            fewest = min(pairs.get_column("rated"))
            yield PeopleEvidence(criterion, standings(means, tests), rated=fewest)
    for criterion, compared in report.with_people.items():
        means = _means(report, criterion)
        pairs = compared.pairs.filter(by=CORRECTED)
        share = pl.col("rated") / pl.col("items")
        least = pairs.sort(share, maintain_order=True).row(0, named=True)
        used = pairs.get_column("weight").fill_nan(None).fill_null(0.0)
        yield PeopleEvidence(
            criterion,
            _standings(compared, PEOPLE, means),
            _standings(compared, CORRECTED, means) if (used != 0).any() else (),
            compared.judges,
            least["rated"],
            least["items"],
            pairs.select(share).n_unique() > 1,
            warned=compared.warned,
        )


def _by_choices(report: ReportParts) -> Iterator[PeopleEvidence]:
    """The systems by people's choices between two replies, for each criterion; ties are half a win."""
    if report.preferences is None:
        return
    for name, count in report.preferences.counts.select("criterion", "comparisons").iter_rows():
        if ordered := report.preferences.standings(name):
            yield PeopleEvidence(name, ordered, choices=count)


def _means(report: ReportParts, criterion: str) -> dict[str, float]:
    """The mean rating of each system."""
    if report.ratings is None:
        return {}
    rows = report.ratings.systems.filter(criterion=criterion)
    return dict(rows.select("system", "mean").iter_rows())


def _standings(
    compared: PeopleComparison, by: str, means: dict[str, float]
) -> tuple[Standing, ...]:
    """The systems by one estimate; corrected means differ by the corrected differences.

    With S systems, a system's mean is that of all of them and (S - 1) / S of its mean difference from
    the others; of people alone it is the mean of its ratings.
    """
    ranks = compared.ranks.filter(by=by)
    systems = ranks.get_column("system").to_list()
    if by == CORRECTED:
        level = sum(means[name] for name in systems) / len(systems)
        share = (len(systems) - 1) / len(systems)
        means = {name: level + share * d for name, d in ranks.select("system", "difference").rows()}
    tests = compared.pairs.filter(by=by).select("a", "b", "difference", compared.p_column)
    return standings([(name, means[name]) for name in systems], tests.iter_rows())


def _by_metrics(report: ReportParts) -> Iterator[MetricEvidence]:
    """The systems by each metric that ranks them."""
    table = report.scores.systems()
    for label, each in report.scores.measured.items():
        values = table.filter(pl.col("metric") == label, pl.col("value").is_not_nan())
        if not each.metric.ranks or values.is_empty():
            continue
        tests = []
        if report.comparison is not None:
            pairs = report.comparison.table.filter(metric=label)
            tests = pairs.select("a", "b", "difference", "p_randomization_holm").rows()
        yield MetricEvidence(
            label,
            standings(values.select("system", "value").rows(), tests, each.metric.higher_is_better),
            number_of(each.metric),
            _agreement(report, label),
            *_trivial(report, label),
        )


def _trivial(report: ReportParts, label: str) -> tuple[str, int]:
    """That baseline in words, and how many systems it reaches."""
    row = trivial_of(report, label)
    if row is None:
        return "", 0
    return f"'{row['baseline']}' ({BASELINES[row['baseline']].meaning})", row["reached"]


def too_few(audited: Audit, label: str) -> bool:
    """Whether a metric was audited on so few items, or clusters, that this tells nothing of it."""
    measured = audited.scores.measured.get(label)
    return measured is not None and measured.size < LEAST_ITEMS


def coefficient(agreement: Agreement) -> tuple[str, tuple[str, str, str]]:
    """The coefficient of sentences, and its columns: value and interval, within systems where known."""
    names = agreement.correlations
    kind = COEFFICIENT if COEFFICIENT in names else names[0]
    if "within" in agreement.table().columns:
        return kind, ("within", "within_low", "within_high")
    return kind, ("value", "low", "high")


def _agreement(report: ReportParts, label: str) -> tuple[float, float, float] | None:
    """The correlation of a metric with people on the first criterion, within systems where known."""
    for agreement in report.agreement.values():
        kind, ends = coefficient(agreement)
        if rows := agreement.table().filter(metric=label, correlation=kind).select(ends).rows():
            return rows[0]
    return None


def trivial_of(report: ReportParts, label: str) -> dict[str, Any] | None:
    """The row of the trivial baseline that a metric puts highest, above more than half of the systems."""
    if report.audit is None or too_few(report.audit, label):
        return None
    rows = report.audit.table.filter(
        pl.col("metric") == label,
        pl.col("references") == "all",
        pl.col("baseline") != COPY,
        pl.col("reached") * 2 > pl.col("systems"),
        pl.col("systems") > 1,
    )
    ordered = rows.sort("reached", descending=True, maintain_order=True).to_dicts()
    return ordered[0] if ordered else None
