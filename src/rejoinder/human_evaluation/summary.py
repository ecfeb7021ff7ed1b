"""What summaries of ratings and of preferences share: criterion by criterion, agreement, signature."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import polars as pl

from rejoinder._version import __version__
from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.messages import counted, listed
from rejoinder.progress import Progress, advance
from rejoinder.statistics.agreement import AGREEMENT_MEASURES, Judgements

AGREEMENT = {
    "criterion": pl.String, "raters": pl.String, "measure": pl.String, "value": pl.Float64,
    "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "reason": pl.String,
}  # fmt: skip
"""The table of agreement."""


class _Criterion(Protocol):
    name: str
    notes: list[str]


C = TypeVar("C", bound=_Criterion)


def each_criterion(
    table: pl.DataFrame,
    summarised: Callable[[str, pl.DataFrame], C],
    progress: Progress | None,
) -> tuple[list[C], tuple[str, ...]]:
    """Every criterion of a table summarised by itself, and the notes of all, each named by its own.

    Args:
        table: The table, with a column ``criterion``.
        summarised: Summarises one criterion, given its name and its rows.
        progress: Called with what is done and what there is in all; None: never.
    """
    tables = table.partition_by("criterion", maintain_order=True)
    parts = []
    for done, of_criterion in enumerate(tables, start=1):
        parts.append(summarised(of_criterion.item(0, "criterion"), of_criterion))
        advance(progress, done, len(tables))
    several = len(parts) > 1
    notes = [f"{part.name}: {note}" if several else note for part in parts for note in part.notes]
    return parts, tuple(dict.fromkeys(notes))


def agreement_rows(
    criterion: str,
    raters: str,
    judgements: Judgements,
    options: SummaryOptions,
    undefined: str | None = None,
) -> list[dict[str, Any]]:
    """A row for each measure of agreement.

    Args:
        criterion: The criterion.
        raters: Whose agreement it is: ``all``, or ``kept`` after unreliable raters are excluded.
        judgements: What they judged.
        options: Without resamples there are no intervals.
        undefined: Why there is no agreement, where the judgements themselves are not known.
    """
    rows = []
    for name, measure in AGREEMENT_MEASURES.items():
        if judgements.paired and not measure.paired:
            continue
        value, interval, n = measure.measured(judgements, bool(options.resamples))
        row = {"criterion": criterion, "raters": raters, "measure": name, "value": value}
        row |= {"low": interval.low, "high": interval.high, "n": n}
        rows.append(row | {"reason": undefined or interval.reason})
    return rows


LITTLE_AGREEMENT, FEW_UNITS = 0.2, 30
"""Alpha's interval covers too little where the value is below the one over fewer groups than the other."""


def alpha_notes(rows: Sequence[dict[str, Any]], groups: int, noun: str) -> list[str]:
    """A note on intervals of alpha over few items or clusters on which raters hardly agree.

    Args:
        rows: The measures of agreement, with ``measure``, ``value`` and ``low``.
        groups: Number of items or clusters.
        noun: What they are called, in the plural.
    """
    near = [
        row["measure"]
        for row in rows
        if row["measure"].startswith("alpha") and row["low"] == row["low"]
        and row["value"] < LITTLE_AGREEMENT
    ]  # fmt: skip
    if not near or groups >= FEW_UNITS:
        return []
    return [
        f"{listed(list(dict.fromkeys(near)))} below {LITTLE_AGREEMENT:g} over {groups} {noun}: where raters "
        f"hardly agree on fewer than {FEW_UNITS}, the 95% interval holds alpha in about 82 to 93 of 100 cases"
    ]


def verdict_on(
    judgements: Judgements, rater: int, constant: bool, options: SummaryOptions
) -> dict[str, Any]:
    """How one rater agrees with the others, and whether the rater's judgements count.

    Args:
        judgements: The judgements of all raters.
        rater: The place of the rater.
        constant: Whether the rater always judges the same.
        options: The options of the summary.
    """
    kappa, reason = float(judgements.against_others.kappa[rater]), judgements.reason_unjudged(rater)
    return {
        "kappa": kappa,
        "shared": int(judgements.against_others.shared[rater]),
        "constant": constant,
        "verdict": options.verdict(kappa, reason),
        "reason": reason,
    }


def constant_note(rows: Sequence[dict[str, Any]], count: str, what: str) -> list[str]:
    """A note that names raters who gave one value throughout; none where there are none.

    Args:
        rows: The table of raters.
        count: The column that counts a rater's judgements.
        what: What they gave.
    """
    constant = [row["rater"] for row in rows if row["constant"] and row[count] > 1]
    return [f"{counted(len(constant), 'rater')} with {what}: {listed(constant)}"] * bool(constant)


def signature(
    kind: str,
    table: pl.DataFrame,
    without: Sequence[str],
    options: SummaryOptions,
    *facts: str,
) -> str:
    """The signature of a summary: everything that its numbers follow from.

    Args:
        kind: What is summarised.
        table: The judgements that were selected.
        without: The systems left out.
        options: The parameters.
        facts: Further facts, in front of the resamples.
    """
    criteria = table.get_column("criterion").unique(maintain_order=True)
    return "|".join(
        [
            kind,
            f"criterion:{'+'.join(criteria)}",
            *([f"without:{'+'.join(without)}"] if without else []),
            *facts,
            *([f"cluster:{options.clusters.column}"] if options.clusters else []),
            f"bs:{options.resamples}",
            f"seed:{options.seed}",
            f"hash:{judgements_hash(table)}",
            f"version:{__version__}",
        ]
    )


def judgements_hash(table: pl.DataFrame) -> str:
    """8 hexadecimal digits that tell a table of ratings or preferences, for signatures."""
    return hashlib.sha256(table.write_csv().encode()).hexdigest()[:8]
