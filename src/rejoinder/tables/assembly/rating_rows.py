"""Ratings that a reader gathers one by one."""

from __future__ import annotations

import polars as pl

from rejoinder.tables.assembly.items import Place, origin_of
from rejoinder.tables.assembly.rating_cells import label_notes, refuse_wrong, scores_of
from rejoinder.tables.origin import Draft
from rejoinder.tables.schemas import PROBABILITY, RATINGS

_KEYS = {name: kind for name, kind in RATINGS.items() if name != "score"}


class RatingRows:
    """The rows of a table of ratings, and where each stood."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._keys: list[tuple[str, str, str, str, float | None]] = []
        self._scores: list[str] | list[float] = []

    def add(
        self,
        place: Place,
        item: str,
        system: str,
        rater: str,
        criterion: str,
        score: str | float,
        probability: float | None = None,
    ) -> None:
        """Adds a rating.

        Args:
            place: File and row.
            item: The item.
            system: Whose reply was rated.
            rater: Who rated.
            criterion: Of what.
            score: A number, or for all ratings of the reader the text of a cell.
            probability: That of the draw of this reply, where it is known.
        """
        self._places.append(place)
        self._keys.append((item, system, rater, criterion, probability))
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
