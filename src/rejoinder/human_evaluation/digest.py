"""A short hash of a table, for signatures."""

from __future__ import annotations

import hashlib

import polars as pl


def digest(table: pl.DataFrame) -> str:
    """Eight characters that differ where tables do."""
    return hashlib.sha256(table.write_csv().encode()).hexdigest()[:8]
