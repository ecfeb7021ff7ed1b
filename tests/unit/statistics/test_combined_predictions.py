import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.statistics.combined_predictions import combined_predictions, folds_of

CLUSTERS = np.arange(60)


def drawn(pairs=3, k=2, seed=0):
    """Differences of three systems: labels of the first 40 items, which the first predictor tells."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=(pairs, 60, k)) * np.arange(1, k + 1) + 3
    d = 2 * f[..., 0] + 0.3 * rng.normal(size=(pairs, 60)) + np.arange(pairs)[:, None]
    return np.where(CLUSTERS < 40, d, np.nan), f


def test_one_predictor_is_left_as_it_is():
    labels, predictions = drawn(k=1)
    ours = combined_predictions(labels, predictions, CLUSTERS, CLUSTERS % 5)
    assert (ours == predictions[..., 0]).all()


def test_the_combination_is_that_of_least_squares_where_labels_are_good():
    labels, predictions = drawn(seed=1)
    ours = combined_predictions(labels, predictions, CLUSTERS, CLUSTERS % 5, systems=3)
    expected = 2 * (predictions[..., 0] - predictions[..., 0].mean(axis=1, keepdims=True))
    ours = (
        ours * (ours.ravel() @ expected.ravel()) / (ours.ravel() @ ours.ravel())
    )  # it has no unit
    assert np.abs(ours - expected).max() < 0.4
    assert np.corrcoef(ours.ravel(), expected.ravel())[0, 1] > 0.99


def test_no_label_changes_the_predictions_of_its_own_fold():
    labels, predictions = drawn()
    folds = CLUSTERS % 5
    before = combined_predictions(labels, predictions, CLUSTERS, folds, systems=3)
    labels[:, (folds == 2) & (CLUSTERS < 40)] *= -7
    after = combined_predictions(labels, predictions, CLUSTERS, folds, systems=3)
    own = (folds == 2) & (CLUSTERS < 40)
    assert after[:, own] == pytest.approx(before[:, own])
    assert not np.allclose(after[:, ~own], before[:, ~own])


def test_a_predictor_without_spread_and_too_few_labels_predict_nothing():
    labels, predictions = drawn()
    predictions[..., 1] = 4.0
    ours = combined_predictions(labels, predictions, CLUSTERS, CLUSTERS % 5)
    assert np.isfinite(ours).all()
    labelled = np.where(CLUSTERS < 3, labels, np.nan)
    assert (combined_predictions(labelled, predictions, CLUSTERS, CLUSTERS % 3) == 0).all()


def test_two_systems_that_share_no_item_change_nothing():
    labels, predictions = drawn()
    labels[2], predictions[2] = np.nan, np.nan
    ours = combined_predictions(labels, predictions, CLUSTERS, CLUSTERS % 5, systems=3)
    assert np.isnan(ours[2]).all()
    assert np.isfinite(ours[:2]).all()


def judged(good, labelled, seed=0):
    """Labels of 200 items of two systems, and judges that correlate with them by so much each."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=(1, 200))
    r = np.array(good)
    f = r * d[..., None] + np.sqrt(1 - r * r) * rng.normal(size=(1, 200, r.size))
    return np.where(np.arange(200) < labelled, d, np.nan), f


def weights(good, labelled, seed=0):
    """The weights of standardised judges in the combination of items without labels."""
    labels, f = judged(good, labelled, seed)
    items = np.arange(200)
    ours = combined_predictions(labels, f, items, items % 5)[0, labelled:]
    x = ((f - f.mean(axis=1)) / f.std(axis=1))[0, labelled:]
    return np.linalg.lstsq(x, ours, rcond=None)[0]


def test_few_labels_give_the_mean_of_the_judges():
    assert weights([0.6, 0.6, 0.6], 12) == pytest.approx(np.full(3, 3**-0.5))
    assert weights([0.6, 0.0, 0.0], 12) == pytest.approx(np.full(3, 3**-0.5))


def test_judges_that_are_alike_keep_the_weights_of_the_mean_and_others_do_not():
    alike = np.mean([weights([0.6, 0.6, 0.6], 30, seed).std() for seed in range(20)])
    least = []
    for seed in range(20):
        labels, f = judged([0.6, 0.6, 0.6], 30, seed)
        fit = np.linalg.lstsq(f[0, :30] - f[0, :30].mean(0), labels[0, :30], rcond=None)[0]
        least.append((fit / np.linalg.norm(fit)).std())
    assert alike < 0.7 * np.mean(least)
    one = np.mean([weights([0.8, 0.0, 0.0], 40, seed) for seed in range(20)], axis=0)
    assert one[0] > 0.9
    other = np.mean([weights([0.6, 0.6, -0.6], 40, seed) for seed in range(20)], axis=0)
    assert other == pytest.approx(np.array([1, 1, -1]) * 3**-0.5, abs=0.15)


def test_folds_are_even():
    folds = folds_of(23, 5, np.random.default_rng(0))
    assert np.bincount(folds).tolist() == [5, 5, 5, 4, 4]


def test_shapes_that_do_not_fit():
    labels, predictions = drawn()
    with pytest.raises(InputError, match="do not fit"):
        combined_predictions(labels[:, 1:], predictions, CLUSTERS, CLUSTERS % 5)
