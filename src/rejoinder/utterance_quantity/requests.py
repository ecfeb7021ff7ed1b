"""The prompts that RUQ asks models about: their references, and the replies put beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from rejoinder.batches.references import ReferenceRule
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted
from rejoinder.models.likelihood.backend import Likelihood, LikelihoodRequest
from rejoinder.tables.testset import TestSet

LENGTHS = {5: " 1 to 5", 10: " 6 to 10", 15: "11 to 15", 20: "16 to 20"}
LONGER = "over 20"
BY_LENGTH = "reference_words"
"""The column of how many words the (first) reference has, in buckets."""


@dataclass(frozen=True)
class RuqItems:
    """Prompts, references, generic replies.

    Attributes:
        ids: Of the n items.
        turns: For each item its conversation.
        references: For each item its references' texts, one at least.
        places: For each item which rows of its references these are.
        generic: The generic replies.
        table_of_items: The contexts without their turns, and ``BY_LENGTH``.
        notes: What was left out.
    """

    ids: list[str]
    turns: list[tuple[str, ...]]
    references: list[list[str]]
    places: list[list[int]]
    generic: list[str]
    table_of_items: pl.DataFrame
    notes: tuple[str, ...]

    @property
    def span(self) -> tuple[int, int]:
        """The fewest and the most references of an item."""
        counts = [len(texts) for texts in self.references]
        return min(counts), max(counts)

    @property
    def spread(self) -> str | int:
        """References to an item, as a signature tells it."""
        low, high = self.span
        return low if low == high else "var"

    def requests(self, outputs: Mapping[str, str]) -> list[LikelihoodRequest]:
        """What to ask a model: equal texts once, so that they tie exactly."""
        return [
            LikelihoodRequest(id, turns, tuple(dict.fromkeys(self._texts(id, texts, outputs))))
            for id, turns, texts in zip(self.ids, self.turns, self.references, strict=True)
        ]

    def _texts(self, id: str, references: Sequence[str], outputs: Mapping[str, str]) -> list[str]:
        return [*references, *self.generic, *([outputs[id]] if id in outputs else [])]

    def table(
        self, system: str, likelihoods: Sequence[Sequence[Likelihood]], outputs: Mapping[str, str]
    ) -> pl.DataFrame:
        """One model's likelihoods as a long table, the columns those of ``COLUMNS``."""
        rows = list(
            chain.from_iterable(
                self._rows(system, place, each, outputs) for place, each in enumerate(likelihoods)
            )
        )
        return pl.DataFrame(rows, schema=COLUMNS, orient="row")

    def _rows(
        self, system: str, place: int, likelihoods: Sequence[Likelihood], outputs: Mapping[str, str]
    ) -> list[tuple[Any, ...]]:
        id, references = self.ids[place], self.references[place]
        texts = self._texts(id, references, outputs)
        known = dict(zip(dict.fromkeys(texts), likelihoods, strict=True))
        kinds = ["reference"] * len(references) + ["generic"] * len(self.generic)
        kinds += ["output"] * (len(texts) - len(kinds))
        numbers = [*self.places[place], *range(len(self.generic)), 0]
        rows = []
        for kind, number, text in zip(kinds, numbers, texts, strict=False):
            each = known[text]
            rows.append(
                (
                    system,
                    id,
                    kind,
                    number,
                    text if kind == "generic" else None,
                    True,
                    each.tokens,
                    None if each.dropped else each.mean,
                    None if each.logprobs is None else each.logprobs.tolist(),
                    each.dropped,
                )
            )
        return rows

    def lowest(self, tables: Sequence[pl.DataFrame]) -> tuple[Floats, Indices]:
        """The lowest score of an item's references, under each model.

        A reference that one model cannot score is left out for all of them.

        Returns:
            float64 [n, S], NaN for an item without any; and which of an item's references that is,
            int64 [n, S], -1 for none.
        """
        counts = [len(texts) for texts in self.references]
        means = np.stack([_means(table, "reference") for table in tables], axis=1)
        means[np.isnan(means).any(axis=1)] = np.nan
        lowest = np.full((len(counts), len(tables)), np.nan)
        which = np.full(lowest.shape, -1, dtype=np.int64)
        begin = 0
        for item, count in enumerate(counts):
            of_item = means[begin : begin + count]
            begin += count
            if not np.isnan(of_item).all():
                best = np.nanargmin(of_item, axis=0)
                which[item] = np.array(self.places[item])[best]
                lowest[item] = of_item[best, np.arange(len(tables))]
        return lowest, which

    def generic_means(self, table: pl.DataFrame) -> Floats:
        """The scores of the generic replies: float64 [n, G], NaN where there is none."""
        return _means(table, "generic").reshape(len(self.ids), len(self.generic))

    def all_replies(self, tables: Sequence[pl.DataFrame], which: Indices) -> pl.DataFrame:
        """The tables of all models, ``counts`` false for references other than the lowest.

        Args:
            tables: Of ``table``, one for each model.
            which: Of ``lowest``.
        """
        marked = []
        for system, table in enumerate(tables):
            lowest = pl.DataFrame({"id": self.ids, "lowest": which[:, system]})
            joined = table.join(lowest, on="id", how="left", maintain_order="left")
            counts = (pl.col("kind") != "reference") | (pl.col("reply") == pl.col("lowest"))
            marked.append(joined.with_columns(counts=counts).drop("lowest"))
        return pl.concat(marked)


COLUMNS = {
    "system": pl.String,
    "id": pl.String,
    "kind": pl.String,
    "reply": pl.Int64,
    "text": pl.String,
    "counts": pl.Boolean,
    "tokens": pl.Int64,
    "mean": pl.Float64,
    "logprobs": pl.List(pl.Float64),
    "dropped": pl.String,
}
"""The columns of the per-token table: a row for each model, item and reply.

``kind`` is ``reference``, ``generic`` or ``output`` (the model's own); ``reply`` counts from 0
within a kind; ``text`` stands with generic replies alone; ``counts`` marks the reference of the
lowest score, and every other reply; ``dropped`` says why there is no likelihood.
"""


def check_column(testset: TestSet, by: str | None) -> None:
    """Raises a ParameterError where items cannot be grouped by a column; None is no column."""
    columns = {BY_LENGTH, *testset.contexts.columns} - {"id", "context"}
    if by is not None and by not in columns:
        raise ParameterError(
            Argument("by", by),
            f": the contexts have no column '{by}'; choose {one_of(sorted(columns))}",
        )


def items_of(testset: TestSet, generic: Sequence[str], references: str) -> RuqItems:
    """The items of a test set that RUQ can ask about.

    Args:
        testset: Prompts and references.
        generic: The generic replies.
        references: The rule; see ``RUQ``.

    Raises:
        InputError: None is left.
    """
    references_of: dict[str, list[tuple[int, str]]] = {id: [] for id in testset.ids}
    numbers = dict.fromkeys(testset.ids, 0)
    rule = ReferenceRule.parse(references)
    outside = empty = 0
    for id, text, weight in testset.references.select("id", "text", "weight").iter_rows():
        number = numbers[id]
        numbers[id] += 1
        if not rule.selects(number, 1.0 if weight is None else weight):
            outside += 1
        elif not text.strip():
            empty += 1
        else:
            references_of[id].append((number, text))
    turns = dict(zip(testset.ids, testset.contexts.get_column("context").to_list(), strict=True))
    ids = [
        id for id in testset.ids if references_of[id] and any(turn.strip() for turn in turns[id])
    ]
    notes = _notes(testset, references_of, turns, outside, empty, references)
    if not ids:
        raise InputError(f"no prompt with a reference is left: {'; '.join(notes)}")
    texts = [[text for _, text in references_of[id]] for id in ids]
    items = testset.contexts.filter(pl.col("id").is_in(ids)).drop("context")
    if BY_LENGTH not in items.columns:
        items = items.with_columns(pl.Series(BY_LENGTH, [_bucket(several[0]) for several in texts]))
    return RuqItems(
        ids,
        [tuple(turns[id]) for id in ids],
        texts,
        [[number for number, _ in references_of[id]] for id in ids],
        list(generic),
        items,
        notes,
    )


def _notes(
    testset: TestSet,
    references_of: Mapping[str, Sequence[tuple[int, str]]],
    turns: Mapping[str, Sequence[str]],
    outside: int,
    empty: int,
    rule: str,
) -> tuple[str, ...]:
    without = sum(not texts for texts in references_of.values())
    speechless = sum(
        bool(texts) and not any(turn.strip() for turn in turns[id])
        for id, texts in references_of.items()
    )
    reasons = (
        (outside, f"{counted(outside, 'reference')} left out by the rule '{rule}'"),
        (empty, f"{counted(empty, 'empty reference')} dropped"),
        (without, f"{without} of {len(testset)} items dropped: no reference is left"),
        (speechless, f"{speechless} of {len(testset)} items dropped: no turn to reply to"),
    )
    return tuple(words for count, words in reasons if count)


def _bucket(text: str) -> str:
    words = len(text.split())
    return next((name for most, name in LENGTHS.items() if words <= most), LONGER)


def _means(table: pl.DataFrame, kind: str) -> Floats:
    """Mean log-probabilities of one kind of replies, in the order of the table; NaN for none."""
    means = table.filter(pl.col("kind") == kind).get_column("mean")
    return means.fill_null(float("nan")).to_numpy().astype(np.float64)
