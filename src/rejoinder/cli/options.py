"""The options that several verbs share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rejoinder.errors import ParameterError

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)

FEWEST_RESAMPLES = 100


def enough(_context: click.Context, _option: click.Parameter, value: int) -> int:
    """Refuses resamples that are too few for the ends of an interval: of 20, they are the extremes."""
    if 0 < value < FEWEST_RESAMPLES:
        raise ParameterError(
            f"--resamples {value}: too few for a 95% interval; give 0 for none, or "
            f"{FEWEST_RESAMPLES} or more"
        )
    return value


resamples = click.option(
    "--resamples",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    callback=enough,
    help=f"Number of bootstrap resamples, {FEWEST_RESAMPLES} or more; 0: no intervals.",
)

responses = click.argument("responses", type=PATH, nargs=-1)
references = click.option(
    "--reference",
    "-r",
    "references",
    type=PATH,
    multiple=True,
    help="An additional file of the test set: a reference stream, or the table of references.",
)
metrics = click.option(
    "--metric",
    "-m",
    "metrics",
    metavar="NAME[:KEY=VALUE,...]",
    multiple=True,
    help="A metric, as often as wanted: deltableu, bleu:order=4,lowercase=true, ... "
    "('rejoinder metrics' lists them).",
)
as_json = click.option("--json", is_flag=True, help="Machine-readable, to standard output.")

without = click.option(
    "--without", metavar="NAME", multiple=True, help="Leave a system out, as often as wanted."
)

missing = click.option(
    "--missing",
    type=click.Choice(["error", "drop", "empty"]),
    default="error",
    show_default=True,
    help="An item that a system did not answer: an error, dropped for all systems, or scored "
    "as an empty reply.",
)
seed = click.option(
    "--seed",
    metavar="N",
    type=int,
    default=12345,
    show_default=True,
    help="Random seed.",
)
testset_format = click.option(
    "--format",
    "-f",
    "testset_format",
    metavar="NAME",
    help="The test set's format (default: recognised).",
)
responses_format = click.option(
    "--responses-format", metavar="NAME", help="The responses' format (default: recognised)."
)
corpus_format = click.option(
    "--format",
    "-f",
    "corpus_format",
    metavar="NAME",
    help="The corpus' format (default: recognised).",
)
ratings = click.option(
    "--ratings",
    type=PATH,
    multiple=True,
    required=True,
    help="A file of people's ratings of these replies, as often as there are files.",
)
ratings_format = click.option(
    "--ratings-format", metavar="NAME", help="The ratings' format (default: recognised)."
)


def rating_scale(default: tuple[float, float] | None = None) -> Callable[[F], F]:
    """The scale of human ratings, for a verb that has a default or none."""
    return click.option(
        "--scale",
        metavar="LOW HIGH",
        type=(float, float),
        default=default,
        show_default=default is not None,
        help="Lowest and highest grade of the rating scale; a rating outside it is an error.",
    )


criterion = click.option(
    "--criterion", metavar="NAME", help="What was rated, where there are several."
)

_MEASURING = (
    missing,
    click.option(
        "--drop-unusable",
        is_flag=True,
        help="Leave out, and count, items that a metric cannot score for want of a reference.",
    ),
    resamples,
    seed,
    testset_format,
    responses_format,
)


def measuring(function: F) -> F:
    """The options of every verb that reads files and measures."""
    for option in reversed(_MEASURING):
        function = option(function)
    return function
