"""Pairs of hypotheses and single references, with two systems and ragged references."""

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.text.strings import Strings


def batch():
    # Item 0: hypotheses 0, 1 and references 0, 1. Item 1: hypothesis 2, no reference. Item 2:
    # hypothesis 3 and reference 2.
    return Batch(
        Strings.of(["a", "b", "c", "d"]),
        np.array([0, 2, 3, 4]),
        Strings.of(["r", "s", "t"]),
        np.array([0, 2, 2, 3]),
        np.array([1.0, 0.5, 1.0]),
    )


def test_every_hypothesis_meets_the_references_of_its_item():
    pairs = ReferencePairs.of(batch(), batch().references())
    assert pairs.bounds.tolist() == [0, 2, 4, 4, 5]
    assert pairs.hypotheses.tolist() == [0, 0, 1, 1, 3]
    assert pairs.references.tolist() == [0, 1, 0, 1, 2]


def test_a_rule_counts_among_its_own_references():
    # Under w>=0.8 items 0 and 2 keep one reference each: numbers 0 and 1 of those picked.
    pairs = ReferencePairs.of(batch(), batch().references("w>=0.8"))
    assert pairs.hypotheses.tolist() == [0, 1, 3]
    assert pairs.references.tolist() == [0, 0, 1]


def test_best_and_the_first_of_equals():
    pairs = ReferencePairs.of(batch(), batch().references())
    values = np.array([0.3, 0.3, 0.1, 0.2, 0.0])
    np.testing.assert_array_equal(pairs.best(values), [0.3, 0.2, np.nan, 0.0])
    assert pairs.first_best(values).tolist() == [0, 3, -1, 4]


def test_nothing_at_all():
    empty = Batch.from_lists([], [])
    pairs = ReferencePairs.of(empty, empty.references())
    assert pairs.best(np.zeros(0)).size == pairs.first_best(np.zeros(0)).size == 0
