"""Krippendorff's alpha on his own example, and where it says nothing."""

import math

import numpy as np
import pytest

from rejoinder.agreement.alpha import alpha_interval, krippendorff_alpha, reason_no_alpha
from rejoinder.agreement.groups import Groups
from rejoinder.errors import InputError, ParameterError

NAN = np.nan

# Krippendorff 2011, section C: four observers, twelve units.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("kind", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example(kind, published):
    assert krippendorff_alpha(EXAMPLE, kind) == pytest.approx(published, abs=5e-4)


def test_by_hand():
    # Units (1, 1) and (1, 2): coincidences o_11 = 2, o_12 = o_21 = 1, n_1 = 3, n_2 = 1, n = 4.
    # D_o = 2/4, D_e = 2 * 3 * 1 / (4 * 3) = 1/2: alpha = 0.
    assert krippendorff_alpha(np.array([[1.0, 1.0], [1.0, 2.0]])) == pytest.approx(0.0)
    # Units (1, 2) and (2, 1): o_12 = o_21 = 2, n = 4. D_o = 1, D_e = 2 * 2 * 2 / 12: alpha = -1/2.
    assert krippendorff_alpha(np.array([[1.0, 2.0], [2.0, 1.0]])) == pytest.approx(-0.5)


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.arange(5.0)[:, None], "fewer than 2 raters"),
        (np.array([[1.0, NAN], [2.0, NAN]]), "fewer than 2 raters"),
        (np.array([[1.0, NAN], [NAN, 2.0], [3.0, NAN]]), "fewer than 2 units with two ratings"),
        (np.array([[1.0, 4.0, 5.0]]), "fewer than 2 units with two ratings"),
        (np.full((4, 3), 2.0), "no variation: all ratings are equal"),
        (np.zeros((0, 3)), "fewer than 2 raters"),
    ],
)
def test_undefined(kind, matrix, reason):
    assert math.isnan(krippendorff_alpha(matrix, kind))
    assert reason_no_alpha(matrix) == reason
    interval = alpha_interval(matrix, kind, 5, np.random.default_rng(0))
    assert math.isnan(interval.low)
    assert interval.reason == reason


def test_one_constant_rater_among_others():
    # The third always says 3. All D of pairs with the rater count as they would by chance.
    up = np.tile(np.arange(5.0), 4)
    with_constant = np.stack([up, up, np.full(20, 3.0)], axis=1)
    assert 0 < krippendorff_alpha(with_constant, "nominal") < 1


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("labels", [None, np.repeat(np.arange(10), 3)], ids=["units", "groups"])
def test_interval_is_the_naive_loop(kind, labels):
    rng = np.random.default_rng(1)
    matrix = np.clip(rng.integers(1, 6, (30, 1)) + rng.integers(-1, 2, (30, 3)), 1, 5).astype(float)
    matrix[::7, 1:] = NAN  # some with one rating, who take no part
    kept = (~np.isnan(matrix)).sum(axis=1) > 1
    clusters = Groups.of(None if labels is None else labels[kept], int(kept.sum()))
    naive = np.full(60, NAN)
    for rows, drawn in clusters.resampled(60, np.random.default_rng(2), width=10):
        for row, picked in zip(rows, drawn, strict=True):
            naive[row] = krippendorff_alpha(matrix[kept][picked], kind)
    interval = alpha_interval(matrix, kind, 60, np.random.default_rng(2), labels)
    low, high = np.quantile(naive, [0.025, 0.975])
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert interval.low < krippendorff_alpha(matrix, kind) < interval.high


def test_few_groups_have_no_interval():
    interval = alpha_interval(EXAMPLE, "nominal", 9, np.random.default_rng(3), np.arange(12) // 4)
    assert interval.reason == "fewer than 4 groups to resample"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="choose 'nominal', 'ordinal' or 'interval'"):
        krippendorff_alpha(EXAMPLE, "ratio")
    with pytest.raises(InputError, match="for 12 units"):
        alpha_interval(EXAMPLE, "nominal", 9, np.random.default_rng(4), np.arange(3))
    with pytest.raises(ParameterError, match="resamples=0"):
        alpha_interval(EXAMPLE, "nominal", 0, np.random.default_rng(4))
