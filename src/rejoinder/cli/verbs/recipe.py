"""``rejoinder recipe``: whole studies of papers, on the user's data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rejoinder.cli import options
from rejoinder.cli.verbs import recipe_references
from rejoinder.cli.verbs.recipe_khayrallah2021 import khayrallah2021
from rejoinder.cli.verbs.recipe_negative_references import negative_references
from rejoinder.cli.verbs.recipe_tao2018 import tao2018

if TYPE_CHECKING:
    from rejoinder.cli.show.cells import Cell
    from rejoinder.recipes.galley2015.figure2 import Figure2
    from rejoinder.recipes.galley2015.table2 import Table2
    from rejoinder.scoring.leave_own_out import LeftOut
    from rejoinder.tables.responses import Missing

FIGURE = "galley2015-figure2"


@click.group()
def recipe() -> None:
    """Repeat the study of a paper on your own data."""


recipe.add_command(khayrallah2021)
recipe.add_command(negative_references)
recipe.add_command(tao2018)


@recipe.command(short_help="Galley et al. (2015): does BLEU agree with people?")
@click.argument("testset", type=options.PATH)
@options.responses
@options.references
@options.ratings
@options.ratings_format
@options.criterion
@click.option(
    "--unit-size", metavar="M", type=int, default=100, show_default=True, help="Items in a unit."
)
@click.option(
    "--assignments",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Random assignments of items to units.",
)
@click.option(
    "--order", metavar="N", type=int, default=2, show_default=True, help="The longest n-gram."
)
@options.without
@options.missing
@click.option(
    "--drop-unusable",
    is_flag=True,
    help="Leave out, and count, items without a reference that a row of the table needs.",
)
@recipe_references.options
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of permutations of the tests; 0: no tests.",
)
@options.seed
@click.option(
    "--plots", metavar="DIR", type=options.PATH, help="Draw Figure 2 into a folder: PNG and SVG."
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
    criterion: str | None,
    unit_size: int,
    assignments: int,
    order: int,
    without: tuple[str, ...],
    missing: str,
    drop_unusable: bool,
    references_from: str,
    left_out: str | None,
    scale: tuple[float, float],
    threshold: float,
    permutations: int,
    seed: int,
    plots: Path | None,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
) -> None:
    """Table 2 and Figure 2 of Galley et al. (2015): which BLEU agrees with people?

    BLEU, sBLEU and deltaBLEU, over the first reference, those of w >= 0.6, and all, held against
    people's ratings by units of items. With --plots also along the threshold on w, the unit size
    and the order.
    """
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.figures.style import save
    from rejoinder.recipes.galley2015 import figure2
    from rejoinder.recipes.galley2015 import table2 as galley2015
    from rejoinder.tables.ratings import read_ratings

    if not responses:
        inputs.refuse_scores(testset, "recipe galley2015")
        raise ParameterError(
            f"{testset}: a test set alone; name the systems' replies too: "
            f"rejoinder recipe galley2015 {testset} SYSTEM.jsonl ... --ratings FILE"
        )
    check_needs(references_from == "responses", "--references-from responses", "scale")
    targets.check_drawings(plots)
    items, replies = inputs.read(testset, references, responses, testset_format, responses_format)
    with Progress("reading"):
        rated = read_ratings(*ratings, format=ratings_format)
    items, left, weighed = recipe_references.replaced(
        items, replies, rated, references_from, left_out, scale, criterion
    )
    shared: dict[str, Any] = {
        "criterion": criterion,
        "unit_size": unit_size,
        "assignments": assignments,
        "order": order,
        "without": without,
        "missing": cast("Missing", missing),
        "left_out": cast("LeftOut | None", left),
        "seed": seed,
    }
    with Progress("correlating") as tick:
        table = galley2015.table2(
            items,
            replies,
            rated,
            **shared,
            drop_unusable=drop_unusable,
            threshold=threshold,
            permutations=permutations,
            progress=tick,
        )
    table = replace(table, notes=(*weighed, *table.notes))
    drawn, paths = None, ()
    with Outputs() as outputs:
        if plots is not None:
            folder = plots
            with Progress("drawing") as tick:
                drawn = figure2.figure2(items, replies, rated, **shared, progress=tick)
                picture = figure2.draw(drawn, unit_size, order)
                paths = outputs.make(lambda: save(picture, folder, FIGURE), ())
        (_write if json else _print)(table, drawn, paths)


def _write(told: Table2, drawn: Figure2 | None, paths: tuple[Path, ...]) -> None:
    from rejoinder.cli.show import machine

    machine.write(
        {
            "table": told.table().to_dicts(),
            "figure": drawn.points.to_dicts() if drawn else [],
            "files": [str(path) for path in paths],
            "signature": told.agreement.signature,
            "signatures": told.agreement.signatures,
            "notes": [*told.notes, *(drawn.notes if drawn else ())],
        }
    )


def _print(told: Table2, drawn: Figure2 | None, paths: tuple[Path, ...]) -> None:
    from rejoinder.cli.show.cells import NONE
    from rejoinder.cli.terminal.console import bare_table, console
    from rejoinder.messages import counted

    out = console()
    shown = bare_table()
    for name in ("metric", "refs"):
        shown.add_column(name)
    for name in ("spearman", "p", "kendall-b", "p"):
        shown.add_column(name, justify="right", no_wrap=True)
    table = told.table()
    before = None
    for row in table.iter_rows(named=True):
        if before not in (None, row["metric"]):
            shown.add_section()
        before = row["metric"]
        cells = [cell for name in ("spearman", "kendall-b") for cell in _cells(row, name)]
        shown.add_row(row["metric"], row["references"] or "", *cells)
    out.print(shown)
    out.print()
    out.print(
        f"{counted(table.item(0, 'n'), 'unit')} of {counted(told.unit_size, 'item')} from "
        f"{told.agreement.systems} systems; n-grams up to {told.order}; (low, high): 95% interval; "
        f"p: permutation test; {NONE}: undefined",
        style="dim",
    )
    out.print(told.agreement.protocol.spread, style="dim")
    for note in (*told.notes, *(drawn.notes if drawn else ()), *_reasons(table)):
        out.print(f"note: {note}", style="yellow")
    for path in paths:
        out.print(f"written: {path}", soft_wrap=True)
    out.print()
    out.print(told.agreement.signature, style="dim", soft_wrap=True)


def _cells(row: Mapping[str, Any], name: str) -> tuple[Cell, str]:
    from rejoinder.cli.show.cells import NONE, joined, styled

    value, low, high, p = (row[f"{name}{end}"] for end in ("", "_low", "_high", "_p"))
    if math.isnan(value):
        return NONE, ""
    ends = styled("" if math.isnan(low) else f" ({low:.2f}, {high:.2f})", "dim")
    return joined(f"{value:.3f}", ends), "" if math.isnan(p) else f"{p:.3f}"


def _reasons(table: Any) -> list[str]:
    """Why numbers are missing, each reason once."""
    return [each for each in table["reason"].unique(maintain_order=True) if each]
