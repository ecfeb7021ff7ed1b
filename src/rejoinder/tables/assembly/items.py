"""Test sets gathered item by item, column by column."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, groupby
from typing import Any

import polars as pl

from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.origin import Origin, TestSetDraft
from rejoinder.tables.schemas import REFERENCES
from rejoinder.tables.turns import turns_column

Place = tuple[str, int]  # file and row
Reference = tuple[str, str | None, float | None]  # text, source, weight


def spoken(texts: Iterable[str], source: str, weight: float | None = None) -> list[Reference]:
    """Texts as references of one source. Blank ones are left out: there, no reference was given."""
    return [(text, source, weight) for text in texts if text.strip()]


class Items:
    """Items with their references, and the rows they stood in."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, list[str], list[Reference], Place, str | None]] = []

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
        self._rows.append((name, turns, list(references), place, conversation))

    def draft(self, further: Iterable[pl.Series] = ()) -> TestSetDraft:
        """The two tables, not yet validated.

        Args:
            further: Columns to stand beside the contexts. The column of conversations is one more
                where every item has one.
        """
        columns: Any = zip(*self._rows, strict=True) if self._rows else ((),) * 5
        ids, turns, references, places, conversations = columns
        contexts = [pl.Series("id", ids, dtype=pl.String), turns_column(turns), *further]
        if conversations and None not in conversations:
            contexts.append(pl.Series(CONVERSATION, conversations, dtype=pl.String))
        owned = [row for row, own in enumerate(references) for _ in own]
        flat = list(chain.from_iterable(references))
        texts, sources, weights = zip(*flat, strict=True) if flat else ((),) * 3
        values = ([ids[row] for row in owned], texts, weights, sources)
        return TestSetDraft(
            pl.DataFrame(contexts),
            pl.DataFrame(dict(zip(REFERENCES, values, strict=True)), schema=REFERENCES),
            origin_of(places),
            origin_of([places[row] for row in owned]),
        )


def origin_of(places: Iterable[Place]) -> Origin:
    """The origin of rows that stood at these places."""
    return Origin(
        tuple(
            (name, [number for _, number in group])
            for name, group in groupby(places, key=lambda place: place[0])
        )
    )
