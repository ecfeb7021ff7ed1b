"""The formats of ratings, one small file each, and which one a path is of."""

from __future__ import annotations

from pathlib import Path

from rejoinder.tables.assembly.format_choice import formats_of
from rejoinder.tables.rating_formats import (
    dailydialog_multiref,
    dstc7,
    grade,
    label_studio,
    mturk,
    tables,
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
        *tables.FORMATS,
    )
}


def choose(path: Path, name: str | None) -> RatingFormat:
    """The format of a path: the one named, or the first that recognises it.

    Raises:
        InputError: no format recognises the path.
        ParameterError: there is no format of that name.
    """
    (chosen,) = formats_of([path], name, RATING_FORMATS, OPTION)
    return chosen
