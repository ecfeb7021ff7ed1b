"""``rejoinder recipe galley2015``: does BLEU agree with people?"""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, integer, number

FIGURE = "galley2015-figure2"


class GalleyOptions(options.GapsOptions, options.SeedOptions):
    """What the study varies."""

    unit_size: int = options.UNIT_SIZE
    assignments: int = options.ASSIGNMENTS
    order: int = integer("--set order", default=2, help="Longest n-gram.")
    references_from: str = choice(
        "--references-from",
        of=("testset", "responses"),
        default="testset",
        help="Where references come from. testset: the test set; responses: the systems' "
        "replies, weighted by their ratings (see 'rejoinder weigh').",
    )
    left_out: str | None = choice(
        "--leave-own-out",
        of=("own", "pair"),
        help="Exclude a system's own replies from its references. own: each system's own; pair: "
        "those of both systems that are compared (default with --references-from "
        "responses).",
    )
    scale: tuple[float, float] = options.scale((1.0, 5.0))
    threshold: float = number(
        "--set good_weight",
        metavar="T",
        default=0.6,
        help="Lowest weight of a good reference, for the row w>=T.",
    )
    without: tuple[str, ...] = options.without()
    permutations: int = options.permutations(1000)
    cases: int = options.cases(
        0, "Their references with their weights, as in Table 1 of the paper."
    )
    ids: tuple[str, ...] = options.case_ids()


class Galley2015Options(
    options.TextsOptions,
    options.RatingFilesOptions,
    GalleyOptions,
    options.PrintedOptions,
    options.LedgerOptions,
):
    """The options of 'recipe galley2015'."""

    plots: Path | None = options.plots("Figure 2 of the paper.")


@command(Galley2015Options, short_help="Galley et al. (2015): does BLEU agree with people?")
def galley2015(given: Galley2015Options) -> None:
    """Table 2 and Figure 2 of Galley et al. (2015): which BLEU agrees with people?

    Correlates BLEU, sBLEU and deltaBLEU, over the first reference, those of w >= 0.6, and all, with
    human ratings, by units of items. With --plots also for other weights, unit sizes and orders; with
    --cases sample reference sets (Table 1).
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.figures.style import save
    from rejoinder.recipes.galley2015 import draw
    from rejoinder.recipes.galley2015 import galley2015 as study

    inputs.check_named(given, "--ratings FILE")
    check_needs(given.references_from == "responses", "--references-from responses", "scale")
    targets.check_drawings(given.plots)
    texts = inputs.read(given)
    ratings = inputs.read_rated(given)
    with Progress("correlating") as tick:
        result = study(
            *texts,
            ratings,
            criterion=given.criterion,
            figure=given.plots is not None,
            **given.of(GalleyOptions),
            progress=tick,
        )
    paths: tuple[Path, ...] = ()
    with Outputs(result) as outputs:
        if given.plots is not None and result.figure is not None:
            folder, picture = given.plots, draw(result.figure, given.unit_size, given.order)
            paths = outputs.make(lambda: save(picture, folder, FIGURE), ())
            outputs.drew(folder, paths)
        outputs.show(given, result.document, lambda: result.as_json(paths))
