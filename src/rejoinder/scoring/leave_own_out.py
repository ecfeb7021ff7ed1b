"""Scoring systems against each other's rated replies, without their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress
from rejoinder.references.copies import folded
from rejoinder.scoring.assembly import assemble, item_by_item, references_of, usable_items
from rejoinder.scoring.score import wanted_metrics
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import Alignment, Missing, check_responses
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Responses
from rejoinder.text.strings import Strings

LeftOut = Literal["own", "pair"]
"""Which references of a reply are excluded: its system's, or also those of the one it is compared with."""


def score_left_out(
    testset: TestSet,
    responses: Frame | Responses,
    metrics: Sequence[str | Metric] | None = None,
    *,
    missing: Missing = "error",
    drop_unusable: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Scores:
    """Scores each system against the references that are not its own (``source`` names another).

    The references are replies of the very systems that are scored (``weighing.weigh``). A reply
    that stands among its own references is perfect for any metric, and deltaBLEU then returns its
    rating. So each system's own references are excluded; references of another source, people's, stay.

    What that does: every system has references of its own, different from all others'. The best
    system misses good references, the worst misses bad ones, and all scores are of different tests.
    Differences of two systems are free of that under ``meta_evaluation.leave_own_out_units.pair_unit``,
    which leaves both out.

    A reply that somebody else gave too (the same but for case and blanks) would find itself, rated,
    among the references all the same. So such references are left out with it, and counted.

    Args:
        testset: Contexts and references; a reference whose ``source`` is one of the systems is that
            system's.
        responses: The table of ``read_responses``.
        metrics: Names or metrics, as for ``score``.
        missing: As for ``score``.
        drop_unusable: Leave out an item that a metric cannot score for some system; it is then left
            out for all systems, and counted.
        resamples: Resamples of the paired bootstrap; 0 gives neither intervals nor tests.
        seed: Of every resampling and permutation.
        progress: Called with how many slices of the work are done, and of how many.

    Raises:
        InputError: No reference is of one of the systems; the tables do not fit; or an item cannot
            be scored for some system.
        ParameterError: A metric or a parameter is unknown.

    >>> testset = TestSet.from_lists([["at nine", "at ten"]])
    >>> sources = testset.references.with_columns(source=pl.Series(["a", "b"]))
    >>> replies = pl.DataFrame({"system": ["a", "b"], "id": ["1", "1"], "text": ["at nine", "at ten"]})
    >>> scores = score_left_out(TestSet(testset.contexts, sources), replies, ["bleu:order=1"])
    >>> scores.systems()["value"].to_list()
    [0.5, 0.5]
    """
    check_draws(resamples, seed)
    selected = list(wanted_metrics(metrics, testset).values())
    design = LeaveOwnOut.of(testset, responses, missing)
    scores = own_left_out(design, selected, drop_unusable, resamples, seed, progress)
    for label, each in scores.measured.items():
        if not each.height:
            raise InputError(
                f"{label}: no item can be scored for every system once its own references are left "
                "out; take more references, or a lower threshold"
            )
    return scores


def own_left_out(
    design: LeaveOwnOut,
    metrics: Sequence[str | Metric],
    drop_unusable: bool,
    resamples: int,
    seed: int,
    progress: Progress | None,
) -> Scores:
    """As ``score_left_out``, of tables joined; a metric may be left without any item.

    Args:
        design: The joined tables.
        metrics: The metrics.
        drop_unusable: Whether items that a metric cannot score are left out.
        resamples: Number of resamples.
        seed: Random seed.
        progress: Called with what is done and what there is in all; None: never.
    """
    selected = registry.metrics([metrics] if isinstance(metrics, (str, Metric)) else metrics)
    batch, excluded = design.batch()
    usable, dropped = design.usable(selected, batch, drop_unusable)
    return design.scores(
        selected, batch, usable, (*dropped, *excluded.notes), resamples, seed, progress
    )


class ExcludedReferences(NamedTuple):
    """What became of the references of all replies together.

    Args:
        own: Left out because their source is the reply's system (or the other one of a pair).
        identical: Left out because their text is the reply's, though the source is another.
        replies: How many replies met such a one.
    """

    own: int
    identical: int
    replies: int

    @property
    def notes(self) -> list[str]:
        """In words."""
        notes = [
            f"references left out: each system's own, {self.own} in all; every system has references "
            "of its own, so scores of different systems are of different tests"
        ]
        if self.identical:
            notes.append(
                f"{counted(self.replies, 'reply', 'replies')} also given by somebody else: those "
                f"references are left out too ({self.identical} in all)"
            )
        return notes


@dataclass(frozen=True)
class LeaveOwnOut:
    """Replies, references and who gave them: what batches without some references are cut from.

    Attributes:
        alignment: The systems' replies.
        contexts: The items kept.
        references: Their references, in the order of the items.
    """

    alignment: Alignment
    contexts: pl.DataFrame
    references: pl.DataFrame

    @classmethod
    def of(cls, testset: TestSet, responses: Frame | Responses, missing: Missing) -> LeaveOwnOut:
        """Joins the tables.

        Raises:
            InputError: They do not fit, or no reference has one of the systems as its source.
        """
        alignment = check_responses(responses, testset, missing)
        contexts = testset.contexts.filter(pl.col("id").is_in(alignment.ids))
        placed = references_of(testset, contexts)
        sources = set(placed.get_column("source").drop_nulls())
        if not sources & set(alignment.systems):
            given = one_of(sorted(sources)[:5]) or "none"
            raise InputError(
                f"references: no source is one of the systems {one_of(alignment.systems)} (sources: "
                f"{given}), so that nothing can be left out; make references of rated replies with "
                "'rejoinder weigh', and use the same system names"
            )
        return cls(alignment, contexts, placed)

    @property
    def n(self) -> int:
        """How many items there are."""
        return self.contexts.height

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return len(self.alignment.systems)

    def batch(self, other: int | None = None) -> tuple[Batch, ExcludedReferences]:
        """One item for each reply, item by item and system by system, with its own references.

        Args:
            other: A system whose references no reply has, nor any that is its reply's text.
        """
        system = np.tile(np.arange(self.systems), self.n)
        flat, counts = self._all_references
        of_reply = np.repeat(system, counts)
        source = self._sources[flat]
        own = source == of_reply
        text = self._reference_codes[flat]
        alike = text == np.repeat(self._reply_codes.T.ravel(), counts)
        if other is not None:
            own |= source == other
            item = np.repeat(np.repeat(np.arange(self.n), self.systems), counts)
            alike |= text == self._reply_codes[other][item]
        alike &= ~own
        remaining = ~(own | alike)
        replies = np.unique(np.repeat(np.arange(system.size), counts)[alike]).size
        before = np.concatenate([[0], np.cumsum(remaining)])
        selected = flat[remaining]
        batch = Batch(
            self._replies,
            np.arange(system.size + 1, dtype=np.int64),
            self._texts.take(selected),
            before[np.concatenate([[0], np.cumsum(counts)])],
            self._weights[selected],
            contexts=self._contexts,
        )
        return batch, ExcludedReferences(int(own.sum()), int(alike.sum()), replies)

    def usable(
        self, metrics: dict[str, Metric], batch: Batch, drop: bool
    ) -> tuple[list[np.ndarray], list[str]]:
        """The items that each metric can score for every system; see ``assembly.usable_items``."""
        where = "for some system once references of systems are left out"
        return usable_items(metrics, batch, self.alignment.ids, drop, where)

    def scores(
        self,
        metrics: dict[str, Metric],
        batch: Batch,
        usable: Sequence[np.ndarray],
        notes: Sequence[str],
        resamples: int,
        seed: int,
        progress: Progress | None = None,
    ) -> Scores:
        """Measures a batch without references of the replies' own systems."""
        facts = {"left_out": "own", "identical": "out"}
        return assemble(
            self.alignment,
            self.contexts,
            metrics,
            batch,
            usable,
            facts=facts,
            notes=notes,
            resamples=resamples,
            seed=seed,
            progress=progress,
        )

    @cached_property
    def _all_references(self) -> tuple[Indices, Indices]:
        """The references of each reply's item, one reply after the other, and how many each has."""
        sizes = np.bincount(self.references.get_column("item").to_numpy(), minlength=self.n)
        counts = np.repeat(sizes, self.systems)
        first = np.repeat(np.cumsum(sizes) - sizes, self.systems)
        ends = np.cumsum(counts)
        flat = np.arange(ends[-1]) - np.repeat(ends - counts, counts) + np.repeat(first, counts)
        return flat, counts

    @cached_property
    def _replies(self) -> Strings:
        return item_by_item(self.alignment.responses.get_column("text"), self.systems)

    @cached_property
    def _contexts(self) -> list[list[str]]:
        contexts = self.contexts.get_column("context").to_list()
        return [turns for turns in contexts for _ in range(self.systems)]

    @cached_property
    def _texts(self) -> Strings:
        return Strings.of(self.references.get_column("text"), "references")

    @cached_property
    def _weights(self) -> Floats:
        return self.references.get_column("weight").fill_null(1.0).to_numpy().astype(np.float64)

    @cached_property
    def _sources(self) -> Indices:
        """int64 [r]: the place of each reference's system, -1 for another source."""
        places = {name: place for place, name in enumerate(self.alignment.systems)}
        sources = self.references.get_column("source").to_list()
        return np.array([places.get(name, -1) for name in sources], dtype=np.int64)

    @cached_property
    def _codes(self) -> Indices:
        """A number for each text but for case and blanks: of all replies, then all references."""
        texts = pl.concat(
            [self.alignment.responses.select(folded()), self.references.select(folded())]
        )
        return texts.get_column("text").rank("dense").to_numpy().astype(np.int64)

    @property
    def _reply_codes(self) -> np.ndarray:
        """int64 [S, n]."""
        return self._codes[: self.systems * self.n].reshape(self.systems, self.n)

    @property
    def _reference_codes(self) -> Indices:
        """int64 [r]."""
        return self._codes[self.systems * self.n :]
