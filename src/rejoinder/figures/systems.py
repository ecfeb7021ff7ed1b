"""The systems under one metric: values with intervals, best first, and the clusters of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.figures import style
from rejoinder.figures.points import point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NEEDED = ("system", "value", "low", "high")

ROW = 0.24
"""Height of a system's row, in inches."""


def standings(
    systems: pl.DataFrame, ranks: pl.DataFrame | None = None, label: str = "", times: float = 1.0
) -> Figure:
    """Draws each system's value and interval, best first; a line divides groups of ranks.

    Behind each system stands its range of ranks. A value that is undefined is ``n/a``.

    Args:
        systems: The rows of one metric of ``Scores.systems``: ``system``, ``value``, ``low``, ``high``
            (NaN for none), from the top.
        ranks: The rows of the same metric of ``Scores.ranks``: ``system``, ``best_rank``,
            ``worst_rank``, ``group``; None draws neither ranks nor lines.
        label: Name of the axis.
        times: What values are multiplied by; 100 for shares, as tables show them.

    Raises:
        InputError: A column is missing.

    >>> rows = {"system": ["b", "a"], "value": [0.5, 0.25], "low": [0.4, 0.2], "high": [0.6, 0.3]}
    >>> with style.drawing():
    ...     made = standings(pl.DataFrame(rows), label="BLEU-2", times=100)
    >>> [text.get_text() for text in made.axes[0].get_yticklabels()]
    ['b', 'a']
    """
    lacking = [name for name in _NEEDED if name not in systems.columns]
    if lacking:
        raise InputError(f"standings: no column {one_of(lacking)}; give the table of scores")
    rows = list(systems.iter_rows(named=True))
    figure = style.canvas(5.6, 0.75 + ROW * max(2, len(rows)))
    axes = figure.subplots()
    style.tidy(axes, "x")
    known = {} if ranks is None else {row["system"]: row for row in ranks.iter_rows(named=True)}
    for place, row in enumerate(rows):
        point(axes, place, *(times * row[key] for key in ("value", "low", "high")))
    _divide(axes, [known.get(row["system"], {}).get("group") for row in rows])
    axes.set_yticks(range(len(rows)), [style.shortened(row["system"], 34) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    ends = [times * row[key] for row in rows for key in ("value", "low", "high")]
    axes.set_xlim(*style.limits(np.array(ends)))
    axes.set_xlabel(label)
    if known:
        name_on_the_right(axes, [_ranks(known.get(row["system"])) for row in rows], "rank")
    return figure


def _divide(axes: Axes, groups: Sequence[int | None]) -> None:
    """A line between two groups of ranks."""
    for place, (above, below) in enumerate(pairwise(groups)):
        if above is not None and below is not None and above != below:
            axes.axhline(place + 0.5, color=style.QUIET, linewidth=0.9, linestyle="--", zorder=1)


def _ranks(of: dict[str, Any] | None) -> str:
    """A range of ranks in words; empty where there is none."""
    ends = () if of is None else (of["best_rank"], of["worst_rank"])
    return "–".join(str(end) for end in dict.fromkeys(ends))


def name_on_the_right(axes: Axes, names: Sequence[str], label: str) -> None:
    """Writes names of the rows of a figure on its right, from the top.

    Args:
        axes: Where the rows are.
        names: A name for each row.
        label: What they are.
    """
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(names)), names)
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    right.set_ylabel(label)
