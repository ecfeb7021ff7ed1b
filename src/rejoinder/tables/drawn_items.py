"""The table of drawn items: which are to be rated next, and with which probability each was drawn."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.files.reading import existing
from rejoinder.files.sources import keeping_sources
from rejoinder.messages import Argument, Call, counted, more, quoted
from rejoinder.tables.assembly.json_rows import typed
from rejoinder.tables.formats.registry import formats_for
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import frame_of
from rejoinder.tables.schemas import DRAWN, PROBABILITY

RATED, NEXT, LEFT = "rated", "next", "left"
STATUSES = (RATED, NEXT, LEFT)
"""What an item may be: rated already, drawn to be rated next, or not drawn."""

EARLIER = "earlier"

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")


NEXT_ITEMS = Call("rejoinder.next_items")


@keeping_sources()
def read_drawn(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Reads the table of drawn items that ``rejoinder plan --next`` writes.

    Returns:
        ``schemas.DRAWN``, in the order of the file.

    Raises:
        InputError: The file cannot be read, lacks a column, names an item twice, or has an unknown
            status or an impossible probability; the message names the file and the row.
    """
    (file,) = existing([path], "drawn items")
    suffix = Path(file).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"{file}: got the suffix {quoted(suffix)}, expected {one_of(SUFFIXES)}; give the table of drawn "
            f"items that '{NEXT_ITEMS}' wrote"
        )
    table = formats_for("ratings")[suffix[1:]].part
    assert table is not None
    part = typed(table(file))
    lacking = [name for name in DRAWN if name not in part.frame.columns]
    if lacking:
        raise InputError(
            f"{file}: no column {quoted(lacking[0])}; got {', '.join(part.frame.columns)}, expected "
            f"{', '.join(DRAWN)}, as '{NEXT_ITEMS}' writes them"
        )
    table = part.frame.select(
        pl.col("id").cast(pl.String),
        pl.col(PROBABILITY, EARLIER).cast(pl.Float64, strict=False),
        pl.col("status").cast(pl.String),
    )
    _check(table, str(file), part.numbers)
    return table


def _check(table: pl.DataFrame, name: str, numbers: object) -> None:
    """Raises an InputError for the first row that breaks a rule."""
    seen: set[str] = set()
    rows = numbers if isinstance(numbers, list | range) else range(1, table.height + 1)
    for row, (id, probability, earlier, status) in zip(rows, table.iter_rows(), strict=True):
        where = f"{name}, row {row}"
        if not id:
            raise InputError(f"{where}: no id; each row needs that of its item")
        if id in seen:
            raise InputError(f"{where}: id {quoted(id)} is there twice; keep one row of it")
        seen.add(id)
        if status not in STATUSES:
            raise InputError(f"{where}: status {quoted(status)}; expected {one_of(STATUSES)}")
        if probability is None or not 0 < probability <= 1:
            raise InputError(
                f"{where}: probability {probability} at id {quoted(id)}; expected a number in (0, 1]"
            )
        if earlier is None or not 0 <= earlier <= probability or (status == RATED and not earlier):
            raise InputError(
                f"{where}: {EARLIER} {earlier} at id {quoted(id)}; expected a number from 0 to the "
                "probability, above 0 where the item was rated before the last draw"
            )
    if not seen:
        raise InputError(f"{name}: no drawn items; expected at least one")


def drawn_so_far(drawn: pl.DataFrame, rated: pl.Series) -> pl.DataFrame:
    """The probability with which each item was drawn and then rated, while ratings come in.

    ``earlier + (probability - earlier) s``, s the share of the items of the last draw that are rated.

    Args:
        drawn: The table of `read_drawn`.
        rated: The ids of the rated items.

    Returns:
        ``id, probability, status``, in the order of ``drawn``.

    >>> drawn = pl.DataFrame({"id": ["1", "2", "3"], "probability": 0.6, "earlier": 0.2,
    ...                       "status": ["next", "next", "rated"]})
    >>> drawn_so_far(drawn, pl.Series(["1", "3"]))["probability"].round(6).to_list()
    [0.4, 0.4, 0.4]
    """
    last = drawn.filter(pl.col("status") == NEXT).get_column("id")
    share = int(last.is_in(rated.implode()).sum()) / last.len() if last.len() else 1.0
    more_likely = pl.col(PROBABILITY) - pl.col(EARLIER)
    return drawn.select("id", (pl.col(EARLIER) + more_likely * share).alias(PROBABILITY), "status")


def waiting_notes(drawn: pl.DataFrame, rated: pl.Series) -> list[str]:
    """A note on the items of the last draw that have no rating yet; none where all have one.

    Args:
        drawn: The table of `read_drawn`.
        rated: The ids of the rated items.
    """
    last = drawn.filter(pl.col("status") == NEXT).get_column("id")
    waiting = last.filter(~last.is_in(rated.implode()))
    if not waiting.len():
        return []
    return [
        f"{waiting.len()} of {counted(last.len(), 'item')} drawn last, such as {quoted(waiting[0])}, not "
        "rated yet: the rated ones are taken for a random part of that draw"
    ]


def with_probabilities(ratings: Frame, drawn: Frame) -> pl.DataFrame:
    """The ratings with the probabilities of a table of drawn items in the place of their own.

    Those of `drawn_so_far`: of the items of the last draw those without a rating yet are taken for
    a random part.

    Args:
        ratings: The table of ``read_ratings``.
        drawn: The table of `read_drawn`.

    Raises:
        InputError: A rated item is not in the table, or was not drawn.

    >>> drawn = pl.DataFrame({"id": ["1"], "probability": [0.5], "earlier": [0.0], "status": ["next"]})
    >>> with_probabilities(pl.DataFrame({"id": ["1"], "score": [3.0]}), drawn)["probability"][0]
    0.5
    """
    ratings, drawn = frame_of(ratings, "ratings"), frame_of(drawn, "drawn")
    so_far = drawn_so_far(drawn, ratings.get_column("id").unique())
    known = so_far.filter(pl.col("status") != LEFT).select("id", PROBABILITY)
    table = ratings.drop(PROBABILITY, strict=False).join(
        known, on="id", how="left", maintain_order="left"
    )
    unknown = (
        table.filter(pl.col(PROBABILITY).is_null()).get_column("id").unique(maintain_order=True)
    )
    if unknown.len():
        is_left = unknown[0] in drawn.get_column("id")
        why = f"has the status '{LEFT}' in" if is_left else "is not in"
        raise InputError(
            Argument("drawn"),
            f": item {quoted(unknown[0])}{more(unknown.len(), 'item')} is rated and {why} "
            "the table of drawn items; give the table of the draw that these ratings belong to, or leave "
            "out ratings of other items",
        )
    return table
