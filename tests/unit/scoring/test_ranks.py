"""Ranges of ranks: what significant differences allow, worked by hand and against the definition."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, compare, score
from rejoinder.errors import ParameterError
from rejoinder.scoring.ranks import rank_ranges
from rejoinder.statistics.holm import SIGNIFICANT

HYPOTHESES, REFERENCES = corpus(seed=9, n=60)
TESTSET = TestSet.from_lists(REFERENCES)


def scores_of(metrics, **systems):
    rows = [(s, i, t) for s in systems for i, t in zip(TESTSET.ids, systems[s], strict=True)]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(TESTSET, answers, metrics, resamples=100)


FOUR = scores_of(
    ["bleu:order=1"],
    d=["nothing"] * 60,
    a=HYPOTHESES,
    c=[text[: len(text) // 2] for text in HYPOTHESES],
    b=[*HYPOTHESES[:-1], "no"],
)


def test_a_rank_counts_who_is_significantly_better_and_worse():
    table = FOUR.compare(permutations=999)
    low = table.filter(pl.col("p_randomization_holm") >= SIGNIFICANT).select("a", "b").rows()
    assert low == [("a", "b")]
    ranks = FOUR.ranks()
    assert ranks.select("system", "best_rank", "worst_rank", "group").rows() == [
        ("a", 1, 2, 1),
        ("b", 1, 2, 1),
        ("c", 3, 3, 2),
        ("d", 4, 4, 3),
    ]
    assert ranks["value"].to_list() == FOUR.systems()["value"].to_list()
    assert ranks.equals(compare(FOUR).ranks())


def test_ranks_of_any_p_values():
    rng = np.random.default_rng(3)
    values = dict(zip(FOUR.names, FOUR.measured["BLEU-1"].scores().tolist(), strict=True))
    order = sorted(values, key=lambda name: -values[name])
    for _ in range(200):
        p = rng.choice([0.01, 0.0499, 0.05, 0.3, np.nan], 6)
        rows = [
            {
                "metric": "BLEU-1",
                "a": a,
                "b": b,
                "difference": values[a] - values[b],
                "p_randomization_holm": each,
            }
            for (a, b), each in zip(combinations(FOUR.names, 2), p, strict=True)
        ]
        clear = {
            frozenset((row["a"], row["b"])) for row in rows if row["p_randomization_holm"] < 0.05
        }
        ranks = rank_ranges(FOUR, pl.DataFrame(rows))
        for row in ranks.iter_rows(named=True):
            place = order.index(row["system"])
            above = [frozenset((row["system"], other)) for other in order[:place]]
            below = [frozenset((row["system"], other)) for other in order[place + 1 :]]
            assert row["best_rank"] == 1 + sum(pair in clear for pair in above)
            assert row["worst_rank"] == 4 - sum(pair in clear for pair in below)
            assert row["best_rank"] <= place + 1 <= row["worst_rank"]
        begins = [
            all(frozenset((up, down)) in clear for up in order[:k] for down in order[k:])
            for k in range(1, 4)
        ]
        assert ranks["group"].diff().drop_nulls().to_list() == begins


def test_metrics_that_rank_no_system_have_no_ranks():
    scores = scores_of(["length"], a=HYPOTHESES, b=HYPOTHESES[::-1])
    assert scores.ranks().is_empty()
    assert scores.ranks().columns == FOUR.ranks().columns


def test_ranks_need_all_pairs():
    with pytest.raises(ParameterError, match="all pairs"):
        compare(FOUR, "a", "b").ranks()
