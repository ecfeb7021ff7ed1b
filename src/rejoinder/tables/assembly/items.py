"""Test sets gathered item by item, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import polars as pl

from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import REFERENCES
from rejoinder.tables.turns import turns_column

Place = tuple[str, int]  # file and row
Reference = tuple[str, str | None, float | None]  # text, source, weight


def spoken(texts: Iterable[str], source: str, weight: float | None = None) -> list[Reference]:
    """Texts as references of one source. Blank ones are left out: there, no reference was given."""
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


class Items:
    """Items with their references, and the rows they stood in."""

    def __init__(self) -> None:
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
    ) -> None:
        """Adds an item.

        Args:
            name: Its id.
            turns: Its context, oldest turn first.
            references: Text, source and weight of each; None where there is none.
            place: File and row.
            conversation: The conversation that the turns are of; None where it is not known.
        """
        self._contexts.add(place, name, conversation)
        self._turns.append(turns)
        for text, source, weight in references:
            self._references.add(place, name, text, weight, source)

    def draft(self, further: Iterable[pl.Series] = ()) -> TestSetDraft:
        """The two tables, not yet validated.

        Args:
            further: Columns to stand beside the contexts. The column of conversations is one more
                where every item has one.
        """
        contexts = self._contexts.draft()
        ids, conversations = contexts.frame
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
