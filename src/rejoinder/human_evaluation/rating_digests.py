"""Digests of single ratings, which say whether a judge was made from ratings that it is compared with."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable

import polars as pl

LENGTH = 6
"""Bytes of a digest: 100,000 ratings and 100,000 others share one with the probability 4e-5."""

MOST = 100_000
"""The most digests that are kept, the smallest: 0.8 MB. Of n > MOST ratings one that is shared is missed
with the probability 1 - MOST / n, and all of k with its k-th power."""


def rating_digests(ratings: pl.DataFrame) -> frozenset[bytes]:
    """A digest of the item, system, rater and score of each rating.

    The order of rows and further columns do not matter, nor does the format that they were read from.

    >>> table = {"id": ["1", "2"], "system": "a", "rater": "r", "score": [1, 2]}
    >>> whole, part = pl.DataFrame(table), pl.DataFrame(table).tail(1).cast({"score": pl.Float64})
    >>> rating_digests(part) < rating_digests(whole)
    True
    """
    rows = ratings.select("id", "system", "rater", pl.col("score").cast(pl.Float64) + 0.0).rows()
    return frozenset(
        hashlib.blake2b(json.dumps(row).encode(), digest_size=LENGTH).digest() for row in rows
    )


def packed(digests: Iterable[bytes]) -> str:
    """Digests as text, no more than `MOST`; equal sets make the same text."""
    return base64.b64encode(b"".join(sorted(digests)[:MOST])).decode()


def unpacked(text: str) -> frozenset[bytes]:
    """The digests of a text; none where it is no such text."""
    try:
        data = base64.b64decode(text)
    except ValueError:
        return frozenset()
    return frozenset(data[place : place + LENGTH] for place in range(0, len(data), LENGTH))
