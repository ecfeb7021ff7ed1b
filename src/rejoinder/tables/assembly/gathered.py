"""Tables that a reader gathers row by row: items, replies, ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Place
from rejoinder.tables.assembly.column_roles import key_renames
from rejoinder.tables.assembly.item_columns import scalar_column, turns_column
from rejoinder.tables.assembly.rating_cells import graded, note_labels, refuse_wrong, scores_of
from rejoinder.tables.columns import require
from rejoinder.tables.io.json_lines import convert
from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.notes import left_out
from rejoinder.tables.parts import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import PROBABILITY, RATINGS, REFERENCES

Reference = tuple[str, str | None, float | None]  # text, source, weight


def spoken(texts: Iterable[str], source: str, weight: float | None = None) -> list[Reference]:
    """Texts as references of one source. Blank ones are left out: there, no reference was given.

    Args:
        texts: The texts.
        source: The source of the references.
        weight: Their weight; None: unweighted.
    """
    return [(text, source, weight) for text in texts if text.strip()]


class Rows:
    """Rows of a table that a reader gathers one by one, and where each stood.

    Args:
        schema: The columns of the table.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._places: list[Place] = []
        self._rows: list[tuple[Any, ...]] = []

    def add(self, place: Place, *values: Any) -> None:
        """Adds a row: its values, in the order of the columns."""
        self._places.append(place)
        self._rows.append(values)

    def draft(self) -> Draft:
        """The table, not yet validated."""
        frame = pl.DataFrame(self._rows, schema=dict(self._schema), orient="row")
        return Draft(frame, origin_of(self._places))


class GatheredItems:
    """Items with their references, and the rows they stood in.

    Attributes:
        about: The additional values of each item, by their columns.
    """

    def __init__(self) -> None:
        self.about: list[Mapping[str, Any]] = []
        self._contexts = Rows({"id": pl.String, CONVERSATION: pl.String})
        self._references = Rows(REFERENCES)
        self._turns: list[list[str]] = []

    def add(
        self,
        name: str,
        turns: list[str],
        references: Iterable[Reference],
        place: Place,
        conversation: str | None = None,
        about: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Adds an item.

        Args:
            name: Its id.
            turns: Its context, oldest turn first.
            references: Text, source and weight of each; None where there is none.
            place: File and row.
            conversation: The conversation that the turns are of; None where it is not known.
            about: Its additional values, by their columns.
        """
        self.about.append(about)
        self._contexts.add(place, name, conversation)
        self._turns.append(turns)
        for text, source, weight in references:
            self._references.add(place, name, text, weight, source)

    def draft(self, columns: Iterable[str] | None = None) -> TestSetDraft:
        """The two tables, not yet validated.

        Args:
            columns: The additional columns; None: all that an item has. The column of conversations is
                one more where every item has one.

        Raises:
            InputError: A column holds lists or objects, or text and numbers.
        """
        contexts = self._contexts.draft()
        ids, conversations = contexts.frame
        names = dict.fromkeys(name for each in self.about for name in each)
        further = [
            scalar_column(name, [each.get(name) for each in self.about], contexts.origin.at)
            for name in (names if columns is None else columns)
        ]
        named = [conversations] if ids.len() and not conversations.null_count() else []
        frame = pl.DataFrame([ids, turns_column(self._turns), *further, *named])
        return TestSetDraft(Draft(frame, contexts.origin), self._references.draft())


def origin_of(places: Iterable[Place]) -> Origin:
    """The origin of rows that stood at these places."""
    return Origin(
        tuple(
            (name, [number for _, number in group])
            for name, group in groupby(places, key=lambda place: place[0])
        )
    )


_KEYS = {name: kind for name, kind in RATINGS.items() if name != "score"}


class RatedReply(msgspec.Struct):
    """A reply that is rated: its system, its item, and the probability of its draw where that is known."""

    system: str
    id: str | int | None = None
    probability: float | None = None


def reply_of(
    fields: Mapping[str, Any], id_of_item: str | int | None, place: Place, key: str
) -> RatedReply:
    """The reply that a record of an annotation tool is about.

    Args:
        fields: The data that stood beside the text.
        id_of_item: The record's own id, which is the item's where the data name none.
        place: Where the record stands.
        key: What the data are called.

    Raises:
        InputError: They name no system, or no item is named.
    """
    where = f"{place}: {key}"
    renames = key_renames(list(fields), ("id", "system"), str(place))
    named = {renames.get(name, name): value for name, value in fields.items()}
    require(("system",), named, where, renamed=False)
    reply = convert(named, RatedReply, where)
    if reply.id is None and id_of_item is None:
        raise InputError(f"{place}: no 'id' in {key}, and no id of its own; expected the item's")
    return RatedReply(reply.system, id_of_item if reply.id is None else reply.id, reply.probability)


class RatingRows:
    """The rows of a table of ratings, and where each stood.

    Args:
        path: The file or folder, for notes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys = Rows({**_KEYS, PROBABILITY: pl.Float64})
        self._places: list[Place] = []
        self._scores: list[str] | list[float] = []
        self._left_out: Counter[tuple[str, str]] = Counter()

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
        self._keys.add(place, str(reply.id), reply.system, rater, criterion, reply.probability)
        self._scores.append(score)  # type: ignore[arg-type]

    def leave_out(self, noun: str, which: str = "") -> None:
        """Counts something that is no rating, such as a cancelled annotation."""
        self._left_out[noun, which] += 1

    def draft(self, values: Mapping[str, float] | None = None) -> Draft:
        """The ratings of all rows; ``probability`` is a column where a row has one.

        Args:
            values: By word of a cell its number, of the user's.

        Raises:
            InputError: A cell holds no number.
        """
        cells = graded(pl.Series("score", self._scores), self._path, values)
        scores = scores_of(cells)
        wrong = scores.wrong.arg_true()
        if len(wrong):
            name = self._places[int(wrong[0])][0]
            refuse_wrong(scores, cells, name, [number for _, number in self._places], "score")
        note_labels(scores, cells, self._path)
        for (noun, which), count in sorted(self._left_out.items()):
            left_out(self._path, count, noun, which)
        keys = self._keys.draft()
        empty = [] if keys.frame.get_column(PROBABILITY).count() else [PROBABILITY]
        return Draft(keys.frame.drop(empty).with_columns(scores.values.alias("score")), keys.origin)
