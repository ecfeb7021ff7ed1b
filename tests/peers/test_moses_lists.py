"""The n-best lists of Moses' own tests of MERT: 100 lists of 100 with 15 features.

``REJOINDER_MOSES_MERT`` names the folder ``mert/test_scorer_data`` of a checkout of Moses, with
``nbest.out`` and ``reference.txt``, of whose 2,000 references the first 100 belong to the lists.
"""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import rejoinder
from rejoinder import TestSet
from rejoinder.metrics import registry
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tuning.objectives import candidate_rows
from rejoinder.tuning.weight_search import CandidateRows, WeightSearch

FOLDER = Path(os.environ.get("REJOINDER_MOSES_MERT", "absent"))
METRIC = "bleu:order=4,tokenizer=none"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="REJOINDER_MOSES_MERT names no mert/test_scorer_data of Moses"
)


@cache
def lists():
    texts = (FOLDER / "reference.txt").read_text("utf-8").split("\n")[:100]
    testset = TestSet.from_lists([[each] for each in texts])
    return NBestLists.of(FOLDER / "nbest.out", ids=testset.ids), testset


@cache
def rows():
    candidates, testset = lists()
    metric = registry.metric(METRIC)
    features = candidates.matrix(candidates.features())
    assert features.shape == (10_000, 15)
    statistics = candidate_rows(metric, candidates, testset)
    return CandidateRows(features, candidates.bounds, statistics, metric.score)


def test_the_first_candidates_and_the_oracle():
    candidates, testset = lists()
    result = rejoinder.rerank(candidates, testset, [METRIC], oracle=METRIC)
    assert result.gains.select("first", "reranked").row(0) == pytest.approx(
        (0.0722, 0.1176), abs=5e-5
    )


def test_minimum_bayes_risk():
    candidates, testset = lists()
    result = rejoinder.rerank(candidates, testset, [METRIC], mbr="chrf")
    assert result.gains["reranked"][0] == pytest.approx(0.0812, abs=5e-5)


@pytest.mark.parametrize("seed", range(10))
def test_twenty_starts(seed):
    weights = WeightSearch.of(rows(), 20, np.random.default_rng(seed)).best()
    assert rows().value_of(rows().chosen(weights)) >= 0.0986
