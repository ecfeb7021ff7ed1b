"""The result of a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View, lines
from rejoinder.result import TableResult


@dataclass(frozen=True, repr=False)
class SweepResult(TableResult):
    """What came of it.

    Attributes:
        folder: Where it stands.
        trials: A row for each, the best first; the columns are those of ``tuning.table.table``.
        correlations: Spearman's rho of pairs of measures, over the finished trials.
        notes: What was left out, and what to beware of.
        parameters: What the sweep was.
    """

    folder: Path
    trials: pl.DataFrame
    correlations: pl.DataFrame
    notes: tuple[str, ...]
    parameters: Mapping[str, Any]

    def document(self, view: View = AS_USUAL) -> Document:
        """The trials, how METEOR and RUQ go together, and the notes."""
        from rejoinder.tuning import sweep_tables as tables

        shown = tables.trials(self.trials, self.parameters)
        shown += lines(map(tables.correlation, self.correlations.iter_rows(named=True)))
        return [*shown, *lines((*tables.pruning(self.parameters), *self.notes), "note")]

    def as_json(self, figures: Iterable[Path] | None = None) -> dict[str, Any]:
        """All of it; values are 0 to 1.

        Args:
            figures: The figures that were written; None where none are asked for.
        """
        facts = self.json_of("trials", "correlations", "notes", "parameters")
        return facts if figures is None else {**facts, "figures": [*map(str, figures)]}
