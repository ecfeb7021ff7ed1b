"""A report of ratings, preferences or scores alone: the same verdict, without any text."""

import json
import random

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import ParameterError
from rejoinder.reporting.first_screen import first_screen
from shared_data import EXAMPLES, TESTSET

RATINGS, VOTES = str(EXAMPLES / "ratings.csv"), str(EXAMPLES / "preferences.csv")
FEW = {"resamples": 100}


def judged(systems=("good", "middle", "weak"), items=24):
    rows = [
        (f"i{n}", system, rater, "overall", float(5 - 2 * place + (n + place * 2) % 2))
        for place, system in enumerate(systems)
        for n in range(items)
        for rater in ("ann", "ben", "cas", "dan")
    ]
    columns = ["id", "system", "rater", "criterion", "score"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def test_ratings_alone_have_the_verdict_of_compare():
    ratings = rejoinder.read_ratings(RATINGS)
    report = rejoinder.report(ratings=ratings, **FEW)
    compared = rejoinder.compare(ratings=ratings)
    shown = first_screen(report)
    assert shown.verdict.sentence == compared.verdicts["sentence"][0]
    assert shown.verdict.evidence == "people"
    # The figure is that of the pairs, turned towards the first system.
    first, other = (each.system for each in shown.verdict.standings[:2])
    (pair,) = compared.pairs.filter(
        pl.col("a").is_in([first, other]) & pl.col("b").is_in([first, other])
    ).to_dicts()
    (row,) = (row for row in shown.chart.rows if row.system == other)
    assert abs(row.marks[0].value) == pytest.approx(abs(pair["difference"]))
    # Items and examples without texts.
    assert len(shown.examples) == 3
    assert all(reply.text is None for each in shown.examples for reply in each.replies)
    assert report.summary().known[0].endswith("the texts of the replies are not given.")
    assert report.as_json()["by_people"]["pairs"] == json.loads(
        json.dumps(compared.pairs.to_dicts())
    )
    page = report.to_html()
    assert 'id="data"' in page
    assert shown.verdict.sentence in page


def test_preferences_alone_have_the_verdict_of_preferences_and_no_items():
    votes = rejoinder.read_preferences(VOTES)
    report = rejoinder.report(preferences=votes, **FEW)
    summary = rejoinder.preferences(votes, **FEW)
    assert report.verdict().sentence == summary.verdicts["sentence"][0]
    assert 'id="data"' not in report.to_html()


def test_scores_alone_are_compared():
    table = pl.DataFrame(
        {"system": ["a"] * 12 + ["b"] * 12, "id": [str(n) for n in range(12)] * 2,
         "judge": [4.0 + n % 2 for n in range(12)] + [2.0 + n % 2 for n in range(12)]}
    )  # fmt: skip
    report = rejoinder.report(metrics=[rejoinder.External("judge", table)], **FEW)
    assert report.verdict().sentence == "a is better than b by judge alone: 4.50 against 2.50."
    assert report.audit is None
    assert 'id="data"' in report.to_html()


def test_scores_and_ratings_without_texts_go_together():
    ratings = judged()
    marks = ratings.group_by("system", "id", maintain_order=True).agg(judge=pl.col("score").mean())
    off = pl.int_range(pl.len()) * 7 % 5 / 5
    marks = marks.with_columns(judge=pl.col("judge") + off)
    report = rejoinder.report(metrics=[rejoinder.External("judge", marks)], ratings=ratings, **FEW)
    assert report.verdict().evidence == "people"
    assert list(report.agreement) == ["overall"]


def test_replies_without_references_are_compared_by_people():
    ratings = judged()
    ids = ratings["id"].unique(maintain_order=True).to_list()
    testset = rejoinder.TestSet.from_lists([[] for _ in ids], contexts=ids, ids=ids)
    replies = {name: [f"{name} says {id}" for id in ids] for name in ("good", "middle", "weak")}
    report = rejoinder.report(testset, replies, ratings=ratings, **FEW)
    assert report.verdict().sentence.startswith("good is best by people: 5.50")
    example = first_screen(report).examples[0]
    assert example.replies[0].text == f"good says {example.id}"
    assert example.message == example.id


@pytest.mark.parametrize("column", ["user", "rater"])
def test_agreement_of_people_is_over_the_clusters_of_the_items(column):
    rng = random.Random(3)
    given = judged().with_columns(
        score=pl.col("score") + pl.Series([rng.gauss(0, 2) for _ in range(288)])
    )
    ids = given["id"].unique(maintain_order=True).to_list()
    users = pl.DataFrame({"id": ids, "user": [f"u{place // 3}" for place in range(len(ids))]})
    made = rejoinder.TestSet.from_lists([["hi"] for _ in ids], contexts=ids, ids=ids)
    contexts = made.contexts.join(users.rename({"user": column}), on="id")
    testset = rejoinder.TestSet(contexts, made.references)
    replies = {name: [f"{name} says {id}" for id in ids] for name in ("good", "middle", "weak")}
    table = given.join(users, on="id")
    for cluster, of_people in ((column, "user"), ("none", "none")):
        made = rejoinder.report(testset, replies, ["length"], ratings=given, cluster=cluster, **FEW)
        expected = rejoinder.ratings(table, cluster=of_people, **FEW)
        assert made.ratings.agreement.equals(expected.agreement)


def test_an_item_without_a_conversation_stops_no_report():
    given = judged()
    ids = given["id"].unique(maintain_order=True).to_list()
    talks = [None, *(f" t{place // 3}" for place in range(1, len(ids)))]
    made = rejoinder.TestSet.from_lists([["hi"] for _ in ids], contexts=ids, ids=ids)
    contexts = made.contexts.with_columns(pl.Series("conversation", talks))
    testset = rejoinder.TestSet(contexts, made.references)
    replies = {name: [f"{name} says {id}" for id in ids] for name in ("good", "middle", "weak")}
    report = rejoinder.report(testset, replies, ["length"], ratings=given, **FEW)
    filled = given.join(pl.DataFrame({"id": ids, "talk": ["own", *talks[1:]]}), on="id")
    expected = rejoinder.ratings(filled, cluster="talk", **FEW)
    assert report.ratings.agreement.equals(expected.agreement)
    assert any("is empty for item" in each for each in report.scores.notes)


def test_one_system_alone_has_a_page():
    report = rejoinder.report(ratings=judged(("good",)), **FEW)
    assert "comparison by people" in report.failed
    assert "good" in report.to_html()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing to report"),
        ({"metrics": ["bleu"], "ratings": judged()}, "measures replies"),
        ({"responses": {"a": ["x"]}}, "needs a test set"),
    ],
    ids=["nothing", "a metric of replies", "no test set"],
)
def test_what_cannot_be_reported_is_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        rejoinder.report(**given, **FEW)


@pytest.mark.parametrize(
    "words",
    [["--ratings", RATINGS], ["--preferences", VOTES], ["--ratings", RATINGS, TESTSET]],
    ids=["ratings", "preferences", "ratings and contexts"],
)
def test_the_command_takes_judgements_alone(command, tmp_path, words):
    page = tmp_path / "report.html"
    status, out, err = command("report", *words, "--resamples", "100", "-o", str(page))
    assert status == 0, err
    assert " by people" in out
    assert page.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ratings", RATINGS, "-m", "bleu"], "--metric has no effect without responses"),
        (["--ratings", RATINGS, "--missing", "drop"], "--missing has no effect without responses"),
        ([RATINGS], f"name it with --ratings: rejoinder report --ratings {RATINGS}"),
        ([VOTES], f"name it with --preferences: rejoinder report --preferences {VOTES}"),
        ([], "Or give --scores, --ratings or --preferences alone"),
    ],
    ids=["metric", "missing", "ratings first", "preferences first", "nothing"],
)
def test_the_command_says_what_is_wrong(command, tmp_path, words, message):
    status, _, err = command("report", *words, "-o", str(tmp_path / "r.html"))
    assert status == 2
    assert message in err


def test_a_column_for_each_rated_system_holds_its_replies(command, tmp_path):
    """A table of contexts and replies that is given once, as people keep it beside their ratings."""
    judged().write_csv(ratings := tmp_path / "ratings.csv")
    rows = [
        {
            "id": f"i{n}",
            "context": f"q{n}",
            "good": f"yes {n}",
            "middle": "" if n == 3 else f"at {n}",
            "weak": "no",
        }
        for n in range(24)
    ]
    pl.DataFrame(rows).write_csv(answers := tmp_path / "answers.csv")
    words = ["report", answers, "--ratings", ratings, "--resamples", 100, "-o", tmp_path / "r.html"]
    out = " ".join(command(*words)[1].split())  # folded where a path is long
    assert (
        "3 systems replied to 24 items (middle to 23 of them), none of which has a reference."
        in out
    )
    assert "each of these columns is a system: good, middle, weak" in out
    assert "yes 7" in (tmp_path / "r.html").read_text()
    # Where the rated systems are no columns, or hold numbers, the table holds items alone.
    for other in (
        [{**row, "good": n} for n, row in enumerate(rows)],
        [{**r, "weak": None} for r in rows],
    ):
        pl.DataFrame(other).drop("weak" if other[0]["weak"] is None else []).write_csv(answers)
        assert "the texts of the replies are not given" in " ".join(command(*words)[1].split())


@pytest.mark.parametrize("beside", [[], ["--scores", EXAMPLES / "judge.csv"]])
def test_a_system_is_left_out_of_ratings_too(command, tmp_path, beside):
    words = ["report", "--ratings", RATINGS, *beside, "--resamples", 100, "-o", tmp_path / "r.html"]
    out = command(*words, "--without", "generic")[1]
    assert "2 systems and 66 items" in out
    assert "generic" not in out
    status, _, err = command(*words, "--without", "generik")
    assert status == 2
    assert "system 'generik' is unknown; choose 'generic', 'retrieval' or 'tuned'" in err


def test_texts_of_a_file_of_scores_are_taken(command, tmp_path):
    rows = [
        {
            "id": f"i{n}",
            "prompt": f"q{n}",
            "reference": f"r{n}",
            "system": s,
            "text": f"{s} says {n}",
        }
        for n in range(12)
        for s in ("a", "b")
    ]
    table, page = tmp_path / "all.jsonl", tmp_path / "report.html"
    marks = [row | {"judge": n % 3 + (row["system"] == "a")} for n, row in enumerate(rows)]
    table.write_text("".join(f"{json.dumps(each)}\n" for each in marks))
    status, _, err = command("report", "--scores", str(table), "-o", str(page))
    assert status == 0, err
    assert "a says 3" in page.read_text("utf-8")


def test_kept_scores_alone_are_a_report_and_no_table_of_metrics(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"a": ["yes", "no", "at nine"] * 4, "b": ["well"] * 12}
    scores = rejoinder.score([["yes"], ["no"], ["at nine"]] * 4, texts, ["bleu:order=1"], **FEW)
    scores.save("kept.parquet")
    status, out, err = command("report", "kept.parquet", "-o", "r.html", "--json")
    assert status == 0, err
    sentence = "a is better than b by BLEU-1 alone: 100.0 against 0.0."
    assert json.loads(out)["verdict"]["sentence"] == sentence
    assert rejoinder.report(scores=scores).verdict().sentence == sentence
    for verb in (["report", "-o", "r.html"], ["score"]):
        status, _, err = command(*verb, "--scores", "kept.parquet")
        assert status == 2
        assert "kept.parquet: these are kept scores, whose columns are the sums" in err
    status, _, err = command("report", "kept.parquet", "--missing", "drop", "-o", "r.html")
    assert status == 2
    with pytest.raises(ParameterError, match="metrics= beside scores"):
        rejoinder.report(scores=scores, metrics=["bleu"])
