"""``rejoinder convert``: a file of any format in Rejoinder's own formats."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rejoinder.cli import options, targets
from rejoinder.cli.declarations import argument, choice, command, option

if TYPE_CHECKING:
    import polars as pl


class ConvertOptions(options.ValuesOptions, options.JsonOptions):
    """The options of 'convert'."""

    path: Path = argument("path", metavar="FILE", type=options.PATH)
    output: Path = options.output("A file: .jsonl or .parquet; all but a test set also .csv, .tsv.")
    kind: str | None = choice(
        "--as",
        of=("testset", "responses", "ratings", "preferences", "scores", "every-eval-ever"),
        help="What to read the file as. Required if it can be read as several.",
    )
    testset: Path | None = option(
        "--testset",
        metavar="TESTSET",
        type=options.PATH,
        help="Test set. It has the ids of responses in plain text, whose line i is the reply to item i.",
    )


@command(ConvertOptions)
def convert(given: ConvertOptions) -> None:
    """Convert a file to Rejoinder's formats.

    JSON Lines or Parquet, which all other verbs read without options. 'rejoinder look' says what a
    file can be read as. Columns that no verb reads are left out.
    """
    from rejoinder.cli.made_of_ratings import took_ratings
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show.json_output import write
    from rejoinder.cli.terminal.console import console
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.look import kind_of
    from rejoinder.tables.registry import table_of, write_as
    from rejoinder.tables.testset import read_testset

    kind = "test set" if given.kind == "testset" else given.kind
    named = {"format": given.format, "columns": given.columns}
    with Progress("reading"):
        testset = given.testset and read_testset(given.testset, columns=given.columns)
        kind = kind or ("responses" if testset else kind_of(given.path, **named))
        targets.check_file(given.output, targets.OF_TABLES[kind], "--output")
        table = table_of(given.path, kind, **named, testset=testset)
    if kind == "ratings":
        took_ratings(cast("pl.DataFrame", table))
    with Outputs() as outputs:
        save = partial(write_as, kind, table)
        written = outputs.save(given.output, save, len(table))
        if given.json:
            write(
                {
                    "kind": kind,
                    "rows": len(table),
                    "written": str(given.output) if written else None,
                }
            )
        else:
            console().print(f"{kind}: {len(table)} {'items' if kind == 'test set' else 'rows'}")
