"""``rejoinder recipe negative-references``: do negative references help?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.cli.show.cells import Cell
    from rejoinder.recipes.negative_references.study import NegativeReferences


@click.command("negative-references")
@click.argument("testset", type=options.PATH)
@options.references
@click.option(
    "--order",
    metavar="N",
    type=click.IntRange(1, 4),
    default=2,
    show_default=True,
    help="The longest n-gram of the table that is printed; --json has 1 to 4.",
)
@click.option(
    "--factor",
    metavar="X",
    type=float,
    default=1.0,
    show_default=True,
    help="Multiply the weights of the bad references, from 0 (only their lengths count) to 1.",
)
@click.option(
    "--tokenizer",
    metavar="NAME",
    default="13a",
    show_default=True,
    help="Tokenizer of BLEU and deltaBLEU.",
)
@click.option("--lowercase", is_flag=True, help="Fold case first.")
@options.resamples
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    default=10_000,
    show_default=True,
    help="Number of permutations of the tests; 0: no tests.",
)
@options.seed
@options.testset_format
@options.as_json
def negative_references(
    testset: Path,
    references: tuple[Path, ...],
    order: int,
    factor: float,
    tokenizer: str,
    lowercase: bool,
    resamples: int,
    permutations: int,
    seed: int,
    testset_format: str | None,
    json: bool,
) -> None:
    """Test whether negative references help a metric.

    Holds out a good reference and a bad one (of negative weight) of each context, and scores both
    against the others: deltaBLEU against good and bad ones, BLEU against the good ones alone.
    """
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.recipes.negative_references import study as recipe
    from rejoinder.tables.testset import read_testset

    with Progress("reading"):
        items = read_testset(testset, *references, format=testset_format)
    with Progress("separating") as tick:
        found = recipe.negative_references(
            items,
            factor=factor,
            tokenizer=tokenizer,
            lowercase=lowercase,
            resamples=resamples,
            permutations=permutations,
            seed=seed,
            progress=tick,
        )
    _write(found) if json else _print(found, order)


def _write(found: NegativeReferences) -> None:
    from rejoinder.cli.show import machine

    machine.write(
        {
            "table": found.table.to_dicts(),
            "comparisons": found.comparisons.to_dicts(),
            "signatures": found.signatures,
            "notes": found.notes,
        }
    )


def _print(found: NegativeReferences, order: int) -> None:
    from rejoinder.cli.terminal.console import bare_table, console
    from rejoinder.recipes.negative_references.study import FORMS

    out = console()
    tests = {
        (row["kind"], row["metric"], row["form"], row["order"]): row
        for row in found.comparisons.iter_rows(named=True)
    }
    for (kind,), rows in found.table.group_by("kind", maintain_order=True):
        first = rows.row(0, named=True)
        title = f"bad: {kind} ({first['pairs']} pairs of {first['contexts']} contexts)"
        shown = bare_table(title)
        shown.add_column("metric")
        shown.add_column("form")
        for name in ("accuracy %", "ties %", "against BLEU", "p", "AUC %"):
            shown.add_column(name, justify="right")
        for row in rows.iter_rows(named=True):
            if row["order"] in (None, order):
                test = tests.get((kind, row["metric"], row["form"], row["order"]))
                shown.add_row(*_cells(row, test))
        out.print(shown)
        out.print()
    out.print(
        f"n-grams up to {order}; values x100; accuracy: the good reply of a context above the bad "
        "one, ties half; AUC: over all contexts; (low, high): 95%, contexts resampled; p: Holm",
        style="dim",
    )
    for form, words in FORMS.items():
        out.print(f"{form}: {words}", style="dim")
    for note in found.notes:
        out.print(f"note: {note}", style="yellow")
    out.print()
    for name, signature in found.signatures.items():
        out.print(f"{name}: {signature}", style="dim", soft_wrap=True)


def _cells(row: dict[str, Any], test: dict[str, Any] | None) -> list[Cell]:
    against: Cell = ""
    p = ""
    if test is not None:
        against = _with_ends(test["difference"], test["low"], test["high"], "+")
        p = "" if math.isnan(test["p_holm"]) else f"{test['p_holm']:.3g}"
    return [
        row["metric"],
        row["form"] or "",
        _with_ends(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
        f"{100 * row['ties']:.1f}",
        against,
        p,
        _with_ends(row["auc"], row["auc_low"], row["auc_high"]),
    ]


def _with_ends(value: float, low: float, high: float, sign: str = "") -> Cell:
    from rejoinder.cli.show.cells import joined, styled

    ends = "" if math.isnan(low) else f" ({100 * low:.1f}, {100 * high:.1f})"
    return joined(f"{100 * value:{sign}.1f}", styled(ends, "dim"))
