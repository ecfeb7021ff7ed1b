"""``rejoinder look``: what a file is taken for."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import argument, command


class LookOptions(options.TablesOptions, options.JsonOptions):
    """The options of 'look'."""

    files: tuple[Path, ...] = argument(
        "files", metavar="FILE...", type=options.PATH, nargs=-1, required=True
    )


@command(LookOptions)
def look(given: LookOptions) -> None:
    """Say what files are taken for, and which verbs can use them.

    Each file, or folder, is read as each kind of table: test set, responses, ratings, preferences,
    scores and mined candidates. For each that works: its format, what it holds, and which columns are
    read under another name. Then a command for each use of the file. A folder of logs of an evaluation
    tool is taken as all of them together. Of several files, one of no known format is named as that.
    """
    from rejoinder.cli.show.json_output import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.document.parts import GAP, Line
    from rejoinder.document.text import styled
    from rejoinder.errors import InputError, RejoinderError
    from rejoinder.tables.formats.format_choice import UnknownFormatError
    from rejoinder.tables.look import FileLook
    from rejoinder.tables.look import look as looked

    files = list(dict.fromkeys(given.files))
    results, errors, unknown = [], [], {}
    for path in files:
        try:
            with Progress("reading"):
                results.append(looked(path, format=given.format, columns=given.columns))
        except RejoinderError as error:
            if len(files) == 1:
                raise
            if isinstance(error, UnknownFormatError):
                unknown[path] = str(error)
                why = unknown[path].removeprefix(f"{path}: ").partition(";")[0]
                results.append(FileLook(str(path), (), False, (), refusals={"any table": why}))
            else:
                errors.append(str(error))
    if len(unknown) == len(results):
        results, errors = [], [*unknown.values(), *errors]
    if given.json and len(files) == 1:
        write(results[0].as_json())
    elif given.json:
        write({"inputs": [each.as_json() for each in results]})
    else:
        from rejoinder.cli.terminal.showing import show

        for place, each in enumerate(results):
            named = [Line(styled(each.path, "bold"))] * (len(files) > 1)
            show([*[GAP] * bool(place), *named, *each.document()])
    if errors:
        raise InputError("; ".join(errors))
