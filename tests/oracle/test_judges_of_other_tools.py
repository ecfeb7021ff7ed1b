"""Three judges' marks of 21 systems that answered different contexts, against numpy and scipy.

The marks and the mean human ratings are those of judges-dailydialog-zhao: 450 replies to 50 contexts.
"""

import csv
from collections import defaultdict

import numpy as np
import pytest
from scipy import stats

from rejoinder import Scores, correlate, load_scores, read_ratings, read_scores
from shared_data import shared

FOLDER = ("data", "judges-dailydialog-zhao")


@pytest.fixture(scope="module")
def marks():
    """By judge and system the marks by id, read without Rejoinder."""
    by_judge = defaultdict(lambda: defaultdict(dict))
    with open(shared(*FOLDER, "scores.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            by_judge[row["name"]][row["system"]][row["id"]] = float(row["value"])
    return by_judge


@pytest.fixture(scope="module")
def people():
    with open(shared(*FOLDER, "ratings.csv"), encoding="utf-8", newline="") as file:
        return {(row["system"], row["id"]): float(row["score"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def scores():
    return Scores.from_segments(read_scores(shared(*FOLDER, "scores.csv")), missing="pairwise")


def test_each_system_on_its_own_contexts(scores, marks):
    table = scores.systems()
    assert table.height == 3 * 21
    for row in table.iter_rows(named=True):
        x = np.array(list(marks[row["metric"]][row["system"]].values()))
        assert row["n"] == x.size
        ends = stats.t.interval(0.95, x.size - 1, x.mean(), stats.sem(x))
        values = [row["value"], row["low"], row["high"]]
        assert values == pytest.approx([x.mean(), *ends], abs=1e-12)


def test_two_systems_on_the_contexts_that_both_answered(scores, marks):
    table = scores.compare("ground-truth", permutations=100)
    paired = 0
    for row in table.filter(metric="judge_google").iter_rows(named=True):
        a, b = (marks["judge_google"][row[name]] for name in ("a", "b"))
        common = sorted(set(a) & set(b))
        assert (row["n"], row["n_a"], row["n_b"]) == (len(common), len(a), len(b))
        if row["paired"] and row["n"] >= 4:
            x, y = (np.array([each[id] for id in common]) for each in (a, b))
            ends = stats.ttest_rel(x, y).confidence_interval()
            values = [row["difference"], row["low"], row["high"]]
            assert values == pytest.approx([(x - y).mean(), *ends], abs=1e-12, nan_ok=True)
            paired += 1
    assert paired >= 15


def test_agreement_with_people_over_all_rated_replies(scores, marks, people):
    ratings = read_ratings(shared(*FOLDER, "ratings.csv"))
    names = ("pearson", "spearman", "kendall-b")
    table = correlate(scores, ratings, correlations=names, permutations=0, resamples=0).table()
    oracles = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
    for judge, by_system in marks.items():
        keys = [(system, id) for system, values in by_system.items() for id in values]
        x = [by_system[system][id] for system, id in keys]
        y = [people[key] for key in keys]
        for name, oracle in zip(names, oracles, strict=True):
            row = table.filter(metric=judge, correlation=name).row(0, named=True)
            assert row["n"] == 450
            assert row["value"] == pytest.approx(oracle(x, y)[0], abs=1e-12)


def test_saved_and_loaded(scores, tmp_path):
    scores.save(tmp_path / "kept.parquet")
    kept = load_scores(tmp_path / "kept.parquet")
    assert kept.systems().equals(scores.systems())
    assert kept.segments().equals(scores.segments(), null_equal=True)
    assert kept.notes == scores.notes
