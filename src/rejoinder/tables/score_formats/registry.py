"""The registry of formats of scores that other tools made, and which one a path is of.

``score_tables`` reads tables of scores, long or wide. ``logs`` reads the numbers that a log of
another tool (``tables.logs``) holds beside its replies.
"""

from __future__ import annotations

from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.format_choice import formats_of, in_folder
from rejoinder.tables.origin import ScoresDraft
from rejoinder.tables.score_formats import logs, score_tables, wmt
from rejoinder.tables.score_formats.format import ScoreFormat

OPTION = "--scores-format"

# Published formats come first: some of them are CSV, TSV or JSON as well, with other columns.
SCORE_FORMATS: dict[str, ScoreFormat] = {
    each.name: each for each in (*logs.FORMATS, wmt.FORMAT, *score_tables.FORMATS)
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
