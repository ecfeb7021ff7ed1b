"""Random swaps as bits: the same as matrices of 0 and 1, for short rows and for bags."""

import numpy as np
import pytest

from rejoinder.metrics.engine import resampling
from rejoinder.metrics.engine.resampling import all_swaps, narrow, permutation_swaps
from rejoinder.metrics.engine.rows import BagMatrix, Matrix


def bags(n, rng):
    lengths = rng.integers(0, 4, (2, n))
    ends = np.cumsum(lengths).reshape(lengths.shape)
    return BagMatrix(rng.integers(0, 6, int(lengths.sum())), 6, ends - lengths, ends)


@pytest.mark.parametrize("n", [5, 13, 64, 301])
def test_sums_of_swapped_rows_are_those_of_their_masks(n):
    rng = np.random.default_rng(n)
    for rows in (Matrix(rng.normal(size=(n, 3, 2))), bags(n, rng)):
        for swaps in permutation_swaps(n, 50, rng):
            for part in (swaps, swaps[7:20]):
                wanted = rows.totals(part.masks())
                np.testing.assert_allclose(part.totals(rows), wanted, rtol=0, atol=1e-12)


def test_blocks_hold_the_bits_that_a_generator_gives_in_small_ones(monkeypatch):
    def drawn():
        blocks = list(permutation_swaps(37, 90, np.random.default_rng(4)))
        return len(blocks), np.concatenate([block.masks() for block in blocks])

    monkeypatch.setattr(resampling, "BLOCK", 37 * 20)
    number, masks = drawn()
    monkeypatch.setattr(resampling, "BITS", 37 * 30)
    several, same = drawn()
    assert (number, several, masks.shape) == (1, 3, (90, 37))
    assert (masks == same).all()
    assert abs(masks.mean() - 0.5) < 0.05


def test_every_choice_of_items_is_tried_once():
    masks = all_swaps(5).masks()
    assert {tuple(row) for row in masks.tolist()} == set(np.ndindex((2,) * 5))
    assert [len(part) for part in narrow(all_swaps(3), Matrix(np.zeros((3, 1 << 18, 1))))] == [
        2
    ] * 4
