"""``rejoinder plan``: how many items, raters and references would be enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, flag, integer, number, option, path
from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.document.parts import Document
    from rejoinder.planning.next_items import NextItems
    from rejoinder.scoring.scores import Scores
    from rejoinder.tables.types import Ratings


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
    costs: tuple[float, float] | None = option(
        "--costs",
        metavar="PROMPT SAMPLE",
        type=(float, float),
        help="What one prompt costs, and one sample of it, where systems gave several samples of a prompt "
        "(default: the same).",
    )


class NextItemsOptions(options.DrawnOptions):
    """Which items to have rated next."""

    next: int | None = integer(
        "--next",
        gives=("number",),
        help="Number of items to have rated next. They are drawn now: those that the judges leave "
        "uncertain are likelier, and the table of -o has the probability of each.",
    )
    output: Path | None = options.output(
        "The table of --next (id, probability, earlier, status): .jsonl, .csv, .tsv or .parquet.",
        required=False,
    )


class DesignOptions(options.Options):
    """The design of a study that is looked at on the way."""

    design: bool = flag(
        "--design",
        help="Plan a study that is looked at while ratings come in: raters of an item, looks, maximum and "
        "expected ratings, and what each lever saves. With --ratings of a pilot, or with --difference "
        "and --reliability.",
    )
    reliability: float | None = number(
        "--reliability",
        metavar="R",
        help="Reliability of the mean of three raters' differences of two systems, for --design "
        "without a pilot.",
    )
    spread: float = number(
        "--spread",
        metavar="S",
        default=1.0,
        help="Standard deviation of one rater's difference over items in grades, for --design without a "
        "pilot.",
    )
    rho: float = number(
        "--rho",
        metavar="R",
        default=0.0,
        help="Correlation of a judge with the true differences, for --design without a pilot.",
    )
    pool: int | None = integer(
        "--pool",
        help="Number of items at hand for --design (default: those that the pilot's judge scored, or no "
        "limit).",
    )
    every: int = integer(
        "--looks-every", default=10, help="Number of rated items between the looks of --design."
    )
    per_rating: tuple[float, float] | None = option(
        "--per-rating",
        metavar="MINUTES PRICE",
        type=(float, float),
        help="Minutes and price of one rating, for the costs of --design.",
    )
    systems: int = integer(
        "--systems", default=2, help="Number of systems whose pairs --design compares."
    )
    goal: str = choice(
        "--goal",
        of=("ranks", "best"),
        default="ranks",
        help="What --design looks for among several systems. With best, a system that is worse than another "
        "one gets no more ratings.",
    )
    save: Path | None = options.save("The design, for 'rejoinder compare --design' (.json).")


class PlanOptions(
    options.MeasuringOrScoresOptions,
    PilotRatingsOptions,
    ExtrapolationOptions,
    NextItemsOptions,
    DesignOptions,
):
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

    rates: tuple[float, float] | None = option(
        "--rates",
        metavar="P1 P2",
        type=(float, float),
        help="True rates of two systems, the shares of prompts that each passes, for a plan without any "
        "file: 0.90 0.95. With --items, --power and --alpha.",
    )
    discordant: float | None = number(
        "--discordant",
        metavar="D",
        help="Share of the same prompts that one of the two systems alone passes. Default: as if they "
        "passed independently of each other, and the least there can be.",
    )
    register: Path | None = path(
        "--register",
        writes=True,
        help="Write a registration to this file: what --fix names, the date, and a nonce. A claim names its "
        "digest (--registered).",
    )
    fixed: tuple[str, ...] = option(
        "--fix",
        metavar="NAME=VALUE",
        multiple=True,
        help="What is registered; may be repeated: hypothesis, metric, margin, test or n. For --register.",
    )


OF_RATES = {
    "rates", "discordant", "items", "power", "alpha", "json", "tables", "quiet", "register", "fixed",
}  # fmt: skip
"""Options that have an effect on a plan for rates."""

FOR_DESIGN = (
    "reliability",
    "spread",
    "rho",
    "pool",
    "every",
    "per_rating",
    "systems",
    "goal",
    "save",
)
"""Options of a design."""

OF_DESIGN = {
    *FOR_DESIGN, "design", "differences", "power", "ratings", "scores", "testset", "responses", "metrics",
    "references", "format", "columns", "criterion", "scale", "a", "b", "without", "seed", "missing",
    "drop_unusable", "settings", "json", "tables", "quiet", "register", "fixed",
}  # fmt: skip
"""Options that have an effect on a design."""

OF_METRICS = (
    "metrics", "references", "missing", "drop_unusable", "width", "correlation", "next", "output",
    "drawn",
)  # fmt: skip
"""Options that have no effect on ratings alone."""


@command(PlanOptions)
def plan(given: PlanOptions) -> None:
    """Plan how many items, raters and references are needed.

    The plan extrapolates from a pilot. Give a test set and responses, or scores kept with
    'rejoinder score --save' (from which fewer references cannot be planned), and the ratings so far
    if there are any; or --ratings alone, to plan for people. With --next N -o FILE it says which
    items to have rated next instead. With --rates P1 P2 no file is needed. With --design it
    plans a study that is looked at while ratings come in.
    """
    from rejoinder.cli.made_of_ratings import check_not_made_of
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.scores_or_ratings import check_not_the_same
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.ledger.registrations import facts_of, register
    from rejoinder.planning.plan import plan as planned
    from rejoinder.tables.drawn_items import with_probabilities
    from rejoinder.tables.write import write_drawn

    check_needs(given.register is not None, "--register FILE", "fixed")
    targets.check_file(given.register, targets.REGISTRATION, "--register")
    facts = facts_of(given.fixed)
    if given.register is not None and not (
        given.testset or given.scores or given.ratings or given.rates or given.design
    ):
        with Outputs() as outputs:
            outputs.save(given.register, lambda path: register(path, **facts))
        return
    check_needs(given.design, "--design", *FOR_DESIGN)
    if given.design:
        _plan_design(given)
        return
    check_needs(given.rates is not None, "--rates P1 P2", "discordant")
    if given.rates is not None:
        _plan_rates(given, *given.rates)
        return
    difference = _differences(given.differences)
    of_ratings = ("raters", "criterion", "scale", "width", "drawn")
    alone = bool(given.ratings) and given.testset is None and not given.scores
    check_needs(bool(given.ratings), "--ratings FILE", *of_ratings)
    check_needs(not alone, "a test set and responses, or --scores FILE", *OF_METRICS)
    check_needs(given.next is not None, "--next N", "output", "drawn")
    if given.next is not None and given.output is None:
        raise ParameterError(
            "--next: no file to write the items to; name it with -o, for example -o next.csv"
        )
    targets.check_file(given.output, targets.DRAWN, "--output")
    drawn = inputs.read_drawn(given)
    ratings = None
    if given.ratings:
        ratings = inputs.read_rated(given, given.scale, given.cluster)
    if ratings is not None and drawn is not None:
        ratings = ratings.with_frame(with_probabilities(ratings.frame, drawn))
    # The intervals of the scores themselves are not shown here.
    # Correlations with ratings are over all systems.
    only = () if given.ratings or given.a is None or given.b is None else (given.a, given.b)
    scores, texts = None, None
    if not alone:
        if ratings is not None:
            check_not_made_of(given, given.ratings, ratings.frame)
        scores, texts = inputs.measured(given, resamples=0, cluster=given.cluster, only=only)
        check_not_the_same(
            [each.path for each in given.scores], given.ratings, len(scores.measured)
        )
    testset, responses = texts or (None, None)
    with Progress("planning") as tick:
        result = planned(
            scores,
            ratings,
            testset=testset,
            responses=responses,
            difference=difference,
            criterion=given.criterion,
            scale=given.scale,
            missing=given.missing,
            cluster=given.cluster if alone else None,
            **given.of(ExtrapolationOptions, options.SamplingOptions),
            progress=tick,
        )
        items = None if scores is None else _next(given, scores, ratings, drawn)
    result = inputs.with_notes(result, given.ratings)

    def show() -> Document:
        if items is None:
            return result.document()
        return _shown_next(given, items, result.parameters["criterion"])

    with Outputs(items or result) as outputs:
        if items is not None:
            rows = items.table
            outputs.save(given.output, lambda path: write_drawn(rows, path), rows.height)
        outputs.save(given.register, lambda path: register(path, **facts))
        next_items = {} if items is None else {"next": items.as_json()}
        outputs.show(given, show, lambda: result.as_json() | next_items)


def _plan_design(given: PlanOptions) -> None:
    """Plans a study that is looked at on the way, from a pilot or from stated assumptions."""
    from rejoinder.cli.needs import check_needs, from_command_line
    from rejoinder.cli.outputs import Outputs
    from rejoinder.ledger.registrations import facts_of, register
    from rejoinder.planning.design import plan_design

    for name, each in from_command_line().items():
        if name not in OF_DESIGN:
            raise ParameterError(f"{each} has no effect beside --design; leave {each} out")
        if given.ratings and name in ("reliability", "spread", "rho"):
            raise ParameterError(
                f"{each} states what the pilot of --ratings shows; leave {each} out"
            )
    judged = given.testset is not None or bool(given.scores)
    check_needs(
        bool(given.ratings), "--ratings FILE", "criterion", "scale", "scores", "testset", "a", "b"
    )
    targets.check_file(given.save, targets.DESIGNS, "--save")
    difference = _differences(given.differences)
    if isinstance(difference, dict):
        difference = difference.get("people")
    ratings = inputs.read_rated(given, given.scale, None) if given.ratings else None
    scores = None
    if judged:
        scores, _ = inputs.measured(given, resamples=0, cluster=None, only=())
    result = plan_design(
        difference, ratings=ratings, scores=scores, criterion=given.criterion, scale=given.scale,
        a=given.a, b=given.b, without=given.without, power=given.power, seed=given.seed,
        **{name: getattr(given, name) for name in FOR_DESIGN if name != "save"},
    )  # fmt: skip
    with Outputs(result) as outputs:
        outputs.save(given.save, result.design.save)
        outputs.save(given.register, lambda path: register(path, **facts_of(given.fixed)))
        outputs.show(given, result.document, result.as_json)


def _plan_rates(given: PlanOptions, first: float, second: float) -> None:
    """Plans without a pilot, by the rates that two systems are expected to have."""
    from rejoinder.cli.needs import from_command_line
    from rejoinder.cli.outputs import Outputs
    from rejoinder.ledger.registrations import facts_of, register
    from rejoinder.planning.rates import plan_rates

    for name, each in from_command_line().items():
        if name not in OF_RATES:
            other = given.testset if name == "testset" else each
            raise ParameterError(
                f"--rates plans without a pilot, so {other} has no effect beside it; leave it out"
            )
    result = plan_rates(
        first, second, given.discordant, items=given.items, power=given.power, alpha=given.alpha
    )
    with Outputs() as outputs:
        outputs.save(given.register, lambda path: register(path, **facts_of(given.fixed)))
        outputs.show(given, result.document, result.as_json)


def _next(
    given: PlanOptions, scores: Scores, ratings: Ratings | None, drawn: pl.DataFrame | None
) -> NextItems | None:
    """The items to have rated next; None where none are wanted."""
    from rejoinder.planning.next_items import next_items

    if given.next is None:
        return None
    return next_items(
        scores,
        given.next,
        ratings,
        drawn,
        a=given.a,
        b=given.b,
        criterion=given.criterion,
        without=given.without,
        scale=given.scale,
        seed=given.seed,
    )


def _shown_next(given: PlanOptions, items: NextItems, criterion: str | None) -> Document:
    from rejoinder.cli.next_commands import commands_of

    assert given.output is not None
    others = [*given.ratings, *(each.path for each in given.scores)]
    commands = commands_of(
        given,
        given.output,
        criterion=criterion,
        scale=given.scale,
        without=given.without,
        others=others,
    )
    return items.document(file=given.output, commands=commands)


def _differences(given: tuple[str, ...]) -> float | dict[str, float] | None:
    """A bare number, or numbers by name."""
    from rejoinder.planning.pilot import PEOPLE

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
