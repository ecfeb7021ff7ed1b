"""Which files hold kept scores, and what is in them."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import polars as pl

from rejoinder.files.sources import data_of, head_of
from rejoinder.tables.io.panics import refusing_panics

KEY = "rejoinder"
"""The key of the metadata that says what the rows are."""


def holds_scores(path: Path) -> bool:
    """Whether a file is one that ``Scores.save`` wrote."""
    return _metadata(path) is not None


def scores_in(path: Path) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """How many systems, items and metrics a file of kept scores holds, and the names of the systems and
    of the metrics; empty where it is damaged.
    """
    names: dict[str, tuple[str, ...]] = {}
    try:
        saved = msgspec.json.decode(_metadata(path) or "", type=_Saved)
        names = {"systems": tuple(saved.systems), "metrics": tuple(saved.metrics)}
        with refusing_panics():
            rows = int(pl.scan_parquet(io.BytesIO(data_of(path))).select(pl.len()).collect().item())
    except (msgspec.MsgspecError, pl.exceptions.PolarsError, OSError):
        return {}, names
    items, systems = "blocks" if saved.blocks else "items", len(saved.systems)
    counts = {"systems": systems, items: rows // max(systems, 1), "metrics": len(saved.metrics)}
    return counts, names


class _Saved(msgspec.Struct):
    """What is read of the metadata here; ``scoring.store.ScoreFileMetadata`` is all of it."""

    systems: list[str]
    metrics: dict[str, msgspec.Raw]
    blocks: bool


def _metadata(path: Path) -> str | None:
    if not path.is_file():  # a pipe can be read once
        return None
    try:
        if head_of(path, 4) != b"PAR1":
            return None
        with refusing_panics():
            return pl.read_parquet_metadata(io.BytesIO(data_of(path))).get(KEY)
    except (pl.exceptions.PolarsError, OSError):
        return None
