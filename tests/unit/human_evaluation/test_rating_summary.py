"""Summaries of ratings: worked tables, oracles, and the edges."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.rating_criterion import FEW_SKEWED
from rejoinder.human_evaluation.rating_summary import ratings as summarise_ratings
from rejoinder.statistics.alpha import DIFFERENCES
from rejoinder.statistics.intervals import SAME
from rejoinder.statistics.kappa import WEIGHTS, pooled_kappa
from rejoinder.tables.schemas import RATINGS

NAN = float("nan")


def ratings(*rows, criterion="overall"):
    """Rows of (id, system, rater, score)."""
    made = [(id, system, rater, criterion, float(score)) for id, system, rater, score in rows]
    return pl.DataFrame(made, schema=RATINGS, orient="row")


def crowd(seed=0, items=40, raters=5, missing=0.0):
    """Ratings of two systems by raters who mostly agree, and their matrix [replies, raters]."""
    rng = np.random.default_rng(seed)
    quality = rng.integers(1, 6, (2 * items, 1))
    matrix = np.clip(quality + rng.integers(-1, 2, (2 * items, raters)), 1, 5).astype(float)
    matrix[rng.random(matrix.shape) < missing] = NAN
    rows = [
        (f"c{unit % items}", "ab"[unit // items], f"r{rater}", matrix[unit, rater])
        for unit in range(2 * items)
        for rater in range(raters)
        if not math.isnan(matrix[unit, rater])
    ]
    return ratings(*rows), matrix


def measured(told, measure, raters="all"):
    rows = told.agreement.filter((pl.col("measure") == measure) & (pl.col("raters") == raters))
    return rows.row(0, named=True)


def test_counts_means_and_shares_by_hand():
    # bot: c1 is 4 (of 3 and 5), c2 is 2, c3 has no reply rated; cat: c1 5, c2 1, c3 3 by ann alone.
    table = ratings(
        ("c1", "bot", "ann", 3), ("c1", "bot", "ben", 5), ("c2", "bot", "ann", 2),
        ("c1", "cat", "ann", 5), ("c2", "cat", "ann", 1), ("c3", "cat", "ann", 3),
    )  # fmt: skip
    told = summarise_ratings(table)
    assert told.counts.row(0, named=True) == {
        "criterion": "overall", "items": 3, "systems": 2, "replies": 5, "unrated": 1, "raters": 2,
        "ratings": 6, "means": 0, "missing": 4, "fewest": 1, "most": 2, "low": 1.0, "high": 5.0,
    }  # fmt: skip
    bot, cat = told.systems.rows(named=True)
    assert (bot["mean"], bot["median"], bot["n"], bot["ratings"]) == (3.0, 3.0, 2, 3)
    assert bot["sd"] == pytest.approx(math.sqrt(2))  # 4 and 2: ((1)^2 + (1)^2) / 1
    assert (cat["mean"], cat["n"], cat["ratings"]) == (3.0, 3, 3)
    assert bot["reason"] == "fewer than 4 items to resample"
    shares = {(row["system"], row["score"]): row["share"] for row in told.distribution.to_dicts()}
    assert shares["bot", 3.0] == pytest.approx(1 / 3)
    assert shares["cat", 5.0] == pytest.approx(1 / 3)
    assert any("different items" in note for note in told.notes)


def test_medians_and_z_scores():
    table = ratings(
        *[("c1", "bot", r, s) for r, s in (("ann", 1), ("ben", 1), ("cem", 4))],
        *[("c2", "bot", r, s) for r, s in (("ann", 3), ("ben", 5), ("cem", 4))],
    )
    assert summarise_ratings(table, raters="median").aggregated["score"].to_list() == [1.0, 4.0]
    # ann and ben: one deviation below and above their means; cem says nothing: (-1 -1 + 0) / 3
    told = summarise_ratings(table, raters="z")
    assert told.aggregated["score"].to_list() == pytest.approx([-2 / 3, 2 / 3])
    assert told.aggregated["rater"].to_list() == ["z", "z"]
    assert any("0 each time under 'z'" in note for note in told.notes)


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("kind", DIFFERENCES)
def test_alpha_is_krippendorffs(kind, missing):
    oracle = pytest.importorskip("krippendorff")
    table, matrix = crowd(missing=missing)
    row = measured(summarise_ratings(table, resamples=200), f"alpha {kind}")
    theirs = oracle.alpha(matrix.T, level_of_measurement=kind)
    assert row["value"] == pytest.approx(theirs, abs=1e-12)
    assert row["low"] < row["value"] < row["high"]
    assert row["n"] == ((~np.isnan(matrix)).sum(axis=1) > 1).sum()


@pytest.mark.parametrize("missing", [0.0, 0.5])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_pooled_kappa_is_scikit_learns_of_a_weighted_table(weights, missing):
    metrics = pytest.importorskip("sklearn.metrics")
    _, matrix = crowd(seed=3, missing=missing)
    ours = pooled_kappa(matrix, weights)
    for rater in range(matrix.shape[1]):
        own, theirs, weight = [], [], []
        for row in matrix[~np.isnan(matrix[:, rater])]:
            others = [s for r, s in enumerate(row) if r != rater and not math.isnan(s)]
            own += [row[rater]] * len(others)
            theirs += others
            weight += [1 / len(others)] * len(others) if others else []
        oracle = metrics.cohen_kappa_score(
            own, theirs, labels=[1, 2, 3, 4, 5], sample_weight=weight,
            weights=None if weights == "none" else weights,
        )  # fmt: skip
        assert ours.kappa[rater] == pytest.approx(oracle, abs=1e-12)


def test_pooled_kappa_of_two_is_plain_kappa():
    a, b = np.array([1.0, 2.0, 3.0, 3.0, 5.0]), np.array([1.0, 2.0, 3.0, 2.0, 4.0])
    both = pooled_kappa(np.stack([a, b], axis=1))
    # Observed: 2 steps. Expected: all 25 pairings differ by 34 steps, over 5.
    assert both.kappa == pytest.approx([1 - 2 / (34 / 5)] * 2, abs=1e-12)
    assert both.shared.tolist() == [5, 5]


def mean_of_pairs(matrix):
    """Each rater's mean kappa with every other, weighted by the units that the two share."""
    raters = matrix.shape[1]
    kappa, shared = np.full((raters, raters), NAN), np.zeros((raters, raters))
    for r, s in combinations(range(raters), 2):
        both = ~np.isnan(matrix[:, [r, s]]).any(axis=1)
        kappa[[r, s], [s, r]] = pooled_kappa(matrix[both][:, [r, s]]).kappa
        shared[[r, s], [s, r]] = both.sum()
    weight = np.where(np.isnan(kappa), 0, shared)
    return (weight * np.nan_to_num(kappa)).sum(axis=1) / weight.sum(axis=1)


def test_in_a_crowd_pairs_that_share_little_do_not_pull_kappa_down():
    # 100 raters of one and the same reliability, 4 ratings a unit: any two share about one unit.
    rng = np.random.default_rng(1)
    full = np.clip(rng.integers(1, 6, (800, 1)) + rng.integers(-1, 2, (800, 100)), 1, 5)
    dense = full[:, :10].astype(float)
    sparse = np.full(full.shape, NAN)
    for unit in range(800):
        chosen = rng.choice(100, 4, replace=False)
        sparse[unit, chosen] = full[unit, chosen]
    known = np.nanmean(pooled_kappa(dense).kappa)
    assert mean_of_pairs(dense).mean() == pytest.approx(known, abs=0.01)
    assert np.nanmean(pooled_kappa(sparse).kappa) == pytest.approx(known, abs=0.04)
    assert mean_of_pairs(sparse).mean() < known - 0.2


def test_unreliable_raters_are_named_and_dropped_when_asked():
    table, _ = crowd()
    against = [(f"c{i}", s, "bad", 1 + (7 * i + (s == "b")) % 5) for i in range(40) for s in "ab"]
    table = pl.concat([table, ratings(*against), ratings(("c0", "a", "new", 3))])
    kept = summarise_ratings(table, resamples=0)
    verdicts = dict(kept.raters.select("rater", "verdict").rows())
    assert verdicts == {**{f"r{i}": "kept" for i in range(5)}, "bad": "below", "new": "not judged"}
    assert kept.ratings.height == table.height
    assert any("1 of 7 raters below a kappa of 0.1, not left out: bad" in n for n in kept.notes)
    assert any("kept without a kappa: new (fewer than 10 replies" in n for n in kept.notes)

    told = summarise_ratings(table, drop=True, resamples=0)
    assert set(told.ratings["rater"]) == {*(f"r{i}" for i in range(5)), "new"}
    assert any(
        "1 of 7 raters below a kappa of 0.1 left out with 80 ratings" in n for n in told.notes
    )
    before, after = (measured(told, "alpha interval", r)["value"] for r in ("all", "kept"))
    assert before == measured(kept, "alpha interval")["value"] < after
    again = summarise_ratings(told.ratings, resamples=0)
    assert measured(again, "alpha interval")["value"] == after
    assert told.systems["mean"].to_list() == again.systems["mean"].to_list()


def test_human_rows_are_each_rater_against_the_mean_of_the_others():
    table, matrix = crowd(seed=5, raters=3)
    told = summarise_ratings(table, resamples=0)
    each = [
        np.corrcoef(matrix[:, r], np.delete(matrix, r, axis=1).mean(axis=1))[0, 1] for r in range(3)
    ]
    row = told.human.filter(pl.col("correlation") == "pearson").row(0, named=True)
    assert row["average"] == pytest.approx(np.mean(each))
    assert row["maximum"] == pytest.approx(max(each))
    assert (row["best"], row["raters"]) == (f"r{int(np.argmax(each))}", 3)


def test_criteria_stand_by_themselves():
    one, _ = crowd(seed=1)
    two = crowd(seed=2)[0].with_columns(criterion=pl.lit("fluency"))
    both = summarise_ratings(pl.concat([one, two]), resamples=100)
    for name, alone in (("overall", one), ("fluency", two)):
        assert both.agreement.filter(pl.col("criterion") == name).equals(
            summarise_ratings(alone, resamples=100).agreement
        )
    picked = summarise_ratings(pl.concat([one, two]), criterion="fluency", resamples=100)
    assert picked.counts["criterion"].to_list() == ["fluency"]


def every(score, raters=("ann", "ben"), items=12, systems=("bot", "cat")):
    return [(f"c{i}", s, r, score(i, s, r)) for i in range(items) for s in systems for r in raters]


EDGES = {
    # name: (rows, measure -> (value, reason), words of a note)
    "one rater": (
        every(lambda i, s, r: i % 5, ["ann"]),
        {"alpha interval": (NAN, "fewer than 2 raters"), "kappa": (NAN, "fewer than 2 raters")},
        None,
    ),
    "one item": (
        every(lambda i, s, r: 2 if s == "bot" else 4, items=1),
        {"kappa": (NAN, "no rater has a kappa: fewer than 10 replies shared with others")},
        "fewer than 10 replies shared with others",
    ),
    "one reply": (
        every(lambda i, s, r: 3, items=1, systems=["bot"]),
        {"alpha nominal": (NAN, "fewer than 2 units with two ratings")},
        None,
    ),
    "all ties": (
        every(lambda i, s, r: 3),
        {
            "alpha ordinal": (NAN, "no variation: all ratings are equal"),
            "kappa": (NAN, "no rater has a kappa: rater and others gave one and the same value throughout"),
        },
        "2 raters with one value throughout: ann, ben",
    ),
    "one value only": (  # alpha by hand below; a constant rater agrees as chance would have it
        every(lambda i, s, r: 3 if r == "ben" else 1 + i % 5),
        {"kappa": (0.0, None)},
        "1 rater with one value throughout: ben",
    ),
    "nothing shared": (
        [(f"c{i}", "bot", "ann" if i % 2 else "ben", i % 5) for i in range(20)],
        {
            "alpha interval": (NAN, "fewer than 2 units with two ratings"),
            "kappa": (NAN, "no rater has a kappa: nothing shared with others"),
        },
        None,
    ),
    "means alone": (
        every(lambda i, s, r: i / 3, ["mean"]),
        {"alpha interval": (NAN, "the single ratings behind the means are not known")},
        None,
    ),
    "full agreement": (  # 1 whichever item is left out
        every(lambda i, s, r: i % 5),
        {"alpha interval": (1.0, "no spread"), "kappa": (1.0, None)},
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_edges_of_ratings(name):
    rows, expected, words = EDGES[name]
    told = summarise_ratings(ratings(*rows), resamples=100)
    for measure, (value, reason) in expected.items():
        row = measured(told, measure)
        assert row["value"] == pytest.approx(value, nan_ok=True), measure
        assert (row["reason"] or "").startswith(reason or ""), measure
        assert bool(row["reason"]) == bool(reason), measure
    assert words is None or any(words in note for note in told.notes), told.notes
    undefined = told.agreement.filter(pl.col("value").is_nan() & pl.col("reason").is_null())
    assert undefined.is_empty()
    silent = told.human.filter(pl.col("average").is_nan() & pl.col("reason").is_null())
    assert silent.is_empty()


def test_equal_ratings_of_a_system_have_no_interval():
    told = summarise_ratings(ratings(*every(lambda i, s, r: 3)), resamples=100)
    row = told.systems.row(0, named=True)
    assert (row["mean"], row["sd"]) == (3.0, 0.0)
    assert math.isnan(row["low"])
    assert row["reason"] == SAME


def test_means_beside_people_do_not_count_as_a_rater():
    table, _ = crowd()
    means = ratings(*[(f"c{i}", "c", "mean", 3.5) for i in range(40)])
    told = summarise_ratings(pl.concat([table, means]), resamples=100)
    alone = summarise_ratings(table, resamples=100)
    assert told.agreement.equals(alone.agreement)
    assert told.systems["mean"].to_list() == pytest.approx([*alone.systems["mean"], 3.5])
    assert any("40 means of raters whose single ratings" in note for note in told.notes)


def test_places_in_a_list_are_no_people():
    rows = every(lambda i, s, r: i % 5, ["1", "2", "3"])
    assert any("places in a list" in n for n in summarise_ratings(ratings(*rows)).notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"criterion": "fluency"},
            r"criterion='fluency' is unknown; choose 'overall'",
        ),
        ({"without": ["dog"]}, "system 'dog' is unknown; choose 'a' or 'b'"),
        ({"without": ["a", "b"]}, "no system is left of 'a' or 'b'; keep one or more"),
        ({"raters": "mode"}, "raters='mode' is unknown; choose 'mean', 'median' or 'z'"),
        ({"threshold": 2}, "threshold=2 must be a kappa"),
        ({"threshold": NAN}, "threshold=nan must be a kappa"),
        ({"least": 0}, "least=0 must be 1 or more"),
        ({"resamples": -1}, "resamples=-1 must be from 0"),
        ({"seed": -1}, "seed=-1 must be 0 or more"),
    ],
)
def test_parameters_that_cannot_be_meant(options, words):
    with pytest.raises(ParameterError, match=words):
        summarise_ratings(crowd()[0], **options)


def test_a_filter_that_leaves_nobody_is_an_error():
    with pytest.raises(InputError, match=r"all 5 raters of 'overall' below a kappa of 1"):
        summarise_ratings(crowd()[0], threshold=1, drop=True)


def test_little_agreement_over_few_items_has_a_note():
    rng = np.random.default_rng(2)
    rows = [
        ("s", str(i), f"ann{r}", "overall", float(rng.integers(1, 6)))
        for i in range(12)
        for r in range(3)
    ]
    schema = ["system", "id", "rater", "criterion", "score"]
    summary = summarise_ratings(pl.DataFrame(rows, schema, orient="row"))
    (note,) = [each for each in summary.notes if "hardly agree" in each]
    assert "below 0.2 over 12 items" in note
    alike = [(*row[:4], float(int(row[1]) % 5 + (row[1:3] == ("3", "ann1")))) for row in rows]
    good = summarise_ratings(pl.DataFrame(alike, schema, orient="row"))
    assert not any("hardly" in each for each in good.notes)
    many = [
        ("s", str(i), f"ann{r}", "overall", float(rng.integers(1, 6)))
        for i in range(30)
        for r in range(3)
    ]
    assert not any(
        "hardly" in each
        for each in summarise_ratings(pl.DataFrame(many, schema, orient="row")).notes
    )


@pytest.mark.parametrize(
    ("items", "noted"), [(20, True), (FEW_SKEWED - 1, True), (FEW_SKEWED, False)]
)
def test_few_skewed_ratings_of_a_system_have_a_note(items, noted):
    # "bot" fails in 1 of 20 replies; the grades of "cat" go up and down alike.
    rows = [
        (f"{i:02}", system, "ann", score)
        for i in range(items)
        for system, score in (("bot", 1.0 if i % 20 == 0 else 5.0), ("cat", 3.0 + i % 3))
    ]
    notes = summarise_ratings(ratings(*rows)).notes
    assert any("the ratings of bot are strongly skewed" in note for note in notes) == noted
