"""Pairs of a good and a bad reference of a context, held out together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.references.copies import folded
from rejoinder.tables.testset import TestSet
from rejoinder.text.strings import Strings

UNNAMED = "bad"
"""The kind of a bad reference without a source."""


@dataclass(frozen=True)
class HeldOut:
    """All pairs of a good and a bad reference of one context, and what is left of the others.

    Attributes:
        references: The references, in the order of the items: ``id``, ``text``, ``weight`` (null
            as 1), ``source``, ``item``, ``code`` (the same for texts that are the same but for case
            and blanks).
        item: int64 [p], of each pair.
        good: int64 [p], its good reference.
        bad: int64 [p], its bad one.
        kind: The source of each bad one [p].
        notes: What was left out, and why.
        factor: Multiplies the weights of bad references.
    """

    references: pl.DataFrame
    item: Indices
    good: Indices
    bad: Indices
    kind: np.ndarray
    notes: Sequence[str] = ()
    factor: float = 1.0

    @classmethod
    def of(cls, testset: TestSet) -> HeldOut:
        """Makes the pairs.

        Raises:
            InputError: No context has two good references and a bad one.
        """
        table = _table(testset)
        sides = table.select("item", "code", "weight", "source", "index")
        goods = sides.filter(pl.col("weight") > 0).filter(pl.len().over("item") > 1)
        bads = sides.filter(pl.col("weight") < 0)
        pairs = goods.join(bads, on="item", suffix="_bad", maintain_order="left_right")
        notes = _left_over(testset, table)
        same = pairs.filter(pl.col("code") == pl.col("code_bad"))
        if same.height:
            notes.append(f"{same.height} pairs left out: the good and the bad reply are one text")
        pairs = pairs.filter(pl.col("code") != pl.col("code_bad"))
        # A good reference must be left: one of another text than both.
        others = goods.select("item", other="code")
        left = pairs.join(others, on="item").filter(
            (pl.col("other") != pl.col("code")) & (pl.col("other") != pl.col("code_bad"))
        )
        with_both = pairs.join(left, on=["index", "index_bad"], how="semi", maintain_order="left")
        if with_both.height < pairs.height:
            notes.append(
                f"{pairs.height - with_both.height} pairs left out: no other good reference is left"
            )
        if not with_both.height:
            raise InputError(
                "references: no context has two good ones (weight above 0, or none) and a bad one "
                "(below 0), so that one of each can be held out; negative weights come from ratings "
                "('rejoinder weigh') or stand in the data"
            )
        columns = (with_both.get_column(name).to_numpy() for name in ("item", "index", "index_bad"))
        item, good, bad = (column.astype(np.int64) for column in columns)
        kind = with_both.get_column("source_bad").fill_null(UNNAMED).to_numpy()
        return cls(table, item, good, bad, kind, tuple(notes))

    @property
    def texts(self) -> int:
        """How many references there are."""
        return self.references.height

    @property
    def kinds(self) -> list[str]:
        """The sources of the bad ones, in order of appearance."""
        return list(dict.fromkeys(self.kind.tolist()))

    @property
    def graded(self) -> bool:
        """Whether the good ones have other weights than 1."""
        return self.references.filter(pl.col("weight") > 0, pl.col("weight") != 1).height > 0

    def picked(self, kind: str) -> np.ndarray:
        """The pairs of a kind: bool [p]."""
        return self.kind == kind

    def batch(self, bad: bool) -> Batch:
        """An item for each pair, whose hypotheses are the good and the bad reply.

        Args:
            bad: Whether bad references are among the references.
        """
        sizes = np.bincount(self.references.get_column("item").to_numpy())
        first = np.cumsum(sizes) - sizes
        counts = sizes[self.item]
        ends = np.cumsum(counts)
        flat = np.arange(ends[-1]) - np.repeat(ends - counts - first[self.item], counts)
        codes = self.references.get_column("code").to_numpy()
        usable = codes[flat] != np.repeat(codes[self.good], counts)
        usable &= codes[flat] != np.repeat(codes[self.bad], counts)
        if not bad:
            usable &= self._weights[flat] > 0
        before = np.concatenate([[0], np.cumsum(usable)])
        picked = flat[usable]
        texts = Strings.of(self.references.get_column("text"), "references")
        return Batch(
            texts.take(np.stack([self.good, self.bad], axis=1).ravel()),
            2 * np.arange(self.item.size + 1, dtype=np.int64),
            texts.take(picked),
            before[np.concatenate([[0], ends])],
            self._weights[picked],
        )

    @cached_property
    def _weights(self) -> Floats:
        given = self.references.get_column("weight").to_numpy().astype(np.float64)
        return np.where(given < 0, self.factor * given, given)


def _table(testset: TestSet) -> pl.DataFrame:
    items = testset.contexts.select("id").with_row_index("item")
    table = testset.references.join(items, on="id", maintain_order="left")
    table = table.sort("item", maintain_order=True).with_row_index("index")
    return table.with_columns(
        pl.col("weight").fill_null(1.0),
        pl.col("item").cast(pl.Int64),
        folded().rank("dense").alias("code"),
    )


def _left_over(testset: TestSet, table: pl.DataFrame) -> list[str]:
    """Contexts and references that no pair can have."""
    counts = table.group_by("item").agg(
        good=(pl.col("weight") > 0).sum(), bad=(pl.col("weight") < 0).sum()
    )
    whole = counts.filter((pl.col("good") > 1) & (pl.col("bad") > 0)).height
    notes = []
    if whole < len(testset):
        notes.append(
            f"{len(testset) - whole} of {len(testset)} contexts left out: fewer than two good "
            "references, or no bad one"
        )
    neither = table.filter(pl.col("weight") == 0).height
    if neither:
        notes.append(f"{neither} references of weight 0 are neither good nor bad: never held out")
    return notes
