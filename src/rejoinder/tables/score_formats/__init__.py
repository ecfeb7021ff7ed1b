"""The formats of scores that other tools made, one small file each, and which one a path is of.

A log that holds scores beside replies is a format here too: its reader returns a ``ScoresDraft``
with a row for each number.
"""

from __future__ import annotations

from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.format_choice import formats_of, in_folder
from rejoinder.tables.origin import ScoresDraft
from rejoinder.tables.score_formats import logs, tables
from rejoinder.tables.score_formats.format import ScoreFormat

OPTION = "--scores-format"

# Published formats come first: some of them are CSV, TSV or JSON as well, with other columns.
SCORE_FORMATS: dict[str, ScoreFormat] = {
    each.name: each for each in (*logs.FORMATS, *tables.FORMATS)
}


def scores_in(path: Path, name: str | None, columns: ColumnMapping | None) -> ScoresDraft:
    """The scores in a path, not yet validated.

    Raises:
        InputError: No format recognises the path.
        ParameterError: There is no format of that name.
    """
    path = in_folder(path, "scores", SCORE_FORMATS) if name is None else path
    (chosen,) = formats_of([path], name, SCORE_FORMATS, OPTION)
    return chosen.read(path, columns)
