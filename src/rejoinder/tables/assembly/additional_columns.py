"""The user's additional columns of the contexts (topic, ...): scalars of one kind per column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import quoted

_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}
_LARGEST = 2**63


def scalar_column(name: str, values: list[Any], where: Callable[[int], str]) -> pl.Series:
    """An additional column: text, numbers, or true and false.

    Args:
        name: The column.
        values: Its values, None where there is none.
        where: Names the file and the row of a value.

    Raises:
        InputError: A value is a list or an object, or some are text and others numbers.
    """
    types = set(map(type, values)) - {type(None)}
    kinds = {_KINDS.get(each) for each in types}
    if len(kinds) > 1 or None in kinds:
        _refuse(name, values, where)
    if not types or types == {str}:
        return pl.Series(name, values, dtype=pl.String)
    if types == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if types == {int} and all(v is None or -_LARGEST <= v < _LARGEST for v in values):
        return pl.Series(name, values, dtype=pl.Int64)
    numbers = [None if value is None else float(value) for value in values]
    return pl.Series(name, numbers, dtype=pl.Float64)


def _refuse(name: str, values: list[Any], where: Callable[[int], str]) -> None:
    first: str | None = None
    for row, value in enumerate(values):
        if value is None:
            continue
        kind = _KINDS.get(type(value))
        if kind is None:
            what = "a list" if isinstance(value, list) else "an object"
            raise InputError(
                f"{where(row)}: column {quoted(name)} holds {what}; an additional column holds text, a "
                "number, or true or false; turns belong in 'context', references in 'references'"
            )
        if first is not None and kind != first:
            raise InputError(
                f"{where(row)}: column {quoted(name)} holds {kind}, above it holds {first}; keep one kind"
            )
        first = kind
