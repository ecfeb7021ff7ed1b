"""``rejoinder plan``: how many items, raters and references would be enough."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import choice, command, flag, integer, number, option


class PilotRatingsOptions(options.RatingFilesOptions):
    """Human ratings, which a plan can do without."""

    ratings: tuple[Path, ...] = options.RATING_FILES
    scale: tuple[float, float] | None = options.scale()


class ExtrapolationOptions(options.Options):
    """What is planned."""

    a: str | None = option("-a", metavar="NAME", help="First system of a single comparison.")
    b: str | None = option(
        "-b",
        metavar="NAME",
        help="Second system of a single comparison. Default: the two systems that people rate best "
        "(without ratings: that the first metric scores best).",
    )
    every_pair: bool = flag("--every-pair", help="Plan for every pair of systems.")
    items: tuple[int, ...] = integer(
        "--items",
        multiple=True,
        help="Number of items to report; may be repeated (default: 1/2 to 8 times the pilot).",
    )
    raters: tuple[int, ...] = integer(
        "--raters-per-reply",
        multiple=True,
        help="Number of raters of a reply to report; may be repeated (default: 1, 2, 3, 5, 10 "
        "and the pilot's).",
    )
    power: float = number(
        "--power",
        metavar="P",
        default=0.8,
        help="Wanted power: the probability that a true difference is found.",
    )
    alpha: float = number(
        "--alpha", metavar="P", default=0.05, help="Significance level of the test."
    )
    width: float | None = number(
        "--interval-width", metavar="W", help="Wanted width of a correlation's 95% interval."
    )
    correlation: str = choice(
        "--correlation",
        "-c",
        of=("pearson", "spearman", "kendall-b"),
        default="spearman",
        help="Correlation coefficient.",
    )
    without: tuple[str, ...] = options.without()


class PlanOptions(options.MeasuringPairwiseOptions, PilotRatingsOptions, ExtrapolationOptions):
    """The options of 'plan'."""

    resamples: int = options.resamples("")
    cluster: str | None = options.CLUSTER
    differences: tuple[str, ...] = option(
        "--difference",
        "-d",
        metavar="[NAME=]D",
        multiple=True,
        help="True difference to be found; may be repeated. In grades of the ratings (0.3), or in a "
        "metric's own range (BLEU-2=0.02, 2 points of the tables). Without ratings 0.3 is 30 points "
        "of every metric. Default: the pilot's.",
    )


@command(PlanOptions)
def plan(given: PlanOptions) -> None:
    """Plan how many items, raters and references are needed.

    The plan extrapolates from a pilot. Give a test set and responses, or scores kept with
    'rejoinder score --save' (from which fewer references cannot be planned), and the ratings so far
    if there are any.
    """
    from rejoinder.cli import inputs
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.planning.plan import plan as planned

    difference = _differences(given.differences)
    of_ratings = ("raters", "criterion", "scale", "width", "ratings_format")
    check_needs(bool(given.ratings), "--ratings FILE", *of_ratings)
    table = inputs.read_rated(given, given.scale) if given.ratings else None
    # The intervals of the scores themselves are not shown here.
    # Correlations with ratings are over all systems.
    only = () if given.ratings or given.a is None or given.b is None else (given.a, given.b)
    scores, texts = inputs.measured(given, resamples=0, cluster=given.cluster, only=only)
    testset, responses = texts or (None, None)
    with Progress("planning") as tick:
        result = planned(
            scores,
            table,
            testset=testset,
            responses=responses,
            difference=difference,
            criterion=given.criterion,
            scale=given.scale,
            missing=given.missing,
            **given.of(ExtrapolationOptions, options.SamplingOptions),
            progress=tick,
        )
    result = inputs.with_notes(result, given.ratings)
    if given.json:
        write(result.as_json())
    else:
        from rejoinder.cli.show.plan import plan as show

        show(result)


def _differences(given: tuple[str, ...]) -> float | dict[str, float] | None:
    """A bare number, or numbers by name."""
    from rejoinder.errors import ParameterError
    from rejoinder.planning.extrapolation import PEOPLE

    differences: dict[str, float] = {}
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
        differences[name if equals else PEOPLE] = value
    return differences or None
