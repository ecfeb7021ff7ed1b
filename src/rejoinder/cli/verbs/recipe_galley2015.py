"""``rejoinder recipe galley2015``: does BLEU agree with people?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.recipes.galley2015.study import ReferencesFrom
    from rejoinder.scoring.leave_own_out import LeftOut
    from rejoinder.tables.responses import Missing

FIGURE = "galley2015-figure2"


@click.command(short_help="Galley et al. (2015): does BLEU agree with people?")
@click.argument("testset", type=options.PATH)
@options.responses
@options.references
@options.ratings
@options.ratings_format
@options.criterion
@click.option(
    "--unit-size",
    metavar="M",
    type=int,
    default=100,
    show_default=True,
    help="Number of items in a unit.",
)
@click.option(
    "--assignments",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of random assignments of items to units.",
)
@click.option(
    "--order", metavar="N", type=int, default=2, show_default=True, help="Longest n-gram."
)
@options.without
@options.missing
@click.option(
    "--drop-unusable",
    is_flag=True,
    help="Exclude items that cannot be scored, and count them. They lack a reference that a "
    "row of the table needs.",
)
@click.option(
    "--references-from",
    type=click.Choice(["testset", "responses"]),
    default="testset",
    show_default=True,
    help="Where references come from. testset: the test set; responses: the systems' "
    "replies, weighted by their ratings (see 'rejoinder weigh').",
)
@click.option(
    "--leave-own-out",
    "left_out",
    type=click.Choice(["own", "pair"]),
    help="Exclude a system's own replies from its references. own: each system's own; pair: "
    "those of both systems that are compared (default with --references-from "
    "responses).",
)
@options.rating_scale(default=(1.0, 5.0))
@click.option(
    "--good-weight",
    "threshold",
    metavar="T",
    type=float,
    default=0.6,
    show_default=True,
    help="Lowest weight of a good reference, for the row w>=T.",
)
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of permutations of the significance tests. 0: no tests.",
)
@options.seed
@click.option(
    "--plots",
    metavar="DIR",
    type=options.PATH,
    help="Draw figures into this folder, as PNG and SVG. Figure 2 of the paper.",
)
@options.testset_format
@options.responses_format
@options.as_json
def galley2015(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    ratings: tuple[Path, ...],
    ratings_format: str | None,
    references_from: str,
    left_out: str | None,
    scale: tuple[float, float],
    missing: str,
    plots: Path | None,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
    **shared: Any,
) -> None:
    """Table 2 and Figure 2 of Galley et al. (2015): which BLEU agrees with people?

    Correlates BLEU, sBLEU and deltaBLEU, over the first reference, those of w >= 0.6, and all, with
    human ratings, by units of items. With --plots also for other weights, unit sizes and orders.
    """
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import recipe_galley2015 as show
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.figures.style import save
    from rejoinder.recipes.galley2015 import draw
    from rejoinder.recipes.galley2015 import galley2015 as study
    from rejoinder.tables.ratings import read_ratings

    inputs.check_named(testset, responses, "recipe galley2015", "--ratings FILE")
    check_needs(references_from == "responses", "--references-from responses", "scale")
    targets.check_drawings(plots)
    items, replies = inputs.read(testset, references, responses, testset_format, responses_format)
    with Progress("reading"):
        rated = read_ratings(*ratings, format=ratings_format)
    with Progress("correlating") as tick:
        result = study(
            items,
            replies,
            rated,
            references_from=cast("ReferencesFrom", references_from),
            left_out=cast("LeftOut | None", left_out),
            scale=scale,
            missing=cast("Missing", missing),
            figure=plots is not None,
            progress=tick,
            **shared,
        )
    paths: tuple[Path, ...] = ()
    with Outputs() as outputs:
        if plots is not None and result.figure is not None:
            folder, picture = plots, draw(result.figure, shared["unit_size"], shared["order"])
            paths = outputs.make(lambda: save(picture, folder, FIGURE), ())
        (show.write if json else show.show)(result, paths)
