"""A p of exactly 0.05 is no finding in any table; the p that counts is the corrected one."""

import numpy as np
import polars as pl
import pytest

from rejoinder import TestSet, score
from rejoinder.batches.references import ReferenceRule
from rejoinder.cli.terminal.showing import show
from rejoinder.document.numbers import starred, three_decimals
from rejoinder.document.text import plain
from rejoinder.human_evaluation import preference_result
from rejoinder.meta_evaluation.correlate import correlate
from rejoinder.meta_evaluation.protocols import Pairwise, Unit
from rejoinder.meta_evaluation.sweep import SweepSettings, sweep_sizes
from rejoinder.metrics import BLEU
from rejoinder.scoring import compare_tables
from rejoinder.scoring.compare import Comparison
from rejoinder.scoring.margins import with_verdicts
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.utterance_quantity.ruq_tables import ahead

BELOW = float(np.nextafter(SIGNIFICANT, 0))
WORDS = ["a", "a b", "a b c", "d", "a d", "c b a", "a b d", "e", "a b c d", "b"]
RATED = ["id", "system", "rater", "criterion", "score"]


def scored(n=10, metrics=("bleu:order=1",), resamples=100, second=WORDS[::-1]):
    """Two systems on n items."""
    testset = TestSet.from_lists([["a b c"]] * n)
    rows = [("one", f"{i + 1}", WORDS[i]) for i in range(n)]
    rows += [("two", f"{i + 1}", second[i]) for i in range(n)]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, replies, list(metrics), resamples=resamples)


def ratings(marks):
    """Marks by system, of the items 1, 2, ..."""
    rows = [
        (f"{i + 1}", system, "mean", "overall", float(mark))
        for system, some in marks.items()
        for i, mark in enumerate(some)
    ]
    return pl.DataFrame(rows, schema=RATED, orient="row")


@pytest.mark.parametrize("write", [starred, three_decimals])
@pytest.mark.parametrize("p", [0.0494, 0.0496, 0.04996, BELOW, SIGNIFICANT, 0.0503])
def test_the_number_beside_a_star_is_below_the_level(write, p):
    number, star = (shown := str(write(p)))[:-1], shown[-1]
    assert (float(number) < SIGNIFICANT) == (p < SIGNIFICANT) == (star == "*")
    assert abs(float(number) - p) <= 5e-4


@pytest.fixture
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.parametrize(("p", "star"), [(BELOW, True), (SIGNIFICANT, False)])
def test_compare_marks_the_corrected_p(capsys, wide, p, star):
    scores = scored()
    table = scores.compare().with_columns(
        difference=pl.lit(0.1), p_randomization=pl.lit(0.001), p_randomization_holm=pl.lit(p)
    )
    show(Comparison(table, scores).document())
    (line, sentence) = (
        each for each in capsys.readouterr().out.splitlines() if "one" in each and "two" in each
    )
    assert ("*" in line) == star
    assert sentence.startswith(
        "BLEU-1: one is better than"
        if star
        else "BLEU-1: it is not clear whether one is better than"
    )


def signs(table, scores):
    pairs = table.filter(metric="BLEU-1")
    return tuple(compare_tables._matrix(scores, "BLEU-1", pairs, [], None).signs)


@pytest.mark.parametrize(("p", "sign"), [(BELOW, "+-"), (SIGNIFICANT, ".."), (float("nan"), "??")])
def test_the_matrix_of_pairs_has_a_sign_by_the_same_rule(p, sign):
    scores = scored()
    table = scores.compare().with_columns(difference=pl.lit(0.1), p_randomization_holm=pl.lit(p))
    assert signs(table, scores) == (f"\\{sign[0]}", f"{sign[1]}\\")


@pytest.mark.parametrize(("p", "sign"), [(BELOW, "="), (SIGNIFICANT, ".")])
def test_the_matrix_marks_what_is_smaller_than_the_margin(p, sign):
    scores = scored()
    table = scores.compare().with_columns(
        p_randomization_holm=pl.lit(0.5), p_equivalence_holm=pl.lit(p)
    )
    assert signs(table, scores)[0] == f"\\{sign}"


@pytest.mark.parametrize(("p", "verdict"), [(BELOW, "worse"), (SIGNIFICANT, "not clear")])
def test_a_loss_is_shown_by_the_same_rule(p, verdict):
    scores = scored()
    table = scores.compare(b="two", worse_by=0.1).with_columns(
        p_worse=0.001, p_worse_holm=pl.lit(p)
    )
    assert with_verdicts(table, scores)["verdict"].to_list() == [verdict]


@pytest.mark.parametrize(("p", "verdict"), [(BELOW, "not worse"), (SIGNIFICANT, "not clear")])
def test_a_loss_is_excluded_by_the_same_rule(p, verdict):
    scores = scored()
    table = scores.compare(b="two", worse_by=0.1).with_columns(
        p_worse=0.9, p_worse_holm=0.9, p_not_worse_holm=pl.lit(p)
    )
    assert with_verdicts(table, scores)["verdict"].to_list() == [verdict]


@pytest.mark.parametrize(("p", "verdict"), [(BELOW, "worse"), (SIGNIFICANT, "not clear")])
def test_without_an_interval_the_randomization_test_decides_by_the_same_rule(p, verdict):
    scores = scored()
    table = scores.compare(b="two", worse_by=0.25).with_columns(
        difference=-1.0, low=float("nan"), p_not_worse=float("nan"), p_not_worse_holm=float("nan"),
        p_worse=0.001, p_worse_holm=pl.lit(p),
    )  # fmt: skip
    assert with_verdicts(table, scores)["verdict"].to_list() == [verdict]


@pytest.mark.parametrize(("p", "word"), [(BELOW, "better"), (SIGNIFICANT, "not clear")])
def test_who_leads_is_told_by_the_same_rule(capsys, wide, monkeypatch, p, word):
    scores = scored()
    leads = scores.leads().with_columns(difference=pl.lit(0.1), p=pl.lit(p))
    monkeypatch.setattr(type(scores), "leads", lambda self: leads)
    show(scores.document())
    assert word in capsys.readouterr().out
    assert f" is {word} " in plain(ahead(scores, leads.row(0, named=True)).text)


@pytest.mark.parametrize(("p", "star"), [(BELOW, True), (SIGNIFICANT, False)])
def test_preferences_mark_the_corrected_p(capsys, wide, p, star):
    from rejoinder.human_evaluation.preference_summary import preferences as summarise_preferences
    from rejoinder.tables.preferences import read_preferences
    from shared_data import EXAMPLES

    told = summarise_preferences(read_preferences(EXAMPLES / "preferences.csv"), resamples=0)
    show([preference_result._pairs(told.pairs.with_columns(p=0.001, p_holm=pl.lit(p)))])
    assert ("*" in capsys.readouterr().out) == star


@pytest.mark.parametrize(("epsilon", "accuracy"), [(1.0, 1.0), (0.99, 0.0)])
def test_replies_whose_scores_differ_by_just_epsilon_tie(epsilon, accuracy):
    # One word against two in each of 4 contexts, which people rate alike.
    testset = TestSet.from_lists([["a"]] * 4)
    rows = [(s, f"{i + 1}", text) for s, text in (("one", "a"), ("two", "a b")) for i in range(4)]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    scores = score(testset, replies, ["length"], resamples=0)
    rated = ratings({"one": [3, 3, 3, 3], "two": [3, 3, 3, 3]})
    told = correlate(scores, rated, Pairwise(epsilon), permutations=0, resamples=200)
    (row,) = told.table().filter(metric="length", correlation="accuracy").rows(named=True)
    assert row["value"] == accuracy
    assert row["low"] <= accuracy <= row["high"]  # counted a second time, context by context


@pytest.mark.parametrize(("contexts", "there"), [(4, True), (3, False)])
@pytest.mark.parametrize("wrong", [0, 1])
def test_an_accuracy_has_an_interval_from_4_contexts_on(contexts, there, wrong):
    # Right in all contexts: Wilson's interval; wrong in the first: a bootstrap over contexts.
    testset = TestSet.from_lists([["a"]] * contexts)
    rows = [(s, f"{i + 1}", t) for s, t in (("one", "a"), ("two", "a b")) for i in range(contexts)]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    scores = score(testset, replies, ["length"], resamples=0)
    rated = ratings({"one": [5] * wrong + [1] * (contexts - wrong), "two": [3] * contexts})
    told = correlate(scores, rated, Pairwise(0.0), permutations=0, resamples=200)
    (row,) = told.table().filter(metric="length", correlation="accuracy").rows(named=True)
    assert row["value"] == pytest.approx((contexts - wrong) / contexts)
    assert np.isnan(row["low"]) != there


def test_a_reference_of_just_the_weight_counts_for_ruq():
    rule = ReferenceRule.parse("w>=0.6")
    assert rule.selects(1, 0.6)
    assert not rule.selects(1, 0.5999)


def test_ten_units_are_enough_for_a_point_of_a_sweep():
    # Two systems on 10 items: 10 units of one item, 5 of two.
    marks = {"one": range(1, 11), "two": [3, 1, 2, 5, 4, 7, 6, 9, 8, 10]}
    told = sweep_sizes(scored(resamples=0), SweepSettings(ratings(marks), Unit(1, 20)))
    assert 1.0 in told.points["x"].to_list()
    nine = {system: list(some)[:9] for system, some in marks.items()}
    told = sweep_sizes(scored(9, resamples=0), SweepSettings(ratings(nine), Unit(1, 20)))
    assert told.points.is_empty()


@pytest.mark.parametrize(("n", "there"), [(4, True), (3, False)])
def test_a_difference_has_an_interval_from_4_items_on(n, there):
    row = scored(n).compare().row(0, named=True)
    assert np.isnan(row["p_bootstrap"]) != there


def test_where_less_is_better_wins_and_losses_change_places():
    class Errors(BLEU):
        higher_is_better = False

    more, less = (
        scored(metrics=[kind(order=1)], second=["a b"] * 10).compare().row(0, named=True)
        for kind in (BLEU, Errors)
    )
    assert more["wins"] != more["losses"]
    assert (less["wins"], less["losses"]) == (more["losses"], more["wins"])
