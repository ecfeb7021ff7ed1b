import hashlib
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rejoinder
from rejoinder import Scores, compare_with_people, judge
from rejoinder import ratings as summarise_ratings
from rejoinder.errors import InputError, ParameterError
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.tables.ratings import read_ratings

IDS = [f"i{k:03}" for k in range(300)]


def world(rated=40, systems=3, raters=1, seed=0, noise=0.5):
    """Scores of all replies, ratings of those to the first items, and the quality of each reply."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 300)) + np.arange(systems)[:, None] / 2
    marks, people = [], []
    for s in range(systems):
        marks.append(pl.DataFrame({"system": f"s{s}", "id": IDS,
                                   "judge": quality[s] + noise * rng.normal(size=300) + (s == 1),
                                   "other": 100 * rng.normal(size=300)}))  # fmt: skip
        for r in range(raters):
            score = quality[s, :rated] + 0.3 * rng.normal(size=rated)
            people.append(pl.DataFrame({"system": f"s{s}", "id": IDS[:rated], "rater": f"ann{r}",
                                        "criterion": "overall", "score": score}))  # fmt: skip
    return pl.concat(marks), pl.concat(people), quality


def scored(marks, *judges):
    return Scores.from_segments(marks.select("system", "id", *(judges or ("judge",))), resamples=0)


def pair(result, by, a="s0", b="s1"):
    return result.pairs.filter(pl.col("a") == a, pl.col("b") == b, pl.col("by") == by).row(
        0, named=True
    )


def test_people_alone_are_the_t_interval_of_the_rated_items():
    marks, people, _ = world()
    result = compare_with_people(scored(marks), people)
    table = people.pivot("system", index="id", values="score")
    expected = paired_difference((table["s0"] - table["s1"]).to_numpy())
    row = pair(result, "people")
    assert (row["difference"], row["low"], row["p"]) == pytest.approx(
        (expected.value, expected.interval.low, expected.p)
    )
    assert (row["rated"], row["items"], row["saved"]) == (40, 300, None)


def test_the_judge_alone_is_that_of_all_items_and_the_correction_takes_its_favour_out():
    marks, people, quality = world()
    result = compare_with_people(scored(marks), people)
    table = marks.pivot("system", index="id", values="judge")
    judge = pair(result, "judge")
    assert judge["difference"] == pytest.approx((table["s0"] - table["s1"]).mean())
    words = "a judge alone: the mean difference of its scores of single replies"
    assert words in result.to_markdown()
    corrected, alone = pair(result, "corrected"), pair(result, "people")
    truth = (quality[0] - quality[1]).mean()
    assert judge["high"] < truth  # the judge favours s1 by 1
    assert corrected["low"] < truth < corrected["high"]
    width, before = (each["high"] - each["low"] for each in (corrected, alone))
    assert corrected["saved"] == pytest.approx(1 - (width / before) ** 2)
    assert corrected["saved"] > 0.3


def test_the_error_of_the_judge_is_found_where_it_favours_a_system():
    marks, people, _ = world()
    errors = compare_with_people(scored(marks), people).errors
    p = {(row["a"], row["b"]): row["p_holm"] for row in errors.iter_rows(named=True)}
    assert p["s0", "s1"] < 1e-6
    assert p["s1", "s2"] < 1e-6
    assert p["s0", "s2"] > 0.05
    error = errors.filter(pl.col("a") == "s0", pl.col("b") == "s1")["error"].item()
    assert error == pytest.approx(-1, abs=0.3)  # the judge favours s1 by 1, as 'judge' says
    marks, people, _ = world(raters=2)
    systems = judge(scored(marks), people).errors.filter(pl.col("factor") == "system")
    of = dict(zip(systems["level"], systems["value"], strict=True))
    assert of["s0"] - of["s1"] == pytest.approx(error, abs=0.4)


def test_a_judge_on_another_scale_has_no_test_of_its_error():
    marks, people, _ = world()
    result = compare_with_people(scored(marks, "judge", "other"), people)
    assert set(result.errors["judge"]) == {"judge"}
    (note,) = (each for each in result.notes if "no test of the error of other" in each)
    # Claims keep the note; what tests the error on any scale stands beside it.
    assert "judge(" not in note
    shown = "".join(result.to_markdown().split("\\"))
    assert f"{note}; 'rejoinder.judge(scores, ratings)' converts scores of another scale" in shown


def test_a_judge_of_which_lower_values_are_better():
    marks, people, _ = world()
    turned = marks.with_columns(judge=-pl.col("judge"))
    scores = Scores.from_segments(
        turned.select("system", "id", "judge"), lower=["judge"], resamples=0
    )
    expected = compare_with_people(scored(marks), people)
    assert compare_with_people(scores, people).pairs["difference"].to_list() == pytest.approx(
        expected.pairs["difference"].to_list()
    )


def test_p_is_corrected_over_the_pairs_of_each_estimate():
    marks, people, _ = world(noise=3.0, rated=12)
    result = compare_with_people(scored(marks), people)
    for _, rows in result.pairs.group_by("by"):
        least = rows.sort("p").row(0, named=True)
        assert least["p_holm"] == pytest.approx(min(1.0, 3 * least["p"]))


def test_the_maximum_over_pairs_is_less_strict_than_holm():
    marks, people, _ = world(noise=3.0, rated=12)
    holm = compare_with_people(scored(marks), people)
    result = compare_with_people(scored(marks), people, correction="max")
    assert result.pairs.drop("p_max").equals(holm.pairs, null_equal=True)
    for table in (result.pairs, result.errors):
        assert (table["p"] <= table["p_max"] + 0.01).all()  # as far as the draws tell
        assert (table["p_max"] <= table["p_holm"]).all()
    assert (result.pairs["p_max"] < result.pairs["p_holm"] - 1e-3).any()
    assert "correction:max" in result.signature
    assert "correction" not in holm.signature
    again = compare_with_people(scored(marks), people, correction="max")
    assert again.pairs.equals(result.pairs, null_equal=True)


def test_intervals_of_these_items_know_the_rated_ones():
    marks, people, _ = world(rated=100)
    new = compare_with_people(scored(marks), people)
    these = compare_with_people(scored(marks), people, population="these")
    assert "population:these" in these.signature
    widths = [pair(each, "people")["high"] - pair(each, "people")["low"] for each in (new, these)]
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(1 - 100 / 300))
    assert pair(these, "corrected")["difference"] == pair(new, "corrected")["difference"]
    assert pair(these, "corrected")["high"] < pair(new, "corrected")["high"]
    assert np.isnan(pair(these, "judge")["low"])
    assert "judge has scores of every item" in pair(these, "judge")["reason"]
    (errors, of_new) = (each.errors.row(0, named=True) for each in (these, new))
    assert errors["high"] - errors["low"] < of_new["high"] - of_new["low"]
    assert any("a third of the items or more are rated" in note for note in new.notes)
    assert not any("a third of the items" in note for note in these.notes)
    looks = compare_with_people(scored(marks), people, anytime=True)  # not with population="these"
    assert not any("a third of the items" in note for note in looks.notes)
    every, _, _ = world(rated=99)
    assert not any(
        "third" in note for note in compare_with_people(scored(every), world(rated=99)[1]).notes
    )


def test_where_all_of_these_items_are_rated_nothing_is_left_to_estimate():
    marks, people, _ = world(rated=300)
    result = compare_with_people(scored(marks), people, population="these")
    assert pair(result, "people")["reason"] == (
        "every item has ratings, so that the difference on these items is known"
    )
    marks, people, _ = world(rated=300, raters=3)  # of other raters it is not
    both = {"population": "these", "rater_effects": "random"}
    assert np.isfinite(pair(compare_with_people(scored(marks), people, **both), "people")["low"])


def test_ranks_go_by_the_correction_that_is_asked_for():
    for seed in range(6, 36):
        marks, people, _ = world(noise=2.0, rated=15, systems=5, seed=seed)
        result = compare_with_people(scored(marks), people, correction="max")
        ours = result.pairs.filter(by="corrected")
        apart = (ours["p_max"] < 0.05) != (ours["p_holm"] < 0.05)
        if apart.any():
            ranks = result.ranks.filter(by="corrected")
            holm = compare_with_people(scored(marks), people).ranks.filter(by="corrected")
            assert not ranks.equals(holm)
            return
    raise AssertionError("no data in which the two corrections differ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"correction": "sidak"}, "correction='sidak' is unknown; choose 'holm' or 'max'"),
        ({"correction": "max", "anytime": True}, "do not go together"),
        ({"population": "some"}, "population='some' is unknown; choose 'new' or 'these'"),
        ({"population": "these", "anytime": True}, "do not go together"),
    ],
)
def test_corrections_that_there_are_not(given, message):
    marks, people, _ = world()
    with pytest.raises(ParameterError, match=message):
        compare_with_people(scored(marks), people, **given)


def test_ranks_follow_from_the_corrected_tests():
    marks, people, _ = world()
    ranks = compare_with_people(scored(marks), people).ranks.filter(pl.col("by") == "corrected")
    assert ranks["system"].to_list() == ["s2", "s1", "s0"]
    assert ranks.select("best_rank", "worst_rank").rows() == [(1, 1), (2, 2), (3, 3)]


def test_one_pair_alone():
    marks, people, _ = world()
    result = compare_with_people(scored(marks), people, "s2", "s0")
    assert result.pairs.select("a", "b").unique().rows() == [("s2", "s0")]
    assert result.ranks.is_empty()


def test_systems_that_answered_other_items():
    marks, people, _ = world()
    left = marks.filter(~((pl.col("system") == "s2") & pl.col("id").is_in(IDS[20:60])))
    scores = Scores.from_segments(
        left.select("system", "id", "judge"), missing="pairwise", resamples=0
    )
    result = compare_with_people(scores, people)
    assert (pair(result, "corrected")["rated"], pair(result, "corrected")["items"]) == (40, 300)
    other = pair(result, "corrected", "s0", "s2")
    assert (other["rated"], other["items"]) == (20, 260)


def test_two_systems_that_share_no_item():
    marks, people, _ = world()
    apart = {"s0": IDS[::2], "s1": IDS, "s2": IDS[1::2]}
    own = pl.any_horizontal(
        (pl.col("system") == name) & pl.col("id").is_in(ids) for name, ids in apart.items()
    )
    scores = Scores.from_segments(
        marks.filter(own).select("system", "id", "judge", "other"), missing="pairwise", resamples=0
    )
    result = compare_with_people(scores, people.filter(own))
    rows = result.pairs.filter(pl.col("a") == "s0", pl.col("b") == "s2")
    assert rows["difference"].is_nan().all()
    assert rows["reason"].to_list() == [
        "0 rated items; expected 10 or more",
        "no item has scores of both",
        "no item has scores of both",
        "0 rated items; expected 10 or more",
    ]
    assert pair(result, "corrected")["rated"] == 20


def test_raters_with_names_are_a_source_of_variance():
    marks, people, _ = world(raters=3)
    lean = people.with_columns(
        score=pl.when((pl.col("rater") == "ann1") & (pl.col("system") == "s0"))
        .then(pl.col("score") + 2)
        .otherwise(pl.col("score"))
    )
    named = compare_with_people(scored(marks), lean, rater_effects="random")
    places = lean.with_columns(
        rater=pl.col("rater").str.slice(3).cast(pl.Int64).add(1).cast(pl.String)
    )
    unnamed = compare_with_people(scored(marks), places)
    assert "rater_effects:random" in named.signature
    assert "rater_effects:fixed" in unnamed.signature
    assert any("raters have no names" in note for note in unnamed.notes)
    with pytest.raises(ParameterError, match="rater_effects='random': raters cannot be resampled"):
        compare_with_people(scored(marks), places, rater_effects="random")
    widths = [
        pair(each, "people")["high"] - pair(each, "people")["low"] for each in (named, unnamed)
    ]
    assert widths[0] > 3 * widths[1]
    # Raters who lean to s0 say nothing of the two others.
    assert pair(named, "people", "s1", "s2")["low"] == pytest.approx(
        pair(unnamed, "people", "s1", "s2")["low"], abs=0.1
    )
    # Three raters hardly show how raters differ: unless asked for, intervals are for these alone.
    usual = compare_with_people(scored(marks), lean)
    assert any("fixed rater effects: 3 raters are fewer than 4" in note for note in usual.notes)
    assert pair(usual, "people")["low"] == pytest.approx(pair(unnamed, "people")["low"])


@pytest.mark.parametrize(("raters", "random"), [(2, False), (3, False), (4, True), (5, True)])
def test_raters_are_a_sample_from_four_on(raters, random):
    marks, people, _ = world(systems=2, raters=raters)
    leans = (pl.col("rater") == "ann1") & (pl.col("system") == "s0")
    people = people.with_columns(score=pl.col("score") + 2 * leans)
    result = compare_with_people(scored(marks), people)
    assert f"rater_effects:{'random' if random else 'fixed'}" in result.signature
    if raters == 2:  # nor on request: two do not show how raters differ
        with pytest.raises(ParameterError, match="2 raters; expected three or more"):
            compare_with_people(scored(marks), people, rater_effects="random")
    for effects in ("random", "fixed")[raters == 2 :]:
        asked = compare_with_people(scored(marks), people, rater_effects=effects)
        same = asked.pairs["low"].to_list() == result.pairs["low"].to_list()
        assert same == (random == (effects == "random"))


TALK = (pl.col("id").str.slice(1).cast(pl.Int64) // 2).cast(pl.String)


def test_conversations_of_the_scores_count_as_those_of_ratings_alone():
    marks, people, _ = world(rated=60)
    marks, people = (each.with_columns(conversation=TALK) for each in (marks, people))
    given = Scores.from_segments(marks.drop("other"), resamples=0)
    beside, alone = compare_with_people(given, people), rejoinder.compare(ratings=people)
    columns = ["a", "b", "difference", "low", "high", "p", "p_holm", "rated"]
    # The two sum the same numbers in other orders: the last bit depends on the processor.
    assert_frame_equal(
        beside.pairs.filter(by="people").select(columns),
        alone.pairs.select(columns),
        rel_tol=1e-12,
        abs_tol=0,
    )
    assert not [note for note in beside.notes if "column 'conversation'" in note]


@pytest.mark.parametrize(
    ("of_marks", "of_people", "note"),
    [
        (None, TALK, "have a column 'conversation', and the items that are scored have none"),
        (
            TALK,
            TALK + "x",
            "at 60 items, such as 'i000' ('0x', scored: '0'): the clusters are those",
        ),
        (TALK, None, ""),
        (None, pl.col("id"), ""),
    ],
)
def test_other_conversations_of_the_ratings_are_noted(of_marks, of_people, note):
    marks, people, _ = world(rated=60)
    marks = (
        marks.drop("other")
        if of_marks is None
        else marks.drop("other").with_columns(conversation=of_marks)
    )
    people = people if of_people is None else people.with_columns(conversation=of_people)
    notes = compare_with_people(Scores.from_segments(marks, resamples=0), people).notes
    said = [each for each in notes if "column 'conversation'" in each]
    assert (note in "".join(said), bool(said)) == (True, bool(note))


def test_clusters_of_items():
    marks, people, _ = world()
    testset = pl.DataFrame({"id": IDS, "user": [f"u{k // 2}" for k in range(300)]})
    scores = scored(marks)
    scores = type(scores)(**{**vars(scores), "items": testset})
    result = compare_with_people(scores, people, cluster="user")
    assert "cluster:user" in result.signature
    with pytest.raises(InputError, match="at most 9 clusters are rated"):
        compare_with_people(scores, people.filter(pl.col("id") < "i018"), cluster="user")


@pytest.mark.parametrize("rated", [9, 10])
def test_ten_rated_items_are_needed(rated):
    marks, people, _ = world(rated)
    if rated == 10:
        assert pair(compare_with_people(scored(marks), people), "corrected")["low"] < 10
        return
    with pytest.raises(InputError, match=r"at most 9 items .* expected 10 or more"):
        compare_with_people(scored(marks), people)


def test_a_pair_with_too_few_rated_items_has_a_reason():
    marks, people, _ = world()
    ratings = people.filter(~((pl.col("system") == "s2") & (pl.col("id") > "i005")))
    result = compare_with_people(scored(marks), ratings)
    row = pair(result, "corrected", "s0", "s2")
    assert np.isnan(row["low"])
    assert row["reason"] == "6 rated items; expected 10 or more"
    assert any(") without an interval" in note for note in result.notes)


def test_items_chosen_by_their_scores_are_refused():
    marks, people, quality = world()
    best = np.argsort(-quality.mean(axis=0))[:40]
    chosen = people.with_columns(
        id=pl.Series([IDS[i] for i in best] * 3), score=pl.Series(quality[:, best].ravel())
    )
    with pytest.raises(InputError, match="drawn without a look at their scores"):
        compare_with_people(scored(marks), chosen)
    with_probabilities = chosen.with_columns(probability=pl.lit(0.5))
    assert "weights:probability" in compare_with_people(scored(marks), with_probabilities).signature


def test_probabilities_belong_to_items():
    marks, people, _ = world()
    by_system = people.with_columns(
        probability=pl.col("system").replace_strict({"s0": 0.2, "s1": 0.3, "s2": 0.2})
    )
    with pytest.raises(InputError, match="different values of 'probability'"):
        compare_with_people(scored(marks), by_system)
    ratings = people.with_columns(probability=pl.when(pl.col("system") == "s0").then(0.5))
    with pytest.raises(InputError, match="80 of 120 ratings have no 'probability'"):
        compare_with_people(scored(marks), ratings)
    with pytest.raises(InputError, match=r"probability 1.5 .* \(0, 1\]"):
        compare_with_people(scored(marks), people.with_columns(probability=pl.lit(1.5)))


def of_raters(people, kept):
    """The ratings of those raters whom a function of system and number names."""
    return pl.concat([
        own for (system, rater), own in people.group_by("system", "rater", maintain_order=True)
        if kept(int(str(system)[1:]), int(str(rater)[3:]))
    ])  # fmt: skip


def test_a_rater_for_each_system_accuses_nobody():
    marks, people, _ = world(systems=2, raters=2)
    tied = of_raters(people, lambda system, rater: rater == system)
    result = compare_with_people(scored(marks), tied, scale=(-10, 10))
    for row in (pair(result, "people"), pair(result, "corrected"), *result.errors.to_dicts()):
        assert np.isnan([row["low"], row["p"], row["p_holm"]]).all()
        assert row["reason"].startswith("different people rate the two systems")
    (note,) = [
        note
        for note in result.notes
        if note.startswith("different people rate the two systems of s0 - s1")
    ]
    assert "('s0': ann0; 's1': ann1)" in note
    assert "a severe rater counts against one system" in note
    # The summary of the ratings says the same in the same words.
    assert note in summarise_ratings(tied).notes


def test_people_who_differ_on_the_common_items_alone_are_named():
    marks, people, _ = world(systems=2, raters=2)
    common = pl.col("id").is_in(people["id"].unique(maintain_order=True)[:12])
    tied = of_raters(people, lambda system, rater: rater == system).filter(common)
    # On other items the rater of s1 rates s0 too: the raters of the systems overlap by half or more.
    more = of_raters(people, lambda system, rater: (system, rater) == (0, 1)).filter(~common)
    result = compare_with_people(scored(marks), pl.concat([tied, more]), scale=(-10, 10))
    assert pair(result, "people")["reason"].startswith("different people rate the two systems")
    assert any(note.startswith("different people rate the two systems") for note in result.notes)


def test_notes_say_for_whom_intervals_hold():
    marks, people, _ = world(systems=2, raters=4)
    both = compare_with_people(scored(marks), people)
    assert any(
        "hold for other raters too (random rater effects: 4 raters)" in x for x in both.notes
    )
    assert any("effective number of raters of a system: 4.00" in x for x in both.notes)
    assert not any("different people" in note for note in both.notes)
    # Two raters of each system: wide intervals, and a note on who rates which.
    severe = people.with_columns(pl.col("score") + pl.col("rater").is_in(["ann1", "ann3"]))
    apart = compare_with_people(scored(marks), of_raters(severe, lambda s, r: r // 2 == s))
    assert any("raters of a system: 2.00" in note and "wide" in note for note in apart.notes)
    assert any("('s0': ann0, ann1; 's1': ann2, ann3)" in note for note in apart.notes)
    assert pair(apart, "people")["low"] < pair(both, "people")["low"] - 1
    # One rater of 36 items, three of the other four.
    item = pl.col("id").str.slice(1).cast(pl.Int64)
    who = pl.when(item < 36).then(0).otherwise(1 + item % 3)
    most = people.filter(pl.col("rater") == pl.format("ann{}", who))
    result = compare_with_people(scored(marks), most)
    (note,) = [note for note in result.notes if "these raters" in note]
    assert note.startswith(
        "s0 - s1: one rater counts for more than two thirds of a system's mean ('ann0' for 90%"
    )
    assert np.isfinite(pair(result, "people")["low"])


def test_raters_of_one_reply_have_one_probability():
    marks, people, _ = world()
    one = people.row(0, named=True)
    again = pl.DataFrame([{**one, "rater": "another"}], schema=people.schema)
    both = pl.concat([people, again])
    chances = np.full(both.height, 0.5)
    chances[-1] = 0.25
    message = (
        rf"the reply of '{one['system']}' to '{one['id']}' have different values of 'probability': "
        r"0\.25 and 0\.5; expected"
    )
    with pytest.raises(InputError, match=message):
        compare_with_people(scored(marks), both.with_columns(probability=chances))
    chances[-1] = 0.5
    compare_with_people(scored(marks), both.with_columns(probability=chances))


def test_probabilities_are_read_from_files(tmp_path):
    _, people, _ = world()
    people.with_columns(probability=pl.lit(0.25)).write_csv(tmp_path / "ratings.csv")
    assert read_ratings(tmp_path / "ratings.csv")["probability"].unique().to_list() == [0.25]
    people.write_csv(tmp_path / "plain.csv")
    assert "probability" not in read_ratings(tmp_path / "plain.csv").columns


def test_a_judge_made_from_the_ratings_is_refused():
    marks, people, _ = world()
    scores = people.select("system", "id", judge=2 * pl.col("score") + 1)
    others = marks.select("system", "id", "judge").join(scores, on=["system", "id"], how="anti")
    scores = Scores.from_segments(pl.concat([scores, others]), resamples=0)
    with pytest.raises(InputError, match="judge: the scores of all 120 rated replies follow from"):
        compare_with_people(scores, people)


def test_a_judge_whose_signature_names_the_ratings_is_refused():
    marks, people, _ = world()
    scores = scored(marks)
    table = people.select("id", "system", "rater", "criterion", "score")
    digest = hashlib.sha256(table.write_csv().encode()).hexdigest()[:8]
    from dataclasses import replace

    each = scores.measured["judge"]
    fitted = replace(each, signature=f"{each.signature}|ratings:{digest}")
    with pytest.raises(InputError, match="it was fitted on them"):
        compare_with_people(replace(scores, measured={"judge": fitted}), people)


def test_what_cannot_be_compared():
    marks, people, _ = world()
    with pytest.raises(ParameterError, match="'s0' alone is rated"):
        compare_with_people(scored(marks), people.filter(pl.col("system") == "s0"))
    with pytest.raises(ParameterError, match="'s2' has no rating"):
        compare_with_people(scored(marks), people.filter(pl.col("system") != "s2"), "s2", "s0")
    with pytest.raises(ParameterError, match="unknown"):
        compare_with_people(scored(marks), people, "s9", "s0")


def test_every_item_rated_leaves_nothing_to_correct():
    marks, people, _ = world(rated=300)
    result = compare_with_people(scored(marks), people)
    assert pair(result, "corrected")["low"] == pair(result, "people")["low"]
    assert pair(result, "corrected")["saved"] == 0
    assert any("every item that has scores is rated" in note for note in result.notes)


def test_the_seed_draws_the_folds_of_several_judges():
    marks, people, _ = world()
    scores = scored(marks, "judge", "other")
    one, again, other = (compare_with_people(scores, people, seed=seed) for seed in (1, 1, 2))
    assert one.pairs.equals(again.pairs)
    assert not one.pairs.equals(other.pairs)
    assert "folds:5" in one.signature


def test_intervals_for_any_time_are_wider_but_for_the_judge_alone():
    marks, people, _ = world()
    once = compare_with_people(scored(marks), people)
    always = compare_with_people(scored(marks), people, anytime=True)
    for by in ("people", "corrected"):
        one, every = pair(once, by), pair(always, by)
        assert one["difference"] == every["difference"]
        ratio = (every["high"] - every["low"]) / (one["high"] - one["low"])
        assert 1.6 < ratio < 1.8
        assert every["p"] > one["p"]
        assert every["p_holm"] > one["p_holm"]
    assert pair(once, "judge") == pair(always, "judge")
    assert (always.errors["high"] > once.errors["high"]).all()
    assert ("anytime:100" in always.signature, "anytime" in once.signature) == (True, False)
    assert any("rated in random order" in note for note in always.notes)


def test_intervals_for_any_time_begin_at_20_rated_items():
    marks, people, _ = world(rated=19)
    result = compare_with_people(scored(marks), people, anytime=True)
    assert pair(result, "people")["reason"] == "19 rated items; expected 20 or more"
    assert pair(result, "corrected")["reason"] == "19 rated items; expected 20 or more"
    assert result.errors["reason"].unique().to_list() == ["19 rated items; expected 20 or more"]
    assert pair(result, "judge")["reason"] is None
    assert pair(compare_with_people(scored(marks), people), "people")["reason"] is None


def test_a_judge_whose_scores_are_all_equal_is_said_to_be():
    marks, ratings, _ = world()
    result = compare_with_people(scored(marks.with_columns(judge=pl.lit(4.375)), "judge"), ratings)
    (note,) = (each for each in result.notes if "no test of the error" in each)
    assert "all its scores of rated replies are equal" in note
    assert "scale" not in note


def test_marks_by_another_criterion_are_noted():
    marks, ratings, _ = world()
    names = {"judge": "fake relevance", "other": "fake fluency"}
    both = scored(marks.rename(names), *names.values())
    rated = ratings.with_columns(criterion=pl.lit("relevance"))
    for result in (compare_with_people(both, rated), judge(both, rated)):
        (note,) = (each for each in result.notes if "another criterion" in each)
        assert note.startswith("scores 'fake fluency' seem to be of another criterion")
    alone = compare_with_people(both, ratings)
    assert not any("another criterion" in each for each in alone.notes)


def two_systems(differences, marks, base=3.0):
    """Scores and ratings whose differences are these; ratings of the first items alone."""
    ids = [f"i{k:03}" for k in range(len(marks))]
    scores = [
        pl.DataFrame({"system": s, "id": ids, "judge": m})
        for s, m in (("s0", marks), ("s1", np.zeros(len(marks))))
    ]
    n = len(differences)
    people = [
        pl.DataFrame(
            {"system": s, "id": ids[:n], "rater": "ann", "criterion": "overall", "score": d}
        )
        for s, d in (("s0", base + np.asarray(differences)), ("s1", np.full(n, base)))
    ]
    return scored(pl.concat(scores)), pl.concat(people)


@pytest.mark.parametrize(
    ("shape", "given", "note"),
    [
        ("skewed", {}, "the differences are strongly skewed, and the interval reaches further"),
        (
            "alike",
            {"scale": (1, 5)},
            "vary little beside the scale from 1 to 5, and the interval allows",
        ),
        ("exponential", {}, "the ranks of the judge's differences are used"),
        ("few", {}, "'s0' and 's1': the judge is not used with fewer than 20 rated items"),
        ("plain", {}, "with 30 rated items, 21 of 100 studies see no failure"),
    ],
)
def test_notes_say_what_intervals_allow_for(shape, given, note):
    rng = np.random.default_rng(1)
    d = rng.normal(size=200)
    rated = {
        "skewed": -3.0 * (np.arange(30) < 2) + 0.1 * d[:30],
        "alike": 0.01 * d[:30],
        "few": d[:19],
    }.get(shape, d[:30])
    marks = np.exp(2 * d) if shape == "exponential" else d + 0.5 * rng.normal(size=200)
    scores, people = two_systems(rated, marks)
    notes = " ".join(compare_with_people(scores, people, **given).notes)
    assert note in notes
    if shape != "plain":
        even = rng.uniform(-2, 2, 200)
        plain = two_systems(even[:30], even + 0.5 * rng.normal(size=200))
        plain = compare_with_people(*plain, scale=(1, 5))
        assert note not in " ".join(plain.notes)
        assert "show no failure" not in " ".join(plain.notes)


def test_pairs_that_are_rated_alike_have_an_interval_on_a_known_scale():
    scores, people = two_systems(np.zeros(20), np.random.default_rng(0).normal(size=200))
    row = pair(compare_with_people(scores, people, scale=(1, 5)), "people")
    share = 1 - 0.075 ** (1 / 20)  # of items at an end of the scale, 2 away, that 20 do not show
    assert (row["low"], row["high"]) == pytest.approx((-2 * share, 2 * share))
    assert row["p"] == 1


def test_the_ends_of_grades_are_known_where_these_are_whole_numbers():
    grid = np.array([[1.0, 4.0, 2.0], [2.0, 5.0, np.nan]])
    arrays = {"systems": ("a", "b"), "labels": ("j",), "values": np.zeros((1, 2, 3))}
    arrays |= {"probabilities": None, "group": np.arange(3), "groups_are": "items"}
    whole = RepliesWithRatings(ratings=grid, single=None, **arrays)
    # Both are rated on items 0 and 1, with means 2.5 and 3.5, whose difference is -1. One more item differs
    # by 1 - 3.5 or 2.5 - 5 at the least, -2.5, and by 5 - 3.5 or 2.5 - 1 at the most, 1.5.
    assert whole.ends == (1.0, 5.0)
    assert whole.room(0, 1) == (1.5, 2.5)
    means = RepliesWithRatings(ratings=grid + 1 / 3, single=None, **arrays)
    assert means.ends is None
    assert means.room(0, 1) == (0.0, 0.0)
    assert replace(means, scale=(1.0, 6.0)).ends == (1.0, 6.0)
