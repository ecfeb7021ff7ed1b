"""What a shape says to be true is what its arrays have when they are very large."""

import numpy as np
import pytest
from simulations import shaped
from simulations.shapes import BIAS, CLUSTERS, DIFFERENCES, PAIRS, RATERS, SHAPES, Shape

MANY = 200_000
EVERY = SHAPES | PAIRS
SINGLE = [name for name, shape in EVERY.items() if shape.clusters == "none"]

DRAWN = [
    name for name, shape in EVERY.items() if RATERS[shape.raters].lean or "tied" in shape.raters
]
"""Those whose raters are drawn anew in each study."""


def _mean_of(study):
    """The mean rating of each system by these raters, each rater's ratings counting as they lie."""
    return np.nanmean(np.nanmean(study.ratings[:, study.rated], axis=2), axis=1)


@pytest.mark.parametrize("name", SINGLE)
def test_means_of_very_many_items_are_the_truth(name):
    shape = EVERY[name]
    study, truth = shape.draw(np.random.default_rng(3), MANY, MANY), shape.truth()
    spread = np.nanstd(study.ratings) / np.sqrt(MANY) + 0.002
    np.testing.assert_allclose(_mean_of(study), study.here, atol=5 * spread)
    marks = study.marks[0]
    error = marks.std(axis=1).max() / np.sqrt(MANY)
    np.testing.assert_allclose(marks.mean(axis=1), truth.marks, atol=5 * error)


@pytest.mark.parametrize("name", DRAWN)
def test_raters_drawn_anew_come_to_the_truth(name):
    shape, rng = EVERY[name], np.random.default_rng(4)
    here = np.array([shape.draw(rng, 10, 200).here for _ in range(4000)])
    error = here.std(axis=0).max() / np.sqrt(4000)
    np.testing.assert_allclose(here.mean(axis=0), shape.truth().means, atol=5 * error + 1e-12)


@pytest.mark.parametrize("judge", ["linear", "biased"])
def test_slope_and_errors_of_a_straight_judge(judge):
    shape = Shape(raters="alike", judge=judge)
    study, truth = shape.draw(np.random.default_rng(5), MANY, MANY, systems=3), shape.truth(3)
    p, f = study.ratings.mean(axis=2), study.marks[0]
    within = [np.cov(p[s], f[s]) for s in range(3)]
    noise = study.ratings.var(axis=2, ddof=1).mean() / 3
    variance = np.mean([each[0, 0] for each in within])
    assert np.mean([each[0, 1] for each in within]) / (variance - noise) == pytest.approx(
        truth.slope, abs=0.01
    )
    marks = np.mean([each[1, 1] for each in within])
    shared = truth.slope**2 * (variance - noise) / marks
    assert np.sqrt(shared) == pytest.approx(truth.correlation, abs=0.01)
    assert (variance - noise) / variance == pytest.approx(truth.reliability, abs=0.01)
    first = BIAS * 2 / 3 * (judge == "biased")
    np.testing.assert_allclose(truth.errors, [first, -first / 2, -first / 2], atol=1e-12)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_variance_of_quality_and_of_the_raters_noise(name):
    alike = Shape(name, raters="alike")
    study = alike.draw(np.random.default_rng(6), MANY, MANY)
    total = study.ratings.mean(axis=2).var(axis=1).mean()
    noise = study.ratings.var(axis=2, ddof=1).mean() / 3
    assert 1 - noise / total == pytest.approx(alike.truth().reliability, abs=0.01)


@pytest.mark.parametrize("name", [name for name in CLUSTERS if name != "none"])
def test_whole_clusters_are_rated(name):
    study = Shape(clusters=name).draw(np.random.default_rng(8), 20, 500)
    rated = study.cluster[study.rated]
    assert np.unique(rated).size == 20
    assert not np.isin(study.cluster[~study.rated], rated).any()
    largest = np.bincount(rated).max() / rated.size
    assert (largest == 0.5) == (name == "one half")


@pytest.mark.parametrize("rated", [10, 20, 40])
@pytest.mark.parametrize("name", EVERY)
def test_the_rated_items_are_some_of_all(name, rated):
    study = EVERY[name].draw(np.random.default_rng(9), rated, 500)
    assert study.marks.shape == (1, 2, 500)
    assert np.isfinite(study.marks).all()
    assert np.unique(study.cluster[study.rated]).size == rated
    raters = RATERS[EVERY[name].raters]
    assert study.ratings.shape == (2, 500, raters.columns(2))


def test_a_dominant_rater_gives_most_ratings():
    study = SHAPES["dominant"].draw(np.random.default_rng(10), MANY, MANY)
    share = np.isfinite(study.ratings[0]).mean(axis=0)
    np.testing.assert_allclose(share, [0.8, 0.2 / 3, 0.2 / 3, 0.2 / 3], atol=0.005)


def test_tied_raters_rate_one_system():
    study = SHAPES["tied, 2 a system"].draw(np.random.default_rng(11), 20, 500)
    rates = np.isfinite(study.ratings).any(axis=1)
    assert rates.tolist() == [[True, True, False, False], [False, False, True, True]]


def test_an_agreeing_judge_agrees_with_people_on_nearly_every_item():
    for name in ("agreeing judge, pass/fail", "agreeing judge, ties"):
        study = SHAPES[name].draw(np.random.default_rng(12), MANY, MANY)
        differs = study.marks[0] != study.ratings[..., 0]
        assert differs[0].mean() == pytest.approx(0.04, abs=0.003)
        assert not differs[1].any()


@pytest.mark.parametrize(
    ("kind", "raters"), [("compared", "few, 2"), ("random", "few, 3"), ("judged", "few, 2")]
)
def test_what_an_interval_must_hold_lies_near_it(kind, raters):
    # Of 1,000 items an interval is narrow: a sign that is turned, or a truth of other raters, is far off.
    cell = shaped.Cell(kind, raters, SHAPES[raters], 1000, 1000)
    for what, low, high, truth in shaped.KINDS[kind](cell, np.random.default_rng(8)):
        if "other raters" not in what and not what.startswith("test"):
            assert low - (high - low) < truth < high + (high - low), what
