"""Measures of one prompt's samples, by brute force over subsets and beside the authors' Vendi score."""

from itertools import combinations

import numpy as np
import pytest

from rejoinder.diversity.measures import (
    all_missed,
    expected_best,
    mean_of_pairs,
    rarefied_distinct,
    subsets,
    vendi,
    vendi_of_answers,
)
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

SAMPLES = ["yes it is", "yes", "no it is not", "yes it is", ""]


def grams(text, order):
    words = text.split()
    return [tuple(words[i : i + order]) for i in range(len(words) - order + 1)]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_rarefied_distinct_is_the_mean_over_all_subsets(order, k):
    # The quotient of means: different n-grams over all n-grams, each expected over the subsets.
    found = [
        [each for text in some for each in grams(text, order)] for some in combinations(SAMPLES, k)
    ]
    wanted = sum(len(set(each)) for each in found) / sum(map(len, found))
    tokens = tokenize(Strings.of(["never mind", *SAMPLES]), "none")
    # The first prompt has one sample, the second five.
    bounds = np.array([0, 1, 6])
    value = rarefied_distinct(tokens, bounds, order, k)[1]
    assert value == pytest.approx(wanted, abs=1e-12)


def test_distinct_of_samples_without_any_n_gram_is_undefined():
    tokens = tokenize(Strings.of(["", "", "a b"]), "none")
    values = rarefied_distinct(tokens, np.array([0, 2, 3]), 1, 1)
    assert np.isnan(values[0])
    assert values[1] == 1


@pytest.mark.parametrize("k", range(1, 6))
def test_the_expected_best_is_the_mean_over_all_subsets(k):
    similarities = np.random.default_rng(k).random((5, 3))
    wanted = np.mean(
        [similarities[list(some)].max(axis=0) for some in combinations(range(5), k)], axis=0
    )
    assert expected_best(similarities, k) == pytest.approx(wanted, abs=1e-12)


def test_missing_all_of_c_is_counted_over_subsets():
    for n, c, k in ((5, 2, 2), (5, 4, 2), (4, 0, 3), (4, 4, 1)):
        subsets_ = list(combinations(range(n), k))
        wanted = np.mean([all(i >= c for i in some) for some in subsets_])
        assert all_missed(np.array([n]), np.array([c]), k)[0] == pytest.approx(wanted, abs=1e-12)


# What vendi-score 0.0.3 (Friedman and Dieng) gives: vendi.score_K. The last matrix has a negative
# eigenvalue, which it leaves out.
ORACLE = [
    ([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], 2.1573004833739833),
    ([[1, 0.5, 0.25, 0], [0.5, 1, 0.5, 0.1], [0.25, 0.5, 1, -0.2], [0, 0.1, -0.2, 1]], 3.431384970614739),
    ([[1, 0.9, 0.1], [0.9, 1, 0.9], [0.1, 0.9, 1]], 1.7489887215093285),
]  # fmt: skip


@pytest.mark.parametrize(("matrix", "wanted"), ORACLE)
def test_vendi_is_that_of_its_authors_package(matrix, wanted):
    assert vendi(np.array(matrix, dtype=float)[None])[0] == pytest.approx(wanted, abs=1e-12)


def test_vendi_by_exact_match_is_that_of_its_authors_package():
    # vendi.score(["a", "b", "a", "c"], equality); shares 1/2, 1/4, 1/4: entropy 1.5 bits, 2^1.5.
    drawn = np.arange(4)[None]
    assert vendi_of_answers(["a", "b", "a", "c"], drawn) == pytest.approx(
        2.82842712474619, abs=1e-12
    )


def test_the_mean_of_pairs_leaves_a_sample_with_itself_out():
    assert mean_of_pairs(np.array([[1.0, 0.2], [0.4, 1.0]])) == pytest.approx(0.3)
    assert np.isnan(mean_of_pairs(np.ones((1, 1))))


def test_subsets_are_all_samples_where_there_are_no_more():
    rng = np.random.default_rng(0)
    assert subsets(3, 3, rng).tolist() == [[0, 1, 2]]
    assert all(len(set(each)) == 2 for each in subsets(5, 2, rng).tolist())
