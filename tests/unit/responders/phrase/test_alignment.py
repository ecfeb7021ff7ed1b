"""The HMM against all alignments of small sentences, symmetrisation and extraction against brute force."""

import itertools

import numpy as np
import pytest

from rejoinder.kernels import alignment as kernels
from rejoinder.kernels.phrases import Links, association, consistent, shared
from rejoinder.responders.phrase.alignment import WordNumbers, _cells, hmm_links

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def _probability(path, cells, size, table, jumps):
    """The product of jumps and emissions; position 0 is NULL, a NULL keeps the last position."""
    at, value = 0, 1.0
    for j, i in enumerate(path):
        norm = sum(jumps[k - at + jumps.size // 2] for k in range(1, size + 1))
        step = kernels.NULL
        if i:
            step = (1 - kernels.NULL) * jumps[i - at + jumps.size // 2] / norm
            at = i
        value *= step * table[cells[j * (size + 1) + i]]
    return value


@pytest.mark.parametrize(("size", "length"), [(1, 1), (1, 3), (3, 1), (2, 3), (3, 4)])
def test_the_hmm_counts_and_aligns_as_the_sum_and_the_best_of_all_alignments(size, length):
    rng = np.random.default_rng([size, length])
    source = WordNumbers.of([rng.integers(0, 4, size).tolist()])
    target = WordNumbers.of([rng.integers(0, 4, length).tolist()])
    cells, owners = _cells(source, target)
    table, jumps = rng.random(owners.size), rng.random(9)
    paths = list(itertools.product(range(size + 1), repeat=length))
    values = np.array([_probability(path, cells, size, table, jumps) for path in paths])
    counts, moved = np.zeros_like(table), np.zeros_like(jumps)
    for path, share in zip(paths, values / values.sum(), strict=True):
        at = 0
        for j, i in enumerate(path):
            counts[cells[j * (size + 1) + i]] += share
            if i:
                moved[i - at + 4] += share
                at = i
    found = [np.zeros_like(table), np.zeros_like(jumps), np.zeros(length, dtype=np.int64)]
    for mode in (kernels.HMM, kernels.VITERBI):
        kernels.align(mode, cells, source.lengths, target.lengths, table, jumps, *found)
    assert found[0] == pytest.approx(counts)
    assert found[1] == pytest.approx(moved)
    assert (found[2] + 1).tolist() == list(paths[int(values.argmax())])


def test_model_1_counts_as_its_formula():
    source, target = WordNumbers.of([[0, 1]]), WordNumbers.of([[3]])
    cells, owners = _cells(source, target)
    assert owners[cells].tolist() == [2, 0, 1]  # NULL, then the source words
    table = np.array([0.5, 0.25, 0.25])[owners]
    counts = np.zeros(3)
    none = np.zeros(1)
    kernels.align(
        kernels.MODEL_1, cells, source.lengths, target.lengths, table, np.ones(5), counts, none,
        none.astype(np.int64),
    )  # fmt: skip
    # .2 x .25 of NULL, .8 / 2 x .5 and .8 / 2 x .25 of the words: .05, .2 and .1 of .35.
    assert counts[cells] == pytest.approx(np.array([0.05, 0.2, 0.1]) / 0.35)


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
        left, right, bounds = kernels.symmetrised(
            to_source, to_target, np.array([size]), np.array([length])
        )
        found = set(zip(left.tolist(), right.tolist(), strict=True))
        assert found == _koehn(forward, backward, size, length)
        assert bounds.tolist() == [0, len(found)]
        # NLTK asks whether a word's number is among the keys "e" and "f", so that it takes the union.
        pharaoh = [" ".join(f"{i}-{j}" for i, j in sorted(each)) for each in (forward, backward)]
        theirs = set(nltk.grow_diag_final_and(size, length, *pharaoh))
        assert theirs == forward | backward
        assert forward & backward <= found <= theirs


def _links(points, size, length):
    left, right = (np.array(each, dtype=np.int64) for each in zip(*sorted(points), strict=True))
    one = [np.array([each]) for each in (size, length)]
    return Links(*one, left, right, np.array([0, left.size]))


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
    found = consistent(_links(points, len(source), len(target)), 10)
    ours = {((a, b), (c, d)) for _, a, b, c, d in found.tolist()}
    assert len(found) == len(theirs) == 24
    assert ours == {(each[0], each[1]) for each in theirs}


@pytest.mark.parametrize("longest", [2, 3, 8])
def test_phrases_are_all_consistent_pairs_of_random_alignments(longest):
    rng = np.random.default_rng(longest)
    for _ in range(40):
        size, length = (int(each) for each in rng.integers(1, 7, 2))
        points = {(int(rng.integers(size)), int(rng.integers(length))) for _ in range(4)}
        expected = [
            [0, a, b, c, d]
            for a, b in itertools.combinations(range(size + 1), 2)
            for c, d in itertools.combinations(range(length + 1), 2)
            if max(b - a, d - c) <= longest
            and any(a <= i < b and c <= j < d for i, j in points)
            and all((a <= i < b) == (c <= j < d) for i, j in points)
        ]
        assert sorted(consistent(_links(points, size, length), longest).tolist()) == sorted(
            expected
        )


def test_fishers_exact_test_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    one, other = rng.integers(1, 90, (2, 300))
    both = np.maximum(1, np.maximum(one + other - 100, rng.integers(0, np.minimum(one, other) + 1)))
    theirs = -stats.hypergeom.logsf(both - 1, 100, one, other)
    assert association(both, one, other, 100) == pytest.approx(theirs, rel=1e-6, abs=1e-9)


def test_sentences_in_common_are_those_of_sets():
    rng = np.random.default_rng(4)
    sides = [[np.flatnonzero(rng.random(30) < share) for share in rng.random(6)] for _ in range(2)]
    flat = [np.concatenate(each) for each in sides]
    bounds = [np.cumsum([0, *map(len, each)]) for each in sides]
    pairs = np.array(list(itertools.product(range(6), range(6))))
    found = shared(flat[0], bounds[0], flat[1], bounds[1], pairs)
    assert found.tolist() == [len({*sides[0][a]} & {*sides[1][b]}) for a, b in pairs]
