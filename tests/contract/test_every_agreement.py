"""What holds for every measure of agreement among raters, whatever it measures."""

import math

import numpy as np
import pytest

from rejoinder.statistics.agreement import AGREEMENT_MEASURES, Judgements

ITEMS = np.repeat(np.arange(15), 2)


def crowd(missing=0.2, seed=5):
    """30 units by 4 raters who mostly agree, on a scale from 1 to 5."""
    rng = np.random.default_rng(seed)
    matrix = np.clip(rng.integers(1, 6, (30, 1)) + rng.integers(-1, 2, (30, 4)), 1, 5).astype(float)
    matrix[rng.random(matrix.shape) < missing] = math.nan
    return matrix


def agreement(measure, matrix, interval=True, **options):
    return measure.measured(Judgements(matrix, ITEMS[: len(matrix)], **options), interval)


@pytest.fixture(params=AGREEMENT_MEASURES)
def measure(request):
    return AGREEMENT_MEASURES[request.param]


def test_declares_its_facts(measure):
    low, high = measure.bounds
    assert low < 0 < high == 1
    assert len(measure.source) > 5
    assert type(measure).__doc__


@pytest.mark.parametrize("seed", range(5))
def test_is_within_bounds_and_its_interval(measure, seed):
    low, high = measure.bounds
    for matrix in (crowd(seed=seed), np.random.default_rng(seed).integers(1, 6, (30, 4)) * 1.0):
        value, interval, n = agreement(measure, matrix)
        assert low <= value <= high
        assert n > 0
        if not math.isnan(interval.low):
            assert low <= interval.low <= value <= interval.high <= high


def test_full_agreement_is_1_and_opposites_are_below_0(measure):
    same = np.repeat(np.arange(30.0)[:, None] % 5, 4, axis=1)
    assert agreement(measure, same).value == pytest.approx(1)
    one = np.arange(30.0) % 2
    assert agreement(measure, np.stack([one, 1 - one], axis=1)).value < 0


def test_raters_who_answer_by_chance_agree_by_chance(measure):
    rng = np.random.default_rng(9)
    values = [
        agreement(measure, rng.integers(1, 6, (30, 4)) * 1.0, False).value for _ in range(200)
    ]
    assert np.mean(values) == pytest.approx(0, abs=4 * float(np.std(values)) / math.sqrt(200))


def test_the_order_of_raters_and_of_units_is_irrelevant(measure):
    matrix, rng = crowd(), np.random.default_rng(1)
    value, interval, n = agreement(measure, matrix)
    units, raters = rng.permutation(30), rng.permutation(4)
    shuffled = Judgements(matrix[units][:, raters], ITEMS[units])
    again = measure.measured(shuffled)
    assert (again.value, again.n) == (pytest.approx(value, abs=1e-12), n)
    ends = (again.interval.low, again.interval.high)
    assert ends == pytest.approx((interval.low, interval.high), abs=1e-12, nan_ok=True)


def test_the_two_ends_of_the_scale_and_its_origin_are_irrelevant(measure):
    value = agreement(measure, crowd(), False).value
    assert agreement(measure, 6 - crowd(), False).value == pytest.approx(value, abs=1e-12)
    assert agreement(measure, crowd() + 10, False).value == pytest.approx(value, abs=1e-12)


def test_which_reply_of_a_pair_is_the_first_is_irrelevant(measure):
    if not measure.paired:
        pytest.skip("is not reported for comparisons of two replies")
    outcomes = np.sign(crowd() - 3)
    value = agreement(measure, outcomes, paired=True)
    turned = outcomes * np.where(np.arange(30) % 3, 1, -1)[:, None]
    again = agreement(measure, turned, paired=True)
    assert (again.value, again.n) == (pytest.approx(value.value, abs=1e-12), value.n)


def test_units_that_one_rater_judged_and_empty_raters_change_nothing(measure):
    matrix = crowd(missing=0)
    value, _, n = agreement(measure, matrix, False)
    alone = np.full((4, 4), math.nan)
    alone[:, 0] = [1, 5, 1, 5]
    wider = np.vstack([matrix, alone])
    wider = np.hstack([wider, np.full((34, 1), math.nan)])
    groups = np.concatenate([ITEMS, [90, 91, 92, 93]])
    again = measure.measured(Judgements(wider, groups), False)
    assert (again.value, again.n) == (pytest.approx(value, abs=1e-12), n)


UNDEFINED = {
    "no units": np.empty((0, 3)),
    "no raters": np.empty((20, 0)),
    "one rater": crowd()[:, :1],
    "nothing shared": np.where(np.arange(30)[:, None] % 2 == [0, 1], 3.0, math.nan),
    "no variation": np.full((30, 3), 4.0),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_is_nan_with_a_reason_where_it_is_undefined(measure, name):
    value, interval, _ = agreement(measure, UNDEFINED[name])
    assert math.isnan(value)
    assert math.isnan(interval.low)
    assert interval.reason


def test_leaves_its_input_alone(measure):
    matrix = crowd()
    before = matrix.copy()
    agreement(measure, matrix, paired=measure.paired)
    np.testing.assert_array_equal(matrix, before)
