"""Replies that no system gave: mined candidates and original references, to be judged like replies."""

from __future__ import annotations

import os
from collections.abc import Sequence

import polars as pl

from rejoinder.tables.assembly.column_mapping import Columns, column_mapping
from rejoinder.tables.responses import read_responses
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet

ORIGINAL = "original"


def read_candidates(
    paths: Sequence[str | os.PathLike[str]], columns: Columns = None
) -> pl.DataFrame:
    """Reads tables of mined candidates: ``id``, ``text``, and ``source``, which becomes the system.

    Args:
        paths: Files that ``rejoinder mine`` wrote, or like them.
        columns: Which column is which, as for ``read_responses``.

    Returns:
        ``schemas.RESPONSES``.

    Raises:
        InputError: A file cannot be read, or has no such columns.
    """
    mapping = column_mapping(columns)
    sources = {"system": "source"} | (mapping.sources if mapping else {})
    return read_responses(*paths, columns=sources).select(*RESPONSES)


def originals(testset: TestSet) -> pl.DataFrame:
    """The first reference of each item that has one, as replies of the system ``original``.

    >>> testset = TestSet.from_lists([["hi", "hello"], []], ids=["1", "2"])
    >>> originals(testset).rows()
    [('original', '1', 'hi')]
    """
    first = testset.references.unique("id", keep="first", maintain_order=True)
    return first.select(pl.lit(ORIGINAL).alias("system"), "id", "text")
