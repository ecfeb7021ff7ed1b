"""Figure 2 of Galley et al. (2015): the threshold on references, the unit size, the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rejoinder.figures.style import Look, drawing
from rejoinder.figures.sweeps import SweepPanel, sweeps
from rejoinder.meta_evaluation.leave_own_out_units import measured
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.meta_evaluation.sweep import (
    ORDERS,
    SweepSettings,
    order_points,
    size_points,
    sweep,
    threshold_points,
)
from rejoinder.progress import Progress
from rejoinder.recipes.galley2015.tables import METRICS, scored, weight_share
from rejoinder.scoring.leave_own_out import LeftOut
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Ratings, Responses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LOOKS", "ORDERS", "Figure2", "draw", "figure2"]

# Where the references carry no weights, deltaBLEU is BLEU: it is drawn first and larger, to be seen
# behind it.
LOOKS = {
    "deltaBLEU": Look("#0b3c6f", "-", "o", size=8.0, width=2.2),
    "BLEU": Look("#d55e00", "--", "s", size=4.0, width=1.4),
    "sBLEU": Look("#3f94c4", ":", "^", size=5.0, width=1.6),
}


@dataclass(frozen=True)
class Figure2:
    """Spearman's rho of BLEU, sBLEU and deltaBLEU along three dimensions.

    Attributes:
        points: As in `sweep.Sweep`: the panels are ``threshold``, ``size`` and ``order``.
        notes: Which points are missing, and why.
        weighted: Whether any reference carries a weight.
    """

    points: pl.DataFrame
    notes: tuple[str, ...]
    weighted: bool


def figure2(
    testset: TestSet,
    responses: Frame | Responses,
    ratings: Frame | Ratings,
    *,
    criterion: str | None = None,
    unit_size: int = 100,
    assignments: int = 1000,
    order: int = 2,
    without: Sequence[str] = (),
    missing: Missing = "error",
    left_out: LeftOut | None = None,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Figure2:
    """Sweeps the threshold on weights, the unit size and the order, one at a time.

    Each point of the threshold is measured on the items that have such references (of positive
    weight), so its items differ from those of the next; the other panels take all references. An
    item that cannot be scored is left out of a point, whatever the table does with it. Points of
    fewer than 10 units are left out. Units smaller than ``unit_size`` are given proportionately
    fewer assignments, at least 20.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        ratings: The table of ``read_ratings``.
        criterion: Which criterion of the ratings, where there are several.
        unit_size: Items of one observation in the panels A and C; B has it besides its own.
        assignments: Random assignments of items to units.
        order: The longest n-gram in the panels A and B.
        without: Systems to leave out.
        missing: An item that a system did not answer: ``error``, ``drop`` or ``empty``.
        left_out: As for the table.
        seed: Random seed.
        progress: Called with the number of points done, and of all points.

    Raises:
        InputError: The tables do not fit.
        ParameterError: A parameter is unknown.
    """
    metrics = {name: make(order=order, references="all") for name, make in METRICS.items()}
    points = [
        *threshold_points(testset, metrics, unit_size),
        *size_points(metrics, unit_size),
        *order_points(metrics, unit_size),
    ]
    labels = dict.fromkeys(each for point in points for each in (point.metrics or {}).values())
    without, responses = scored(responses, without, left_out)
    scores, unit = measured(
        testset,
        responses,
        list(labels),
        Unit(unit_size, assignments),
        left_out,
        missing=missing,
        drop_unusable=True,
        seed=seed,
    )
    settings = SweepSettings(ratings, unit, criterion=criterion, without=without, seed=seed)
    swept = sweep(scores, points, settings, progress)
    return Figure2(swept.points, swept.notes, bool(weight_share(testset)))


def draw(figure: Figure2, unit_size: int, order: int) -> Figure:
    """Draws the three panels, side by side.

    Args:
        figure: What was measured.
        unit_size: M of the panels A and C.
        order: N of the panels A and B.
    """
    bare = "" if figure.weighted else "no weights: every threshold\nkeeps all references"
    at_least = "\N{GREATER-THAN OR EQUAL TO}"
    panels = (
        SweepPanel(
            "threshold",
            f"(A) references with w {at_least} threshold",
            f"M = {unit_size}, N = {order}",
            "weights",
            bare,
        ),
        SweepPanel("size", "(B) items in a unit, M", f"N = {order}, all references", "log"),
        SweepPanel("order", "(C) longest n-gram, N", f"M = {unit_size}, all references"),
    )
    with drawing():
        return sweeps(figure.points, panels, "spearman", LOOKS)
