"""Sums of the rows that random bits choose, beside a plain product with a matrix of 0 and 1."""

import numpy as np
import pytest

from rejoinder.kernels import swaps
from rejoinder.kernels.swaps import LARGEST, chosen_sums


@pytest.mark.parametrize("n", [1, 7, 8, 9, 60, 131])
@pytest.mark.parametrize("width", [1, 3, 40])
def test_as_a_product_with_a_matrix_of_0_and_1(n, width):
    rng = np.random.default_rng([n, width])
    masks, rows = rng.integers(0, 2, (21, n)), rng.normal(size=(n, width))
    # Trials begin anywhere within a byte.
    sums = chosen_sums(np.packbits(masks), n * np.arange(21), rows)
    np.testing.assert_allclose(sums, masks @ rows, rtol=0, atol=1e-12)


def test_whole_numbers_are_summed_exactly_whatever_the_bits():
    masks = np.array([[0] * 20, [1] * 20, [1, 0] * 10], dtype=np.uint8)
    rows = np.arange(20.0)[:, None]
    sums = chosen_sums(np.packbits(masks), np.array([0, 20, 40]), rows)
    assert sums.ravel().tolist() == [0, 190, 90]


@pytest.mark.parametrize(
    "largest", [LARGEST // 2, LARGEST // 2 + 1, LARGEST, LARGEST + 1, 2**40, np.nan, np.inf]
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_sums_are_those_of_floats_whatever_their_size(largest, sign):
    # Two rows of half of `LARGEST` are the last that are added as whole numbers of 32 bits.
    rows = sign * np.array([[largest, 1.0], [largest, 2.0], [0.0, 3.0]])
    masks = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 0]])
    with np.errstate(invalid="ignore"):
        expected = [rows[mask == 1].sum(axis=0) for mask in masks]
    sums = chosen_sums(np.packbits(masks), np.array([0, 3, 6]), rows)
    assert sums.dtype == np.float64
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("threads", [2, 3, 40])
def test_threads_change_no_sum(threads, monkeypatch):
    rng = np.random.default_rng(threads)
    rows, bits = rng.normal(size=(50, 4)), np.frombuffer(rng.bytes(250), dtype=np.uint8)
    starts = 50 * np.arange(39)
    for scaled in (rows, np.rint(9 * rows)):
        alone = chosen_sums(bits, starts, scaled)
        with monkeypatch.context() as patch:
            patch.setattr(swaps, "cores", lambda: threads)
            patch.setattr(swaps, "AT_ONCE", 1)
            together = chosen_sums(bits, starts, scaled)
        np.testing.assert_array_equal(alone, together)
