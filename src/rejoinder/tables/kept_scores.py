"""Which files hold scores that ``Scores.save`` wrote, and what is in them."""

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


def counts_of(path: Path) -> dict[str, int]:
    """How many systems, items and metrics a file of kept scores holds; empty where it is damaged."""
    try:
        saved = msgspec.json.decode(_metadata(path) or "", type=_Saved)
        with refusing_panics():
            rows = int(pl.scan_parquet(io.BytesIO(data_of(path))).select(pl.len()).collect().item())
    except (msgspec.MsgspecError, pl.exceptions.PolarsError, OSError):
        return {}
    items = "blocks" if saved.blocks else "items"
    systems = len(saved.systems)
    return {"systems": systems, items: rows // max(systems, 1), "metrics": len(saved.metrics)}


def names_of(path: Path) -> dict[str, tuple[str, ...]]:
    """The systems and the metrics in a file of kept scores; empty where it is damaged."""
    try:
        saved = msgspec.json.decode(_metadata(path) or "", type=_Saved)
    except msgspec.MsgspecError:
        return {}
    return {"systems": tuple(saved.systems), "metrics": tuple(saved.metrics)}


class _Saved(msgspec.Struct):
    """What is read of the metadata here; ``scoring.store.Saved`` is all of it."""

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
