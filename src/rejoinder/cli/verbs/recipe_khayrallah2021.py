"""``rejoinder recipe khayrallah2021``: do systems prefer "I don't know.", and what helps."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from rejoinder.cli.show.cells import Cell
    from rejoinder.recipes.khayrallah2021.study import Study


@click.command(short_help="Khayrallah & Sedoc (2021): RUQ of trained systems.")
@click.argument("data", metavar="DAILYDIALOG_DIR", type=options.PATH)
@click.option(
    "--multiref",
    metavar="FILE",
    type=options.PATH,
    help="The multi-reference test set of Gupta et al. (multireftest.json), for Tables 2, 7 and 8.",
)
@click.option(
    "--ratings",
    metavar="FILE",
    type=options.PATH,
    multiple=True,
    help="Human ratings, for a table of Table 4's shape; repeat it for several files.",
)
@click.option(
    "--filter-raters",
    metavar="T",
    type=click.FloatRange(-1, 1),
    help="With --ratings: remove raters whose linearly weighted kappa against the others is below T "
    "(default: 0.1, as in the paper; -1 keeps all).",
)
@click.option(
    "--vectors",
    metavar="FILE",
    type=options.PATH,
    help="Word vectors (word2vec, GloVe, fastText, or a folder of 'rejoinder train vectors'), for "
    "Tables 8 and 10.",
)
@click.option(
    "--scale",
    type=click.Choice(["tiny", "small", "paper"]),
    default="tiny",
    show_default=True,
    help="Minutes on two cores, hours on a few, or the paper's own sizes (for a GPU).",
)
@click.option(
    "--system",
    "systems",
    metavar="NAME",
    multiple=True,
    help="One of DD-BASE, DD-BEST, EF-BASE and EF-BEST, as often as wanted (default: all).",
)
@click.option(
    "--output", "-o", metavar="OUTDIR", type=options.PATH, required=True, help="The run's folder."
)
@options.resamples
@options.seed
@options.as_json
def khayrallah2021(
    data: Path,
    multiref: Path | None,
    ratings: tuple[Path, ...],
    filter_raters: float | None,
    vectors: Path | None,
    scale: str,
    systems: tuple[str, ...],
    output: Path,
    resamples: int,
    seed: int,
    json: bool,
) -> None:
    """Tables and Figure 1 of Khayrallah & Sedoc (2021): relative utterance quantity.

    Trains a base and a tuned system on DailyDialog and on its entropy-filtered part, lets them
    reply, and asks them how often they find the reference likelier than "I don't know.". The same
    command after a kill goes on where it was.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import InputError, ParameterError
    from rejoinder.human_evaluation.rater_exclusion import THRESHOLD
    from rejoinder.recipes.khayrallah2021 import study as recipe
    from rejoinder.recipes.khayrallah2021.corpora import RUN
    from rejoinder.tables.ratings import read_ratings

    if not data.is_dir():
        raise InputError(f"{data}: no such folder; expected DailyDialog's train.zip and the others")
    targets.check_folder(output, markers=(RUN, "corpora"))
    if filter_raters is not None and not ratings:
        raise ParameterError("--filter-raters removes raters of --ratings; give --ratings FILE too")
    sizes = recipe.settings(scale)
    rated = read_ratings(*ratings) if ratings else None
    with Progress("reading") as tick:

        def tell(what: str, done: int, total: int) -> None:
            tick.what = what
            tick(done, total)

        study = recipe.khayrallah2021(
            data,
            output,
            sizes,
            multiref=multiref,
            ratings=rated,
            rater_threshold=THRESHOLD if filter_raters is None else filter_raters,
            vectors=vectors,
            systems=systems or recipe.SYSTEMS,
            resamples=resamples,
            seed=seed,
            tell=tell,
        )
    (_write if json else _print)(study)


def _write(study: Study) -> None:
    from rejoinder.cli.show import machine

    machine.write(
        {
            "cells": study.cells().to_dicts(),
            "compared": study.compared().to_dicts(),
            "absent": study.absent(),
            "settings": study.settings.as_json(),
            "signatures": study.signatures(),
            "notes": study.notes,
            "files": [str(path) for path in study.files],
        }
    )


def _print(study: Study) -> None:
    from rejoinder.cli.terminal.console import console
    from rejoinder.recipes.khayrallah2021.tables import TITLES

    out = console()
    cells, absent = study.cells(), study.absent()
    for table, title in TITLES.items():
        some = [row for row in cells.iter_rows(named=True) if row["table"] == table]
        if some:
            _table(out, f"Table {table}: {_title(table, title, absent)}", table, some)
            out.print()
    _compared(out, study.compared())
    out.print(
        "metrics and RUQ x100; (low, high): 95% interval over prompts; dim: the paper's "
        "figure, of its own sizes and data",
        style="dim",
    )
    for table, why in absent.items():
        out.print(f"Table {table}: {why}", style="yellow", soft_wrap=True)
    for note in study.notes:
        out.print(f"note: {note}", style="yellow", soft_wrap=True)
    for path in study.files:
        out.print(f"written: {path}", soft_wrap=True)
    out.print()
    for label, signature in study.signatures().items():
        out.print(f"{label}: {signature}", style="dim", soft_wrap=True)


def _title(table: str, title: str, absent: dict[str, str]) -> str:
    """Table 2 names METEOR only where it is METEOR."""
    from rejoinder.recipes.khayrallah2021.tables import INSTEAD

    return f"multi-reference {INSTEAD}" if table == "2" and "2" in absent else title


def _table(out: Console, title: str, table: str, some: list[dict[str, Any]]) -> None:
    """One table of the paper."""
    from rejoinder.cli.terminal.console import bare_table
    from rejoinder.recipes.khayrallah2021.tables import TIMES_100

    held = {(row["row"], row["column"]): row for row in some}
    rows, columns = (list(dict.fromkeys(row[key] for row in some)) for key in ("row", "column"))
    factor = 100 if table in TIMES_100 else 1
    out.print(title, style="bold")
    shown = bare_table()
    shown.add_column("")
    for name in columns:
        shown.add_column(name, justify="right")
    for name in rows:
        shown.add_row(name, *(_cell(held.get((name, c)), factor) for c in columns))
    out.print(shown)


def _cell(row: dict[str, Any] | None, factor: int) -> Cell:
    """A number, its interval, and the paper's figure below."""
    from rejoinder.cli.show.cells import NONE, joined, stacked, styled

    if row is None or row["value"] is None or math.isnan(row["value"]):
        return NONE
    if factor == 1 and row["n"] is None:
        return f"{row['value']:g}"
    ends = [row[key] for key in ("low", "high")]
    told: Cell = f"{factor * row['value']:.{1 if factor > 1 else 2}f}"
    if not any(end is None or math.isnan(end) for end in ends):
        low, high = (f"{factor * end:.{1 if factor > 1 else 2}f}" for end in ends)
        told = joined(told, styled(f" ({low}, {high})", "dim"))
    if row["paper"] is not None:
        told = stacked(told, styled(f"{factor * row['paper']:.1f}", "dim"))
    return told


def _compared(out: Console, table: pl.DataFrame) -> None:
    for row in table.iter_rows(named=True):
        out.print(
            f"RUQ-{row['prompts']}: {row['a']} - {row['b']} = {100 * row['difference']:+.1f} "
            f"({100 * row['low']:.1f}, {100 * row['high']:.1f}), {row['n']} prompts, "
            f"p = {row['p_randomization']:.2g}",
            soft_wrap=True,
        )
