"""The phrase table: consistent phrase pairs that are no chance and no copies, with their features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels import phrases as kernels
from rejoinder.kernels.arrays import Codes, Fingerprints, Floats, Indices, Table
from rejoinder.kernels.decoding import chained
from rejoinder.kernels.phrases import Links
from rejoinder.responders.phrase.alignment import WordNumbers

PHRASE_FEATURES = (
    "phrase_forward", "lexical_forward", "phrase_backward", "lexical_backward", "phrases", "words",
    "association", "edit_distance", "cosine", "jaccard", "jaccard_distance", "length_ratio",
)  # fmt: skip
"""Features of a phrase pair; a reply has their sums over its pairs.

The first four are logarithms of p(target | source), of its lexical weight, and of both the other way
round; ``phrases`` is 1 and ``words`` the number of target words; ``association`` is -ln p of Fisher's
exact test. The others compare the words of the two sides (Galley et al. 2015, section 4.2): Levenshtein
distance in words, cosine of the bags of words, Jaccard index and distance of the sets of words, and
target words over source words.
"""


class PhraseTable(NamedTuple):
    """Phrase pairs in the order of their source phrases.

    Attributes:
        keys: uint64 [s], the fingerprints of the source phrases, ascending.
        bounds: int64 [s + 1], source phrase k has the pairs bounds[k] to bounds[k + 1].
        words: int64 [t], the target words of all pairs.
        starts: int64 [p + 1], pair k has the target words starts[k] to starts[k + 1].
        features: float64 [p, 12], the ``PHRASE_FEATURES``.
    """

    keys: Fingerprints
    bounds: Indices
    words: Indices
    starts: Indices
    features: Table


class Pruned(NamedTuple):
    """How many distinct phrase pairs were extracted, and how many of them were dropped."""

    extracted: int
    chance: int
    copies: int


def phrase_table(
    source: WordNumbers,
    target: WordNumbers,
    links: Links,
    source_of_target: Indices,
    longest: int,
    least: float = 0.0,
) -> tuple[PhraseTable, Pruned]:
    """Extracts, prunes and scores phrase pairs.

    Args:
        source: The messages.
        target: The replies.
        links: Their alignment.
        source_of_target: int64 [target vocabulary], the number that each target word has as a source
            word, or a negative one of its own.
        longest: Most words of a phrase.
        least: Pairs whose -ln p of Fisher's exact test is not above this are dropped; 0: the logarithm of
            the number of sentences, which drops all pairs of phrases that occur once (Johnson et al.
            2007).
    """
    n = links.sources.size
    spans = kernels.consistent(links, longest)
    if not len(spans):
        none = np.zeros(0, dtype=np.int64)
        first = np.zeros(1, dtype=np.int64)
        table = PhraseTable(
            none.astype(np.uint64), first, none, first, np.zeros((0, len(PHRASE_FEATURES)))
        )
        return table, Pruned(0, 0, 0)
    first = source.bounds[spans[:, 0]] + spans[:, 1]
    other = target.bounds[spans[:, 0]] + spans[:, 3]
    sides = [
        _Side.of(source, first, spans[:, 2] - spans[:, 1], longest),
        _Side.of(target, other, spans[:, 4] - spans[:, 3], longest),
    ]
    width = sides[1].keys.size
    codes, place, owner, joint = np.unique(
        sides[0].ids * width + sides[1].ids,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    pairs = np.stack([codes // width, codes % width], axis=1)
    postings = [each.postings(longest) for each in sides]
    both = kernels.shared(*postings[0], *postings[1], pairs)
    totals = [np.diff(postings[side][1])[pairs[:, side]] for side in (0, 1)]
    association = kernels.association(both, totals[0], totals[1], n)
    kept = association > (least or np.log(n)) + 1e-6
    chance = int((~kept).sum())
    left, right = (
        _matrix(source, first, spans[:, 1:3], longest, place),
        _matrix(target, other, spans[:, 3:5], longest, place),
    )
    right = np.where(right >= 0, source_of_target[np.maximum(right, 0)], _NOTHING)
    copies = kept & _copied(left, right)
    kept &= ~copies
    relative = [joint / np.bincount(pairs[:, side], joint)[pairs[:, side]] for side in (0, 1)]
    chosen = np.flatnonzero(kept[owner])
    lexical = _lexical(spans[chosen], source, target, links)
    best = np.full((2, codes.size), -np.inf)
    for side in (0, 1):
        np.maximum.at(best[side], owner[chosen], lexical[side])
    sizes = (left >= 0).sum(axis=1), (right != _NOTHING).sum(axis=1)
    features = np.stack(
        [np.log(relative[0]), best[0], np.log(relative[1]), best[1], np.ones(codes.size), sizes[1],
         association],
        axis=1,
    )[kept]  # fmt: skip
    features = np.concatenate([features, _likeness(left[kept], right[kept])], axis=1)
    lengths = sizes[1][kept]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    words = target.words[np.repeat(other[place[kept]], lengths) + within]
    phrases, counts = np.unique(pairs[kept, 0], return_counts=True)
    bounds = np.concatenate([[0], np.cumsum(counts)])
    table = PhraseTable(
        sides[0].keys[phrases], bounds, words, starts, np.ascontiguousarray(features)
    )
    return table, Pruned(codes.size, chance, int(copies.sum()))


_NOTHING = np.iinfo(np.int64).min


class _Side(NamedTuple):
    """The distinct phrases of one side: their fingerprints, and the number of each span's."""

    sentences: WordNumbers
    keys: Fingerprints
    ids: Indices

    @classmethod
    def of(cls, sentences: WordNumbers, first: Indices, lengths: Indices, longest: int) -> _Side:
        keys, ids = np.unique(
            span_keys(sentences.words, first, lengths, longest), return_inverse=True
        )
        return cls(sentences, keys, ids)

    def postings(self, longest: int) -> tuple[Indices, Indices]:
        """The sentences that hold each phrase, extracted there or not, and where those of each begin."""
        words, bounds = self.sentences
        ends = np.repeat(bounds[1:], self.sentences.lengths)
        sentence = np.repeat(np.arange(bounds.size - 1), self.sentences.lengths)
        n, found = bounds.size - 1, []
        for length in range(1, longest + 1):
            first = np.flatnonzero(np.arange(words.size) + length <= ends)
            keys = span_keys(words, first, np.full(first.size, length), length)
            place = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
            there = self.keys[place] == keys
            found.append(np.unique(place[there] * n + sentence[first[there]]))
        codes = np.sort(np.concatenate(found))
        return codes % n, np.searchsorted(codes, np.arange(self.keys.size + 1) * n)


def span_keys(words: Indices, first: Indices, lengths: Indices, longest: int) -> Fingerprints:
    """Fingerprints of spans of words: uint64 [spans].

    Args:
        words: The words of all sentences.
        first: Where each span begins.
        lengths: Its length.
        longest: The length of the longest.
    """
    keys = np.zeros(first.size, dtype=np.uint64)
    for k in range(longest):
        inside = np.flatnonzero(lengths > k)
        keys[inside] = chained(keys[inside], words[first[inside] + k])
    return keys


def _matrix(
    sentences: WordNumbers, first: Indices, ends: Codes, longest: int, chosen: Indices
) -> Codes:
    """The words of chosen spans, a row each, -1 behind the last: int64 [chosen, longest]."""
    first, lengths = first[chosen], np.diff(ends[chosen], axis=1)
    places = np.minimum(first[:, None] + np.arange(longest), sentences.words.size - 1)
    return np.where(np.arange(longest) < lengths, sentences.words[places], -1)


def _copied(left: Codes, right: Codes) -> np.ndarray:
    """Whether either phrase holds the other: bool [p]."""
    copied = np.zeros(len(left), dtype=bool)
    for one, other in ((left, right), (right, left)):
        some = (one != _NOTHING) & (one != -1)
        for shift in range(left.shape[1]):
            window = np.full_like(other, _NOTHING)
            window[:, : left.shape[1] - shift] = other[:, shift:]
            copied |= ((window == one) | ~some).all(axis=1)
    return copied


def _lexical(spans: Codes, source: WordNumbers, target: WordNumbers, links: Links) -> list[Floats]:
    """The lexical weights of spans, target given source and the other way round."""
    turned = Links(links.targets, links.sources, links.right, links.left, links.bounds)
    values = []
    for one, other, each, columns in (
        (source, target, links, [0, 1, 2, 3, 4]),
        (target, source, turned, [0, 3, 4, 1, 2]),
    ):
        pair = np.repeat(np.arange(each.sources.size), np.diff(each.bounds))
        given, word = (
            one.words[one.bounds[pair] + each.left],
            other.words[other.bounds[pair] + each.right],
        )
        linked = np.zeros(other.words.size, dtype=bool)
        linked[other.bounds[pair] + each.right] = True
        width = int(other.words.max()) + 1
        codes, place, counts = np.unique(
            given * width + word, return_inverse=True, return_counts=True
        )
        weights = (counts / np.bincount(codes // width, counts)[codes // width])[place]
        alone = np.bincount(other.words[~linked], minlength=width)
        none = (alone / max(1, alone.sum()))[other.words]
        values.append(
            kernels.lexical_weights(
                np.ascontiguousarray(spans[:, columns]),
                each,
                weights,
                none,
                other.bounds[:-1].copy(),
            )
        )
    return values


def _likeness(left: Codes, right: Codes) -> Table:
    """Levenshtein distance, cosine, Jaccard index and distance, length ratio: float64 [p, 5]."""
    m, n = (left >= 0).sum(axis=1), (right != _NOTHING).sum(axis=1)
    longest = left.shape[1]
    same = left[:, :, None] == right[:, None, :]
    cost = np.zeros((len(left), longest + 1, longest + 1))
    cost[:, :, 0], cost[:, 0, :] = np.arange(longest + 1), np.arange(longest + 1)
    for i in range(longest):
        for j in range(longest):
            cost[:, i + 1, j + 1] = np.minimum(
                np.minimum(cost[:, i, j + 1], cost[:, i + 1, j]) + 1,
                cost[:, i, j] + ~same[:, i, j],
            )
    distance = cost[np.arange(len(left)), m, n]
    repeats = [(each[:, :, None] == each[:, None, :]) for each in (left, right)]
    real = [left >= 0, right != _NOTHING]
    norms = [
        (own & there[:, :, None] & there[:, None, :]).sum(axis=(1, 2))
        for own, there in zip(repeats, real, strict=True)
    ]
    earlier = np.tril(np.ones((longest, longest), dtype=bool), -1)
    new = [there & ~(own & earlier).any(axis=2) for own, there in zip(repeats, real, strict=True)]
    cosine = same.sum(axis=(1, 2)) / np.sqrt(norms[0] * norms[1])
    common = (same.any(axis=2) & new[0]).sum(axis=1)
    jaccard = common / (new[0].sum(axis=1) + new[1].sum(axis=1) - common)
    return np.stack([distance, cosine, jaccard, 1 - jaccard, n / m], axis=1)
