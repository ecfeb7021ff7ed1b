"""Names of one table that differ in white space or in case alone, and may be meant as one name.

White space is hardly seen, so such names are refused. Case may be meant, so it is noted.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import more, quoted
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Origin
from rejoinder.tables.schemas import TableColumn

_NOTED = {"rater": "raters", "system": "systems", "criterion": "criteria"}
"""What may have two names that differ in case alone, with a note; ids of items may without one."""


def refuse_padded_names(
    frame: pl.DataFrame, columns: Sequence[TableColumn], origin: Origin
) -> None:
    """No two names of one thing differ in white space around them alone, in the whole table.

    Args:
        frame: The table.
        columns: Its columns; those that name the same (``TableColumn.names``) are looked at together.
        origin: Where its rows stood.

    Raises:
        InputError: Names the row of the name with white space, both names, and the place of the other one.
    """
    named = _columns_by_noun(frame, columns)
    stripped = pl.all().str.strip_chars()
    looked_at = frame.select(name for names in named.values() for name in names)
    padded = looked_at.select((pl.all() != stripped).any()).row(0, named=True)
    for noun, names in named.items():
        if any(padded[name] for name in names):
            _refuse_padded(_alike(frame, names, pl.col("name").str.strip_chars()), noun, origin)


def note_names_in_two_cases(
    frame: pl.DataFrame, columns: Sequence[TableColumn], origin: Origin
) -> None:
    """Makes a note where raters, systems or criteria of a table have names that differ in case alone.

    Args:
        frame: The table.
        columns: Its columns, as for ``refuse_padded_names``.
        origin: Where its rows stood.
    """
    for noun, names in _columns_by_noun(frame, columns).items():
        if noun not in _NOTED:
            continue
        alike = _alike(frame, names, pl.col("name").str.to_lowercase()).sort("row", "name")
        if alike.height:
            first = alike.filter(pl.col("alike") == alike.item(0, "alike"))
            files = dict.fromkeys(origin.file(row) for row in first.get_column("row"))
            note(
                "case of names",
                ", ".join(files),
                nouns=_NOTED[noun],
                names=first.get_column("name").to_list(),
                groups=alike.get_column("alike").n_unique(),
            )


def _columns_by_noun(frame: pl.DataFrame, columns: Sequence[TableColumn]) -> dict[str, list[str]]:
    """By what is named the columns of a table that name it."""
    named: dict[str, list[str]] = {}
    for each in columns:
        if each.names and each.name in frame.columns:
            named.setdefault(each.names, []).append(each.name)
    return named


def _alike(frame: pl.DataFrame, columns: Sequence[str], normalised: pl.Expr) -> pl.DataFrame:
    """The names in some columns that are equal to another one when normalised.

    Args:
        frame: The table.
        columns: The columns.
        normalised: What is compared, of the column ``name``.

    Returns:
        ``name``, its first ``row``, the number of its ``rows``, and ``alike``: the name normalised.
    """
    each = (frame.select(pl.col(column).alias("name")).with_row_index("row") for column in columns)
    counts = pl.concat(each).drop_nulls("name").group_by("name")
    names = counts.agg(pl.col("row").min(), pl.len().alias("rows"))
    names = names.with_columns(normalised.alias("alike"))
    return names.filter(pl.col("alike").is_duplicated())


def _refuse_padded(alike: pl.DataFrame, noun: str, origin: Origin) -> None:
    """Raises for the first name that has white space around it and is alike another one, if there is one."""
    if not alike.height:
        return
    # The plain name is the one that others differ from, wherever it stands.
    alike = alike.sort(pl.col("name") != pl.col("alike"), "row", "name")
    others = alike.filter(~pl.col("alike").is_first_distinct()).sort("row", "name")
    other = others.row(0, named=True)
    one = alike.filter(pl.col("alike") == other["alike"]).row(0, named=True)
    what, names = ("id", "ids") if noun == "item" else (noun, "names")
    raise InputError(
        f"{origin.at(other['row'])}: {what} {quoted(other['name'])} differs from {quoted(one['name'])} "
        f"({origin.at(one['row'])}) in white space alone{more(int(others.get_column('rows').sum()))}; "
        f"write both alike if they are one {noun}, or else give them different {names}"
    )
