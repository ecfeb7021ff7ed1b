"""Intervals of scores: against naive loops and closed forms, at the bounds, and how often they hold."""

import math

import numpy as np
import pytest

from rejoinder.kernels.arrays import Tokens
from rejoinder.metrics import BLEU, DeltaBLEU, DistinctN, registry
from rejoinder.metrics.distinct import Entropy
from rejoinder.metrics.engine.jackknife import (
    difference_errors,
    difference_intervals,
    interval_facts,
    score_intervals,
)
from rejoinder.metrics.engine.rows import Matrix, rows_of
from rejoinder.metrics.ruq import RUQ
from rejoinder.statistics.standard_error import standard_errors

SENTENCE = registry.metric("sbleu")


def test_the_error_of_a_mean_is_the_textbooks():
    values = np.random.default_rng(0).gamma(2.0, size=(3, 25))
    left_out = (values.sum(axis=1, keepdims=True) - values) / 24
    expected = values.std(axis=1, ddof=1) / 5  # s / sqrt(25)
    assert standard_errors(left_out) == pytest.approx(expected)


def test_what_rounding_alone_moves_has_no_error():
    for value in (0.1, 1 / 3, 1e6 / 7):
        for n in (5, 1023, 20_000):
            rows = np.full((n, 1, 2), 1.0)
            rows[:, :, 0] = value
            left_out = Matrix(rows).left_out(SENTENCE)
            noisy = left_out + value * 1e-16 * (np.arange(n) % 2)
            assert standard_errors(left_out).tolist() == [0.0]
            assert standard_errors(noisy).tolist() == [0.0]
    # One item of 100,000 that differs by a hundredth is no rounding: 0.01 / n.
    values = np.where(np.arange(100_000) == 7, 0.51, 0.5)[None]
    left_out = (values.sum() - values) / 99_999
    assert standard_errors(left_out) == pytest.approx(0.01 / 100_000, rel=1e-3)


@pytest.mark.parametrize("systems", [1, 3])
def test_left_out_rows_are_the_naive_loops(systems):
    values = np.random.default_rng(1).integers(1, 9, (12, systems, 6)).astype(float)
    rows, metric = Matrix(values), BLEU(order=2)
    naive = [
        [float(metric.score(np.delete(values[:, s], i, axis=0).sum(axis=0))) for i in range(12)]
        for s in range(systems)
    ]
    assert rows.left_out(metric).tolist() == naive


@pytest.mark.parametrize("metric", [DistinctN(), DistinctN(order=2), Entropy(), Entropy(order=2)])
def test_left_out_bags_are_the_naive_loops(metric):
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(list("abcdefgh"), rng.integers(0, 6))) for _ in range(15)]
    naive = [
        metric.corpus(texts[:i] + texts[i + 1 :], [[]] * 14, resamples=0).value for i in range(15)
    ]
    scored = metric.corpus(texts, [[]] * 15, resamples=100)
    error = math.sqrt(14 / 15 * ((np.array(naive) - np.mean(naive)) ** 2).sum())
    t = 2.144787  # of 14 degrees of freedom (table)
    x = scored.value
    if isinstance(metric, Entropy):
        ends = [x * math.exp(sign * t * error / x) for sign in (-1, 1)]
    else:
        logit, slope = math.log(x / (1 - x)), 1 / (x * (1 - x))
        ends = [1 / (1 + math.exp(-(logit + sign * t * error * slope))) for sign in (-1, 1)]
    assert (scored.low, scored.high) == pytest.approx(ends, abs=1e-6)


def test_a_bag_metric_without_a_quick_way_takes_the_slow_one():
    class Slow(DistinctN):
        left_out = DistinctN.__mro__[2].left_out  # the loop that every metric inherits

    tokens = Tokens(np.array([1, 2, 2, 3, 1], np.uint64), np.array([0, 2, 4]), np.array([2, 4, 5]))
    rows = rows_of(tokens, 1)
    assert rows.left_out(Slow()).tolist() == rows.left_out(DistinctN()).tolist()


def test_near_a_bound_the_interval_stays_within_and_leans_away():
    left_out = np.array([[0.02, 0.02, 0.03, 0.01, 0.02, 0.03]])
    (low,), (high,) = score_intervals(BLEU(), np.array([0.02]), left_out)
    assert 0 < low < 0.02 < high < 1
    assert high - 0.02 > 0.02 - low
    (below,), (above,) = score_intervals(BLEU(), np.array([0.98]), 1 - left_out)
    assert (below, above) == pytest.approx((1 - high, 1 - low))


def test_a_score_of_zero_that_an_item_holds_down_has_a_plain_interval():
    # Numerators floored at 0: without its worst item the score is above 0. The logit of 0 is none.
    left_out = np.array([[0.0, 0.0, 0.0, 0.2]])
    (low,), (high,) = score_intervals(DeltaBLEU(), np.array([0.0]), left_out)
    error = math.sqrt(3 / 4 * (0.15**2 + 3 * 0.05**2))
    assert (low, high) == pytest.approx((0.0, 3.182446 * error))  # t of 3 degrees of freedom


def test_no_interval_of_three_items_or_without_spread():
    for left_out in (np.array([[0.1, 0.2, 0.3]]), np.full((1, 8), 0.5)):
        value = np.array([0.2])
        assert np.isnan(score_intervals(BLEU(), value, left_out)).all()
        errors = standard_errors(left_out)
        assert np.isnan(difference_intervals(BLEU(), value, errors, left_out.shape[1])).all()


def test_an_undefined_left_out_score_leaves_no_interval():
    # All that is said stands in one reply: without it there is no n-gram, and distinct-1 is 0 / 0.
    scored = DistinctN().corpus(["so so", "", "", ""], [[]] * 4, resamples=100)
    assert scored.value == 0.5
    assert math.isnan(scored.low)


def test_a_share_has_wilsons_interval():
    # 8 of 10: 0.490 to 0.943 (Wilson 1927); 10 of 10: n / (n + z^2) = 10 / 13.841 to 1.
    low, high = score_intervals(RUQ(), np.array([0.8, 1.0]), np.zeros((2, 10)))
    assert low == pytest.approx([0.490162, 0.722467], abs=1e-5)
    assert high == pytest.approx([0.943318, 1.0], abs=1e-5)
    assert interval_facts(RUQ(), 100, 1) == {"ci": "wilson", "bs": 100, "seed": 1}


def test_a_score_of_zero_under_bleu_4_has_an_unknown_error():
    # No four words match: 0 whichever item is left out, though other items would give it a score.
    left_out = np.array([[0.0] * 6, [0.1, 0.2, 0.1, 0.2, 0.1, 0.1], [1.0] * 6])
    values, pairs = np.array([0.0, 0.15, 1.0]), (np.array([0, 1]), np.array([1, 2]))
    unknown, known = difference_errors(BLEU(order=4), values, left_out, *pairs)
    assert math.isnan(unknown)
    assert known == pytest.approx(float(standard_errors(left_out[1])))
    # Under a mean of single scores, and BLEU-1, 0 is what every item has.
    for metric in (SENTENCE, BLEU(order=1)):
        assert not np.isnan(difference_errors(metric, values, left_out, *pairs)).any()
