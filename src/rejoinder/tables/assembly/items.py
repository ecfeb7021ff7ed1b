"""Test sets gathered item by item, column by column."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

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
        self._ids: list[str] = []
        self._turns: list[list[str]] = []
        self._places: list[Place] = []
        self._owners: list[str] = []
        self._references: list[Reference] = []
        self._counts: list[int] = []
        self._conversations: list[str | None] = []

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
        self._conversations.append(conversation)
        self._ids.append(name)
        self._turns.append(turns)
        self._places.append(place)
        before = len(self._references)
        self._references.extend(references)
        self._counts.append(len(self._references) - before)
        self._owners.extend([name] * self._counts[-1])

    def draft(self, further: Iterable[pl.Series] = ()) -> TestSetDraft:
        """The two tables, not yet validated.

        Args:
            further: Columns to stand beside the contexts. The column of conversations is one more
                where every item has one.
        """
        columns = [pl.Series("id", self._ids, dtype=pl.String), turns_column(self._turns), *further]
        if self._conversations and None not in self._conversations:
            columns.append(pl.Series(CONVERSATION, self._conversations, dtype=pl.String))
        references = pl.DataFrame(
            {
                "id": self._owners,
                "text": [text for text, _, _ in self._references],
                "weight": [weight for _, _, weight in self._references],
                "source": [source for _, source, _ in self._references],
            },
            schema=REFERENCES,
        )
        owned = [p for p, n in zip(self._places, self._counts, strict=True) for _ in range(n)]
        return TestSetDraft(
            pl.DataFrame(columns), references, _origin(self._places), _origin(owned)
        )


def _origin(places: list[Place]) -> Origin:
    return Origin(
        tuple(
            (name, [number for _, number in group])
            for name, group in groupby(places, key=lambda place: place[0])
        )
    )
