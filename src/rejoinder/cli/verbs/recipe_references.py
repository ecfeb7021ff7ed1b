"""Options of recipes whose references are rated replies of systems, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.tables.testset import TestSet

F = TypeVar("F", bound=Callable[..., Any])

scale = click.option(
    "--scale",
    metavar="LOW HIGH",
    type=(float, float),
    default=(1.0, 5.0),
    show_default=True,
    help="The worst and the best grade that people could give, to make weights of ratings.",
)

_OPTIONS = (
    click.option(
        "--references-from",
        type=click.Choice(["testset", "responses"]),
        default="testset",
        show_default=True,
        help="Score against the test set's references, or against the systems' replies, weighted "
        "by their ratings (see 'rejoinder weigh').",
    ),
    click.option(
        "--left-out",
        type=click.Choice(["own", "pair"]),
        help="Where references are the systems' replies: score a system without its own, or two "
        "that are compared without either's. With --references-from responses: pair.",
    ),
    scale,
    click.option(
        "--threshold",
        metavar="T",
        type=float,
        default=0.6,
        show_default=True,
        help="The weight from which on a reference is a good one (the row w>=T).",
    ),
)


def options(function: F) -> F:
    """Where the references come from, and whose are left out."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def replaced(
    testset: TestSet,
    responses: pl.DataFrame,
    ratings: pl.DataFrame,
    references_from: str,
    left_out: str | None,
    scale: tuple[float, float],
    criterion: str | None,
) -> tuple[TestSet, str | None, tuple[str, ...]]:
    """The test set to score against, whose references to leave out, and what to say."""
    if references_from == "testset":
        return testset, left_out, ()
    from rejoinder.references.weighing import weigh

    weighed = weigh(testset, responses, ratings, ends=scale, criterion=criterion)
    return weighed.testset, left_out or "pair", weighed.notes
