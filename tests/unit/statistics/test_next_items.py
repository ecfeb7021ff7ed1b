import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.next_items import (
    UNIFORM_PART,
    expected_errors,
    inclusion,
    next_probabilities,
    systematic_sample,
)


def world(n=400, rated=60, seed=0):
    """A judge that errs where it finds two systems alike."""
    rng = np.random.default_rng(seed)
    f = 1.2 * rng.normal(size=n)
    size = np.where(np.abs(f) < 0.6, 1.5, 0.4)
    d = f + size * rng.normal(size=n)
    return np.where(np.arange(n) < rated, d, np.nan), f, size


def test_items_on_which_the_judge_errs_are_expected_to_be_uncertain():
    labels, f, size = world()
    sizes = expected_errors(labels[None], f[None], np.abs(f)[:, None])
    assert sizes.mean() == pytest.approx(1)
    assert sizes.min() >= UNIFORM_PART
    assert sizes[size > 1].mean() > 1.3 * sizes[size < 1].mean()


def test_signs_that_tell_nothing_give_every_item_the_same_size():
    rng = np.random.default_rng(3)
    spread = []
    for _ in range(200):
        f = rng.normal(size=300)
        labels = np.where(np.arange(300) < 40, f + rng.normal(size=300), np.nan)
        sizes = expected_errors(labels[None], f[None], np.abs(f)[:, None])
        spread.append(np.ptp(sizes))
    # F is below 1 in two of three such samples.
    assert np.mean(np.array(spread) == 0) > 0.5


@pytest.mark.parametrize(
    "case", ["nine labels", "no spread of the signs", "no residuals", "equal predictions"]
)
def test_where_nothing_can_be_learned_all_sizes_are_1(case):
    labels, f, _ = world()
    signs = np.abs(f)[:, None]
    if case == "nine labels":
        labels[9:] = np.nan
    elif case == "no spread of the signs":
        signs = np.ones((400, 1))
    elif case == "no residuals":
        labels = np.where(np.isfinite(labels), 2 * f + 1, np.nan)
    else:
        labels, f = np.where(np.isfinite(labels), 1.0, np.nan), np.zeros(400)
    assert (expected_errors(labels[None], f[None], signs) == 1).all()


def test_an_item_of_one_pair_alone_counts():
    labels, f, _ = world()
    two = np.stack([labels, labels])
    two[1, :30] = np.nan
    with_gap = np.stack([f, np.where(np.arange(400) < 200, f, np.nan)])
    sizes = expected_errors(two, with_gap, np.abs(f)[:, None])
    assert np.isfinite(sizes).all()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="do not fit"):
        expected_errors(np.ones((1, 3)), np.ones((1, 4)), np.ones((4, 1)))


def test_probabilities_add_up_to_the_number_and_are_at_most_1():
    rng = np.random.default_rng(1)
    sizes = rng.exponential(size=50) ** 2 + 0.01
    free = np.arange(50) % 3 > 0
    for number in (1, 5, 20, int(free.sum())):
        p = next_probabilities(sizes, free, number)
        assert p[free].sum() == pytest.approx(number)
        assert (p > 0).all() and (p <= 1).all()  # noqa: PT018
    below = p < 1
    p = next_probabilities(sizes, free, 5)
    below = p < 1
    assert np.ptp((p / sizes)[below]) < 1e-12


@pytest.mark.parametrize("number", [0, 34])
def test_a_number_that_cannot_be_drawn_is_refused(number):
    with pytest.raises(ParameterError, match=f"number={number}; expected 1 to 33"):
        next_probabilities(np.ones(50), np.arange(50) % 3 > 0, number)


def test_every_item_is_drawn_with_exactly_its_probability():
    rng = np.random.default_rng(4)
    p = next_probabilities(rng.exponential(size=12) + 0.1, np.ones(12, dtype=bool), 5)
    p[3] = 0.0
    p *= 4 / p.sum()
    p = np.minimum(p, 1)
    p[p < 1] *= (4 - (p == 1).sum()) / p[p < 1].sum()
    drawn = np.stack([systematic_sample(p, rng) for _ in range(20_000)])
    assert (drawn.sum(axis=1) == 4).all()
    assert not drawn[:, 3].any()
    error = np.sqrt(p * (1 - p) / 20_000)
    assert (np.abs(drawn.mean(axis=0) - p) <= 4.5 * error + 1e-12).all()


def test_nothing_is_drawn_of_nothing():
    assert not systematic_sample(np.zeros(3), np.random.default_rng(0)).any()


def test_being_drawn_at_all():
    assert inclusion(np.array([0.0, 0.2, 1.0]), np.array([0.5, 0.5, 0.3])) == pytest.approx(
        [0.5, 0.6, 1.0]
    )
