"""Ratings that a reader gathers one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.assembly.column_roles import key_renames
from rejoinder.tables.assembly.items import Place, origin_of
from rejoinder.tables.assembly.rating_cells import label_notes, refuse_wrong, scores_of
from rejoinder.tables.columns import require
from rejoinder.tables.io.json_lines import convert
from rejoinder.tables.origin import Draft
from rejoinder.tables.schemas import PROBABILITY, RATINGS

_KEYS = {name: kind for name, kind in RATINGS.items() if name != "score"}


class RatedReply(msgspec.Struct):
    """A reply that is rated: its system, its item, and the probability of its draw where that is known."""

    system: str
    id: str | int | None = None
    probability: float | None = None


def reply_of(fields: Mapping[str, Any], own: str | int | None, where: str, key: str) -> RatedReply:
    """The reply that a record of an annotation tool is about.

    Args:
        fields: The data that stood beside the text.
        own: The record's own id, which is the item's where the data name none.
        where: File and row.
        key: What the data are called.

    Raises:
        InputError: They name no system, or no item is named.
    """
    renames = key_renames(list(fields), ("id", "system"), where)
    named = {renames.get(name, name): value for name, value in fields.items()}
    require(("system",), named, f"{where}: {key}", renamed=False)
    reply = convert(named, RatedReply, f"{where}: {key}")
    if reply.id is None and own is None:
        raise InputError(f"{where}: no 'id' in {key}, and no id of its own; expected the item's")
    return RatedReply(reply.system, own if reply.id is None else reply.id, reply.probability)


class RatingRows:
    """The rows of a table of ratings, and where each stood."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._keys: list[tuple[str, str, str, str, float | None]] = []
        self._scores: list[str] | list[float] = []

    def add(
        self, place: Place, reply: RatedReply, rater: str, criterion: str, score: str | float
    ) -> None:
        """Adds a rating.

        Args:
            place: File and row.
            reply: What was rated.
            rater: Who rated.
            criterion: Of what.
            score: A number, or for all ratings of the reader the text of a cell.
        """
        self._places.append(place)
        self._keys.append((str(reply.id), reply.system, rater, criterion, reply.probability))
        self._scores.append(score)  # type: ignore[arg-type]

    def draft(self, *notes: str) -> Draft:
        """The ratings of all rows; ``probability`` is a column where a row has one.

        Args:
            *notes: What the reader left out.

        Raises:
            InputError: A cell holds no number.
        """
        cells = pl.Series("score", self._scores)
        scores = scores_of(cells)
        wrong = scores.wrong.arg_true()
        if len(wrong):
            name = self._places[int(wrong[0])][0]
            refuse_wrong(scores, cells, name, [number for _, number in self._places], "score")
        frame = pl.DataFrame(self._keys, schema={**_KEYS, PROBABILITY: pl.Float64}, orient="row")
        if not frame.get_column(PROBABILITY).count():
            frame = frame.drop(PROBABILITY)
        frame = frame.with_columns(scores.values.alias("score"))
        return Draft(frame, origin_of(self._places), (*label_notes(scores, cells), *notes))
