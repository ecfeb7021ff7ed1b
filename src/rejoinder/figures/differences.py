"""Differences of pairs of systems, each with its interval, beside a line at no difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.figures import style
from rejoinder.figures.points import point
from rejoinder.figures.systems import ROW, name_on_the_right

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NEEDED = ("a", "b", "difference", "low", "high")


def differences(
    pairs: pl.DataFrame,
    label: str = "",
    times: float = 1.0,
    values: Mapping[str, str] | None = None,
) -> Figure:
    """Draws the difference a - b of each pair of systems with its 95% interval, from the top.

    A difference that is undefined is ``n/a``. Behind each pair stand the values of its two systems.

    Args:
        pairs: ``a``, ``b``, ``difference``, ``low``, ``high`` (NaN for none), as the rows of one
            metric of ``rejoinder.compare`` have them.
        label: What is compared; the axis is named ``label, a - b``.
        times: What differences are multiplied by; 100 for shares, as tables show them.
        values: By system its own value, as it is to be shown; None shows none.

    Raises:
        InputError: A column is missing.

    >>> rows = {"a": ["x"], "b": ["y"], "difference": [0.5], "low": [0.25], "high": [0.75]}
    >>> with style.drawing():
    ...     made = differences(pl.DataFrame(rows), label="BLEU-2", times=100)
    >>> [text.get_text() for text in made.axes[0].get_yticklabels()], made.axes[0].get_xlabel()
    (['x - y'], 'BLEU-2, a - b')
    """
    lacking = [name for name in _NEEDED if name not in pairs.columns]
    if lacking:
        raise InputError(
            f"differences: no column {one_of(lacking)}; give the table of a comparison"
        )
    rows = list(pairs.iter_rows(named=True))
    figure = style.canvas(6.4, 0.75 + ROW * max(2, len(rows)))
    axes = figure.subplots()
    style.tidy(axes, "x")
    axes.axvline(0, color=style.QUIET, linewidth=0.9, linestyle="--", zorder=1)
    for place, row in enumerate(rows):
        point(axes, place, *(times * row[key] for key in ("difference", "low", "high")))
    names = [f"{style.shortened(row['a'])} - {style.shortened(row['b'])}" for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(max(1, len(rows)) - 0.4, -0.6)
    ends = [times * row[key] for row in rows for key in ("difference", "low", "high")]
    axes.set_xlim(*style.limits(np.array([0.0, *ends])))
    axes.set_xlabel(f"{label}, a - b" if label else "a - b")
    if values:
        both = [f"{values.get(row['a'], '')} and {values.get(row['b'], '')}" for row in rows]
        name_on_the_right(axes, both, "values")
    return figure
