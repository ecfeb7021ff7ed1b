"""Beam search: a beam as wide as the tree is an exhaustive search."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rejoinder.responders.seq2seq.gru import beam_search  # noqa: E402

VOCABULARY, LONGEST, END = 4, 4, 0


def chain(seed):
    """A model whose next token depends on the last one: log-probabilities [item, last, next]."""
    logits = torch.from_numpy(np.random.default_rng(seed).normal(size=(2, VOCABULARY, VOCABULARY)))
    return (2 * logits).log_softmax(-1)


def search(table, beam, penalty):
    def step(tokens, state):
        (rows,) = state
        return rows[torch.arange(len(tokens)), tokens], state

    return beam_search(step, (table,), 0, END, beam, penalty, LONGEST)


def exhaustive(table, penalty):
    """The best of all sequences that end, or are as long as allowed."""
    best, found = float("-inf"), []
    for length in range(1, LONGEST + 1):
        for tokens in itertools.product(range(VOCABULARY), repeat=length):
            inner, last = tokens[:-1], tokens[-1]
            if END in inner or (last != END and length < LONGEST):
                continue
            path = [0, *tokens]
            score = sum(float(table[a, b]) for a, b in itertools.pairwise(path)) / length**penalty
            if score > best:
                best, found = score, [token for token in tokens if token != END]
    return found


@pytest.mark.parametrize("penalty", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_a_wide_beam_finds_the_best(seed, penalty):
    table = chain(seed)
    # 4 ** 4 beams hold every sequence there is.
    assert search(table, 256, penalty) == [exhaustive(table[i], penalty) for i in range(2)]


def test_a_beam_of_one_is_greedy():
    # From 0 the best is 2, from 2 it is 3, from 3 it is the end.
    table = torch.full((1, 4, 4), -9.0)
    table[0, 0, 2] = table[0, 2, 3] = table[0, 3, 0] = 0.0
    assert search(table, 1, 1.0) == [[2, 3]]


def test_what_does_not_end_counts_as_it_stands():
    table = torch.full((1, 4, 4), -99.0)
    table[0, :, 2] = 0.0
    assert search(table, 2, 1.0) == [[2, 2, 2, 2]]


@pytest.mark.parametrize("seed", range(8))
def test_the_batch_does_not_matter(seed):
    table = chain(seed)
    together = search(table, 3, 1.0)
    assert together == [search(table[i : i + 1], 3, 1.0)[0] for i in range(2)]
