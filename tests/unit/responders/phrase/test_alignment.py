"""The HMM against all alignments of small sentences, symmetrisation and extraction against brute force."""

import itertools

import numpy as np
import pytest

from rejoinder.responders.phrase.alignment import (
    BEHIND,
    NULL,
    Links,
    WordNumbers,
    WordPairs,
    best_positions,
    expected_counts,
    hmm_links,
    symmetrised,
    transitions,
)
from rejoinder.responders.phrase.phrases import association, consistent, in_common

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def _probability(path, emitted, jumps):
    """The product of jumps and emissions; position 0 is NULL, a NULL keeps the last position."""
    at, value = 0, 1.0
    for j, i in enumerate(path):
        norm = sum(jumps[k - at + jumps.size // 2] for k in range(1, emitted.shape[1]))
        step = NULL
        if i:
            step = (1 - NULL) * jumps[i - at + jumps.size // 2] / norm
            at = i
        value *= step * emitted[j, i]
    return value


@pytest.mark.parametrize(("size", "length"), [(1, 1), (1, 3), (3, 1), (2, 3), (3, 4)])
def test_the_hmm_counts_and_aligns_as_the_sum_and_the_best_of_all_alignments(size, length):
    rng = np.random.default_rng([size, length])
    emitted, jumps = rng.random((2, length, size + 1)), rng.random(9)
    steps = transitions(jumps, size)
    found, moves = expected_counts(steps, emitted)
    best, all_moved = best_positions(steps, emitted), np.zeros((size + 1, size + 1))
    for one, each in enumerate(emitted):
        paths = list(itertools.product(range(size + 1), repeat=length))
        values = np.array([_probability(path, each, jumps) for path in paths])
        counts = np.zeros_like(each)
        for path, share in zip(paths, values / values.sum(), strict=True):
            at = 0
            for j, i in enumerate(path):
                counts[j, i] += share
                if i:
                    all_moved[at, i] += share
                    at = i
        assert found[one] == pytest.approx(counts)
        assert (best[one] + 1).tolist() == list(paths[int(values.argmax())])
    assert moves == pytest.approx(all_moved)


def test_with_jumps_that_are_alike_it_is_model_1():
    emitted = np.array([[[0.25, 0.5, 0.25]]])  # NULL, then the source words
    counts, _ = expected_counts(transitions(np.ones(5), 2), emitted)
    # .2 x .25 of NULL, .8 / 2 x .5 and .8 / 2 x .25 of the words: .05, .2 and .1 of .35.
    assert counts[0, 0] == pytest.approx(np.array([0.05, 0.2, 0.1]) / 0.35)


def test_sentences_of_unlike_lengths_are_aligned_as_each_alone():
    source = WordNumbers.of([[0, 1], [0, 1], [2, 0]])
    target = WordNumbers.of([[5], [5, 6, 6], [7, 5]])
    pairs = WordPairs.of(source, target)
    assert [each.shape for each in pairs.batches] == [(3, 3, 3)]
    table = np.random.default_rng(0).random(pairs.sources.size)
    table[:2] = BEHIND
    (batch,) = pairs.batches
    emitted = table[pairs.rows[batch.part]].reshape(batch.shape)
    steps = transitions(np.ones(5), 2)
    together = expected_counts(steps, emitted), best_positions(steps, emitted)
    for row, (each, places) in enumerate(zip(emitted, batch.places, strict=True)):
        length = int((places >= 0).sum())
        alone = each[None, :length]
        assert together[0][0][row, :length] == pytest.approx(expected_counts(steps, alone)[0][0])
        assert together[1][row, :length].tolist() == best_positions(steps, alone)[0].tolist()


def test_words_that_always_go_together_are_aligned():
    rng = np.random.default_rng(1)
    sources = [rng.permutation(6)[: rng.integers(2, 6)].tolist() for _ in range(200)]
    targets = [[word + 10 for word in reversed(each)] for each in sources]
    links = hmm_links(WordNumbers.of(sources), WordNumbers.of(targets), 5)
    expected = [len(each) - 1 - j for each in sources for j in range(len(each))]
    assert (links == expected).mean() > 0.99


def _koehn(forward, backward, size, length):
    """Koehn et al. (2005), a set of points at a time."""
    union, taken = forward | backward, forward & backward

    def free(i, j):
        return all(a != i for a, _ in taken), all(b != j for _, b in taken)

    grown = True
    while grown:
        grown = False
        for i, j in itertools.product(range(size), range(length)):
            for down, across in NEIGHBOURS if (i, j) in taken else ():
                point = (i + down, j + across)
                if point in union - taken and any(free(*point)):
                    taken, grown = taken | {point}, True
    for each in (forward, backward):
        for point in sorted(each - taken):
            if all(free(*point)):
                taken = taken | {point}
    return taken


def _random_alignments(rng):
    size, length = (int(each) for each in rng.integers(1, 8, 2))
    to_source = np.where(rng.random(length) < 0.8, rng.integers(0, size, length), -1)
    to_target = np.where(rng.random(size) < 0.8, rng.integers(0, length, size), -1)
    return size, length, to_source, to_target


def test_symmetrisation_is_koehns_on_random_alignments():
    nltk = pytest.importorskip("nltk.translate.gdfa")
    rng = np.random.default_rng(2)
    for _ in range(100):
        size, length, to_source, to_target = _random_alignments(rng)
        forward = {(int(i), j) for j, i in enumerate(to_source) if i >= 0}
        backward = {(i, int(j)) for i, j in enumerate(to_target) if j >= 0}
        links = symmetrised(forward, backward)
        assert links == sorted(found := _koehn(forward, backward, size, length))
        # NLTK asks whether a word's number is among the keys "e" and "f", so that it takes the union.
        pharaoh = [" ".join(f"{i}-{j}" for i, j in sorted(each)) for each in (forward, backward)]
        theirs = set(nltk.grow_diag_final_and(size, length, *pharaoh))
        assert theirs == forward | backward
        assert forward & backward <= found <= theirs


def _extracted(points, size, length, longest):
    """Phrase pairs of one sentence: where each span begins and ends."""
    one, other = (WordNumbers.of([list(range(each))]) for each in (size, length))
    left, right = (np.array(each) for each in zip(*sorted(points), strict=True))
    found = consistent(one, other, Links(left, right), longest).tolist()
    return [[a, a + b, c, c + d] for a, b, c, d in found]


def test_phrases_are_nltks_24_of_its_example():
    phrase_based = pytest.importorskip("nltk.translate.phrase_based")
    source = "michael assumes that he will stay in the house".split()
    target = "michael geht davon aus , dass er im haus bleibt".split()
    points = [
        (0, 0),
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 5),
        (3, 6),
        (4, 9),
        (5, 9),
        (6, 7),
        (7, 7),
        (8, 8),
    ]
    theirs = phrase_based.phrase_extraction(" ".join(source), " ".join(target), points)
    found = _extracted(points, len(source), len(target), 10)
    ours = {((a, b), (c, d)) for a, b, c, d in found}
    assert len(found) == len(theirs) == 24
    assert ours == {(each[0], each[1]) for each in theirs}


@pytest.mark.parametrize("longest", [2, 3, 8])
def test_phrases_are_all_consistent_pairs_of_random_alignments(longest):
    rng = np.random.default_rng(longest)
    for _ in range(40):
        size, length = (int(each) for each in rng.integers(1, 7, 2))
        points = {(int(rng.integers(size)), int(rng.integers(length))) for _ in range(4)}
        expected = [
            [a, b, c, d]
            for a, b in itertools.combinations(range(size + 1), 2)
            for c, d in itertools.combinations(range(length + 1), 2)
            if max(b - a, d - c) <= longest
            and any(a <= i < b and c <= j < d for i, j in points)
            and all((a <= i < b) == (c <= j < d) for i, j in points)
        ]
        assert sorted(_extracted(points, size, length, longest)) == sorted(expected)


def test_phrases_do_not_cross_sentences():
    source, target = WordNumbers.of([[1, 2], [3]]), WordNumbers.of([[4], [5, 6]])
    links = Links(np.array([0, 2]), np.array([0, 2]))
    found = consistent(source, target, links, 5)
    assert sorted(found.tolist()) == [[0, 1, 0, 1], [0, 2, 0, 1], [2, 1, 1, 2], [2, 1, 2, 1]]


def test_fishers_exact_test_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    one, other = rng.integers(1, 90, (2, 300))
    both = np.maximum(1, np.maximum(one + other - 100, rng.integers(0, np.minimum(one, other) + 1)))
    theirs = -stats.hypergeom.logsf(both - 1, 100, one, other)
    assert association(both, one, other, 100) == pytest.approx(theirs, rel=1e-6, abs=1e-9)
    half = np.array(
        [5000]
    )  # far fewer in common than expected: the sum is beyond what numbers hold
    assert association(np.array([1]), half, half, 10_000).tolist() == [0.0]


def test_sentences_in_common_are_those_of_sets():
    rng = np.random.default_rng(4)
    sides = [[np.flatnonzero(rng.random(30) < share) for share in rng.random(6)] for _ in range(2)]
    flat = [(np.concatenate(each), np.cumsum([0, *map(len, each)])) for each in sides]
    pairs = np.array(list(itertools.product(range(6), range(6)))).T
    both, one, other = in_common(flat, pairs, 30)
    assert both.tolist() == [len({*sides[0][a]} & {*sides[1][b]}) for a, b in pairs.T]
    assert one.tolist() == [sides[0][a].size for a in pairs[0]]
    assert other.tolist() == [sides[1][b].size for b in pairs[1]]
