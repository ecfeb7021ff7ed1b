"""The result of a sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

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

    def as_json(self) -> dict[str, Any]:
        """All of it; values are 0 to 1."""
        return self.json_of("trials", "correlations", "notes", "parameters")
