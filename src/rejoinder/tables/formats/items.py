"""Test sets of published formats, gathered item by item."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import polars as pl

from rejoinder.tables.origin import Origin, TestSetDraft
from rejoinder.tables.schemas import CONTEXTS, REFERENCES

Place = tuple[str, int]


class Items:
    """Items with their references and the rows they stood in; a reference of no text is none."""

    def __init__(self) -> None:
        self._contexts: list[tuple[str, list[str]]] = []
        self._references: list[tuple[str, str, float | None, str]] = []
        self._places: list[Place] = []
        self._reference_places: list[Place] = []

    def add(
        self,
        name: str,
        turns: list[str],
        references: Iterable[tuple[str, str] | tuple[str, str, float]],
        place: Place,
    ) -> None:
        """Adds an item.

        Args:
            name: its id.
            turns: its context, oldest turn first.
            references: text, source and, where the format has one, weight of each.
            place: file and row.
        """
        self._contexts.append((name, turns))
        self._places.append(place)
        for text, source, *weight in references:
            if text.strip():
                self._references.append((name, text, weight[0] if weight else None, source))
                self._reference_places.append(place)

    def draft(self, further: Iterable[pl.Series] = ()) -> TestSetDraft:
        """The two tables, not yet validated.

        Args:
            further: columns to stand beside the contexts.
        """
        contexts = pl.DataFrame(self._contexts, schema=CONTEXTS, orient="row")
        references = pl.DataFrame(self._references, schema=REFERENCES, orient="row")
        return TestSetDraft(
            contexts.with_columns(*further),
            references,
            _origin(self._places),
            _origin(self._reference_places),
        )


def _origin(places: list[Place]) -> Origin:
    return Origin(
        tuple(
            (name, [number for _, number in group])
            for name, group in groupby(places, key=lambda place: place[0])
        )
    )
