"""``rejoinder plan``: how many items, raters and references would be enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.tables.responses import Missing


@click.command()
@click.argument("testset", metavar="TESTSET|SCORES", type=options.PATH)
@options.responses
@options.references
@options.metrics
@click.option(
    "--ratings",
    type=options.PATH,
    multiple=True,
    help="File of human ratings; may be repeated.",
)
@options.ratings_format
@options.criterion
@options.rating_scale()
@click.option("-a", metavar="NAME", help="First system of a single comparison.")
@click.option(
    "-b",
    metavar="NAME",
    help="Second system of a single comparison. Default: the two systems that people rate best.",
)
@click.option("--every-pair", is_flag=True, help="Plan for every pair of systems.")
@click.option(
    "--items",
    metavar="N",
    type=int,
    multiple=True,
    help="Number of items to report; may be repeated (default: 1/2 to 8 times the pilot).",
)
@click.option(
    "--raters-per-reply",
    "raters",
    metavar="N",
    type=int,
    multiple=True,
    help="Number of raters of a reply to report; may be repeated (default: 1, 2, 3, 5, 10 "
    "and the pilot's).",
)
@click.option(
    "--power",
    metavar="P",
    type=float,
    default=0.8,
    show_default=True,
    help="Wanted power: the probability that a true difference is found.",
)
@click.option(
    "--alpha",
    metavar="P",
    type=float,
    default=0.05,
    show_default=True,
    help="Significance level of the test.",
)
@click.option(
    "--difference",
    "-d",
    "differences",
    metavar="[NAME=]D",
    multiple=True,
    help="True difference to be found; may be repeated. In grades of the ratings (0.3), or in a "
    "metric's own range (BLEU-2=0.02, 2 points of the tables). Without ratings 0.3 is 30 points of "
    "every metric. Default: the pilot's.",
)
@click.option(
    "--interval-width",
    "width",
    metavar="W",
    type=float,
    help="Wanted width of a correlation's 95% interval.",
)
@click.option(
    "--correlation",
    "-c",
    type=click.Choice(["pearson", "spearman", "kendall-b"]),
    default="spearman",
    show_default=True,
    help="Correlation coefficient.",
)
@options.without
@options.measuring
@options.as_json
def plan(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    metrics: tuple[str, ...],
    ratings: tuple[Path, ...],
    ratings_format: str | None,
    criterion: str | None,
    scale: tuple[float, float] | None,
    a: str | None,
    b: str | None,
    every_pair: bool,
    items: tuple[int, ...],
    raters: tuple[int, ...],
    power: float,
    alpha: float,
    differences: tuple[str, ...],
    width: float | None,
    correlation: str,
    without: tuple[str, ...],
    missing: str,
    drop_unusable: bool,
    resamples: int,
    seed: int,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
) -> None:
    """Plan how many items, raters and references are needed.

    The plan extrapolates from a pilot. Give a test set and responses, or scores kept with
    'rejoinder score --save' (which tell nothing of fewer references), and the ratings so far if
    there are any.
    """
    from rejoinder.cli import inputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.planning.plan import plan as planned
    from rejoinder.scoring.store import holds_scores

    difference = _differences(differences)
    table = None
    if ratings:
        table = inputs.read_rated(ratings, ratings_format, criterion, scale)
    elif raters or criterion or width is not None or scale is not None or ratings_format:
        raise ParameterError(
            "--raters-per-reply, --criterion, --scale, --interval-width and --ratings-format need "
            "--ratings"
        )
    given, replies = None, None
    responses = inputs.responses_of(testset, responses, testset_format)
    if responses:
        given, replies = inputs.read(
            testset, references, responses, testset_format, responses_format
        )
        # The intervals of the scores themselves are not shown here.
        scores = inputs.measure(given, replies, metrics, missing, drop_unusable, 0, seed)
    elif not holds_scores(testset):
        raise ParameterError(
            f"{testset}: a test set alone; name the systems' replies too: "
            f"rejoinder plan {testset} SYSTEM.jsonl ... --ratings RATINGS"
        )
    else:
        scores = inputs.kept(testset)
    with Progress("planning") as tick:
        result = planned(
            scores,
            table,
            testset=given,
            responses=replies,
            a=a,
            b=b,
            every_pair=every_pair,
            items=items,
            raters=raters,
            power=power,
            alpha=alpha,
            difference=difference,
            width=width,
            correlation=correlation,
            criterion=criterion,
            without=without,
            scale=scale,
            missing=cast("Missing", missing),
            resamples=resamples,
            seed=seed,
            progress=tick,
        )
    if json:
        write(result.as_json())
        return
    from rejoinder.cli.show.plan import plan as show

    show(result)


def _differences(given: tuple[str, ...]) -> float | dict[str, float] | None:
    """A bare number, or numbers by name."""
    from rejoinder.errors import ParameterError
    from rejoinder.planning.extrapolation import PEOPLE

    found: dict[str, float] = {}
    for each in given:
        name, equals, number = each.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise ParameterError(
                f"--difference {each}: expected a number, or NAME=NUMBER (BLEU-2=0.02)"
            ) from None
        if not equals and len(given) == 1:
            return value
        found[name if equals else PEOPLE] = value
    return found or None
