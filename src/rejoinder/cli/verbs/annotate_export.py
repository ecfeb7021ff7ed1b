"""``rejoinder annotate export``: the judgements of a study as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import options, targets
from rejoinder.cli.declarations import argument, command, flag, number

if TYPE_CHECKING:
    from rejoinder.annotation.export import Exported
    from rejoinder.document.parts import Document


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
        show=_document,
    )


def _document(result: Exported) -> Document:
    """How many judgements there are, and how raters answered the attention questions."""
    from rejoinder.document.parts import Line, lines
    from rejoinder.document.table import Table, key, number
    from rejoinder.messages import counted

    raters, items = (result.table.get_column(name).n_unique() for name in ("rater", "id"))
    numbers = f"by {counted(raters, 'rater')} on {counted(items, 'item')}"
    columns = [key("rater"), number("asked"), number("right")]
    attention = Table(result.attention, columns, title="attention questions")
    return [
        Line(f"{result.table.height} {result.kind} {numbers}"),
        *[attention] * bool(result.attention.height),
        *lines(result.notes, "note"),
    ]
