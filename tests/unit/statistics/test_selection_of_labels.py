import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.statistics.selection import selection


def drawn(top, seed=0, groups=200, scores=3):
    """Whether clusters are labelled: 20 at random, or those with the highest last score."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(groups, scores))
    labelled = np.zeros(groups)
    labelled[np.argsort(-z[:, -1])[:20] if top else rng.choice(groups, 20, replace=False)] = 1
    return z, labelled


def test_items_chosen_by_their_scores_are_noticed_and_the_score_is_named():
    result = selection(*drawn(top=True), np.random.default_rng(1))
    assert result.p == 0.0002
    assert result.score == 2
    assert result.deviations > 5


def test_few_false_alarms():
    p = [selection(*drawn(False, seed), np.random.default_rng(1), 199).p for seed in range(300)]
    assert np.mean(np.array(p) <= 0.05) < 0.09  # 2.5 standard errors of 300 runs above 0.05


def test_shares_of_clusters():
    z, labelled = drawn(top=True)
    result = selection(z, labelled * np.random.default_rng(3).random(200), np.random.default_rng(1))
    assert result.p < 0.001


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_where_all_or_none_are_labelled_there_is_no_test(share):
    z, _ = drawn(False)
    assert np.isnan(selection(z, np.full(200, share), np.random.default_rng(0)).p)


def test_a_score_without_spread_is_no_evidence():
    _, labelled = drawn(True)
    assert np.isnan(selection(np.ones((200, 2)), labelled, np.random.default_rng(0)).p)


def test_shapes_that_do_not_fit():
    with pytest.raises(InputError, match="give"):
        selection(np.zeros((3, 2)), np.zeros(4), np.random.default_rng(0))
