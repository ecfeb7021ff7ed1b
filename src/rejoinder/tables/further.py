"""The user's further columns of the contexts (topic, ...): scalars of one kind per column."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from rejoinder.errors import InputError

_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}
_LARGEST = 2**63


def further_columns(
    rows: Sequence[dict[str, Any]], known: Collection[str], places: Sequence[tuple[str, int]]
) -> list[pl.Series]:
    """The columns of the rows beyond the known ones, null where a row has none.

    Args:
        rows: decoded objects.
        known: columns that have a place in the schema.
        places: file and row number of each, for messages.

    Raises:
        InputError: a value is a list or an object, or a column mixes text and numbers.
    """
    names = dict.fromkeys(name for row in rows for name in row if name not in known)
    return [_column(name, [row.get(name) for row in rows], places) for name in names]


def _column(name: str, values: list[Any], places: Sequence[tuple[str, int]]) -> pl.Series:
    types = set(map(type, values)) - {type(None)}
    kinds = {_KINDS.get(each) for each in types}
    if len(kinds) > 1 or None in kinds:
        _refuse(name, values, places)
    if not types or types == {str}:
        return pl.Series(name, values, dtype=pl.String)
    if types == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if types == {int} and all(v is None or -_LARGEST <= v < _LARGEST for v in values):
        return pl.Series(name, values, dtype=pl.Int64)
    numbers = [None if value is None else float(value) for value in values]
    return pl.Series(name, numbers, dtype=pl.Float64)


def _refuse(name: str, values: list[Any], places: Sequence[tuple[str, int]]) -> None:
    first: str | None = None
    for value, (path, number) in zip(values, places, strict=True):
        if value is None:
            continue
        kind = _KINDS.get(type(value))
        where = f"{path}, row {number}"
        if kind is None:
            what = "a list" if isinstance(value, list) else "an object"
            raise InputError(
                f"{where}: column '{name}' holds {what}; a further column holds text, a number, or "
                "true or false; turns belong in 'context', references in 'references'"
            )
        if first is not None and kind != first:
            raise InputError(
                f"{where}: column '{name}' holds {kind}, above it holds {first}; keep one kind"
            )
        first = kind
