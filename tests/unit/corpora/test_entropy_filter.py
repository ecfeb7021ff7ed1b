"""The entropy filter, against entropies worked by hand and counts of another implementation."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from rejoinder.corpora.entropy_filter import entropies, filter_by_entropy
from rejoinder.corpora.filtering import kmeans
from rejoinder.corpora.pairs import Pairs, adjacent_pairs
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.testset import read_testset
from shared_data import shared


def pairs_of(*rows):
    return Pairs([str(i) for i in range(len(rows))], [r[0] for r in rows], [r[1] for r in rows])


# "yes" is said to a, a, b, c: 1/2, 1/4, 1/4, so 1.5 bits. "no" is said to a and b: 1 bit.
# a gets yes, yes, no: 2/3, 1/3, so 0.918 bits. b gets yes, no: 1 bit. c gets yes: 0.
PAIRS = pairs_of(("a", "yes"), ("a", "yes"), ("b", "yes"), ("c", "yes"), ("a", "no"), ("b", "no"))
OF_A = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))


def test_entropies_by_hand():
    told = filter_by_entropy(PAIRS, "both", threshold=9)
    np.testing.assert_allclose(told.target_entropy, [1.5, 1.5, 1.5, 1.5, 1.0, 1.0])
    np.testing.assert_allclose(told.source_entropy, [OF_A, OF_A, 1.0, 0.0, OF_A, 1.0])
    assert told.clusters == (3, 2)


@pytest.mark.parametrize(
    ("side", "threshold", "kept"),
    [
        ("target", 1.0, ["4", "5"]),  # what is equal to the threshold stays
        ("source", 0.95, ["0", "1", "3", "4"]),
        ("both", 0.95, []),
        ("both", 1.2, ["4", "5"]),
        ("target", 2.0, ["0", "1", "2", "3", "4", "5"]),
    ],
)
def test_sides(side, threshold, kept):
    if not kept:
        with pytest.raises(InputError, match="all 6 pairs"):
            filter_by_entropy(PAIRS, side, threshold)
        return
    told = filter_by_entropy(PAIRS, side, threshold)
    assert told.kept.ids == kept
    assert told.dropped == 6 - len(kept)


def test_the_highest_are_listed():
    told = filter_by_entropy(PAIRS, "both", 1.2, show=1)
    rows = told.highest.rows()
    assert rows == [("source", "b", 1.0, 2), ("target", "yes", 1.5, 4)]


def test_long_clusters_are_kept_on_request():
    rows = pairs_of(("a", "one two three"), ("b", "one two three"), ("c", "x"), ("d", "x"))
    assert filter_by_entropy(rows, "target", 0.5, longest=3).kept.ids == ["0", "1"]


def test_white_space_makes_no_difference_and_case_does():
    rows = pairs_of(("a", "OK  then"), ("b", "OK then"), ("c", "ok then"))
    assert filter_by_entropy(rows, "target", 9).target_entropy.tolist() == [1.0, 1.0, 0.0]


def test_clusters_of_vectors():
    # The sources are two bunches; within a bunch they count as one, so "yes" has one source.
    rows = pairs_of(("hi", "yes"), ("hey", "yes"), ("bye", "no"), ("hi", "no"))
    vectors = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [0.0, 0.0]])
    labels = kmeans(vectors, 2, seed=3)
    told = filter_by_entropy(rows, "target", 0.5, source_clusters=labels)
    assert told.target_entropy.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert told.kept.ids == ["0", "1"]
    assert told.parameters["source-clusters"] == "given"


def test_mistakes_are_one_message():
    with pytest.raises(ParameterError, match="'source', 'target' or 'both'"):
        filter_by_entropy(PAIRS, "left")
    with pytest.raises(ParameterError, match="threshold"):
        filter_by_entropy(PAIRS, threshold=float("nan"))
    with pytest.raises(InputError, match="one integer for each of the 6"):
        filter_by_entropy(PAIRS, source_clusters=np.zeros(3, dtype=np.int64))
    with pytest.raises(ParameterError, match="clusters: got 9"):
        kmeans(np.zeros((3, 2)), 9, seed=1)
    with pytest.raises(InputError, match="finite"):
        kmeans(np.full((3, 2), np.nan), 1, seed=1)


def test_kmeans_equals_scikit_learn_from_the_same_bunches():
    sklearn = pytest.importorskip("sklearn.cluster")
    generator = np.random.default_rng(2)
    middles = generator.normal(scale=20, size=(5, 3))
    rows = np.concatenate([middle + generator.normal(size=(40, 3)) for middle in middles])
    ours = kmeans(rows, 5, seed=1)
    theirs = sklearn.KMeans(5, n_init=5, random_state=1).fit_predict(rows)
    # The same partition, whatever the numbers of its parts.
    assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == 5


def test_equal_vectors_are_fewer_clusters():
    assert kmeans(np.zeros((4, 2)), 3, seed=1).tolist() == [0, 0, 0, 0]


def test_entropies_are_never_below_zero():
    found = entropies(np.array([0, 0, 1]), np.array([2, 2, 0]))
    assert found.tolist() == [0.0, 0.0]
    assert not np.signbit(found).any()


def test_dailydialog_at_one_bit():
    pairs = adjacent_pairs(read_testset(shared("data", "dailydialog", "train.zip")))
    for side, dropped in (("source", 4415), ("target", 5349), ("both", 9459)):
        told = filter_by_entropy(pairs, side, 1.0)
        assert told.dropped == dropped == naively_dropped(pairs, side)
        assert len(told.kept) + dropped == 76053


def naively_dropped(pairs, side):
    """The filter with dictionaries and a loop."""
    rows = list(zip(pairs.sources, pairs.targets, strict=True))
    after, before = defaultdict(Counter), defaultdict(Counter)
    for source, target in rows:
        after[source][target] += 1
        before[target][source] += 1

    def bits(counts):
        total = counts.total()
        return sum(n / total * math.log2(total / n) for n in counts.values())

    high = {s for s, counts in after.items() if bits(counts) > 1 + 1e-12}
    far = {t for t, counts in before.items() if bits(counts) > 1 + 1e-12}
    wrong = {
        "source": lambda s, t: s in high,
        "target": lambda s, t: t in far,
        "both": lambda s, t: s in high or t in far,
    }
    return sum(wrong[side](s, t) for s, t in rows)
