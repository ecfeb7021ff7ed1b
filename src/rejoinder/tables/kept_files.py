"""Which files Rejoinder wrote to keep, scores and studies, and what is in them."""

from __future__ import annotations

import io
from contextlib import closing
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


APPLICATION = 0x524A4E44
"""What a study's file says it belongs to (SQLite's ``application_id``)."""

_MAGIC = b"SQLite format 3\x00"
_PLACE = 68
"""Where the header of an SQLite file has its application id, 4 bytes, the highest first."""


def holds_study(path: Path) -> bool:
    """Whether a file is the study of ``annotate serve`` or ``annotate page``."""
    if not path.is_file():  # a pipe can be read once
        return False
    try:
        header = head_of(path, _PLACE + 4)
    except OSError:
        return False
    return header.startswith(_MAGIC) and header[_PLACE:] == APPLICATION.to_bytes(4, "big")


def questions_in(path: Path) -> dict[str, int]:
    """How many questions a study has; empty where the file is damaged.

    The file is read as it stands, without its log: what is answered meanwhile is not counted, and
    nothing is written beside it.
    """
    import sqlite3

    try:
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            (number,) = connection.execute("SELECT count(*) FROM question").fetchone()
    except (sqlite3.Error, OSError):
        return {}
    return {"questions": int(number)}
