"""Batches keep to their budget, and every pair is in one of them."""

import numpy as np
import pytest

pytest.importorskip("torch")

from rejoinder.responders.seq2seq.batches import IGNORED, Encoded, collate, token_batches
from rejoinder.responders.seq2seq.subwords import EOS, PAD


def encoded(n=200, seed=3):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(1, 20, size=(n, 2))
    return Encoded([[5] * int(s) for s, _ in lengths], [[6] * int(t) for _, t in lengths])


@pytest.mark.parametrize("generator", [None, np.random.default_rng(1)])
def test_budget_and_completeness(generator):
    data = encoded()
    batches = token_batches(data, 60, generator)
    assert sorted(np.concatenate(batches).tolist()) == list(range(200))
    for places in batches:
        longest = max(max(len(data.sources[i]), len(data.targets[i])) for i in places)
        assert longest * len(places) <= 60


def test_the_order_follows_the_seed():
    data = encoded()

    def order(seed):
        return np.concatenate(token_batches(data, 60, np.random.default_rng(seed))).tolist()

    assert order([1, 2]) == order([1, 2]) != order([1, 3])


def test_collate():
    data = Encoded([[7, 8, EOS], [9, EOS]], [[4, EOS], [5, 6, EOS]])
    batch = collate(data, np.array([0, 1]), "cpu")
    assert batch.sources.tolist() == [[7, 8, EOS], [9, EOS, PAD]]
    assert batch.mask.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert batch.inputs.tolist() == [[EOS, 4, PAD], [EOS, 5, 6]]
    assert batch.labels.tolist() == [[4, EOS, IGNORED], [5, 6, EOS]]
    assert batch.count == 5
