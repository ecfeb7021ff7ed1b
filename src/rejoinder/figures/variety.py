"""Quality against variety: a point for each system, with the intervals of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rejoinder.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def quality_and_variety(
    systems: pl.DataFrame, quality: str, variety: str, times: int = 100
) -> Figure:
    """Draws each system's quality over its variety; an interval is left out where there is none.

    Args:
        systems: ``Variety.systems``.
        quality: The measure that stands on the vertical axis.
        variety: The measure that stands on the horizontal axis: more is more varied.
        times: What the quality is multiplied with.
    """
    figure = style.canvas(5.6, 4.2)
    axes = figure.subplots()
    style.tidy(axes, "both")
    up, right = (systems.filter(measure=name) for name in (quality, variety))
    both = right.join(up, on="system", suffix="_up", maintain_order="left").drop_nulls(
        ["value", "value_up"]
    )
    handles = {}
    for name, look in style.looks(both["system"]).items():
        (row,) = both.filter(system=name).to_dicts()
        x, y = row["value"], times * row["value_up"]
        if row["low"] is not None:
            axes.plot([row["low"], row["high"]], [y, y], color=look.colour, linewidth=1.1)
        if row["low_up"] is not None:
            ends = [times * row["low_up"], times * row["high_up"]]
            axes.plot([x, x], ends, color=look.colour, linewidth=1.1)
        (handles[name],) = axes.plot(
            [x], [y], color=look.colour, marker=look.marker, linestyle="none", label=name
        )
    axes.set_xlabel(variety)
    axes.set_ylabel(f"{quality} (x100)" if times == 100 else quality)
    style.legend(figure, handles, "outside right upper")
    return figure
