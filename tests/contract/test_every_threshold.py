"""Each threshold of the product, exactly at it and one step beyond: ``>`` for ``>=`` fails here.

Every case has two sides: what lies exactly at the threshold, and what lies just beyond it.
"""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import studies
from rejoinder import TestSet
from rejoinder.annotation import export as annotation_export
from rejoinder.annotation.assignment import Counts, median_seconds
from rejoinder.annotation.overview import RaterProgress
from rejoinder.annotation.study import Rater
from rejoinder.annotation.task import Example, Task
from rejoinder.auditing.audit_tables import mark
from rejoinder.auditing.verdicts import _clear
from rejoinder.corpora.entropy_filter import filter_by_entropy
from rejoinder.corpora.pairs import Pairs
from rejoinder.document.numbers import three_decimals
from rejoinder.document.text import plain
from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.grades import grade_notes
from rejoinder.human_evaluation.rater_exclusion import DROPPED, KEPT, SummaryOptions
from rejoinder.human_evaluation.rating_summary import ratings as summarise_ratings
from rejoinder.marking.answers import read_answer
from rejoinder.marking.questions import MarkQuestion
from rejoinder.meta_evaluation.with_people import refusals
from rejoinder.meta_evaluation.with_people.estimates import on_scale
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.metrics import BLEU, RUBER, DeltaBLEU
from rejoinder.metrics.of_samples import OfSamples
from rejoinder.models.chat.endpoint import ChatAnswer
from rejoinder.recipes.negative_references.held_out import HeldOut
from rejoinder.recipes.tao2018 import study_tables
from rejoinder.recipes.tao2018.scores import _good
from rejoinder.references.learned_rater import FEW, Scored, linear_weights, matched_weights
from rejoinder.references.weighing import weigh
from rejoinder.reporting import summary as report_sentences
from rejoinder.scoring.verdict_sentences import standing
from rejoinder.statistics.alpha import alpha_interval
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.confidence_sequence import FIRST_LOOK, at_any_time
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.correlation_bootstrap import bootstrap_correlation
from rejoinder.statistics.draws import FEWEST_RESAMPLES, check_draws
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.intervals import few_groups
from rejoinder.statistics.kappa import mean_kappa, pooled_kappa, reason_unjudged
from rejoinder.statistics.paired_comparisons import bootstrap_intervals, fit
from rejoinder.statistics.pairwise_accuracy import decided_accuracy, pairwise_accuracy
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.proportions import share_size
from rejoinder.statistics.rater_variance import scope
from rejoinder.statistics.selection import Selection
from rejoinder.statistics.significance import permutation_p
from rejoinder.utterance_quantity.result import Quantity


def defined(interval):
    return not np.isnan(interval.low)


def test_a_reference_counts_from_its_weight_on():
    # Only the reference of 0.6 holds the reply: at w >= 0.6 it is there, above that it is not.
    reply, references, weights = ["yes please"], [["yes please", "no"]], [[0.6, 0.9]]
    for metric in (BLEU, DeltaBLEU):
        at = metric(order=1, references="w>=0.6").corpus(reply, references, weights)
        beyond = metric(order=1, references="w>=0.61").corpus(reply, references, weights)
        assert at.value > 0.5, metric
        assert beyond.value == 0, metric


def test_weights_reach_from_minus_1_to_1():
    for weight in (-1.0, 1.0):
        TestSet.from_lists([["a", "b"]], [[weight, 1.0]])
        DeltaBLEU(order=1).corpus(["a"], [["a", "b"]], [[weight, 1.0]])
    for weight in (-1.0000001, 1.0000001):
        with pytest.raises(InputError, match="weight"):
            TestSet.from_lists([["a", "b"]], [[weight, 1.0]])
        with pytest.raises(InputError, match="weight"):
            DeltaBLEU(order=1).corpus(["a"], [["a", "b"]], [[weight, 1.0]])


def test_the_points_of_a_scale_need_half_of_the_first_token_s_probability():
    # (4 + 2) / 2 = 3 where they have half of it; below that the answer itself counts.
    question = MarkQuestion(
        "c1", "fit", "How?", {str(n): float(n) for n in range(1, 6)}, graded=True
    )
    for share, value in ((0.25, 3.0), (0.2499, 4.0)):
        answer = ChatAnswer("4", first={"4": share, "2": share}, token="4")
        assert read_answer(question, answer).value == pytest.approx(value)


def test_a_rater_of_just_the_threshold_s_kappa_stays():
    options = SummaryOptions(threshold=0.1, drop=True)
    assert options.verdict(0.1, None) == KEPT
    assert options.verdict(np.nextafter(0.1, 0), None) == DROPPED


def test_a_rater_is_judged_from_the_least_number_shared_on():
    matrix = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, np.nan]])  # 3 shared
    against = pooled_kappa(matrix)
    assert reason_unjudged(against, 0, least=3) is None
    assert reason_unjudged(against, 0, least=4) == "fewer than 4 units shared with others"
    assert mean_kappa(against, least=3).judged == 2
    assert mean_kappa(against, least=4).judged == 0


def test_a_reply_of_just_the_least_number_of_raters_gets_a_weight():
    testset = TestSet.from_lists([["r"]])
    replies = pl.DataFrame({"system": ["a"], "id": ["1"], "text": ["yes"]})
    rows = [("1", "a", rater, "overall", 3.0) for rater in "rst"]
    rated = pl.DataFrame(rows, schema=["id", "system", "rater", "criterion", "score"], orient="row")
    assert weigh(testset, replies, rated, least_raters=3).testset.references.height == 1
    with pytest.raises(InputError, match="no reply has 4 raters"):
        weigh(testset, replies, rated, least_raters=4)


def test_a_rater_of_just_two_thirds_of_a_system_s_ratings_is_one_of_several():
    both = np.array([[2 / 3, 1 / 6, 1 / 6], [1 / 3, 1 / 3, 1 / 3]])
    assert scope(both) == "other raters"
    assert scope(both + np.array([[0.01, -0.01, 0], [0, 0, 0]])) == "these raters"
    # Just half of the ratings are of the same people; then a little less.
    assert scope(np.array([[1.0, 0.0], [1 / 2, 1 / 2]])) == "these raters"
    assert scope(np.array([[1.0, 0.0], [0.49, 0.51]])) == "no raters"


def test_two_raters_say_nothing_of_others_and_a_little_more_than_two_do():
    # Effective numbers of raters 2, 1 / (4/9 + 2/36) = 2, and 1 / (2 * .495^2 + .01^2) = 2.04.
    assert scope(np.full((2, 2), 1 / 2)) == "these raters"
    assert scope(np.array([[2 / 3, 1 / 6, 1 / 6]] * 2)) == "these raters"
    assert scope(np.array([[0.495, 0.495, 0.01]] * 2)) == "other raters"
    # Two raters of each system are four.
    assert scope(np.repeat(np.eye(2), 2, axis=1) / 2) == "other raters"


def test_from_30_rated_replies_on_a_map_is_not_rough():
    for n, rough in ((FEW, False), (FEW - 1, True)):
        scores = np.arange(n, dtype=float)
        scored = Scored(RUBER(model="m", referenced="none"), scores, (), "")
        assert any("rough" in note for note in matched_weights(scored, scores, scores)[2]) == rough


def test_a_score_of_just_the_end_of_a_scale_is_on_it():
    metric = RUBER(model="m", referenced="none")  # from 0 to 1
    weights, _ = linear_weights(Scored(metric, np.array([0.0, 1.0]), (), ""), (1, 5))
    assert weights.tolist() == [-1, 1]
    with pytest.raises(InputError, match="off the scale from 0 to 1"):
        linear_weights(Scored(metric, np.array([0.0, np.nextafter(1, 2)]), (), ""), (1, 5))


def test_an_entropy_of_just_the_threshold_is_kept():
    # "OK." is said to two messages, once each: 1 bit.
    pairs = Pairs(["1", "2", "3"], ["a", "b", "c"], ["OK.", "OK.", "Blue."])
    assert filter_by_entropy(pairs, "target", 1.0).dropped == 0
    assert filter_by_entropy(pairs, "target", np.nextafter(1.0, 0)).dropped == 2
    # An utterance of one word is as long as --longest 1, and kept for it.
    assert filter_by_entropy(pairs, "target", 0.5, longest=1.0).dropped == 0
    assert filter_by_entropy(pairs, "target", 0.5, longest=1.5).dropped == 2


def test_scores_that_differ_by_just_epsilon_are_a_tie():
    scores, people = np.array([0.0, 0.5]), np.array([1.0, 1.0])  # people's tie
    assert pairwise_accuracy(scores, people, None, epsilon=0.5).accuracy == 1
    assert pairwise_accuracy(scores, people, None, epsilon=0.499).accuracy == 0
    # At epsilon 0 equal scores are a tie, and a tie decides nothing.
    assert pairwise_accuracy(np.zeros(2), people, None).accuracy == 1
    assert decided_accuracy(np.zeros(2), np.array([1.0, 2.0]), None).accuracy == 0


@pytest.mark.parametrize(("n", "there"), [(4, True), (3, False)])
def test_intervals_begin_with_4_items(n, there):
    x = np.arange(float(n))
    y = np.array([0.0, 2.0, 1.0, 3.0])[:n]
    assert (
        defined(bootstrap_correlation(x, y, "pearson", None, 100, np.random.default_rng(1)))
        == there
    )
    matrix = np.stack([x, y], axis=1)
    assert defined(alpha_interval(matrix, "interval")) == there
    replies = ["a b c", "a b d", "c", "e f g"][:n]
    score = BLEU(order=1).corpus(replies, [["a b c d"]] * n, resamples=100)
    assert np.isnan(score.low) != there
    rows = [
        (f"{i}", "s", rater, "overall", float(mark))
        for i, two in enumerate(matrix)
        for rater, mark in zip("xy", two, strict=True)
    ]
    columns = ["id", "system", "rater", "criterion", "score"]
    told = summarise_ratings(pl.DataFrame(rows, schema=columns, orient="row"), resamples=100)
    assert np.isnan(told.systems["low"][0]) != there


@pytest.mark.parametrize(("n", "there"), [(4, True), (3, False)])
def test_strengths_have_intervals_from_4_items_on(n, there):
    a, b = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    winner = np.array([1.0, -1.0, 1.0, 1.0])[:n]
    fitted, contests = fit(Contests(a, b, winner, 2)), Groups.of(None, n)
    told = bootstrap_intervals(fitted, contests, 200, np.random.default_rng(1))
    assert ("fewer than 4 groups" not in (told.reason or "")) == there


def test_few_groups_are_4_to_9():
    assert [bool(few_groups(n, "contexts")) for n in (3, 4, 9, 10)] == [False, True, True, False]


def test_a_grade_stands_apart_among_20_at_twice_the_gap():
    grades = np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 4)
    # 7 is 2 from the next, twice the gap of 1; 6.9 is not.
    assert grade_notes(np.append(grades, 7.0))
    assert not grade_notes(np.append(grades, 6.9))
    assert grade_notes(np.append(grades[1:], 9.0))  # 20 ratings
    assert not grade_notes(np.append(grades[2:], 9.0))  # 19
    assert grade_notes(np.append(grades, [9.0, 9.0]))
    assert not grade_notes(np.append(grades, [9.0, 9.0, 9.0]))  # given three times


def test_a_p_of_just_5_percent_is_no_finding():
    below = np.nextafter(SIGNIFICANT, 0)
    assert "*" in three_decimals(below, True)
    assert "*" not in three_decimals(SIGNIFICANT, True)
    assert study_tables._short(0.5, below) == "0.500*"
    assert study_tables._short(0.5, SIGNIFICANT) == "0.500 "
    row = {"baseline": "echo", "reaches": "none", "p_holm_median": SIGNIFICANT}
    assert mark(row) == "?"
    assert mark({**row, "p_holm_median": below}) == ""
    assert not _clear(row)
    assert _clear({**row, "p_holm_median": below})


def test_a_report_names_a_pair_whose_p_is_just_5_percent_as_not_separated():
    metric = SimpleNamespace(ranks=True)
    for p, open_ in ((SIGNIFICANT, 1), (np.nextafter(SIGNIFICANT, 0), 0), (float("nan"), 1)):
        table = pl.DataFrame({"metric": ["m"], "a": ["x"], "b": ["y"], "p_randomization_holm": [p]})
        report = SimpleNamespace(
            comparison=SimpleNamespace(table=table),
            scores=SimpleNamespace(measured={"m": SimpleNamespace(metric=metric)}),
        )
        assert len(list(report_sentences._ties(report))) == open_
    row = {"a": "x", "b": "y", "difference": 0.5, "low": 0.1, "high": 0.9}
    for p, words in (
        (SIGNIFICANT, "it is not clear"),
        (np.nextafter(SIGNIFICANT, 0), "x is better"),
    ):
        assert plain(standing(row, p, lambda *_: "0.5")).startswith(words)


def test_100_resamples_are_enough():
    assert FEWEST_RESAMPLES == 100
    check_draws(FEWEST_RESAMPLES, 0)
    check_draws(0, 0)
    with pytest.raises(ParameterError, match="too few"):
        check_draws(FEWEST_RESAMPLES - 1, 0)


def test_a_share_of_just_the_gate_passes():
    class Found:
        def preferred(self):
            return {"at": 0.25, "above": 0.2500001, "undefined": float("nan")}

    assert list(Quantity.failed(Found(), 0.25)) == ["above", "undefined"]


def test_a_tie_with_the_generic_reply_is_not_among_the_worst():
    replies = pl.DataFrame(
        [
            ("m", id, kind, 0, kind, True, mean)
            for id, margin in (("tie", 0.0), ("just above", 1e-9), ("ahead", -1e-9))
            for kind, mean in (("reference", -2.0), ("generic", -2.0 + margin))
        ],
        schema=["system", "id", "kind", "reply", "text", "counts", "mean"],
        orient="row",
    )

    class Found:
        scores = SimpleNamespace(names=("m",))

    Found.replies = replies
    assert Quantity.worst(Found())["id"].to_list() == ["just above"]


def test_the_least_weight_itself_stays():
    testset = TestSet.from_lists([["a", "b", "c"]], [[0.5, 0.4999, None]])
    kept, notes = _good(testset, 0.5)
    assert kept.references["text"].to_list() == ["a", "c"]
    assert notes == ["1 reference of a weight below 0.5 left out as asked"]


def test_a_weight_of_0_is_neither_good_nor_bad():
    testset = TestSet.from_lists([["a", "b", "c", "d"]], [[0.01, 1.0, 0.0, -0.01]])
    held = HeldOut.of(testset)
    # Two good ones, each once beside the bad one.
    assert held.good.size == 2
    assert len(set(held.bad.tolist())) == 1


def test_a_permutation_that_only_equals_the_data_counts():
    # Two values of two: every permutation has |r| = 1.
    x = np.array([0.0, 1.0])
    assert permutation_p(x, x, "pearson", 19, np.random.default_rng(1)) == 1


def test_a_judge_is_on_the_scale_of_the_ratings_where_its_scores_span_half_of_it():
    grades = np.array([1.0, 5.0])
    assert on_scale(np.array([1.0, 3.0]), grades, (1.0, 5.0))
    assert not on_scale(np.array([1.0, 2.99]), grades, (1.0, 5.0))
    assert not on_scale(np.array([1.0, 5.01]), grades, (1.0, 5.0))
    # Where the scale is not known it may reach beyond the grades by a quarter of their span.
    assert on_scale(np.array([0.0, 6.0]), grades, None)
    assert not on_scale(np.array([0.0, 6.01]), grades, None)


def test_ratings_of_chosen_items_are_noted_and_then_refused(monkeypatch):
    replies = RepliesWithRatings(
        systems=("a", "b"),
        labels=("judge",),
        values=np.zeros((1, 2, 4)),
        ratings=np.zeros((2, 4)),
        single=None,
        probabilities=None,
        group=np.arange(4),
        groups_are="items",
    )

    def notes(p):
        monkeypatch.setattr(refusals, "selection", lambda *_: Selection(p, 0, 3.0, 99999))
        return refusals.selection_notes(replies, 1)

    assert notes(refusals.NOTED + 1e-9) == []
    assert len(notes(refusals.NOTED)) == len(notes(refusals.REFUSED + 1e-9)) == 1
    with pytest.raises(InputError, match="at random"):
        notes(refusals.REFUSED)


def test_who_answers_just_the_share_of_attention_questions_right_stays(tmp_path):
    check = Example(("Choose 1.",), ("Choose 1.",), {"overall": 1})
    task = Task(raters_per_question=1, attention=(check,) * 4, attention_every=2)
    study = studies.study(tmp_path, task, items=4)
    rater = study.add_rater()
    grades = iter("1555")
    while (shown := study.current(rater)) is not None:
        asked = shown.replies == ("Choose 1.",)
        study.answer(rater, shown.assignment, {"c0": next(grades) if asked else "3"})
    assert annotation_export.export(study).attention.row(0) == ("r001", 4, 1)
    assert annotation_export.export(study, 0.25).table.height == 8
    with pytest.raises(InputError, match="less than 26% of the attention questions right"):
        annotation_export.export(study, 0.26)
    study.close()


def test_a_question_left_open_is_given_to_another_only_after_its_time(tmp_path):
    now = [0.0]
    first = studies.study(tmp_path, Task(raters_per_question=1), items=1, systems=1)
    study = studies.opened(first.database.path, clock=lambda: now[0])
    one, other = study.add_rater(), study.add_rater()
    assert study.current(one) is not None
    now[0] = 3600.0
    assert study.current(other) is None
    now[0] = 3600.5
    assert study.current(other) is not None


@pytest.mark.parametrize(("labelled", "has"), [(FIRST_LOOK, True), (FIRST_LOOK - 1, False)])
def test_an_interval_for_any_look_begins_at_20_labelled_items(labelled, has):
    mean = corrected_mean(np.arange(labelled, dtype=float), np.zeros(labelled), weight=0.0)
    assert np.isfinite(at_any_time(mean).width) == has


def test_a_sample_passes_at_the_value_itself():
    values = np.array([[0.5], [0.49], [np.nan]])
    higher, lower = (OfSamples("x", "pass@", 1, better, 0.5) for better in ("higher", "lower"))
    assert higher.passes(values).ravel()[:2].tolist() == [1, 0]
    assert lower.passes(values).ravel()[:2].tolist() == [1, 1]
    assert (
        OfSamples("x", "pass@", 2, passing=0.5).of_prompts(values).item() == 1.0
    )  # 2 of 2 samples
    assert np.isnan(OfSamples("x", "pass@", 3, passing=0.5).of_prompts(values)).all()


def test_8_prompts_off_the_end_are_enough_for_their_standard_error():
    seven, eight = (np.r_[np.full(n, 0.5), np.ones(32)] for n in (7, 8))
    assert share_size(seven, Groups.of(None, 39)) == 39
    assert share_size(eight, Groups.of(None, 40)) > 40


def test_a_rater_of_just_two_seconds_is_not_too_fast():
    at, below = ([each] * 5 for each in (2.0, 1.99))
    rater = Rater(1, "r001", "t", "c", None, "link", None)
    fast = [
        RaterProgress(rater, Counts(5, 9), 0, 0, median_seconds(each)).is_fast
        for each in (at, below, below[:4])
    ]
    assert fast == [False, True, False]  # four answers say nothing yet
