"""The tables of a document as CSV: the frames with all digits, and no cell that is a formula."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rejoinder.document.parts import Document, Line
from rejoinder.visible import visible

if TYPE_CHECKING:
    import polars as pl

FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
"""What a text begins with that spreadsheets compute; four signs in full width, as in Japanese."""

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
"""A number, which is no formula."""


def as_csv(document: Document) -> dict[str, str]:
    """The tables of a document by name, each the text of a file that has one table and one head.

    Tables of the same name stand below each other. What a number is not is an empty field.
    """
    return {
        name: visible(without_formulas(each).write_csv(), lines=True)
        for name, each in frames(document).items()
    }


def frames(document: Document) -> dict[str, pl.DataFrame]:
    """The same as frames."""
    import polars as pl

    named: dict[str, list[pl.DataFrame]] = {}
    for part in document:
        if not isinstance(part, Line):
            named.setdefault(part.name, []).append(part.data())
    return {
        name: pl.concat(each, how="diagonal_relaxed").with_columns(
            pl.col(pl.Float64).fill_nan(None)
        )
        for name, each in named.items()
    }


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """A table whose texts and headings no spreadsheet takes for a formula: they get an apostrophe.

    Only for tables of results, which people read. Files of data (responses, ratings, test sets) are
    written as they are, because they are read back.

    >>> import polars as pl
    >>> without_formulas(pl.DataFrame({"system": ["=1+1", "-0.5", "tuned"]}))["system"].to_list()
    ["'=1+1", '-0.5', 'tuned']
    """
    import polars as pl

    texts = pl.col(pl.String)
    begins = texts.str.contains(FORMULA) & ~texts.str.contains(NUMBER)
    headings = {
        name: f"'{name}"
        for name in table.columns
        if re.search(FORMULA, name) and not re.search(NUMBER, name)
    }
    escaped = pl.when(begins).then(pl.lit("'") + texts).otherwise(texts).name.keep()
    return table.with_columns(escaped).rename(headings)
