"""The formats of ratings, one small file each, and which one a path is of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rejoinder.errors import ParameterError, one_of
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.format_choice import formats_of, in_folder, refuse_published
from rejoinder.tables.origin import RatingsDraft
from rejoinder.tables.rating_formats import (
    argilla,
    dailydialog_multiref,
    dstc7,
    grade,
    judgement_tables,
    label_studio,
    mturk,
    potato,
    qualtrics,
    wmt,
)
from rejoinder.tables.rating_formats.format import RatingFormat

OPTION = "--ratings-format"

# Published formats come first: some of them are CSV, TSV or JSON as well, with other columns.
RATING_FORMATS: dict[str, RatingFormat] = {
    each.name: each
    for each in (
        dailydialog_multiref.FORMAT,
        dstc7.FORMAT,
        grade.FORMAT,
        mturk.FORMAT,
        label_studio.FORMAT,
        label_studio.FLAT,
        potato.FORMAT,
        argilla.FORMAT,
        qualtrics.FORMAT,
        wmt.FORMAT,
        *judgement_tables.FORMATS,
    )
}


def ratings_in(
    path: Path, name: str | None, columns: ColumnMapping | None, keep: Sequence[str] = ()
) -> RatingsDraft:
    """The ratings in a path, not yet validated.

    Args:
        path: A file or folder.
        name: The name of its format; None: recognised.
        columns: The user's names of columns.
        keep: Additional columns to keep, of a table of columns.

    Raises:
        InputError: no format recognises the path.
        ParameterError: there is no format of that name, or it knows its columns and the user names
            some.
    """
    path = in_folder(path, "ratings", RATING_FORMATS) if name is None else path
    chosen = choose(path, name, columns)
    return chosen.read(path, columns, keep) if chosen.takes_columns else chosen.read(path)


def choose(path: Path, name: str | None, columns: ColumnMapping | None = None) -> RatingFormat:
    """The format of a path: the one named, or the first that recognises it.

    Raises:
        InputError: no format recognises the path.
        ParameterError: there is no format of that name, or it knows its columns.
    """
    columns = columns and columns.of_file(path)
    if columns is not None and name is None:
        refuse_published(path, RATING_FORMATS, _TABLES)
    known = RATING_FORMATS if columns is None or name else _TABLES
    (chosen,) = formats_of([path], name, known, OPTION)
    if columns is not None and not chosen.takes_columns:
        raise ParameterError(
            f"columns: the format '{chosen.name}' knows its columns; expected one of "
            f"{one_of(_TABLES)}; leave columns out, or choose one of these with {OPTION}"
        )
    return chosen


_TABLES = {name: each for name, each in RATING_FORMATS.items() if each.takes_columns}
