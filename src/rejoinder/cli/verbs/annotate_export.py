"""``rejoinder annotate export``: the judgements of a study as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import options
from rejoinder.cli.declarations import argument, command, flag, number

if TYPE_CHECKING:
    from rejoinder.annotation.export import Exported


class ExportOptions(options.JsonOptions):
    """The options of 'annotate export'."""

    db: Path = argument("db", metavar="STUDY", type=options.PATH)
    answers: tuple[Path, ...] = argument(
        "answers", metavar="[ANSWERS]...", type=options.PATH, nargs=-1
    )
    output: Path = options.output("Ratings or preferences: .csv, .tsv, .jsonl or .parquet.")
    attention: float = number(
        "--attention",
        default=0.0,
        help="Least share of attention questions that a rater must answer right. The answers of others "
        "are left out.",
    )
    salvage: bool = flag(
        "--salvage",
        help="Export what is whole of a damaged study. Notes say what is lost; the study stays as it is.",
    )


@command(ExportOptions)
def export(given: ExportOptions) -> None:
    """Write the judgements of a study as a table.

    Ratings (of head-to-head questions: preferences) that all other verbs read, with the probability
    with which each question was drawn and its position in the rater's order. A study that is being
    served can be exported too. ANSWERS are files that raters downloaded from the pages of 'annotate
    page'; they are stored in the study first.
    """
    from contextlib import closing
    from dataclasses import replace

    from rejoinder.annotation.answers import taken_in
    from rejoinder.annotation.export import export as exported
    from rejoinder.annotation.salvage import salvaged
    from rejoinder.annotation.study import Study
    from rejoinder.cli import targets
    from rejoinder.cli.outputs import save_and_print
    from rejoinder.errors import ParameterError
    from rejoinder.tables.write import write_preferences, write_ratings

    targets.check_file(given.output, targets.JUDGEMENTS, "--output")
    if given.salvage:
        if given.answers:
            raise ParameterError(
                "--salvage: stores no answers in a damaged study; leave the files of answers out"
            )
        with salvaged(given.db) as (study, notes):
            result = exported(study, given.attention)
    else:
        with closing(Study(given.db, reading=not given.answers)) as study:
            notes = [each for path in given.answers for each in taken_in(study, path)]
            result = exported(study, given.attention)
    result = replace(result, notes=(*notes, *result.notes))
    write = write_preferences if result.kind == "preferences" else write_ratings
    save_and_print(
        result,
        given.output,
        lambda path: write(result.table, path),
        result.table.height,
        given=given,
        show=_print,
    )


def _print(result: Exported) -> None:
    from rejoinder.cli.terminal.columns import number, table, text
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.messages import counted

    out = console()
    raters = result.table.get_column("rater").n_unique()
    items = result.table.get_column("id").n_unique()
    out.print(
        f"{result.table.height} {result.kind} by {counted(raters, 'rater')} on {counted(items, 'item')}"
    )
    if result.attention.height:
        rows = result.attention.iter_rows(named=True)
        title = "attention questions"
        out.print(table(rows, text("rater"), number("asked"), number("right"), title=title))
    print_notes(out, result.notes)
