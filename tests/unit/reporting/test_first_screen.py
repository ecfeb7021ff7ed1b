"""What a page shows first: its figures are those of the tables, and its sentences name the right systems."""

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.metrics.external import externals
from rejoinder.reporting.first_screen import first_screen
from rejoinder.tables.external_scores import SegmentScores

FEW = {"resamples": 100}
QUALITY = {"good": 3.2, "middle": 2.8, "weak": 2.2, "worst": 1.6}


def world(rated=60, items=60, quality=QUALITY, favoured="worst", gain=2.5):
    """Systems that six people rate, and a judge that follows them but favours one system."""
    rng = np.random.default_rng(7)
    testset = rejoinder.TestSet.from_lists(
        [[f"answer {n}"] for n in range(items)], contexts=[[f"question {n}"] for n in range(items)]
    )
    replies, marks, ratings = [], [], []
    for system, mean in quality.items():
        true = np.clip(mean + rng.normal(0, 0.6, items), 1, 5)
        for n, id in enumerate(testset.ids):
            replies.append((system, id, f"{system} says {n}"))
            mark = true[n] + rng.normal(0, 0.3) + gain * (system == favoured)
            marks.append((system, id, float(np.clip(mark, 1, 5))))
            for rater in "uvwxyz":
                if n < rated:
                    grade = float(np.clip(round(true[n] + rng.normal(0, 0.5)), 1, 5))
                    ratings.append((id, system, rater, "overall", grade))
    table = pl.DataFrame(replies, schema=["system", "id", "text"], orient="row")
    scores = pl.DataFrame(marks, schema=["system", "id", "judge"], orient="row")
    columns = ["id", "system", "rater", "criterion", "score"]
    given = pl.DataFrame(ratings, schema=columns, orient="row") if ratings else None
    return testset, table, [rejoinder.External("judge", scores)], given


def made(**of):
    testset, table, metrics, ratings = world(**of)
    return rejoinder.report(testset, table, metrics, ratings=ratings, **FEW)


@pytest.fixture(scope="module")
def every():
    return made()


@pytest.fixture(scope="module")
def some():
    return made(rated=40, items=200)


def test_a_judge_that_favours_the_worst_system_does_not_decide(every):
    shown = first_screen(every)
    assert shown.verdict.evidence == "people"
    mean = every.ratings.systems.filter(system="good")["mean"][0]
    assert shown.verdict.sentence == (
        f"good is best by people: {mean:.2f}, better than each of the other three."
    )
    assert [each.system for each in shown.verdict.standings] == list(QUALITY)
    (bias,) = shown.biases
    errors = every.with_people["overall"].errors
    own = errors.filter((pl.col("a") == "worst") | (pl.col("b") == "worst"))["error"].abs()
    assert bias.startswith(
        "judge favours worst: beside all 3 other systems it puts worst higher than people do, by "
        f"{own.min():.2f} to {own.max():.2f} in units of the ratings"
    )
    assert "judge puts worst first; by people worst is number 4 of 4." in shown.sureness
    # The summary below has the judge's order as the judge's, and calls nobody else the best.
    known, unknown, _ = every.summary()
    assert "worst is best by judge alone: " in " ".join(known)
    assert "in judge between the two systems that the metric puts first" in " ".join(unknown)
    assert "best systems" not in " ".join((*known, *unknown))


def test_whether_a_judge_can_be_trusted_within_systems_and_between_them(every, some):
    def trust(report):
        (sentence,) = (each for each in first_screen(report).sureness if each.startswith("Can the"))
        return sentence

    table = every.agreement["overall"].table().filter(correlation="spearman")
    ends = table.filter(metric="judge").select("within", "within_low", "within_high").row(0)
    r = "Spearman correlation {:.2f}, 95% interval {:.2f} to {:.2f}".format(*ends)
    one = table.filter(metric="human (avg)")["within"][0]
    assert trust(every) == (
        f"Can the marks of judge be trusted? Within a system they follow people's ratings ({r}; one rater "
        f"and the others: {one:.2f} on average). Between systems no, see above."
    )
    assert trust(some).endswith("Between systems no, see above.")
    assert trust(made(gain=0.0)).endswith("Between systems they are not shown to favour one.")
    testset, table, _, ratings = world()
    means = ratings.group_by("system", "id", maintain_order=True).agg(pl.col("score").mean())
    noise = pl.Series(np.random.default_rng(5).normal(0, 0.5, means.height))

    def judged(marks):
        scores = means.select("system", "id", judge=marks)
        return rejoinder.report(
            testset, table, [rejoinder.External("judge", scores)], ratings=ratings, **FEW
        )

    against, drawn = judged((6 - pl.col("score") + noise).clip(1, 5)), judged(3 + noise)
    assert "Within a system no: they contradict people's ratings" in trust(against)
    assert "Within a system that is not shown: they may not follow" in trust(drawn)
    # Marks so noisy that 20 rated items show no error of a judge that all 400 items show reversed.
    testset, table, _, ratings = world(20, 400, {"good": 3.5, "weak": 2.5})
    noise = pl.Series(np.random.default_rng(6).normal(3, 1.5, table.height))
    marks = (noise + 0.4 * (pl.col("system") == "weak")).clip(1, 5)
    scores = rejoinder.External("judge", table.select("system", "id", judge=marks))
    opposed = rejoinder.report(testset, table, [scores], ratings=ratings, **FEW)
    assert "Between systems no: they significantly prefer weak to good (p " in trust(opposed)


def test_the_lead_is_that_of_the_table(every):
    pairs = every.with_people["overall"].pairs.filter(a="good", b="middle", by="people")
    value, low, high, p = pairs.select("difference", "low", "high", "p_holm").row(0)
    interval = f"95% interval {low:.2f} to {high:.2f}"
    lead = f"The lead of good over middle, the second best, is {value:.2f} ({interval}"
    assert first_screen(every).sureness[0].startswith(f"{lead}, p ")
    assert p < 0.05
    assert first_screen(every).sureness[1] == "6 of 6 pairs of systems differ significantly."


def test_an_end_above_0_does_not_read_as_0(every):
    compared = every.with_people["overall"]
    near = compared.pairs.with_columns(low=pl.lit(0.0042), p_holm=pl.lit(0.06))
    report = replace(every, with_people={"overall": replace(compared, pairs=near)})
    (lead,) = (each for each in first_screen(report).sureness if each.startswith("The lead of"))
    assert "95% interval 0.004 to " in lead
    assert "the interval, which does not contain 0" in lead


def test_ratings_of_some_items_are_corrected_by_the_judge(some):
    shown = first_screen(some)
    assert shown.verdict.evidence == "corrected"
    assert shown.verdict.by == "people, corrected by judge"
    assert shown.verdict.grounds.startswith("People rated 40 of 200 items")
    # The means differ by the corrected differences.
    ranks = some.with_people["overall"].ranks.filter(by="corrected")
    mean = dict(ranks.select("system", "difference").rows())
    value = {each.system: each.value for each in shown.verdict.standings}
    apart = (mean["good"] - mean["worst"]) * 3 / 4
    assert value["good"] - value["worst"] == pytest.approx(apart)


def test_a_verdict_below_that_may_be_another_says_why(some, every):
    beside = (
        "This is by the rated items alone; the verdict at the top is by people, corrected by judge."
    )
    verdict = some.ratings.verdicts["sentence"][0]
    assert f"{verdict} {beside}" in some.to_markdown()
    assert "rated items alone; the verdict" not in every.to_markdown()


def test_a_system_without_a_rating_is_named_beside_the_answer(every):
    testset, table, metrics, ratings = world()
    renamed = ratings.with_columns(pl.col("system").replace("weak", "wk"))
    report = rejoinder.report(testset, table, metrics, ratings=renamed, **FEW)
    said = "weak is left out of this answer: it has no rating that is used."
    assert first_screen(report).sureness[0] == said
    assert "ratings: 360 of 'wk' left out: no such system is scored" in report.notes
    assert "left out of this answer" not in " ".join(first_screen(every).sureness)


def test_a_judge_whose_shape_is_warned_of_corrects_nothing():
    report = made(rated=24)
    assert report.with_people["overall"].warned
    verdict = first_screen(report).verdict
    assert (verdict.evidence, verdict.by) == ("people", "people")
    assert "ratings do not follow judge in a straight line" in verdict.grounds
    assert verdict.grounds.endswith(
        "Other metrics beside judge make another correction, and this is decided anew."
    )


def test_the_figure_is_the_table_turned_towards_the_first_system(some):
    shown = first_screen(some).chart
    assert shown.legend == (
        (0, "people alone"),
        (1, "people, corrected by judge"),
        (2, "judge alone"),
    )
    assert [(mark.kind, mark.value, math.isnan(mark.low)) for mark in shown.rows[0].marks] == [
        (1, 0.0, True)
    ]
    pairs = some.with_people["overall"].pairs
    for row in shown.rows[1:]:
        for by, mark in zip(("people", "corrected", "judge"), row.marks, strict=True):
            systems = ["good", row.system]
            own = pl.col("a").is_in(systems) & pl.col("b").is_in(systems) & (pl.col("by") == by)
            (pair,) = pairs.filter(own).to_dicts()
            sign = -1 if pair["a"] == "good" else 1
            assert mark.value == sign * pair["difference"]
            assert [mark.low, mark.high] == sorted([sign * pair["low"], sign * pair["high"]])
            # Shares of the width are a straight function of the values.
            low, high = shown.ends
            for value in mark[1:]:
                assert shown.at(value) == pytest.approx(
                    100 * (value - low) / (high - low), abs=0.01
                )
    assert shown.at(shown.ends[0]) == 0
    assert shown.at(shown.ends[1]) == 100
    html = some.to_html()
    # What stands beside a mean is the interval of a difference, and is called so.
    assert shown.drawn == "difference from good, and its 95% interval"
    assert f'<th scope="col" class="strip">{shown.drawn}</th>' in html
    verdicts = pairs.filter(by="corrected").get_column("difference").abs()
    said = [row.words.split(" [")[0] for row in shown.rows[1:]]
    assert {f"{each:.2f}" for each in verdicts} >= {each.lstrip("-") for each in said}
    for row in shown.rows:
        for mark in row.marks:
            assert f'<svg class="shape" x="{shown.at(mark.value)}%"' in html


def test_examples_are_the_furthest_apart_either_way_and_a_usual_one(every):
    ahead, usual, behind = first_screen(every).examples
    rows = every.ratings.aggregated.select("system", "id", "score").rows()
    value = {(system, id): score for system, id, score in rows}
    apart = {id: value["good", id] - value["middle", id] for id in every.testset.ids}
    assert apart[ahead.id] == max(apart.values())
    assert apart[behind.id] == min(apart.values())
    mean = sum(apart.values()) / len(apart)
    assert abs(apart[usual.id] - mean) == min(abs(each - mean) for each in apart.values())
    assert [each.system for each in ahead.replies] == ["good", "middle"]
    number = every.testset.ids.index(ahead.id)
    assert ahead.message == f"question {number}"
    assert [each.text for each in ahead.replies] == [f"good says {number}", f"middle says {number}"]
    assert [each.value for each in ahead.replies] == [
        f"{value[name, ahead.id]:.2f}" for name in ("good", "middle")
    ]


def test_a_tie_at_the_top_is_named_as_one():
    shown = first_screen(made(quality={"one": 3.0, "two": 3.0, "worst": 1.5}))
    assert shown.verdict.sentence.count("are tied at the top by people") == 1
    assert shown.verdict.sentence.endswith(
        "worst is worse than " + shown.verdict.standings[0].system + "."
    )
    assert shown.sureness[0].endswith("it may be chance.")


def test_ten_systems():
    quality = {"s0": 4.2} | {f"s{n}": 3.5 - 0.2 * n for n in range(1, 10)}
    shown = first_screen(made(quality=quality, favoured="s9", items=50, rated=50))
    assert shown.verdict.sentence.startswith("s0 is best by people: ")
    assert shown.verdict.sentence.endswith(", better than each of the other nine.")
    assert shown.biases[0].startswith("judge favours s9: beside all 9 other systems")
    assert len(shown.chart.rows) == 10


def test_a_lead_is_no_negative_number_where_lower_is_better():
    testset = rejoinder.TestSet.from_lists([[f"w{n} x{n} y{n} z{n}"] for n in range(12)])
    texts = {"close": "w{0} x{0} y{0}", "far": "w{0}"}
    rows = [
        (s, id, text.format(n)) for s, text in texts.items() for n, id in enumerate(testset.ids)
    ]
    frame = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    shown = first_screen(rejoinder.report(testset, frame, ["ter"], **FEW))
    assert [each.system for each in shown.verdict.standings] == ["close", "far"]
    close, far = (100 * each.value for each in shown.verdict.standings)
    assert close < far
    assert shown.sureness[0].startswith(f"The lead of close over far is {far - close:.1f}")


def test_tests_on_shared_items_decide_over_means_of_different_items():
    """a loses to b on the 16 items that both answered, and does well on 44 others, which it alone has."""
    testset = rejoinder.TestSet.from_lists([[f"w{n} x{n}"] for n in range(60)])
    rows = [
        (system, id, text)
        for n, id in enumerate(testset.ids)
        for system, text in (
            ("a", f"w{n} x{n}" if n >= 16 else "z" if n % 4 else f"w{n}"),
            ("b", f"w{n}"),
        )
        if system == "a" or n < 16
    ]
    frame = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    report = rejoinder.report(testset, frame, ["rougeL"], missing="pairwise", **FEW)
    (pair,) = report.comparison.table.to_dicts()
    assert pair["difference"] < 0 < pair["p_randomization_holm"] < 0.05
    shown = first_screen(report)
    size = f"{-100 * pair['difference']:.1f}"
    assert shown.verdict.sentence.startswith(
        f"By ROUGE-L alone, on the items that both have, b is better than a by {size}, although"
    )
    assert report.as_json()["verdict"]["top"] == ["b"]
    assert shown.sureness[0].startswith(f"The lead of b over a is {size} (")
    assert [each.title for each in shown.examples] == ["b is furthest ahead", "b and a are closest"]


def test_one_system_has_no_figure():
    shown = first_screen(made(quality={"alone": 3.0}))
    assert shown.verdict.sentence.endswith("; there is no other system to compare it with.")
    assert shown.chart is None
    assert shown.examples == ()


def test_a_metric_that_rewards_trivial_replies_decides_nothing():
    """'i do not know' is half of every reference: under BLEU-1 any system that says more loses to it."""
    testset = rejoinder.TestSet.from_lists(
        [["i do not know that", f"i do not care {n}"] for n in range(20)]
    )
    texts = {"a": "yes sir {}", "b": "no madam {}", "c": "of course {}"}
    rows = [(s, id, text.format(id)) for s, text in texts.items() for id in testset.ids]
    table = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    report = rejoinder.report(testset, table, ["bleu:order=1"], **FEW)
    shown = first_screen(report)
    assert shown.verdict.evidence == "none"
    assert shown.verdict.sentence == (
        "BLEU-1 cannot decide which system is best: it rewards trivial replies."
    )
    assert "'constant' (one text to everything) at or above 3 of 3 systems" in shown.verdict.grounds
    assert shown.examples == ()
    words, commands = zip(*shown.remedies, strict=True)
    assert words[0].startswith(
        "Ratings by people: 64 items drawn at random, with the replies of all 3 systems rated by 3 people "
        "each (576 ratings), "
    )
    assert words[0].endswith("; the test set has 20 only, which is too few for that.")
    assert (
        commands[0] == "rejoinder annotate serve TESTSET RESPONSES --sample 20 --db ratings.sqlite"
    )
    assert commands[1].startswith("rejoinder mark ")
    row = report.audit.table.filter(baseline="constant", references="all")
    assert shown.chart.caption.endswith("the line is the trivial baseline 'constant'")
    assert row["value"][0] > report.scores.systems()["value"].max()
    assert report.as_json()["verdict"]["evidence"] == "none"


@pytest.mark.parametrize("items", [1, 3])
def test_few_items_do_not_show_that_a_metric_rewards_trivial_replies(items):
    testset = rejoinder.TestSet.from_lists([["i do not know that"]] * items)
    rows = [(s, id, f"yes {s}") for s in "ab" for id in testset.ids]
    table = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    report = rejoinder.report(testset, table, ["bleu:order=1"], **FEW)
    assert first_screen(report).verdict.evidence == "metric"
    assert (
        "Whether BLEU-1 rewards trivial replies is not known: there are too few items or clusters for an "
        "interval."
    ) in report.summary().unknown


def test_choices_of_people_decide_where_nobody_rated():
    testset, table, metrics, _ = world(quality={"a": 3.0, "b": 2.0}, rated=0)
    rows = [
        {"id": id, "a": "a", "b": "b", "winner": "b" if n % 5 else "a",
         "rater": "ann", "criterion": "overall"}
        for n, id in enumerate(testset.ids)
    ]  # fmt: skip
    preferences = pl.DataFrame(rows)
    report = rejoinder.report(testset, table, metrics, preferences=preferences, **FEW)
    shown = first_screen(report)
    assert shown.verdict.sentence == "b is better than a by people's choices: 80% against 20%."
    assert "judge puts a first; by people's choices a is number 2 of 2." in shown.sureness


def test_choices_without_a_strength_are_shares():
    """a wins 12 of 12: its strength is not known, and the test of the pair is."""
    testset, table, metrics, _ = world(quality={"a": 2.0, "b": 3.0}, rated=0)
    rows = [
        {"id": id, "a": "a", "b": "b", "winner": "a", "rater": "ann", "criterion": "overall"}
        for id in testset.ids[:12]
    ]
    preferences = pl.DataFrame(rows)
    report = rejoinder.report(testset, table, metrics, preferences=preferences, **FEW)
    assert report.preferences.strengths["strength"].is_nan().all()
    verdict = first_screen(report).verdict
    assert verdict.sentence == "a is better than b by people's choices: 100% against 0%."


def test_people_rated_every_item_where_they_did_so_of_each_pair():
    """Every item of two systems is rated, and a third of those of the others."""
    testset, table, metrics, ratings = world(items=120, rated=120)
    few = pl.col("system").is_in(["good", "middle"]) | pl.col("id").is_in(testset.ids[::3])
    report = rejoinder.report(testset, table, metrics, ratings=ratings.filter(few), **FEW)
    verdict = first_screen(report).verdict
    assert verdict.grounds.startswith("People rated 40 of 120 items of a pair of systems")


def test_a_metric_that_ranks_no_systems_is_no_judge():
    """Replies of 3 to 5 words: their length is a number on the scale of the ratings."""
    testset, table, metrics, ratings = world(quality={"good": 3.2, "worst": 1.6})
    longer = pl.when(pl.col("system") == "worst").then(pl.lit(" at length")).otherwise(pl.lit(""))
    table = table.with_columns(text=pl.col("text") + longer)
    metrics = [*metrics, "length"]
    report = rejoinder.report(testset, table, metrics, ratings=ratings, **FEW)
    label = next(each for each in report.scores.measured if each != "judge")
    assert report.with_people["overall"].judges == ("judge",)
    shown = first_screen(report)
    assert [each.split()[0] for each in shown.biases] == ["judge"]
    assert f"{label} alone" not in [words for *_, words in shown.chart.legend]


def test_a_metric_that_ranks_no_systems_is_a_judge_where_it_is_the_only_one():
    testset, table, _, ratings = world()
    report = rejoinder.report(testset, table, ["length"], ratings=ratings, **FEW)
    assert report.with_people["overall"].judges == ("length",)


def test_systems_with_equal_values_are_not_called_a_lead_that_may_be_chance():
    testset, table, *_ = world(quality={"one": 3.0, "two": 3.0})
    marks = pl.DataFrame(
        {"system": ["one"] * 60 + ["two"] * 60, "id": testset.ids * 2,
         "judge": [n % 5 for n in range(60)] + [4 - n % 5 for n in range(60)]}
    )  # fmt: skip
    shown = first_screen(
        rejoinder.report(testset, table, [rejoinder.External("judge", marks)], **FEW)
    )
    assert shown.verdict.sentence == "one and two are tied by judge alone: both have 2.00."
    assert shown.sureness[0].startswith("one has no lead over two: the difference is 0.00 (95% int")
    assert "chance" not in shown.sureness[0]


def test_the_page_begins_with_the_verdict(every):
    html = every.to_html()
    assert f'<h1 dir="auto">{first_screen(every).verdict.sentence}</h1>' in html
    assert html.index("<h1") < html.index('<figure class="chart">') < html.index('id="summary"')
    (known, *_) = every.as_json()["verdict"]["top"]
    assert known == "good"


def test_a_score_of_a_reply_that_is_missing_counts(tmp_path):
    # What the tool stored for a reply that timed out is the system's failure.
    rows = [
        {
            "testIdx": n,
            "promptIdx": 0,
            "vars": {"question": f"Question {n}?"},
            "provider": system,
            "response": None if late else {"output": "Yes."},
            "error": "timeout" if late else None,
            "score": float(not late and (system == "quick" or n % 3 > 0)),
        }
        for system in ("quick", "slow")
        for n in range(30)
        for late in [system == "quick" and n < 20]
    ]
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"evalId": "e", "results": {"results": rows}}))
    testset, responses = rejoinder.read_testset(file), rejoinder.read_responses(file)
    scores = externals(SegmentScores.of(rejoinder.read_scores(file)))
    report = rejoinder.report(testset, responses, scores, missing="pairwise", **FEW)
    shown, known = first_screen(report), report.summary().known
    assert shown.verdict.sentence == "slow is better than quick by score alone: 66.7 against 33.3."
    assert shown.sureness[1] == "quick has no reply to 20 of 30 items."
    assert known[0].startswith("2 systems replied to 30 items (quick to 10 of them)")
