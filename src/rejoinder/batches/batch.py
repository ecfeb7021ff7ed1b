"""What a metric measures: items with their hypotheses, references, weights and features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.references import ReferenceRule, References
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Grouped, Indices, Tokens
from rejoinder.text.lists import check_orientation, check_turns, check_weight_lists
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

if TYPE_CHECKING:
    from rejoinder.batches.features import Features, Request

# So much text is measured at a time: its tokens stay small beside a large corpus, and strings that
# come again and again are met within it.
BYTES_PER_SLICE = 1 << 24


@dataclass(frozen=True)
class Batch:
    """Items, each with zero or more hypotheses and zero or more weighted references.

    Attributes:
        hypotheses: m strings, grouped by item.
        bounds: Item i has the hypotheses bounds[i] to bounds[i + 1] (int64 [n + 1]).
        reference_texts: r strings, grouped by item, the original first.
        reference_bounds: int64 [n + 1], likewise.
        weights: float64 [r]; 1 where a reference carries none.
        features: What models provided for the requests of metrics: likelihoods, vectors, learned
            scores.
        contexts: For each of the n items its turns, oldest first; None where they are unknown.
    """

    hypotheses: Strings
    bounds: Indices
    reference_texts: Strings
    reference_bounds: Indices
    weights: Floats
    features: Mapping[Request, Features] = field(default_factory=dict)
    contexts: Sequence[Sequence[str]] | None = None
    _tokens: dict[tuple[bool, str, bool], Tokens] = field(default_factory=dict, repr=False)

    @classmethod
    def from_lists(
        cls,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> Batch:
        """One hypothesis for each item, with a list of references, and weights of that shape.

        Raises:
            InputError: The lists do not fit together, or an element is no text or no weight.
        """
        return cls.from_systems([hypotheses], references, weights, contexts)

    @classmethod
    def from_systems(
        cls,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> Batch:
        """The hypotheses of several systems for the same items: those of an item are adjacent.

        Raises:
            InputError: The lists do not fit together, or an element is no text or no weight.
        """
        if any(_looks_wrong(hypotheses, references) for hypotheses in systems):
            for hypotheses in systems:
                check_orientation(hypotheses, references)
        reference_bounds = _bounds(references)
        try:
            texts = Strings.of(list(chain.from_iterable(references)), "references")
            each = zip(*systems, strict=True) if len(systems) > 1 else systems
            replies = Strings.of(list(chain.from_iterable(each)), "hypotheses")
        except InputError:
            for hypotheses in systems:
                check_orientation(hypotheses, references)
            raise
        values = np.ones(len(texts)) if weights is None else _weights(weights, references)
        items = np.arange(len(references) + 1, dtype=np.int64) * len(systems)
        if contexts is not None:
            check_turns(contexts, len(references))
        return cls(replies, items, texts, reference_bounds, values, contexts=contexts)

    def __len__(self) -> int:
        """How many items there are."""
        return self.bounds.size - 1

    def part(self, begin: int, end: int) -> Batch:
        """The items ``begin`` to ``end``, over the same bytes."""
        h_begin, h_end = int(self.bounds[begin]), int(self.bounds[end])
        r_begin, r_end = int(self.reference_bounds[begin]), int(self.reference_bounds[end])
        return Batch(
            self.hypotheses.part(h_begin, h_end),
            self.bounds[begin : end + 1] - h_begin,
            self.reference_texts.part(r_begin, r_end),
            self.reference_bounds[begin : end + 1] - r_begin,
            self.weights[r_begin:r_end],
            {
                request: each.part((h_begin, h_end), (r_begin, r_end))
                for request, each in self.features.items()
            },
            None if self.contexts is None else self.contexts[begin:end],
        )

    def take(self, items: Indices) -> Batch:
        """Some items (int64 [k]) in that order, over the same bytes, without features."""

        def places(bounds: Indices) -> tuple[Indices, Indices]:
            sizes = np.diff(bounds)[items]
            ends = np.concatenate([[0], np.cumsum(sizes)])
            return np.repeat(bounds[items] - ends[:-1], sizes) + np.arange(ends[-1]), ends

        hypotheses, bounds = places(self.bounds)
        references, reference_bounds = places(self.reference_bounds)
        return Batch(
            self.hypotheses.take(hypotheses),
            bounds,
            self.reference_texts.take(references),
            reference_bounds,
            self.weights[references],
            contexts=None if self.contexts is None else [self.contexts[int(i)] for i in items],
        )

    def parts(self, at_least: int = 1) -> Iterator[Batch]:
        """Cuts the batch into slices of about ``BYTES_PER_SLICE`` bytes of text.

        Args:
            at_least: How many slices are wanted where there is work enough for that many.
        """
        texts = np.concatenate([[0], np.cumsum(self.reference_texts.sizes)])
        replies = np.concatenate([[0], np.cumsum(self.hypotheses.sizes)])
        ends = texts[self.reference_bounds] + replies[self.bounds]
        total = int(ends[-1]) if len(self) else 0
        slices = max(1, min(at_least, total >> 16), -(-total // BYTES_PER_SLICE))
        cuts = np.searchsorted(ends, np.linspace(0, total, slices + 1)[1:-1]).tolist()
        cuts = [0, *cuts, len(self)]
        for begin, end in pairwise(cuts):
            if end > begin:
                yield self.part(begin, end)

    def hypothesis_tokens(self, tokenizer: str, lowercase: bool) -> Tokens:
        """The tokens of the hypotheses, cut once for all metrics that ask alike."""
        return self._cut(True, self.hypotheses, tokenizer, lowercase)

    def reference_tokens(self, tokenizer: str, lowercase: bool) -> Tokens:
        """The tokens of the references, cut once for all metrics that ask alike."""
        return self._cut(False, self.reference_texts, tokenizer, lowercase)

    def grouped(
        self, references: References, tokenizer: str, lowercase: bool
    ) -> tuple[Grouped, Grouped]:
        """The tokens of the hypotheses and of selected references, by item."""
        h = self.hypothesis_tokens(tokenizer, lowercase)
        r = self.reference_tokens(tokenizer, lowercase)
        if references.indices.size < self.weights.size:
            r = r.take(references.indices)
        return Grouped(*h, self.bounds), Grouped(*r, references.bounds)

    def _cut(
        self, of_hypotheses: bool, strings: Strings, tokenizer: str, lowercase: bool
    ) -> Tokens:
        key = (of_hypotheses, tokenizer, lowercase)
        if key not in self._tokens:
            self._tokens[key] = tokenize(strings, tokenizer, lowercase)
        return self._tokens[key]

    def references(self, rule: str = "all") -> References:
        """The references that a rule selects.

        Args:
            rule: ``all``; ``single``, the first (original) one of each item; or ``w>=T``, those
                whose weight is at least ``T`` (Galley et al. 2015, table 2).
        """
        everything = np.arange(self.weights.size, dtype=np.int64)
        references = References(everything, self.reference_bounds, self.weights)
        return references.under(ReferenceRule.parse(rule))


def _looks_wrong(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> bool:
    """A look at the outside of the lists; what is inside shows when it is turned into bytes."""
    return (
        isinstance(hypotheses, (str, bytes))
        or isinstance(references, (str, bytes))
        or not hasattr(hypotheses, "__len__")
        or not hasattr(references, "__len__")
        or len(hypotheses) != len(references)
        or not set(map(type, references)) <= {list, tuple}
    )


def _bounds(ragged: Sequence[Sequence[object]]) -> Indices:
    bounds = np.zeros(len(ragged) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, ragged), np.int64, len(ragged)), out=bounds[1:])
    return bounds


def _weights(weights: Sequence[Sequence[float]], references: Sequence[Sequence[str]]) -> Floats:
    check_weight_lists(weights, references)
    filled = [1.0 if weight is None else weight for weight in chain.from_iterable(weights)]
    flat = np.array(filled, dtype=np.float64)
    outside = np.flatnonzero(~((flat >= -1) & (flat <= 1)))
    if outside.size:
        i = int(np.searchsorted(_bounds(references), outside[0], side="right")) - 1
        raise InputError(
            f"weights[{i}]: {flat[outside[0]]} is outside [-1, 1]; scale a mean rating s on 1..K "
            "to 2 (s - 1) / (K - 1) - 1 first"
        )
    return flat
