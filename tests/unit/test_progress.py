"""Loops that somebody watches say how far the whole is; without anybody they are plain loops."""

import pytest

import rejoinder
from rejoinder.cli.terminal.progress import Progress
from rejoinder.progress import WHOLE, share, steps, watched
from shared_data import EXAMPLES, SYSTEMS, TESTSET

FEW = {"resamples": 100}


@pytest.fixture
def shown():
    """What is reported while the body runs."""
    done = []
    with watched(lambda now, total: done.append(now / total)):
        yield done


def test_a_loop_in_a_loop_is_a_part_of_its_step(shown):
    for outer in steps(range(4), 4):
        if outer == 1:
            assert list(steps("ab", 2)) == ["a", "b"]
    assert shown == [0.25, 0.375, 0.5, 0.5, 0.75, 1.0]


def test_shares_follow_each_other(shown):
    with share(0, 0.2):
        list(steps("ab", 2))
    with share(0.2, 1):
        list(steps([[1], [2, 3]], 3, len))
    assert shown == pytest.approx([0.1, 0.2, 0.467, 1.0])


def test_a_loop_that_is_left_counts_no_more(shown):
    for _ in steps("abcd", 4):
        break
    list(steps("ab", 2))
    assert shown == [0.5, 1.0]


def test_without_a_watcher_a_loop_is_a_loop():
    with share(0, 0.5), watched(None):
        assert list(steps(iter("abc"), 3)) == ["a", "b", "c"]


def test_the_share_that_is_shown_never_goes_back_within_one_total():
    tick = Progress("comparing")
    tick(50, WHOLE)
    tick(40, WHOLE)
    assert tick.line(3) == "rejoinder: comparing, 5% (3 s so far)"
    tick(1, 10)
    assert tick.line(3) == "rejoinder: comparing, 10% (3 s so far)"


def scores():
    testset = rejoinder.read_testset(TESTSET)
    return rejoinder.score(testset, rejoinder.read_responses(*SYSTEMS), ["bleu", "chrf"], **FEW)


def test_a_comparison_moves_through_metrics_draws_and_permutations(shown):
    rejoinder.compare(scores(), permutations=5000)
    assert shown == sorted(shown)
    assert shown[-1] == pytest.approx(1)
    assert len(shown) > 4


def test_a_plan_moves_through_metrics_and_sizes():
    done = []
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    kept = scores()
    with watched(lambda now, total: done.append(now / total)):
        rejoinder.plan(kept, ratings, every_pair=True, **FEW)
    assert len(done) > 10
    assert done[-1] == pytest.approx(1)
    again = []
    rejoinder.plan(kept, ratings, **FEW, progress=lambda now, total: again.append(now / total))
    assert again[-1] == pytest.approx(1)


def test_people_are_compared_pair_by_pair(shown):
    rejoinder.compare(ratings=rejoinder.read_ratings(EXAMPLES / "ratings.csv"))
    assert shown == pytest.approx([1 / 3, 2 / 3, 1], abs=1e-3)
