"""Summaries of head-to-head judgements: worked tables, oracles, and the edges."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

from rejoinder.errors import ParameterError
from rejoinder.human_evaluation.preference_summary import preferences as summarise_preferences
from rejoinder.statistics.clusters import effective_size
from rejoinder.statistics.holm import holm
from rejoinder.statistics.kappa import pooled_kappa
from rejoinder.statistics.proportions import wilson
from rejoinder.tables.schemas import PREFERENCES

NAN = float("nan")


def preferences(*rows):
    """Rows of (id, a, b, rater, winner)."""
    made = [(id, a, b, rater, "overall", winner) for id, a, b, rater, winner in rows]
    return pl.DataFrame(made, schema=PREFERENCES, orient="row")


def measured(told, measure, raters="all"):
    rows = told.agreement.filter((pl.col("measure") == measure) & (pl.col("raters") == raters))
    return rows.row(0, named=True)


def contests(seed=0, items=30, raters=3, systems=("x", "y", "z"), logs=(0.8, 0.0, -0.8)):
    """Comparisons of every pair on every item, sides at random, one in ten a tie."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(items):
        for a in range(len(systems)):
            for b in range(a):
                for r in range(raters):
                    one, two = (a, b) if rng.random() < 0.5 else (b, a)
                    won = rng.random() < 1 / (1 + np.exp(logs[two] - logs[one]))
                    winner = "tie" if rng.random() < 0.1 else "ab"[not won]
                    rows.append((f"c{i}", systems[one], systems[two], f"r{r}", winner))
    return rows


def test_win_tie_and_loss_by_hand():
    # ours wins c1, c2 and c3 (told from side b), ties c4, loses c5.
    rows = [
        ("c1", "ours", "other", "ann", "a"), ("c2", "ours", "other", "ann", "a"),
        ("c3", "other", "ours", "ann", "b"), ("c4", "other", "ours", "ann", "tie"),
        ("c5", "ours", "other", "ann", "b"),
    ]  # fmt: skip
    told = summarise_preferences(preferences(*rows), resamples=0)
    row = told.pairs.row(0, named=True)
    assert (row["a"], row["b"]) == ("ours", "other")
    assert (row["wins"], row["ties"], row["losses"]) == (3, 1, 1)
    assert (row["win_rate"], row["tie_rate"], row["loss_rate"]) == (0.6, 0.2, 0.2)
    assert row["points"] == pytest.approx(0.7)
    # one judgement an item: Wilson's plain interval of 3 in 5
    plain = wilson(0.6, 5)
    assert (row["win_rate_low"], row["win_rate_high"]) == pytest.approx((plain.low, plain.high))
    assert row["p"] == pytest.approx(2 * 5 / 16)  # 3 to 1: 2 (1 + 4) / 2^4
    # Bradley-Terry of 3.5 to 1.5 points: half of log(7 / 3) either side
    strengths = dict(told.strengths.select("system", "strength").rows())
    assert strengths["ours"] == pytest.approx(math.log(7 / 3) / 2)


def test_several_judges_of_an_item_are_one_observation_of_the_test():
    # Of 6 items, 3 judges each: ours takes 5 by 3 to 0, and loses one 1 to 2.
    rows = [
        (f"c{i}", "ours", "other", r, "a" if i < 5 or r == "ann" else "b")
        for i in range(6)
        for r in ("ann", "ben", "cem")
    ]
    row = summarise_preferences(preferences(*rows), resamples=0).pairs.row(0, named=True)
    assert (row["items_won"], row["items_tied"], row["items_lost"]) == (5, 0, 1)
    assert row["p"] == pytest.approx(2 * 7 / 64)  # 2 (1 + 6) / 2^6, not that of 16 to 2
    narrow = wilson(16 / 18, 18)
    assert row["win_rate_high"] - row["win_rate_low"] > narrow.high - narrow.low


def test_effective_size_is_between_groups_and_judgements():
    # groups say the same: as many as groups; groups are mixed as a shuffled lot: all of them
    same = np.repeat([1.0, 0.0, 1.0, 0.0], 5)
    groups = np.repeat(np.arange(4), 5)
    assert effective_size(same, groups) == pytest.approx(4)
    assert effective_size(np.tile([1.0, 0.0], 10), groups) == pytest.approx(20)
    assert effective_size(np.ones(20), groups) == pytest.approx(4)
    # single judgements: each its own
    assert effective_size(np.array([1.0, 0.0, 1.0]), np.arange(3)) == pytest.approx(3)
    # 3 + 1 judgements that agree within groups are worth 16 / 10
    assert effective_size(np.ones(4), np.array([0, 0, 0, 1])) == pytest.approx(1.6)


def test_the_interval_of_grouped_judgements_covers():
    # 40 items x 4 judges, items' own rates scattered around 0.6: 95% should hold it, plain does not.
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(40), 4)
    held = plain = 0
    for _ in range(400):
        rate = rng.beta(0.6, 0.4, 40)
        y = (rng.random((40, 4)) < rate[:, None]).astype(float).ravel()
        ours, naive = wilson(y.mean(), effective_size(y, groups)), wilson(y.mean(), 160)
        held += ours.low <= 0.6 <= ours.high
        plain += naive.low <= 0.6 <= naive.high
    assert held / 400 > 0.92
    assert plain / 400 < 0.85


def test_all_pairs_are_one_family():
    told = summarise_preferences(preferences(*contests()), resamples=0).pairs
    assert told["p_holm"].to_numpy() == pytest.approx(holm(told["p"].to_numpy()))


def test_strengths_are_the_maximum_of_the_logistic_likelihood():
    optimize = pytest.importorskip("scipy.optimize")
    rows = contests(seed=4)
    told = summarise_preferences(preferences(*rows), resamples=100).strengths
    names = told["system"].to_list()
    points = Counter()
    for _, a, b, _, winner in rows:
        share = {"a": 1.0, "b": 0.0, "tie": 0.5}[winner]
        points[names.index(a), names.index(b)] += share
        points[names.index(b), names.index(a)] += 1 - share

    def loss(logs):
        return sum(n * np.logaddexp(0, logs[j] - logs[i]) for (i, j), n in points.items())

    best = optimize.minimize(loss, np.zeros(len(names)), tol=1e-12).x
    assert told["strength"].to_numpy() == pytest.approx(best - best.mean(), abs=1e-5)
    assert (told["low"] < told["strength"]).all()
    assert (told["strength"] < told["high"]).all()


def test_the_sign_test_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    told = summarise_preferences(preferences(*contests(seed=6, raters=1)), resamples=0)
    for row in told.pairs.iter_rows(named=True):
        n = row["wins"] + row["losses"]
        assert row["p"] == pytest.approx(stats.binomtest(row["wins"], n).pvalue)


def outcomes(rows):
    """Outcomes by pair of replies (the pair in the order of names) and rater."""
    units, raters, said = {}, {}, {}
    for id, a, b, rater, winner in rows:
        sign = {"a": 1, "b": -1, "tie": 0}[winner] * (1 if a < b else -1)
        unit = units.setdefault((id, *sorted([a, b])), len(units))
        said[unit, raters.setdefault(rater, len(raters))] = sign
    matrix = np.full((len(units), len(raters)), NAN)
    for place, sign in said.items():
        matrix[place] = sign
    return matrix


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_agreement_on_preferences_is_krippendorffs_alpha_seen_from_both_sides(kind):
    oracle = pytest.importorskip("krippendorff")
    rows = [row for i, row in enumerate(contests(seed=7)) if i % 5 > 1]  # judgements missing
    matrix = outcomes(rows)
    mirrored = np.concatenate([matrix, -matrix])
    told = summarise_preferences(preferences(*rows), resamples=100)
    row = measured(told, f"alpha {kind}")
    theirs = oracle.alpha(mirrored.T, level_of_measurement=kind)
    assert row["value"] == pytest.approx(theirs, abs=1e-12)
    assert row["low"] < row["value"] < row["high"]
    assert told.raters["kappa"].to_numpy() == pytest.approx(pooled_kappa(mirrored).kappa)


def test_names_of_systems_and_sides_do_not_matter():
    rows = contests(seed=8)
    turned = [(i, b, a, r, {"a": "b", "b": "a"}.get(w, w)) for i, a, b, r, w in rows]
    one = summarise_preferences(preferences(*rows), resamples=0)
    two = summarise_preferences(preferences(*turned), resamples=0)
    assert one.agreement["value"].to_list() == pytest.approx(two.agreement["value"].to_list())
    strengths = [dict(t.strengths.select("system", "strength").rows()) for t in (one, two)]
    assert strengths[0] == pytest.approx(strengths[1])


def test_careless_raters_are_dropped_when_asked():
    rng = np.random.default_rng(9)
    rows = []
    for i in range(40):
        truth = "ab"[rng.random() < 0.4]
        rows += [(f"c{i}", "x", "y", r, truth) for r in ("ann", "ben", "cem")]
        rows.append((f"c{i}", "x", "y", "bad", truth if i % 2 else {"a": "b", "b": "a"}[truth]))
    told = summarise_preferences(preferences(*rows), drop=True, resamples=0)
    assert dict(told.raters.select("rater", "verdict").rows())["bad"] == "dropped"
    assert told.pairs["comparisons"].to_list() == [120]
    assert told.counts["comparisons"].to_list() == [160]
    assert measured(told, "kappa", "kept")["value"] == pytest.approx(1)


def judged(say, raters=("ann", "ben"), items=12):
    return [(f"c{i}", "x", "y", r, say(i, r)) for i in range(items) for r in raters]


PREFERENCE_EDGES = {
    # name: (rows, p, reason of p, value and reason of alpha nominal, reason of the strengths)
    "one rater": (
        judged(lambda i, r: "aab"[i % 3], ["ann"]), 0.387695, None,  # 8 to 4 of 12
        (NAN, "fewer than 2 raters"), None,
    ),
    "one item": (
        judged(lambda i, r: "a", items=1), 1.0, None,
        (NAN, "fewer than 2 units with two ratings"), "'x' never loses",
    ),
    "all ties": (
        judged(lambda i, r: "tie"), NAN, "no item is decided",
        (NAN, "no variation: all ratings are equal"), "no spread",
    ),
    "one side wins all": (
        judged(lambda i, r: "a"), 2 / 2**12, None,
        (1.0, "no spread"), "'x' never loses",
    ),
    "a rater who always ties": (
        judged(lambda i, r: "tie" if r == "ben" else "aab"[i % 3]), 0.387695, None,
        # 12 units of one decided and one tied judgement: o = 0 on the diagonal, D_o = 1; mirrored
        # 24 ties of 48 and 12 each way: D_e = (48^2 - 24^2 - 2 12^2) / (48 47) = 1440 / 2256
        (1 - 2256 / 1440, "no spread"), None,
    ),
    "raters never meet": (
        [row for i, row in enumerate(judged(lambda i, r: "aab"[i % 3])) if (i // 2 + i) % 2],
        0.387695, None, (NAN, "fewer than 2 units with two ratings"), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PREFERENCE_EDGES)
def test_edges_of_preferences(name):
    rows, p, reason, (alpha, no_alpha), no_strengths = PREFERENCE_EDGES[name]
    told = summarise_preferences(preferences(*rows), resamples=100)
    pair = told.pairs.row(0, named=True)
    assert pair["p"] == pytest.approx(p, nan_ok=True, abs=1e-6)
    assert (pair["reason"] or "").startswith(reason or "")
    assert bool(pair["reason"]) == bool(reason)
    assert 0 <= pair["win_rate_low"] < pair["win_rate_high"] <= 1  # never of width 0
    row = measured(told, "alpha nominal")
    assert row["value"] == pytest.approx(alpha, nan_ok=True)
    assert row["reason"].startswith(no_alpha)
    strength = told.strengths.row(0, named=True)
    assert (strength["reason"] or "").startswith(no_strengths or "")
    assert bool(strength["reason"]) == bool(no_strengths)
    assert math.isnan(strength["low"]) == bool(no_strengths)


def test_the_same_two_replies_judged_in_both_orders():
    rows = contests(seed=10)
    again = ("c0", rows[0][2], rows[0][1], rows[0][3], "tie")
    told = summarise_preferences(preferences(*rows, again), resamples=0)
    assert told.counts["comparisons"].item() == len(rows) + 1
    assert told.agreement.equals(summarise_preferences(preferences(*rows), resamples=0).agreement)
    assert any("1 judgement by a rater who judged the same two" in note for note in told.notes)


def test_a_side_that_wins_whatever_stands_there_is_told():
    rows = [(f"c{i}", *("xy" if i % 2 else "yx"), "ann", "a") for i in range(12)]
    told = summarise_preferences(preferences(*rows), resamples=0)
    assert any("side a is preferred whichever system it is: 12 times a" in n for n in told.notes)
    # of systems that always stand on one side, nothing can be told
    fixed = [(f"c{i}", "x", "y", "ann", "a") for i in range(12)]
    told = summarise_preferences(preferences(*fixed), resamples=0)
    assert not any(n.startswith("side") for n in told.notes)


def test_a_system_is_left_out_with_its_comparisons():
    told = summarise_preferences(preferences(*contests()), without=["z"], resamples=0)
    assert [set(pair) for pair in told.pairs.select("a", "b").rows()] == [{"x", "y"}]
    with pytest.raises(ParameterError, match="system 'w' is unknown; choose"):
        summarise_preferences(preferences(*contests()), without=["w"])
