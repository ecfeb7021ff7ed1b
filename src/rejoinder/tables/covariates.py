"""Covariates of comparisons: in what two replies differ beside the system, such as length or markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, listed, quoted
from rejoinder.tables.parts import Origin

TEXTS = (("text_a", "text_b"), ("response_a", "response_b"), ("reply_a", "reply_b"))
"""The columns of the two replies, of which the first that are there are measured."""

_MARKS = re.compile(r"^ {0,3}#{1,6} |^\s*(?:[-*+]|\d+[.)]) |\*\*[^*\n]+\*\*|^```", re.MULTILINE)


def _length(text: str) -> float:
    """The logarithm of the number of words, plus one."""
    return float(np.log1p(len(text.split())))


def _markdown(text: str) -> float:
    """The logarithm of the number of headings, list items, bold passages and code fences, plus one."""
    return float(np.log1p(len(_MARKS.findall(text))))


MEASURED: dict[str, Callable[[str], float]] = {"length": _length, "markdown": _markdown}
"""What is measured from the texts of the replies, where there is no column of the name."""


def covariate_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a file of which covariates are made, if they are there."""
    texts = [column for pair in TEXTS for column in pair] if set(names) & MEASURED.keys() else []
    return tuple(
        dict.fromkeys([f"{name}{end}" for name in names for end in ("", "_a", "_b")] + texts)
    )


def covariate_differences(table: pl.DataFrame, names: Sequence[str], origin: Origin) -> Floats:
    """What a has more of than b, in each comparison: float64 [n, k].

    A covariate is the difference of the columns ``NAME_a`` and ``NAME_b``; or the column ``NAME``,
    which is the difference itself; or, of ``length`` (log of words + 1) and ``markdown`` (log of
    headings, list items, bold passages and code fences + 1), the difference of both texts.

    Args:
        table: The comparisons.
        names: The covariates.
        origin: Where the rows come from, for messages.

    Raises:
        ParameterError: There are no columns for a covariate, or it is named twice.
        InputError: A value is missing, is no number, or is not finite.
    """
    if len(set(names)) < len(names):
        raise ParameterError(f"covariates: {listed(names)} names one of them twice; name each once")
    columns = [_differences(table, name, origin) for name in names]
    for name, column in zip(names, columns, strict=True):
        if column.size and np.ptp(column) == 0:
            raise InputError(
                f"covariates: {quoted(name)} differs by {column[0]:g} in every comparison, so its effect "
                "cannot be told; leave it out"
            )
    return np.stack(columns, axis=1) if columns else np.zeros((table.height, 0))


def _differences(table: pl.DataFrame, name: str, origin: Origin) -> Floats:
    names = set(table.columns)
    if {f"{name}_a", f"{name}_b"} <= names:
        first, second = (_numbers(table, f"{name}_{side}", origin) for side in "ab")
        return first - second
    if name in names:
        return _numbers(table, name, origin)
    texts = next((pair for pair in TEXTS if set(pair) <= names), None)
    if name in MEASURED and texts:
        first, second = (_measured(table, column, name, origin) for column in texts)
        return first - second
    measured = f", or the texts {TEXTS[0][0]!r} and {TEXTS[0][1]!r}" if name in MEASURED else ""
    raise ParameterError(
        Argument("covariates", [name]),
        f": the preferences have no columns {quoted(name + '_a')} and {quoted(name + '_b')}, "
        f"and no column {quoted(name)} with their difference{measured}; got {listed(table.columns)}",
    )


def _numbers(table: pl.DataFrame, column: str, origin: Origin) -> Floats:
    values = table.get_column(column).cast(pl.String).str.strip_chars()
    numbers = values.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        row = int(wrong[0])
        got = "nothing" if values[row] is None else quoted(values[row])
        raise InputError(
            f"{origin.at(row)}: {got} in the column '{column}'; a covariate needs a finite number in "
            "each row"
        )
    return numbers


def _measured(table: pl.DataFrame, column: str, name: str, origin: Origin) -> Floats:
    texts = table.get_column(column).cast(pl.String)
    if texts.null_count():
        row = int(texts.is_null().arg_true()[0])
        raise InputError(
            f"{origin.at(row)}: no text in the column '{column}'; '{name}' is measured of it"
        )
    return np.array([MEASURED[name](text) for text in texts.to_list()])
