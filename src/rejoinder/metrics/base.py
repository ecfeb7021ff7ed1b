"""What a metric is: statistics of each reply, a sum, and a formula.

A metric measures each reply once into a short row of float64 sufficient statistics; its score is a
pure function of summed rows. Corpus score = all rows summed; sentence score = one row; a bootstrap
resample, a permutation, a shard on another machine = some rows summed.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rejoinder._version import __version__
from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Request
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.draws import check_draws
from rejoinder.metrics.features import identity
from rejoinder.metrics.measurement import measure, provided, remarks
from rejoinder.metrics.parameters import check_types
from rejoinder.metrics.rows import Rows, Statistics, rows_of
from rejoinder.text.scripts import suited
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import BORROWED, TOKENIZERS, tokenize

Part: TypeAlias = float | list[float]

# What a parameter is called in a signature, where sacreBLEU has a word for it.
SIGNATURE_WORDS = {"tokenizer": "tok", "smoothing": "smooth", "effective_order": "eff"}
FOLDED = {True: "lc", False: "mixed"}
SPOKEN = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Score:
    """A corpus score.

    Attributes:
        value: In the metric's own range (0 to 1 for the BLEU family); NaN where it is undefined.
        low: Lower end of the 95% interval over items (see `jackknife.score_intervals`); NaN where
            none was asked for (``resamples=0``), for fewer than 4 items, and where the value is the
            same whichever item is left out, which is no certainty.
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
class Metric(ABC):
    """A metric and its parameters.

    A subclass is a frozen dataclass whose fields are the parameters; every field stands in the
    signature. To add one: a file here, a line in ``registry.py``, an oracle test.
    """

    name: ClassVar[str]
    """What the command line and the registry call it."""
    source: ClassVar[str]
    """Paper, section, equation."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The least and the greatest score."""
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    """Of: references, weights, context, features."""
    summable: ClassVar[bool] = True
    """Whether a row is short numbers to be summed; else it is a bag to be merged (distinct.py)."""
    share: ClassVar[bool] = False
    """Whether the score is the share of items for which something holds."""
    sources: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The parameters that name a model's file or folder, and who provides its features."""
    kept_defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """The values of parameters that are younger than kept files: what such a file was scored with."""
    younger_columns: ClassVar[frozenset[str]] = frozenset()
    """The columns that older kept files lack; there they are NaN, and the score does without."""

    def __post_init__(self) -> None:
        check_types(self)

    @property
    def ranks(self) -> bool:
        """Whether a better score means a better system: metrics of the replies alone only describe."""
        return bool(self.needs)

    @property
    def vanishes(self) -> bool:
        """Whether one factor of 0 makes the score 0, however far the items differ in the others."""
        return False

    @property
    def label(self) -> str:
        """The name for people: what a table's column is headed with."""
        return self.name

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the k statistics of a row."""

    @abstractmethod
    def statistics(self, batch: Batch) -> Statistics:
        """Measures every hypothesis of a batch: float64 [m, k]; NaN where it cannot be scored."""

    @abstractmethod
    def score(self, totals: Floats) -> Floats:
        """The score of summed rows: float64 [..., k] to float64 [...]."""

    def left_out(self, sums: Floats, item: Indices, code: Indices, count: Floats, n: int) -> Floats:
        """The score with each bag left out, of metrics whose rows are bags (``summable`` is False).

        Args:
            sums: float64 [V], how often each code stands in all bags together.
            item: int64 [t], the bag of each entry.
            code: int64 [t], its code.
            count: float64 [t], how often the code stands in that bag.
            n: How many bags there are.

        Returns:
            float64 [n]. Here one bag after the other; a metric that knows a quicker way overrides it.
        """
        scores, ends = np.empty(n), np.searchsorted(item, np.arange(n + 1))
        for i in range(n):
            own = slice(ends[i], ends[i + 1])
            rest = sums.copy()
            rest[code[own]] -= count[own]
            scores[i] = self.score(rest)
        return scores

    def parts(self, totals: Floats) -> dict[str, Part]:
        """What the score of ``totals``, float64 [k], is made of."""
        return dict(zip(self.columns, totals.tolist(), strict=True))

    def requests(self) -> tuple[Request, ...]:
        """The features that the metric asks for.

        Raises:
            ParameterError: A parameter that names a model is empty.
        """
        return tuple(Request(kind, self.source_of(name)) for name, kind in self.sources.items())

    def source_of(self, parameter: str) -> str:
        """The file, folder or model that a parameter names.

        Raises:
            ParameterError: It is empty.
        """
        source = getattr(self, parameter)
        if not source:
            raise ParameterError(
                f"metric '{self.name}' measures with a model and names none; write "
                f"{self.name}:{parameter}=PATH ({parameter}='PATH' in Python)"
            )
        return source

    def notes(self, batch: Batch) -> list[str]:
        """What is to be said of a measured batch beside its scores: what was left out or replaced.

        Without the metric's name, which ``measurement.remarks`` puts before it.
        """
        return []

    def token_counts(self, texts: Strings) -> Indices | None:
        """How many tokens the metric's tokenizer makes of each text; None where it has none."""
        tokenizer = getattr(self, "tokenizer", None)
        if tokenizer is None:
            return None
        return tokenize(texts, tokenizer, getattr(self, "lowercase", False)).lengths

    def separation(self, script: str) -> tuple[str, str]:
        """What does not separate the words of a script, and which parameter would; for a note."""
        tokenizer = getattr(self, "tokenizer", "")
        wanted = [f"tokenizer={each}" for each in suited(script, TOKENIZERS) if each != tokenizer]
        return (
            f"the tokenizer '{tokenizer}' does not separate the words",
            f"set {' or '.join(wanted)}",
        )

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """Which items (bool [n]) the metric cannot score for want of references or context, and why."""
        unusable, reasons = np.zeros(len(batch), dtype=bool), []
        if self.needs & {"references", "weights"}:
            rule = getattr(self, "references", "all")
            without = batch.references(rule).counts == 0
            if without.any():
                reasons.append(
                    "no reference" + ("" if rule == "all" else f" under the rule '{rule}'")
                )
            unusable |= without
        if "context" in self.needs and batch.contexts is not None:
            without = np.array([not turns for turns in batch.contexts], dtype=bool)
            if without.any():
                reasons.append("no context")
            unusable |= without
        return unusable, f"has {' or '.join(reasons)}" if reasons else ""

    def signature(self, **facts: str | int) -> str:
        """The parameters, and facts of the data, in sacreBLEU's style: ``key:value|...``."""
        words = [self.name]
        for each in fields(self):
            value: Any = getattr(self, each.name)
            if each.name in self.sources and value:
                value = identity(self.sources[each.name], value)
            if value is None or value == "":
                continue
            if each.name == "lowercase":
                words.append(f"case:{FOLDED[value]}")
            else:
                word = SPOKEN[value] if isinstance(value, bool) else str(value)
                words.append(f"{SIGNATURE_WORDS.get(each.name, each.name)}:{word}")
        words += [f"{key}:{value}" for key, value in facts.items()]
        if getattr(self, "tokenizer", None) in BORROWED:
            from importlib.metadata import version

            words.append(f"sacrebleu:{version('sacrebleu')}")
        return "|".join([*words, f"version:{__version__}"])

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
                weight) instead of raising; ``n`` tells how many counted.
            resamples: 0 gives no interval. Any other number gives the same one: the interval of a
                score draws nothing; tests of two systems (`Scores.compare`) draw so often.
            seed: Of the resamples.

        Raises:
            InputError: The lists do not fit together, or an item cannot be scored.
        """
        check_draws(resamples, seed)
        batch, rows, usable = self._measured(
            [hypotheses], references, weights, contexts, drop_unusable
        )
        return self._scores(batch, rows, usable, resamples, seed)[0]

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
        scores = self._scores(batch, rows, usable, resamples, seed)
        return dict(zip(systems, scores, strict=True))

    def _scores(
        self, batch: Batch, rows: Rows, usable: np.ndarray | None, resamples: int, seed: int
    ) -> list[Score]:
        n = len(batch) if usable is None else int(usable.sum())
        if usable is not None:
            rows = rows.pick(usable)
        totals = rows.sums()
        values = self.score(totals) if n else np.full(len(totals), np.nan)
        low = high = np.full(len(totals), np.nan)
        facts = data_facts(self, batch)
        if resamples:
            from rejoinder.metrics.jackknife import LEAST_ITEMS, interval_facts, score_intervals

            if n >= LEAST_ITEMS:
                low, high = score_intervals(self, values, rows.left_out(self))
            facts |= interval_facts(self, resamples, seed)
        signature, notes = self.signature(**facts), tuple(remarks({self.label: self}, batch))
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


def data_facts(metric: Metric, batch: Batch) -> dict[str, str | int]:
    """What a signature says of the data: references to an item, the weights' hash if they count, and
    what models fitted to it.
    """
    facts: dict[str, str | int] = {}
    if "references" in metric.needs:
        counts = np.unique(np.diff(batch.reference_bounds))
        facts["nrefs"] = int(counts[0]) if counts.size == 1 else "var"
    if "weights" in metric.needs or getattr(metric, "references", "all") != "all":
        facts["weights"] = hashlib.sha256(batch.weights.tobytes()).hexdigest()[:8]
    for request in metric.requests():
        facts |= dict(batch.features[request].facts) if request in batch.features else {}
    return facts
