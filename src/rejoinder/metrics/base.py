"""A metric as users call it: the scores of replies given as Python lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.contract import Contract, Part
from rejoinder.metrics.engine.jackknife import enough_items, interval_facts, score_intervals
from rejoinder.metrics.engine.measurement import data_facts, measure, provided, remarks
from rejoinder.metrics.engine.rows import Rows, rows_of
from rejoinder.statistics.draws import check_draws


@dataclass(frozen=True)
class Score:
    """A corpus score.

    Attributes:
        value: In the metric's own range (0 to 1 for the BLEU family); NaN where it is undefined.
        low: Lower end of the 95% interval over items (see `jackknife.score_intervals`); NaN where
            none was asked for (``resamples=0``), for fewer than 4 items, and where the value is the
            same whichever item is left out.
        high: Upper end.
        parts: What the value is made of: precisions, brevity penalty, lengths, unfloored sums.
        n: How many replies count.
        signature: Everything that is needed to produce the value again.
        notes: What to know about the value: words that the tokenizer does not separate, words
            without a vector.
    """

    value: float
    low: float
    high: float
    parts: dict[str, Part]
    n: int
    signature: str
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Metric(Contract):
    """A metric and its parameters.

    A subclass is a frozen dataclass whose fields are the parameters; the signature names
    every field. To add one: a file here, a line in ``registry.py``, an oracle test.
    """

    def corpus(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None = None,
        *,
        contexts: Sequence[Sequence[str]] | None = None,
        drop_unusable: bool = False,
        resamples: int = 0,
        seed: int = 12345,
    ) -> Score:
        """Scores a system's replies as one corpus.

        Args:
            hypotheses: The replies, one for each item.
            references: For each reply the list of its references: ragged, any number of each.
            weights: The references' weights in [-1, 1], the same shape; None weighs all 1.
            contexts: For each item its turns, oldest first, for the metrics that need them.
            drop_unusable: Leave out items that cannot be scored (no reference; none of positive
                weight) instead of raising; ``n`` is how many counted.
            resamples: 0 gives no interval. Any other number gives the same one: the interval of a
                score is a jackknife; tests of two systems (`Scores.compare`) draw that many times.
            seed: Random seed of the resamples.

        Raises:
            InputError: The lists do not fit together, or an item cannot be scored.
        """
        settings = {"drop_unusable": drop_unusable, "resamples": resamples, "seed": seed}
        systems = {"": hypotheses}
        return self.corpora(systems, references, weights, contexts=contexts, **settings)[""]

    def corpora(
        self,
        systems: Mapping[str, Sequence[str]],
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None = None,
        *,
        contexts: Sequence[Sequence[str]] | None = None,
        drop_unusable: bool = False,
        resamples: int = 0,
        seed: int = 12345,
    ) -> dict[str, Score]:
        """Scores several systems at once: the references are read once for all of them.

        Args:
            systems: By name the replies, as ``corpus`` takes them.
            references: For each item the list of its references.
            weights: Arguments from here on as for ``corpus``.
            contexts: Likewise.
            drop_unusable: Likewise.
            resamples: Likewise; all systems share the resamples.
            seed: Likewise.

        Raises:
            InputError: The lists do not fit together, or an item cannot be scored.
        """
        if not systems:
            return {}
        check_draws(resamples, seed)
        replies = list(systems.values())
        batch, rows, usable = self._measured(replies, references, weights, contexts, drop_unusable)
        scores = self._scores(batch, rows, usable, resamples, seed, list(systems))
        return dict(zip(systems, scores, strict=True))

    def _scores(
        self, batch: Batch, rows: Rows, usable: np.ndarray | None, resamples: int, seed: int,
        systems: Sequence[str],
    ) -> list[Score]:  # fmt: skip
        n = len(batch) if usable is None else int(usable.sum())
        if usable is not None:
            rows = rows.pick(usable)
        totals = rows.sums()
        values = self.score(totals) if n else np.full(len(totals), np.nan)
        low = high = np.full(len(totals), np.nan)
        facts = data_facts(self, batch)
        if resamples:
            if enough_items(self, n):
                low, high = score_intervals(self, values, rows.left_out(self))
            facts |= interval_facts(self, resamples, seed)
        signature = self.signature(**facts)
        notes = tuple(remarks({self.label: self}, batch, systems))
        ends = zip(values.tolist(), low.tolist(), high.tolist(), totals, strict=True)
        return [
            Score(value, least, most, self.parts(sums), n, signature, notes)
            for value, least, most, sums in ends
        ]

    def segments(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None = None,
        *,
        contexts: Sequence[Sequence[str]] | None = None,
        drop_unusable: bool = False,
    ) -> Floats:
        """Scores each reply by itself: float64 [n].

        Arguments and errors as for ``corpus``; with ``drop_unusable`` an item that cannot be scored
        gets NaN.
        """
        _, rows, usable = self._measured([hypotheses], references, weights, contexts, drop_unusable)
        scores = rows.segments(self)[0]
        if usable is not None:
            scores[~usable] = np.nan
        return scores

    def _measured(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None,
        contexts: Sequence[Sequence[str]] | None,
        drop_unusable: bool,
    ) -> tuple[Batch, Rows, np.ndarray | None]:
        batch = provided([self], Batch.from_systems(systems, references, weights, contexts))
        usable = self._usable(batch, drop_unusable)
        return batch, rows_of(measure([self], batch)[0], len(systems)), usable

    def _usable(self, batch: Batch, drop: bool) -> np.ndarray | None:
        """Which items count; None for all."""
        unusable, why = self.unusable(batch)
        if not unusable.any():
            return None
        if not drop:
            raise InputError(
                f"references[{int(np.flatnonzero(unusable)[0])}] {why} ({int(unusable.sum())} of "
                f"{len(batch)} items); leave such items out yourself or pass drop_unusable=True"
            )
        return ~unusable
