"""What further samples and prompts do to the error of a mean: closed forms, and a simulation."""

import numpy as np
import pytest

from rejoinder.statistics.clusters import VarianceComponents
from rejoinder.statistics.sampling import further_replies


@pytest.mark.parametrize(("between", "within"), [(1.0, 0.0), (0.0, 1.0), (2.0, 3.0)])
def test_the_errors_are_those_of_simulated_means(between, within):
    rng = np.random.default_rng(1)

    def error(prompts, samples):
        noise = rng.normal(size=(4000, prompts)) * np.sqrt(between)
        noise = noise + rng.normal(size=(4000, prompts)) * np.sqrt(within / samples)
        return noise.mean(axis=1).std()

    gains = further_replies(VarianceComponents(between, within), np.full(12, 3), 12)
    now = error(12, 3)
    # A standard deviation of 4,000 means has a standard error of 1.1%.
    assert error(12, 4) / now == pytest.approx(gains.sample, rel=0.06)
    assert error(16, 3) / now == pytest.approx(gains.replies, rel=0.06)
    assert error(13, 3) / now == pytest.approx(gains.prompt, rel=0.06)


def test_prompts_with_few_samples_gain_most_from_another():
    even = further_replies(VarianceComponents(0.0, 1.0), np.array([3, 3]), 2)
    uneven = further_replies(VarianceComponents(0.0, 1.0), np.array([1, 5]), 2)
    # (1/4 + 1/4) / (1/3 + 1/3) and (1/2 + 1/6) / (1 + 1/5).
    assert even.sample**2 == pytest.approx(3 / 4)
    assert uneven.sample**2 == pytest.approx((2 / 3) / (6 / 5))


def test_without_variance_nothing_can_be_said():
    assert np.isnan(further_replies(VarianceComponents(0.0, 0.0), np.array([2, 2]), 2)).all()
