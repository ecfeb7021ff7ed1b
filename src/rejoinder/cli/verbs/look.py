"""``rejoinder look``: what a file is taken for."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import argument, command


class LookOptions(options.TablesOptions, options.JsonOptions):
    """The options of 'look'."""

    path: Path = argument("path", metavar="FILE", type=options.PATH)
    format: str | None = options.INPUT_FORMAT


@command(LookOptions)
def look(given: LookOptions) -> None:
    """Say what a file is taken for, and which verbs can use it.

    The file, or folder, is read as each kind of table: test set, responses, ratings, preferences,
    scores and mined candidates. For each that works: its format, what it holds, and which columns are
    read under another name. Then a command for each use of the file.
    """
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.look import look as looked

    with Progress("reading"):
        result = looked(given.path, format=given.format, columns=given.columns)
    if given.json:
        write(result.as_json())
    else:
        from rejoinder.cli.show.look import look as show

        show(result)
