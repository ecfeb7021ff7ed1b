"""Long ratings as a matrix of what was rated by who rated it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Floats, Indices


class Panel(NamedTuple):
    """Ratings as a matrix.

    Args:
        places: Of each unit its place among the names of each column: int64 [u] each.
        raters: The names of the raters.
        values: float64 [u, raters], NaN where there is none.
    """

    places: tuple[Indices, ...]
    raters: Sequence[str]
    values: Floats


def panel(
    table: pl.DataFrame, raters: Sequence[str] | None = None, **names: Sequence[str] | None
) -> Panel:
    """The ratings of a table, each rater's of a unit in one row.

    Args:
        table: With the columns ``rater``, ``score`` and those of ``names``.
        raters: Their names in order; None: as they come.
        **names: By the columns that make a unit, the names in order; None: as they come. Where all are
            None units are in the order of their first appearance, otherwise in that of the names.

    >>> rows = [("2", "ann", 4.0), ("1", "bob", 3.0), ("2", "bob", 5.0)]
    >>> table = pl.DataFrame(rows, schema=["id", "rater", "score"], orient="row")
    >>> panel(table, id=["1", "2"]).values.tolist()
    [[nan, 3.0], [4.0, 5.0]]
    """
    known, places = zip(
        *(coded(table.get_column(key), of) for key, of in names.items()), strict=True
    )
    shape = tuple(map(len, known))
    flat = np.ravel_multi_index(places, shape)
    _, first, unit = np.unique(flat, return_index=True, return_inverse=True)
    order = np.arange(first.size) if any(names.values()) else np.argsort(first)
    raters, rater = coded(table.get_column("rater"), raters)
    values = np.full((first.size, len(raters)), np.nan)
    values[np.argsort(order)[unit], rater] = table.get_column("score").to_numpy()
    return Panel(tuple(each[first[order]] for each in places), raters, values)


def coded(values: pl.Series, names: Sequence[str] | None = None) -> tuple[Sequence[str], Indices]:
    """The names (None: as they come), and the place of each value among them: int64 [n]."""
    names = values.unique(maintain_order=True).to_list() if names is None else names
    return names, values.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
