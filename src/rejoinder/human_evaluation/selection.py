"""Which judgements a summary is made of: a criterion, and systems left out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import polars as pl

from rejoinder.errors import ParameterError, one_of


def selected(table: pl.DataFrame, criterion: str | None) -> pl.DataFrame:
    """The judgements under one criterion; None keeps all.

    Raises:
        ParameterError: there is no such criterion.
    """
    if criterion is None:
        return table
    criteria = table.get_column("criterion").unique(maintain_order=True).to_list()
    if criterion not in criteria:
        raise ParameterError(f"criterion={criterion!r} is unknown; choose {one_of(criteria)}")
    return table.filter(pl.col("criterion") == criterion)


def without_systems(
    table: pl.DataFrame, without: Sequence[str], columns: Sequence[str]
) -> pl.DataFrame:
    """The judgements in which none of these systems stands in any of the columns.

    Raises:
        ParameterError: there is no such system, or nothing is left.
    """
    if not without:
        return table
    known = pl.concat([table.get_column(name).alias("system") for name in columns])
    systems = known.unique(maintain_order=True).to_list()
    for name in without:
        if name not in systems:
            raise ParameterError(f"without {name!r}: no such system; choose {one_of(systems)}")
    left = table.filter(~pl.any_horizontal(pl.col(list(columns)).is_in(list(without))))
    if not left.height:
        raise ParameterError(f"without {', '.join(without)}: nothing is left; name fewer systems")
    return left


def digest(table: pl.DataFrame) -> str:
    """Eight characters that tell tables apart, for signatures."""
    return hashlib.sha256(table.write_csv().encode()).hexdigest()[:8]
