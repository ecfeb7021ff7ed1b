"""The study of Galley et al. (2015): Table 2 and, where wanted, the points of Figure 2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, View, lines, signed
from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument
from rejoinder.progress import Progress
from rejoinder.recipes.galley2015.figures import Figure2, figure2
from rejoinder.recipes.galley2015.tables import THRESHOLD, Table2, check_cases, table1, table2
from rejoinder.references.weighing import LIKERT, weigh
from rejoinder.result import Result
from rejoinder.scoring.leave_own_out import LeftOut
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Ratings, Responses

ReferencesFrom: TypeAlias = Literal["testset", "responses"]
REFERENCES_FROM: tuple[ReferencesFrom, ...] = ("testset", "responses")
"""Where the references come from: the test set, or the rated replies of the systems."""


@dataclass(frozen=True, repr=False)
class GalleyStudy(Result):
    """Table 2 of the paper, and the points of its Figure 2.

    Attributes:
        table: The table.
        figure: The points of the figure; None where it was not asked for.
        cases: Sample reference sets, as in the paper's Table 1; None where they were not asked for.
    """

    table: Table2
    figure: Figure2 | None
    cases: pl.DataFrame | None = None

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of the correlations (its name is empty), and of each metric."""
        return {"": self.table.agreement.signature, **self.table.agreement.signatures}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, and what the data cannot tell."""
        return (*self.table.notes, *(self.figure.notes if self.figure else ()))

    def document(self, view: View = AS_USUAL) -> Document:
        """The paper's table, and notes."""
        from rejoinder.recipes.galley2015 import study_tables as tables

        rows = self.table.table()
        shown = tables.correlations(self.table, rows)
        shown += [] if self.cases is None else tables.cases(self.cases)
        reasons = rows["reason"].unique(maintain_order=True).drop_nulls()
        shown += [*lines((*self.notes, *reasons), "note"), GAP]
        return [*shown, *signed({"signature": self.table.agreement.signature})]

    def as_json(self, files: Iterable[Path] = ()) -> dict[str, Any]:
        """The study as ``rejoinder recipe galley2015 --json`` prints it, with files that were written."""
        return {
            "table": self.table.table().to_dicts(),
            "figure": self.figure.points.to_dicts() if self.figure else [],
            "files": [str(path) for path in files],
            "signature": self.table.agreement.signature,
            "signatures": self.table.agreement.signatures,
            "notes": list(self.notes),
            **({} if self.cases is None else {"cases": self.cases.to_dicts()}),
        }


def galley2015(
    testset: TestSet,
    responses: Frame | Responses,
    ratings: Frame | Ratings,
    *,
    references_from: ReferencesFrom = "testset",
    left_out: LeftOut | None = None,
    scale: tuple[float, float] = LIKERT,
    criterion: str | None = None,
    unit_size: int = 100,
    assignments: int = 1000,
    order: int = 2,
    without: Sequence[str] = (),
    missing: Missing = "error",
    drop_unusable: bool = False,
    threshold: float = THRESHOLD,
    permutations: int = 1000,
    figure: bool = False,
    cases: int = 0,
    ids: Sequence[str] = (),
    seed: int = 12345,
    progress: Progress | None = None,
) -> GalleyStudy:
    """Compares BLEU, sBLEU and deltaBLEU with human ratings, as ``rejoinder recipe galley2015`` does.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        ratings: The table of ``read_ratings``.
        references_from: ``testset``: score against the references of the test set; ``responses``:
            against the systems' replies, weighted by their ratings.
        left_out: As in ``table2``; with references from the responses, ``pair`` unless given.
        scale: The worst and the best grade of the ratings; used for references from the responses.
        criterion: Which criterion of the ratings, where there are several.
        unit_size: Items of one observation, the paper's M.
        assignments: Number of random assignments of items to units.
        order: The longest n-gram.
        without: Systems to leave out.
        missing: An item that a system did not answer: ``error``, ``drop`` or ``empty``.
        drop_unusable: Leave out, and count, items that one of the metrics cannot score.
        threshold: Lowest weight of a good reference.
        permutations: Number of permutations of the test; 0 for none.
        figure: Whether to compute the points of Figure 2 too.
        cases: Number of items, sampled with the seed, whose references are listed with their weights.
        ids: These items instead.
        seed: Random seed.
        progress: Called with the number of rows or points done, and of all of them.

    Raises:
        InputError: The tables do not fit, or an item cannot be scored and is not to be dropped.
        ParameterError: A parameter is unknown, or the units are larger than the data.
    """
    if references_from not in REFERENCES_FROM:
        raise ParameterError(
            Argument("references_from", references_from),
            f" is unknown; choose {one_of(REFERENCES_FROM)}",
        )
    check_cases(testset, cases, ids)
    ratings = Ratings.of(ratings)
    notes: tuple[str, ...] = ()
    if references_from == "responses":
        weighed = weigh(testset, responses, ratings, scale=scale, criterion=criterion)
        testset, left_out, notes = weighed.testset, left_out or "pair", weighed.notes
    shared: dict[str, Any] = {
        "criterion": criterion,
        "unit_size": unit_size,
        "assignments": assignments,
        "order": order,
        "without": without,
        "missing": missing,
        "left_out": left_out,
        "seed": seed,
        "progress": progress,
    }
    table = table2(
        testset,
        responses,
        ratings,
        drop_unusable=drop_unusable,
        threshold=threshold,
        permutations=permutations,
        **shared,
    )
    points = figure2(testset, responses, ratings, **shared) if figure else None
    listed = table1(testset, cases, ids, seed) if cases or ids else None
    return GalleyStudy(replace(table, notes=(*notes, *table.notes)), points, listed)
