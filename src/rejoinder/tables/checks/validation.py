"""The rules that a table keeps, checked on whole columns, each with an error that names the row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import more, quoted
from rejoinder.tables.columns import require
from rejoinder.tables.frames import polars_of
from rejoinder.tables.origin import Origin
from rejoinder.tables.schemas import AGAINST, PROBABILITY, SAMPLE

RESCALE = "scale ratings first: 2 (s - 1) / (K - 1) - 1 for a rating s on 1..K"


def conform(
    frame: pl.DataFrame,
    schema: Mapping[str, Any],
    table: str,
    optional: Mapping[str, Any] | None = None,
) -> pl.DataFrame:
    """The frame with its declared columns first and in their types.

    Numbers are accepted as ids, whole numbers as weights, and an absent optional column becomes
    nulls; nothing else is converted.

    Args:
        frame: The table.
        schema: Its columns and their types.
        table: The name of the table, or of its file, for messages.
        optional: The columns of ``schema`` that may be absent.

    Raises:
        InputError: A column is absent, misspelt, or of another type.
        ParameterError: It is no frame of Polars or pandas.
    """
    frame = polars_of(frame, table, ", ".join(schema), "read a file with rejoinder.read_...(path)")
    optional = optional or {}
    needed = [name for name in schema if name not in optional]
    require(needed, frame.columns, table, list(optional), renamed=False)
    columns = []
    for name, dtype in schema.items():
        if name not in frame.columns:
            columns.append(pl.lit(None, dtype=dtype).alias(name))
        elif frame.schema[name] == dtype:
            columns.append(pl.col(name))
        elif _converts(name, frame.schema[name], dtype):
            columns.append(pl.col(name).cast(dtype))
        else:
            raise InputError(
                f"{table}: column '{name}' holds {quoted(frame.schema[name])[1:-1]}; expected {_plain(dtype)}"
            )
    return frame.select(*columns, pl.exclude(*schema))


def check_contexts(contexts: pl.DataFrame, origin: Origin) -> None:
    """One row per item, each with an id of its own and turns that are text.

    Raises:
        InputError: No rows; an id null, empty or twice; two ids that differ in white space alone;
            a context or a turn that is null.
    """
    if not contexts.height:
        raise InputError(
            f"{_name(origin, 'contexts')}: no rows; a test set needs at least one item"
        )
    ids = contexts.get_column("id")
    check_ids(ids, origin)
    refuse_duplicates(
        contexts.select("id"), origin, "item", "one row per item, with all its references"
    )
    _refuse_white_space_twins(ids, origin)
    turns = contexts.get_column("context")
    nulls = turns.is_null() | turns.list.eval(pl.element().is_null()).list.any()
    refuse(
        nulls, origin, lambda i: f"a null turn in the context of id {quoted(ids[i])}; expected text"
    )


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
        InputError: No references at all; an id null or without a context; a text that is null; a
            weight that is NaN, infinite or outside [-1, 1].
    """
    if not references.height:
        raise InputError(f"{table}: no reference for any item; expected at least one")
    ids, weights = references.get_column("id"), references.get_column("weight")
    check_ids(ids, origin)
    refuse(
        references.get_column("text").is_null(),
        origin,
        lambda i: (
            f"the text of a reference of id {quoted(ids[i])} is null; leave the reference out"
        ),
    )
    refuse(
        (~weights.is_finite()).fill_null(False),
        origin,
        lambda i: (
            f"weight {_number(weights[i])} at id {quoted(ids[i])}; expected a number within "
            "[-1, 1]; leave it empty where there is none"
        ),
    )
    refuse(
        (weights.abs() > 1).fill_null(False),
        origin,
        lambda i: f"weight {weights[i]:g} outside [-1, 1] at id {quoted(ids[i])}; {RESCALE}",
    )
    orphans = (
        references.select("id").with_row_index("row").join(contexts.select("id"), "id", how="anti")
    )
    if orphans.height:
        row = int(orphans.get_column("row").min())  # pyright: ignore[reportArgumentType]
        raise InputError(
            f"{origin.at(row)}: a reference for id {quoted(ids[row])}, which no context has"
            f"{more(orphans.height, 'reference')}; add its context or take the reference out"
        )


def check_replies(responses: pl.DataFrame, origin: Origin) -> None:
    """One reply per system and item, with a text.

    Raises:
        InputError: No rows; a system, id or text that is null (or empty, but for the text); the
            same system and id twice.
    """
    if not responses.height:
        raise InputError(f"{_name(origin, 'responses')}: no rows; expected at least one reply")
    systems, ids = responses.get_column("system"), responses.get_column("id")
    check_ids(ids, origin)
    refuse(
        systems.is_null() | (systems == "").fill_null(False),
        origin,
        lambda i: f"no system at id {quoted(ids[i])}; name the system in every row or in none",
    )
    refuse(
        responses.get_column("text").is_null(),
        origin,
        lambda i: (
            f"the text of system {quoted(systems[i])} at id {quoted(ids[i])} is null; an empty reply is "
            '"", a missing one has no row'
        ),
    )
    keys = [name for name in ("system", "id", SAMPLE) if name in responses.columns]
    remedy = "keep one of them, or tell samples of one prompt apart in a column 'sample'"
    refuse_duplicates(responses.select(keys), origin, "reply", remedy)


def check_scores(ratings: pl.DataFrame, origin: Origin) -> None:
    """One finite score per reply, rater and criterion, and no mean beside what it is the mean of.

    Where ratings belong to pairs of systems (column ``against``): one in each pair.

    Raises:
        InputError: No rows; an id, system, rater or criterion that is null or empty; a score that
            is null, NaN or infinite; a probability outside (0, 1]; a rating twice; a reply against its
            own system; a mean beside single ratings.
    """
    if not ratings.height:
        raise InputError(f"{_name(origin, 'ratings')}: no ratings; expected at least one")
    ids, scores = ratings.get_column("id"), ratings.get_column("score")
    check_ids(ids, origin)
    for column, remedy in (
        ("system", "name the system in every row"),
        ("rater", "name the rater in every row, or leave the column out"),
        ("criterion", "name the criterion in every row, or leave the column out"),
    ):
        _refuse_nameless(ratings, column, remedy, origin)
    refuse(
        ~scores.is_finite().fill_null(False),
        origin,
        lambda i: (
            f"score {_number(scores[i])} at id {quoted(ids[i])}; expected a finite number; a missing "
            "rating has an empty cell or no row"
        ),
    )
    if PROBABILITY in ratings.columns:
        shares = ratings.get_column(PROBABILITY)
        refuse(
            ~(shares.is_null() | ((shares > 0) & (shares <= 1))),
            origin,
            lambda i: (
                f"{PROBABILITY} {shares[i]:g} at id {quoted(ids[i])}; expected a number in (0, 1]"
            ),
        )
    keys = ratings.select("system", "id", "rater", "criterion")
    if AGAINST in ratings.columns:
        _refuse_against_itself(ratings, origin)
        keys = keys.with_columns(ratings.get_column(AGAINST).fill_null(""))
    refuse_duplicates(keys, origin, "rating", "keep one of them")
    reply = ["system", "id", "criterion"]
    is_mean = pl.col("rater") == "mean"
    mixed = ratings.select(is_mean.any().over(reply) & ~is_mean.all().over(reply)).to_series()
    refuse(
        mixed,
        origin,
        lambda i: (
            f"id {quoted(ids[i])} has a rating of the rater 'mean' beside those of others; a mean is "
            "no rater: keep the two in tables of their own"
        ),
    )


def check_preferences(preferences: pl.DataFrame, origin: Origin) -> None:
    """One judgement of two different systems per item, rater, criterion and order of the two.

    Raises:
        InputError: No rows; a name that is null or empty; a system against itself; a winner that
            is not ``a``, ``b`` or ``tie``; a judgement twice.
    """
    if not preferences.height:
        raise InputError(f"{_name(origin, 'preferences')}: no comparisons; expected at least one")
    check_ids(preferences.get_column("id"), origin)
    for column in ("a", "b", "rater", "criterion"):
        _refuse_nameless(preferences, column, f"name the {column} in every row", origin)
    a, winner = preferences.get_column("a"), preferences.get_column("winner")
    refuse(
        a == preferences.get_column("b"),
        origin,
        lambda i: f"system {quoted(a[i])} against itself; expected two systems",
    )
    refuse(
        ~winner.is_in(["a", "b", "tie"]).fill_null(False),
        origin,
        lambda i: f"winner {quoted(winner[i])}; expected 'a', 'b' or 'tie'",
    )
    keys = preferences.select("id", "a", "b", "rater", "criterion")
    refuse_duplicates(keys, origin, "judgement", "keep one of them")


def check_ids(ids: pl.Series, origin: Origin) -> None:
    """Every id is there and is not empty.

    Raises:
        InputError: Names the row.
    """
    empty = ids.is_null() | (ids.str.strip_chars() == "").fill_null(False)
    refuse(empty, origin, lambda i: "the id is empty; every row needs one")


def refuse(offends: pl.Series, origin: Origin, say: Callable[[int], str]) -> None:
    """Raises for the first row where ``offends`` is true, and counts the others.

    Args:
        offends: One boolean per row, without nulls.
        origin: Where the rows stood.
        say: The message for a row, given its index.

    Raises:
        InputError: File, row, the message, and how many rows more offend in the same way.
    """
    rows = offends.arg_true()
    if len(rows):
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


def _refuse_nameless(frame: pl.DataFrame, column: str, remedy: str, origin: Origin) -> None:
    ids, names = frame.get_column("id"), frame.get_column(column)
    empty = names.is_null() | (names.str.strip_chars() == "").fill_null(False)
    refuse(empty, origin, lambda i: f"no {column} at id {quoted(ids[i])}; {remedy}")


def _refuse_against_itself(ratings: pl.DataFrame, origin: Origin) -> None:
    ids, systems = ratings.get_column("id"), ratings.get_column("system")
    refuse(
        (systems == ratings.get_column(AGAINST)).fill_null(False),
        origin,
        lambda i: (
            f"id {quoted(ids[i])} of system {quoted(systems[i])} is rated against its own system; "
            f"expected in '{AGAINST}' the other system of the pair, or nothing"
        ),
    )


def _refuse_white_space_twins(ids: pl.Series, origin: Origin) -> None:
    stripped = ids.str.strip_chars()
    twins = stripped.is_duplicated()
    if twins.any():
        rows = (stripped == stripped.filter(twins)[0]).arg_true()
        one, other = int(rows[0]), int(rows[1])
        raise InputError(
            f"{origin.at(other)}: id {quoted(ids[other])} differs from {quoted(ids[one])} ({origin.at(one)}) "
            "in white space alone; give them different ids"
        )


def _converts(name: str, got: Any, dtype: Any) -> bool:
    if got == pl.Null:
        return True
    if dtype == pl.String:
        return (
            got == pl.Categorical
            or got == pl.Enum
            or (name in ("id", "rater", "sample") and got.is_integer())
        )
    if dtype == pl.Float64:
        return got.is_numeric()
    return isinstance(got, pl.List) and got.inner in (pl.Null, pl.Categorical)


def _plain(dtype: Any) -> str:
    return {pl.String: "text", pl.Float64: "numbers"}.get(dtype, "lists of text (the turns)")


def _number(value: float | None) -> str:
    if value is None:
        return "null"
    return "NaN" if value != value else f"{value:g}"


def _name(origin: Origin, default: str) -> str:
    return origin.files() or default
