"""The inertia of clusters, beside plain k-means++ seeding and scikit-learn."""

import numpy as np
import pytest

from rejoinder.corpora import filtering as module
from rejoinder.corpora.filtering import kmeans

SEEDS = range(8)


def blobs(centres, size, spread, seed=0):
    """Vectors around random centres within a cube."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1, 1, (centres, 5))
    return np.concatenate([place + spread * rng.normal(size=(size, 5)) for place in places])


DATA = {
    "tight clusters": (blobs(30, 12, 0.01), 30),
    "clusters that overlap": (blobs(20, 20, 0.15), 20),
    "one normal cloud": (np.random.default_rng(1).normal(size=(500, 3)), 25),
}  # fmt: skip


def inertia(vectors, labels):
    """The squared distances to the mean of each cluster, summed."""
    return sum(
        np.square(vectors[labels == c] - vectors[labels == c].mean(axis=0)).sum()
        for c in np.unique(labels)
    )


def plain_seeds(rows, k, generator):
    """k-means++ with a single candidate for each centre."""
    chosen = [int(generator.integers(len(rows)))]
    while len(chosen) < k:
        distance = np.square(rows[:, None] - rows[chosen]).sum(axis=2).min(axis=1)
        chosen.append(int(generator.choice(len(rows), p=distance / distance.sum())))
    return rows[chosen]


@pytest.mark.parametrize("name", DATA)
def test_greedy_seeds_have_a_lower_inertia_than_plain_ones(name, monkeypatch):
    vectors, k = DATA[name]
    greedy = np.mean([inertia(vectors, kmeans(vectors, k, seed)) for seed in SEEDS])
    monkeypatch.setattr(module, "_seeds", plain_seeds)
    plain = np.mean([inertia(vectors, kmeans(vectors, k, seed)) for seed in SEEDS])
    assert greedy < plain


@pytest.mark.parametrize("name", DATA)
def test_inertia_is_near_that_of_scikit_learn(name):
    cluster = pytest.importorskip("sklearn.cluster")
    vectors, k = DATA[name]
    ours = np.mean([inertia(vectors, kmeans(vectors, k, seed)) for seed in SEEDS])
    theirs = np.mean(
        [cluster.KMeans(k, n_init=1, random_state=seed).fit(vectors).inertia_ for seed in SEEDS]
    )
    assert ours < 1.15 * theirs


def test_fewer_clusters_where_fewer_vectors_are_distinct():
    assert kmeans(np.repeat([[0.0], [1.0]], 5, axis=0), 4, seed=0).max() == 1
