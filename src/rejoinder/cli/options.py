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
    help="Additional file of the test set; may be repeated. A stream of references, or a "
    "table of them.",
)
metrics = click.option(
    "--metric",
    "-m",
    "metrics",
    metavar="NAME[:KEY=VALUE,...]",
    multiple=True,
    help="Metric; may be repeated. For example deltableu or bleu:order=4,lowercase=true; "
    "'rejoinder metrics' lists all.",
)
as_json = click.option("--json", is_flag=True, help="Print JSON on standard output.")

without = click.option(
    "--without", metavar="NAME", multiple=True, help="Exclude this system; may be repeated."
)

cluster = click.option(
    "--cluster",
    metavar="COLUMN",
    help="Column of the contexts whose equal values are not independent. For example conversation or "
    "user; none: every item is independent. Default: conversation where there is such a column.",
)

missing = click.option(
    "--missing",
    type=click.Choice(["error", "drop", "empty"]),
    default="error",
    show_default=True,
    help="What to do with an item that a system did not answer. error: stop; drop: exclude "
    "it for all systems; empty: score it as an empty reply.",
)
seed = click.option(
    "--seed",
    metavar="N",
    type=int,
    default=12345,
    show_default=True,
    help="Random seed.",
)
device = click.option(
    "--device",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="Device of torch: auto (a GPU where there is one), cpu, cuda or cuda:N.",
)
testset_format = click.option(
    "--format",
    "-f",
    "testset_format",
    metavar="NAME",
    help="Format of the input files (default: recognised).",
)
responses_format = click.option(
    "--responses-format", metavar="NAME", help="Format of the responses (default: recognised)."
)
corpus_format = click.option(
    "--format",
    "-f",
    "corpus_format",
    metavar="NAME",
    help="Format of the input files (default: recognised).",
)
ratings = click.option(
    "--ratings",
    type=PATH,
    multiple=True,
    required=True,
    help="File of human ratings; may be repeated.",
)
ratings_format = click.option(
    "--ratings-format", metavar="NAME", help="Format of the ratings (default: recognised)."
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
    "--criterion", metavar="NAME", help="Rating criterion. Required if the ratings have several."
)

_MEASURING = (
    missing,
    click.option(
        "--drop-unusable",
        is_flag=True,
        help="Exclude items that cannot be scored, and count them. They lack a reference that a "
        "metric needs.",
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
