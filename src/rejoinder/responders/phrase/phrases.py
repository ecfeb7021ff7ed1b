"""The phrase table: consistent phrase pairs that are no chance and no copies, with their features."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Codes, Fingerprints, Floats, Indices, Table
from rejoinder.kernels.decoding import FREE, chained
from rejoinder.responders.phrase.alignment import Links, WordNumbers

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
    n = source.lengths.size
    spans = consistent(source, target, links, longest)
    sides = [(source, spans[:, 0], spans[:, 1]), (target, spans[:, 2], spans[:, 3])]
    fingerprints = [span_keys(each.words, begin, size, longest) for each, begin, size in sides]
    keys, ids = zip(*(np.unique(each, return_inverse=True) for each in fingerprints), strict=True)
    codes, place, pair_of_span, joint = np.unique(
        ids[0] * max(1, keys[1].size) + ids[1],
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    pairs = [each[place] for each in ids]
    holders = [
        _occurrences(each, longest, own) for each, own in zip((source, target), keys, strict=True)
    ]
    strength = association(*in_common(holders, pairs, n), n)
    strong = np.flatnonzero(strength > (least or np.log(n)) + 1e-6)
    left, right = (_phrases(*each, place[strong]) for each in sides)
    translated = WordNumbers(source_of_target[right.words], right.bounds)
    couples = list(zip(left.lists, translated.lists, strict=True))
    copies = np.array([_holds(*each) or _holds(*each[::-1]) for each in couples], dtype=bool)
    kept = strong[~copies]
    likeness = np.array([_likeness(*each) for each in couples]).reshape(-1, 5)[~copies]
    lexical = [np.full(codes.size, -np.inf) for _ in sides]
    weights = lexical_weights(source, target, links)
    for best, (_, first, lengths), each in zip(lexical, sides[::-1], weights, strict=True):
        sums = np.concatenate([[0.0], np.cumsum(each)])
        np.maximum.at(best, pair_of_span, sums[first + lengths] - sums[first])
    relative = [np.log(joint / np.bincount(phrase, joint)[phrase]) for phrase in pairs]
    replies = _phrases(*sides[1], place[kept])
    columns = [relative[0], lexical[0], relative[1], lexical[1], np.ones(codes.size),
               spans[place, 3], strength]  # fmt: skip
    features = np.hstack([np.stack(columns, axis=1)[kept], likeness])
    phrases, counts = np.unique(pairs[0][kept], return_counts=True)
    bounds = np.concatenate([[0], np.cumsum(counts)])
    table = PhraseTable(keys[0][phrases], bounds, *replies, features)
    return table, Pruned(codes.size, codes.size - strong.size, strong.size - kept.size)


def consistent(source: WordNumbers, target: WordNumbers, links: Links, longest: int) -> Codes:
    """All phrase pairs that are consistent with the alignment (Och and Ney 2004).

    A pair of spans has a link at least, and no link leads from one of them out of the other. Unaligned
    words may stand at their ends.

    Args:
        source: Sentences.
        target: As many sentences.
        links: The aligned words.
        longest: Most words of a phrase on either side.

    Returns:
        int64 [p, 4]: first source word and number of source words, first target word and number of
        target words.

    >>> word = WordNumbers.of([[7]])
    >>> consistent(word, word, Links(np.array([0]), np.array([0])), 5).tolist()
    [[0, 1, 0, 1]]
    """
    low, high = _linked(source, links.source, links.target, longest)
    lowest, highest = _linked(target, links.target, links.source, longest)
    short, first = np.nonzero((low <= high) & (low >= 0) & (high - low < longest))
    low, high, last = low[short, first], high[short, first], first + short
    spans = [np.empty((0, 4), dtype=np.int64)]
    for before in range(longest):
        for behind in range(longest - before):
            begin, size = low - before, high - low + before + behind
            fits = np.flatnonzero((size < longest) & (begin >= 0))
            at = size[fits], begin[fits]
            fits = fits[(lowest[at] >= first[fits]) & (highest[at] <= last[fits])]
            spans.append(np.stack([first, short + 1, begin, size + 1], axis=1)[fits])
    return np.concatenate(spans)


def _linked(
    sentences: WordNumbers, side: Indices, other: Indices, longest: int
) -> tuple[Codes, Codes]:
    """The first and the last word that each span is linked to: int64 [longest, words] each.

    Row k has the spans of k + 1 words from each word on. A span without a link has a first one above its
    last one, and a span that is longer than its sentence has the first one -1.
    """
    size = sentences.words.size
    low = np.full((longest, size + longest), np.iinfo(np.int64).max)
    high = np.full((longest, size + longest), -1)
    np.minimum.at(low[0], side, other)
    np.maximum.at(high[0], side, other)
    ends = np.repeat(sentences.bounds[1:], sentences.lengths)
    for k in range(1, longest):
        low[k, :-k] = np.minimum(low[k - 1, :-k], low[0, k:])
        high[k, :-k] = np.maximum(high[k - 1, :-k], high[0, k:])
        low[k, :size][np.arange(size) + k >= ends] = -1
    return low[:, :size], high[:, :size]


def in_common(
    occurrences: Sequence[tuple[Indices, Indices]], pairs: Sequence[Indices], n: int
) -> tuple[Indices, Indices, Indices]:
    """How many sentences hold both phrases of each pair, and either one: int64 [p] each.

    Args:
        occurrences: Of source and target phrases the sentences of each, ascending, one phrase behind the
            other, and where those of each phrase begin: int64 [phrases + 1].
        pairs: Source and target phrases, int64 [p] each.
        n: Number of sentences.
    """
    counts = [np.diff(bounds) for _, bounds in occurrences]
    totals = [of_side[phrases] for of_side, phrases in zip(counts, pairs, strict=True)]
    both = np.zeros(pairs[0].size, dtype=np.int64)
    fewer = totals[0] <= totals[1]
    for rare, often, mine in ((0, 1, fewer), (1, 0, ~fewer)):
        chosen = np.flatnonzero(mine)
        sentences, bounds = occurrences[rare]
        known = np.repeat(np.arange(counts[often].size), counts[often]) * n + occurrences[often][0]
        for part in np.array_split(chosen, totals[rare][chosen].sum() // LOOKUPS + 1):
            sizes = totals[rare][part]
            owner = np.repeat(np.arange(part.size), sizes)
            here = ranges(bounds[pairs[rare][part]], sizes)
            codes = pairs[often][part][owner] * n + sentences[here]
            at = np.minimum(np.searchsorted(known, codes), known.size - 1)
            both[part] = np.bincount(owner, known[at] == codes, part.size)
    return both, totals[0], totals[1]


def ranges(starts: Indices, sizes: Indices) -> Indices:
    """So many numbers from each start on, one range behind the other.

    >>> ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    return np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)


LOOKUPS = 1 << 22
"""So many sentences are looked up at once."""

NEGLIGIBLE = 1e-12
"""Terms of a sum below this share of it are left out."""


def association(both: Indices, one: Indices, other: Indices, size: int) -> Floats:
    """Minus the logarithm of p of Fisher's exact test, one-sided: as many in common, or more.

    Args:
        both: int64 [p], sentences with both phrases; 1 at least.
        one: int64 [p], with the source phrase.
        other: int64 [p], with the target phrase.
        size: The number of sentences.

    Returns:
        float64 [p], 0 or more.

    >>> association(np.array([1]), np.array([1]), np.array([1]), 100).round(3).tolist()  # ln 100
    [4.605]
    """
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size + 1)))])
    k, neither = both, size - one - other + both
    first = (
        logs[one] - logs[k] - logs[one - k] + logs[size - one] - logs[other - k] - logs[neither]
        - logs[size] + logs[other] + logs[size - other]
    )  # fmt: skip
    total, term, left = np.ones(both.size), np.ones(both.size), np.arange(both.size)
    k, a, b, c = (each.astype(np.float64) for each in (k, one - k, other - k, neither))
    with np.errstate(over="ignore", invalid="ignore"):
        # Tables with one more in common each time; once terms fall, they fall faster and faster.
        while left.size:
            ratio = a * b / ((k + 1) * (c + 1))
            term = term * ratio
            total[left] += term
            on = (ratio > 1) | (term > NEGLIGIBLE * total[left])
            left, term, k, a, b, c = left[on], term[on], k[on] + 1, a[on] - 1, b[on] - 1, c[on] + 1
    # A sum that is no number is of tables far below what is expected: p is 1.
    return np.where(np.isfinite(total), np.maximum(0.0, -first - np.log(total)), 0.0)


def lexical_weights(source: WordNumbers, target: WordNumbers, links: Links) -> list[Floats]:
    """The logarithm of each word's lexical weight (Koehn et al. 2003, eq. 10): of target, then source words.

    ``log mean_{i linked to j} w(t_j | s_i)``, of an unlinked word ``log w(t_j | NULL)``, w being shares of
    links. All links of a word lead into its phrase, so that a phrase's weight is the sum over its words.
    """
    weights = []
    for one, other, given, word in (
        (source, target, links.source, links.target),
        (target, source, links.target, links.source),
    ):
        width = int(other.words.max(initial=0)) + 1
        codes, place, counts = np.unique(
            one.words[given] * width + other.words[word], return_inverse=True, return_counts=True
        )
        shares = counts / np.bincount(codes // width, counts)[codes // width]
        linked = np.bincount(word, minlength=other.words.size)
        alone = np.bincount(other.words[linked == 0], minlength=width)
        means = np.bincount(word, shares[place], other.words.size) / np.maximum(linked, 1)
        none = alone / max(1, alone.sum())
        weights.append(np.log(np.where(linked > 0, means, none[other.words])))
    return weights


def _occurrences(
    sentences: WordNumbers, longest: int, keys: Fingerprints
) -> tuple[Indices, Indices]:
    """The sentences that hold each phrase, extracted there or not, and where those of each begin."""
    n = sentences.lengths.size
    place, first, _ = spans_among(sentences, longest, keys)
    codes = np.unique(place * n + np.repeat(np.arange(n), sentences.lengths)[first])
    return codes % n, np.searchsorted(codes, np.arange(keys.size + 1) * n)


def _phrases(
    sentences: WordNumbers, first: Indices, lengths: Indices, chosen: Indices
) -> WordNumbers:
    """The words of chosen spans."""
    words = sentences.words[ranges(first[chosen], lengths[chosen])]
    return WordNumbers(words, np.concatenate([[0], np.cumsum(lengths[chosen])]))


def spans_among(sentences: WordNumbers, longest: int, keys: Fingerprints) -> Codes:
    """The spans of sentences that are among known ones: int64 [3, spans], the shortest first.

    Args:
        sentences: The sentences.
        longest: The length of the longest span.
        keys: The fingerprints of the known spans, ascending.

    Returns:
        The place of each fingerprint in ``keys``, its first word and its length.
    """
    ends = np.repeat(sentences.bounds[1:], sentences.lengths)
    parts, known = [], np.append(keys, FREE)
    for length in range(1, longest + 1):
        first = np.flatnonzero(np.arange(ends.size) + length <= ends)
        lengths = np.full(first.size, length)
        spans = span_keys(sentences.words, first, lengths, length)
        places = np.searchsorted(keys, spans)
        parts.append(np.stack([places, first, lengths])[:, known[places] == spans])
    return np.concatenate(parts, axis=1)


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


def _holds(phrase: list[int], part: list[int]) -> bool:
    """Whether a phrase has these words in this order, one behind the other."""
    size = len(part)
    return any(phrase[k : k + size] == part for k in range(len(phrase) - size + 1))


def _likeness(one: list[int], other: list[int]) -> tuple[float, ...]:
    """Levenshtein distance, cosine, Jaccard index and distance, and length ratio of two phrases."""
    a, b = Counter(one), Counter(other)
    squares = sum(k**2 for k in a.values()) * sum(k**2 for k in b.values())
    cosine = sum(a[word] * b[word] for word in a) / math.sqrt(squares)
    jaccard = len(a.keys() & b.keys()) / len(a.keys() | b.keys())
    costs = list(range(len(other) + 1))
    for word in one:
        before, costs = costs, [costs[0] + 1]
        for k, each in enumerate(other):
            costs.append(min(before[k] + (word != each), before[k + 1] + 1, costs[k] + 1))
    return costs[-1], cosine, jaccard, 1 - jaccard, len(other) / len(one)
