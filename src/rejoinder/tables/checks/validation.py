"""The rules that a table keeps, checked on whole columns, each with an error that names the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import more, quoted
from rejoinder.tables.columns import require
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Origin
from rejoinder.tables.schemas import COLUMNS, ID, PROBABILITY, TableColumn

_WITH_CASES = {"rater": "raters", "system": "systems", "criterion": "criteria"}
"""What may have two names that differ in case alone, with a note; ids of items may without one."""

RESCALE = "scale ratings first: 2 (s - 1) / (K - 1) - 1 for a rating s on 1..K"


class Rule(NamedTuple):
    """What no row of a table may be.

    Args:
        offends: True in a row that breaks the rule; where it is null, the row does not.
        say: The message for a row, given its index.
    """

    offends: pl.Expr
    say: Callable[[int], str]


def conform(frame: pl.DataFrame, columns: Sequence[TableColumn], table: str) -> pl.DataFrame:
    """The frame with its declared columns first and in their types.

    Numbers are accepted as ids, whole numbers as weights, and an absent optional column becomes
    nulls where it is declared so; nothing else is converted.

    Args:
        frame: The table.
        columns: Its columns.
        table: The name of the table, or of its file, for messages.

    Raises:
        InputError: A column is absent, misspelt, or of another type.
    """
    needed = [each.name for each in columns if each.is_needed]
    optional = [each.name for each in columns if not each.is_needed]
    require(needed, frame.columns, table, optional, renamed=False)
    dtypes = [(each.name, each.dtype) for each in columns]
    if list(frame.schema.items())[: len(dtypes)] == dtypes:
        return frame
    conformed = []
    for each in columns:
        got = frame.schema.get(each.name)
        if got is not None and not _converts(each, got):
            whole = got.is_float() and each.dtype == pl.String and _converts(each, pl.Int64())
            raise InputError(
                f"{table}: column '{each.name}' holds {quoted(got)[1:-1]}; expected {_plain(each.dtype)}"
                + " or whole numbers: .astype('Int64') of pandas, .cast(pl.Int64) of Polars" * whole
            )
        if got is not None:
            conformed.append(pl.col(each.name).cast(each.dtype))
        elif each.if_absent == "null":
            conformed.append(pl.lit(None, dtype=each.dtype).alias(each.name))
    return frame.select(*conformed, pl.exclude([each.name for each in columns]))


def check_contexts(contexts: pl.DataFrame, origin: Origin) -> None:
    """One row per item, each with an id of its own and turns that are text.

    Raises:
        InputError: No rows; an id null, empty or twice; two ids that differ in white space alone;
            a context or a turn that is null.
    """
    if not contexts.height:
        raise InputError(
            f"{origin.files() or 'contexts'}: no rows; a test set needs at least one item"
        )
    ids, turns = contexts.get_column("id"), pl.col("context")
    nulls = turns.is_null() | turns.list.eval(pl.element().is_null()).list.any()
    null_turn = Rule(
        nulls, lambda i: f"a null turn in the context of id {quoted(ids[i])}; expected text"
    )
    refuse_rows(contexts, origin, [nameless(contexts, ID), null_turn])
    refuse_duplicates(
        contexts.select("id"), origin, "item", "one row per item, with all its references"
    )
    refuse_padded_names(contexts, COLUMNS["contexts"], origin)


def check_references(
    references: pl.DataFrame, contexts: pl.DataFrame, origin: Origin, table: str
) -> None:
    """Every reference has text, belongs to an item, and weighs within [-1, 1].

    Args:
        references: The references.
        contexts: The contexts, already checked.
        origin: Where the rows of the references stood.
        table: The file or table to name where there is no row at all.

    Raises:
        InputError: Neither references nor contexts; an id null or without a context; a text that is null; a
            weight that is NaN, infinite or outside [-1, 1].
    """
    if not references.height:
        if contexts.get_column("context").list.len().sum():
            return  # items to reply to, for what needs no references
        raise InputError(
            f"{table}: no reference and no context for any item; expected at least one"
        )
    ids, weights = references.get_column("id"), references.get_column("weight")
    no_text = Rule(
        pl.col("text").is_null(),
        lambda i: (
            f"the text of a reference of id {quoted(ids[i])} is null; leave the reference out"
        ),
    )
    expected = "expected a number within [-1, 1]; leave it empty where there is none"
    outside = Rule(
        pl.col("weight").abs() > 1,
        lambda i: f"weight {weights[i]:g} outside [-1, 1] at id {quoted(ids[i])}; {RESCALE}",
    )
    finite = not_finite(references, "weight", expected, missing=True)
    refuse_rows(references, origin, [nameless(references, ID), no_text, finite, outside])
    orphans = (~ids.is_in(contexts.get_column("id").implode())).arg_true()
    if len(orphans):
        row = int(orphans[0])
        raise InputError(
            f"{origin.at(row)}: a reference for id {quoted(ids[row])}, which no context has"
            f"{more(len(orphans), 'reference')}; add its context or take the reference out"
        )


def nameless(frame: pl.DataFrame, column: TableColumn) -> Rule:
    """The rule that every row names something in a column of names."""
    name, ids = column.name, frame.get_column("id")
    remedy = f"name the {name} in every row"
    remedy += ", or leave the column out" if column.if_absent == "filled" else ""
    return Rule(
        (pl.col(name).str.strip_chars() == "").fill_null(True),
        lambda i: (
            "the id is empty; every row needs one"
            if column is ID
            else f"no {name} at id {quoted(ids[i])}; {remedy}"
        ),
    )


def not_finite(frame: pl.DataFrame, column: str, expected: str, missing: bool = False) -> Rule:
    """The rule that every row holds a finite number in a column.

    Args:
        frame: The table.
        column: The column, of numbers.
        expected: What was expected.
        missing: Whether a number may be missing.
    """
    ids, values = frame.get_column("id"), frame.get_column(column)
    return Rule(
        ~pl.col(column).is_finite().fill_null(missing),
        lambda i: f"{column} {_number(values[i])} at id {quoted(ids[i])}; {expected}",
    )


def improbable(frame: pl.DataFrame) -> list[Rule]:
    """The rule that every probability is within (0, 1], if there are any."""
    if PROBABILITY not in frame.columns:
        return []
    ids, shares = frame.get_column("id"), frame.get_column(PROBABILITY)
    share = pl.col(PROBABILITY)
    return [
        Rule(
            ~((share > 0) & (share <= 1)),
            lambda i: (
                f"{PROBABILITY} {shares[i]:g} at id {quoted(ids[i])}; expected a number in (0, 1]"
            ),
        )
    ]


def refuse_rows(frame: pl.DataFrame, origin: Origin, rules: Sequence[Rule]) -> None:
    """Raises an InputError for the first of some rules that a row breaks; all are looked at in one pass.

    Args:
        frame: The table.
        origin: Where its rows stood.
        rules: The rules.
    """
    offending = frame.select(each.offends.alias(str(k)) for k, each in enumerate(rules))
    for offends, rule in zip(offending, rules, strict=True):
        refuse(offends, origin, rule.say)


def refuse(offends: pl.Series, origin: Origin, say: Callable[[int], str]) -> None:
    """Raises for the first row where ``offends`` is true, and counts the others.

    Args:
        offends: One boolean per row; where it is null, the row does not offend.
        origin: Where the rows stood.
        say: The message for a row, given its index.

    Raises:
        InputError: File, row, the message, and how many rows more offend in the same way.
    """
    if offends.any():
        rows = offends.arg_true()
        first = int(rows[0])
        raise InputError(f"{origin.at(first)}: {say(first)}{more(len(rows))}")


def refuse_duplicates(keys: pl.DataFrame, origin: Origin, what: str, remedy: str) -> None:
    """Every row has a key of its own.

    Args:
        keys: The columns that name a row, the most general first.
        origin: Where the rows stood.
        what: What a row is.
        remedy: What to do about a duplicate key.

    Raises:
        InputError: Names the key, both places, and how many rows more repeat one.
    """
    if not keys.is_duplicated().any():
        return
    place = "place of row"  # no column of a table with keys alone is called so
    first = pl.col(place).first().over(keys.columns)
    again = keys.with_row_index(place).with_columns(first.alias("place of first"))
    again = again.filter(pl.col(place) != pl.col("place of first"))
    row = again.row(0, named=True)
    named = [f"{name} {quoted(row[name])}" for name in keys.columns if row[name] != ""]
    key = named[0] if len(named) == 1 else f"{what} ({', '.join(named)})"
    raise InputError(
        f"{origin.at(row[place])}: duplicate {key}, first at "
        f"{origin.at(row['place of first'])}{more(again.height)}; {remedy}"
    )


def is_first(keys: pl.DataFrame) -> pl.Series:
    """Where a row is the first one with its key; one boolean per row.

    >>> is_first(pl.DataFrame({"id": ["a", "b", "a"]})).to_list()
    [True, True, False]
    """
    return keys.select(pl.struct(pl.all()).is_first_distinct().alias("first")).to_series()


def _converts(column: TableColumn, got: Any) -> bool:
    if got in (pl.Null, column.dtype):
        return True
    if column.dtype == pl.String:
        return got in (pl.Categorical, pl.Enum) or (column.digits and got.is_integer())
    if column.dtype == pl.Float64:
        return got.is_numeric()
    return isinstance(got, pl.List) and got.inner in (pl.Null, pl.Categorical)


def _plain(dtype: Any) -> str:
    return {pl.String: "text", pl.Float64: "numbers"}.get(dtype, "lists of text (the turns)")


def _number(value: float | None) -> str:
    if value is None:
        return "null"
    return "NaN" if value != value else f"{value:g}"


# -- names that may be meant as one: white space is hardly seen, and refused; case may be meant, and is noted


def refuse_padded_names(
    frame: pl.DataFrame, columns: Sequence[TableColumn], origin: Origin
) -> None:
    """No two names of one thing differ in white space around them alone, in the whole table.

    Args:
        frame: The table.
        columns: Its columns; those that name the same (``TableColumn.noun``) are looked at together.
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
        if noun not in _WITH_CASES:
            continue
        alike = _alike(frame, names, pl.col("name").str.to_lowercase()).sort("row", "name")
        if alike.height:
            first = alike.filter(pl.col("alike") == alike.item(0, "alike"))
            files = dict.fromkeys(origin.file(row) for row in first.get_column("row"))
            note(
                "case of names",
                ", ".join(files),
                nouns=_WITH_CASES[noun],
                names=first.get_column("name").to_list(),
                groups=alike.get_column("alike").n_unique(),
            )


def _columns_by_noun(frame: pl.DataFrame, columns: Sequence[TableColumn]) -> dict[str, list[str]]:
    """By what is named the columns of a table that name it."""
    named: dict[str, list[str]] = {}
    for each in columns:
        if each.noun and each.name in frame.columns:
            named.setdefault(each.noun, []).append(each.name)
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
