"""What a report holds: the numbers of its parts, and sentences that say what is not known."""

import json
import math
import os
import re

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.reporting.first_screen import first_screen
from rejoinder.reporting.items import apart, data_of
from shared_data import EXAMPLES, SYSTEMS, TESTSET

FEW = {"resamples": 100}


@pytest.fixture(scope="module")
def testset():
    return rejoinder.read_testset(TESTSET)


@pytest.fixture(scope="module")
def replies():
    return rejoinder.read_responses(*SYSTEMS)


@pytest.fixture(scope="module")
def full(testset, replies):
    return rejoinder.report(
        testset,
        replies,
        ["bleu", "length"],
        ratings=rejoinder.read_ratings(EXAMPLES / "ratings.csv"),
        preferences=rejoinder.read_preferences(EXAMPLES / "preferences.csv"),
        **FEW,
    )


def small(items, systems=("a",), text="at nine"):
    """A test set of so many items, and replies of these systems."""
    testset = rejoinder.TestSet.from_lists([["at nine", "not yet"]] * items)
    rows = [(s, id, text) for s in systems for id in testset.ids]
    return testset, pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


def test_the_numbers_are_those_of_the_verbs(full, testset, replies):
    scores = rejoinder.score(testset, replies, ["bleu", "length"], **FEW)
    told = json.loads(json.dumps(full.as_json()))
    assert told["scores"] == json.loads(json.dumps(scores.as_json()))
    assert told["ranks"] == json.loads(json.dumps(scores.ranks().to_dicts()))
    assert told["comparison"] == json.loads(json.dumps(rejoinder.compare(scores).as_json()))
    audit = rejoinder.audit(testset, replies, ["bleu", "length"], **FEW)
    assert told["audit"] == json.loads(json.dumps(audit.as_json()))
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    agreement = rejoinder.correlate(scores, ratings, **FEW)
    assert told["agreement"] == json.loads(json.dumps({"relevance": agreement.as_json()}))
    assert told["ratings"] == json.loads(json.dumps(rejoinder.ratings(ratings, **FEW).as_json()))
    preferences = rejoinder.read_preferences(EXAMPLES / "preferences.csv")
    summary = rejoinder.preferences(preferences, **FEW)
    assert told["preferences"] == json.loads(json.dumps(summary.as_json()))


def test_the_worst_replies_are_those_of_the_evidence(full, testset, replies):
    """By people where they decide, by the metric otherwise; folded on the page, a table elsewhere."""
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    means = ratings.group_by("system", "id").agg(value=pl.col("score").mean())

    def worst(report):
        tables = [each for each in report.document() if getattr(each, "name", "") == "worst"]
        return tables[0] if tables else None

    table = worst(full)
    assert table.title == "the 3 replies of each system that people rate worst (relevance)"
    assert table.fold == "The 3 replies of each system that people rate worst (relevance)"
    assert table.frame["system"].to_list() == ["tuned"] * 3 + ["retrieval"] * 3 + ["generic"] * 3
    for system in ("tuned", "retrieval", "generic"):
        own = table.frame.filter(system=system)
        assert own["value"].to_list() == means.filter(system=system)["value"].sort().to_list()[:3]
        texts = dict(replies.filter(system=system).select("id", "text").iter_rows())
        assert own["reply"].to_list() == [texts[id] for id in own["id"]]
    # TER is better where it is lower.
    by_ter = worst(rejoinder.report(testset, replies.filter(system="tuned"), ["ter"], **FEW))
    scores = rejoinder.score(testset, replies.filter(system="tuned"), ["ter"], resamples=0)
    assert by_ter.frame.drop("message", "reference").equals(
        scores.worst_replies("tuned", most=3)
        .select(by_ter.frame.columns)
        .drop("message", "reference")
    )
    # Without texts, and where nothing decides, there are none.
    assert worst(rejoinder.report(ratings=ratings, **FEW)) is None
    assert worst(rejoinder.report(*small(6, ("a", "b")), ["bleu"], **FEW)) is None


def test_the_sentences_are_of_the_tables(full):
    known, unknown, _ = full.summary()
    assert known[0] == "3 systems replied to 66 items; an item has 5 to 8 references."
    best = full.scores.systems().filter(metric="BLEU-2").to_dicts()[0]
    assert known[1] == (
        f"{best['system']} is best by BLEU-2 alone: {100 * best['value']:.1f}, better than each of "
        "the other two."
    )
    row = full.agreement["relevance"].table().filter(metric="BLEU-2", correlation="spearman")
    (within,) = row["within"].to_list()
    assert f"BLEU-2 {within:.2f} (95% interval" in " ".join(known)
    assert [each for each in known if each.startswith("Ratings, relevance: 990 ratings by 5")]
    (preferred,) = [each for each in known if each.startswith("Preferences, overall: ")]
    (verdict,) = full.preferences.verdicts["sentence"]
    assert preferred.endswith(f" raters. {verdict}")
    assert [each for each in known if each.startswith("Audit: ")] == [
        f"Audit: {each.sentence}" for each in full.audit.verdicts
    ]
    assert not [each for each in unknown if each.startswith("No human ratings")]


def test_without_ratings_agreement_is_not_known(testset, replies):
    made = rejoinder.report(testset, replies, ["rougeL"], **FEW)
    known, unknown, _ = made.summary()
    assert unknown[-1].startswith(
        "No human ratings are given: how far the metrics agree with people"
    )
    table = made.comparison.table
    open_ = table.filter(pl.col("p_randomization_holm") >= 0.05)
    assert open_.height == 1
    a, b = open_.select("a", "b").row(0)
    assert f"1 of 3 pairs of systems does not differ significantly ({a} and {b})" in unknown[0]
    assert (
        f"difference of {100 * table.filter(a=a, b=b)['detectable'][0]:.1f} in ROUGE-L"
        in unknown[1]
    )
    assert "a difference that may be chance" in known[1]


def test_one_item_and_one_system_have_a_report():
    made = rejoinder.report(*small(1), ["bleu"], **FEW)
    known, unknown, _ = made.summary()
    assert known[:2] == (
        "1 system replied to 1 item; an item has 2 references.",
        "a has 100.0 by BLEU-2 alone; there is no other system to compare it with.",
    )
    assert unknown[0] == "There is one system alone: nothing is compared."
    assert made.comparison is None
    made.to_html()


def test_items_without_a_reference_are_counted_by_themselves():
    """Of 5 items 3 have 2 to 4 references, and 2 have none."""
    testset = rejoinder.TestSet.from_lists([["a b"] * 2, [], ["a b"] * 4, ["a b"] * 2, []])

    def first(places, metric="length", **settings):
        ids = [testset.ids[place] for place in places]
        table = pl.DataFrame({"system": ["a"] * len(ids), "id": ids, "text": ["a b"] * len(ids)})
        made = rejoinder.report(testset, table, [metric], **FEW, **settings)
        return made.summary().known[0]

    mixed = "1 system replied to 5 items; 3 of them have 2 to 4 references each, and 2 have none."
    assert first(range(5)) == mixed
    assert first(range(5), "bleu", drop_unusable=True) == mixed
    drop = {"missing": "drop"}
    assert first([0, 1], **drop) == (
        "1 system replied to 2 items; 1 of them has 2 references, and 1 has none."
    )
    assert first([1], **drop) == "1 system replied to 1 item, none of which has a reference."
    assert first([0], **drop) == "1 system replied to 1 item; an item has 2 references."


def test_without_resamples_nothing_is_certain():
    made = rejoinder.report(*small(6, "ab"), ["bleu"], resamples=0)
    assert made.summary().unknown[0] == (
        "Intervals and tests were turned off: how certain the values are is not known."
    )
    assert made.comparison is None


def test_systems_that_say_the_same_are_not_separated():
    made = rejoinder.report(*small(8, "ab"), ["bleu"], **FEW)
    known, unknown, _ = made.summary()
    assert known[1] == "a and b are tied by BLEU-2 alone: both have 100.0."
    assert "(a and b)" in unknown[0]


def test_scores_of_other_tools_have_no_audit(testset, replies):
    judge = rejoinder.read_scores(EXAMPLES / "judge.csv")
    own = judge["system"].unique().to_list()
    made = rejoinder.report(
        testset,
        replies.filter(pl.col("system").is_in(own)),
        [rejoinder.External("judge", judge)],
        **FEW,
    )
    assert made.audit is None
    (why,) = [each for each in made.summary().unknown if each.startswith("Not computed: audit")]
    assert "'Audit.replies' writes these for the other tool" in why


def test_a_system_that_is_left_out_is_nowhere(testset, replies):
    made = rejoinder.report(
        testset,
        replies,
        ["bleu"],
        ratings=rejoinder.read_ratings(EXAMPLES / "ratings.csv"),
        preferences=rejoinder.read_preferences(EXAMPLES / "preferences.csv"),
        without=["tuned"],
        **FEW,
    )
    assert "tuned" not in json.dumps(made.as_json())


def test_parameters_that_have_no_meaning_are_refused(testset, replies):
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    with pytest.raises(ParameterError, match="criterion"):
        rejoinder.report(testset, replies, ["bleu"], ratings=ratings, criterion="none", **FEW)
    others = ratings.filter(system="tuned").with_columns(system=pl.lit("other"))
    with pytest.raises(InputError, match="none of which is scored"):
        rejoinder.report(testset, replies, ["bleu"], ratings=others, **FEW)
    made = rejoinder.report(*small(1), ["bleu"], **FEW)
    with pytest.raises(InputError, match=r"got the suffix '.pdf', expected '.html' or '.md'"):
        made.save("r.pdf")


def data(report):
    """The data of its page."""
    return json.loads(data_of(report))


def test_the_items_are_the_tables(full, testset, replies):
    told = data(full)
    texts = told["texts"]
    assert len(set(texts)) == len(texts)
    assert told["ids"] == testset.ids
    contexts = [[texts[number] for number in turns] for turns in told["contexts"]]
    assert contexts == testset.contexts["context"].to_list()
    answers = dict(zip(replies.select("system", "id").rows(), replies["text"], strict=True))
    for system, own in zip(told["systems"], told["replies"], strict=True):
        assert [texts[number] for number in own] == [answers[system, id] for id in testset.ids]
    references = testset.references.filter(id=testset.ids[3])
    assert [texts[number] for number in told["references"][3]] == references["text"].to_list()
    assert told["weights"][3] == references["weight"].to_list()
    segments = full.scores.segments()
    for metric, own in zip(told["metrics"], told["scores"], strict=True):
        values = [None if math.isnan(v) else float(f"{v:.4g}") for v in segments[metric["label"]]]
        assert [value for row in own for value in row] == values
    topics = next(each for each in told["columns"] if each["name"] == "topic")["values"]
    assert [texts[number] for number in topics] == testset.contexts["topic"].to_list()
    (people,) = told["people"]
    rated = full.ratings.ratings.group_by("system", "id").agg(pl.col("score").mean(), n=pl.len())
    for system, id, score, n in rated.iter_rows():
        place = told["systems"].index(system), told["ids"].index(id)
        assert people["means"][place[0]][place[1]] == pytest.approx(score, rel=1e-3)
        assert people["counts"][place[0]][place[1]] == n


def test_what_matched_is_what_explain_says(full, testset, replies):
    told = data(full)
    assert told["matches"]["label"] == "BLEU-2"
    for id in testset.ids[:5]:
        item = told["ids"].index(id)
        for place, system in enumerate(told["systems"]):
            explained = rejoinder.scoring.explain.explain(testset, replies, id, system, "bleu")
            expected = [
                (each.ngram, each.reference) for each in explained.contributions if each.matched
            ]
            flat = told["matches"]["of"][place][item]
            pairs = [(told["grams"][a], b) for a, b in zip(flat[::2], flat[1::2], strict=True)]
            assert pairs == expected


def test_metric_and_people_are_apart_by_their_ranks():
    # Scores rank the four replies 0, 33, 67, 100; people the other way round; one is not rated.
    scores = pl.Series([0.1, 0.2, 0.3, 0.4, 0.9]).to_numpy().reshape(1, 5)
    people = pl.Series([4.0, 3.0, 2.0, 1.0, math.nan]).to_numpy().reshape(1, 5)
    (row,) = apart(scores, people, True).tolist()
    assert row[:4] == pytest.approx([-100, -100 / 3, 100 / 3, 100])
    assert math.isnan(row[4])
    (row,) = apart(scores, people, False).tolist()
    assert row[:4] == pytest.approx([0, 0, 0, 0])


def test_several_samples_of_a_reply_are_all_there():
    testset = rejoinder.TestSet.from_lists([["at nine"]] * 4)
    rows = [("a", id, text, n) for id in testset.ids for n, text in enumerate(("at nine", "no"))]
    table = pl.DataFrame(rows, schema=["system", "id", "text", "sample"], orient="row")
    told = data(rejoinder.report(testset, table, ["sbleu"], **FEW))
    assert [told["texts"][number] for number in told["replies"][0][0]] == ["at nine", "no"]
    assert told["matches"] is None


def test_empty_replies_that_were_filled_in_are_shown():
    testset, table = small(4, "ab")
    made = rejoinder.report(testset, table[:-1], ["bleu"], missing="empty", **FEW)
    told = data(made)
    assert told["texts"][told["replies"][1][3]] == ""


def test_chinese_has_a_report():
    testset = rejoinder.TestSet.from_lists(
        [["今天天气很好。"], ["我不知道。"]], contexts=[["今天天气怎么样？"], ["为什么？"]]
    )
    rows = [("甲", "1", "今天很好。"), ("甲", "2", "不知道。")]
    table = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    made = rejoinder.report(testset, table, ["bleu:tokenizer=zh"], **FEW)
    assert "今天天气怎么样？" in made.to_html()
    assert "天" in data(made)["grams"]


def test_files_of_ruq_are_values_or_the_plot(testset, replies, tmp_path):
    lines = [
        {"id": id, "text": text, "logprobs": [-1.0] * (len(text.split()) + 1)}
        for id, text in [
            *testset.references.select("id", "text").rows(),
            *((id, "Yes.") for id in testset.ids),
        ]
    ]
    path = tmp_path / "model.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = rejoinder.ruq(testset, [str(path)], generic=["Yes."], resamples=100)
    found.scores.save(tmp_path / "values.parquet")
    found.save_tokens(tmp_path / "tokens.parquet")
    files = [tmp_path / "tokens.parquet", tmp_path / "values.parquet"]
    made = rejoinder.report(testset, replies, ["bleu"], ruq=files, resamples=100)
    assert list(made.ruq) == ["values.parquet"]
    assert list(made.tokens) == ["tokens.parquet"]
    value = found.scores.systems()["value"][0]
    (sentence,) = [each for each in made.summary().known if each.startswith("RUQ")]
    assert sentence.startswith(f"RUQ (strongest): model {100 * value:.1f} (95% interval ")
    page = made.to_html()
    assert "tokens.parquet: mean log-probability of each token position" in page
    rejoinder.score(testset, replies, ["bleu"], resamples=0).save(tmp_path / "bleu.parquet")
    with pytest.raises(InputError, match="holds scores of 'BLEU-2', expected those of RUQ"):
        rejoinder.report(testset, replies, ["bleu"], ruq=[tmp_path / "bleu.parquet"])


def test_frames_of_others_are_taken(testset, replies):
    pytest.importorskip("pandas")
    table = replies.to_pandas()
    made = rejoinder.report(testset, table, ["length"], resamples=0)
    assert made.scores.systems().height == 3


@pytest.mark.parametrize("suffix", [".html", ".md"])
def test_the_same_report_is_the_same_file(full, tmp_path, suffix):
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    for path in (one, two):
        full.save(path, {"testset": TESTSET, "responses": SYSTEMS}, ["python", "make.py"])
    assert one.read_bytes() == two.read_bytes()
    if suffix == ".html":
        assert "python make.py" in one.read_text("utf-8")
        seen = re.escape(os.path.relpath(TESTSET, tmp_path))
        assert re.search(rf"<td><bdi>{seen}</bdi></td><td class=\"code\">[0-9a-f]{{64}}</td>",
                         one.read_text("utf-8"))  # fmt: skip


def test_markdown_has_the_sentences_and_the_tables(full, tmp_path):
    path = tmp_path / "report.md"
    full.save(path)
    text = path.read_text("utf-8")
    assert text.startswith("<!-- rejoinder report -->\n#### Summary\n")
    assert "#### What is not known" in text
    assert "#### Ratings and raters: Preferences" in text
    assert "| system | BLEU-2 | length |" in text


def test_undefined_agreement_is_not_known():
    testset, replies = small(8, "ab")
    rated = {"system": "a", "id": testset.ids[0], "rater": "ann", "criterion": "fit", "score": 3.0}
    made = rejoinder.report(testset, replies, ["bleu"], ratings=pl.DataFrame([rated]), **FEW)
    sentences = " ".join(made.summary().unknown)
    assert (
        "fit: whether BLEU-2 agrees with people on single replies at all is not known" in sentences
    )


def test_ratings_that_fit_no_system_are_named_and_the_others_are_used():
    testset, replies = small(8, "ab")
    rows = [
        {"system": system, "id": id, "rater": "ann", "criterion": "fit", "score": float(k % 3)}
        for system in ("a", "b", "people")
        for k, id in enumerate(testset.ids)
    ]
    rows.append({**rows[-1], "criterion": "other"})
    made = rejoinder.report(testset, replies, ["bleu"], ratings=pl.DataFrame(rows), **FEW)
    assert list(made.agreement) == ["fit"]
    assert set(made.ratings.systems["system"]) == {"a", "b"}
    assert made.notes[0] == "ratings: 9 of 'people' left out: no such system is scored"


def test_a_grade_that_may_be_an_error_of_typing_is_noted_first():
    rows = [
        {"system": s, "id": str(k), "rater": "ann", "criterion": "fit", "score": float(k % 5)}
        for s in "ab"
        for k in range(20)
    ]
    rows[7]["score"] = 44.0
    made = rejoinder.report(ratings=pl.DataFrame(rows), resamples=100)
    assert (
        made.notes[0]
        == "ratings: 44 is an outlier (given once, next to 4); if it is an error, correct its row"
    )


def varied(items=8):
    """Two systems whose replies differ from item to item."""
    testset, replies = small(items, "ab")
    k = pl.int_range(pl.len())
    text = pl.when(k % 3 == 0).then(pl.lit("not now")).otherwise("text")
    return testset, replies.with_columns(
        pl.when(k < items).then(text).otherwise("text").alias("text")
    )


def test_what_cannot_be_tested_is_not_called_not_significant():
    testset, replies = varied()
    contexts = testset.contexts.with_columns(pl.lit("one").alias("conversation"))
    one = rejoinder.TestSet(contexts, testset.references)
    made = rejoinder.report(one, replies, ["bleu"], **FEW)
    known, unknown = " ".join(made.summary().known), " ".join(made.summary().unknown)
    for words in (known, unknown):
        assert "nan" not in words
        assert "not significant" not in words
        assert "of ranks" not in words
    assert "BLEU-2: 1 of 1 pair of systems cannot be tested" in unknown


def test_captions_name_intervals_where_there_are_any():
    for resamples, named in ((100, True), (0, False)):
        made = rejoinder.report(*varied(), ["bleu:order=1"], resamples=resamples)
        assert ("systems with 95% intervals" in made.to_html()) == named


def test_who_is_better_by_people_and_by_people_and_metrics_together():
    testset, replies = varied(40)
    rows = [
        {"system": system, "id": id, "rater": rater, "criterion": "fit", "score": float(score)}
        for k, id in enumerate(testset.ids[:20])
        for rater in ("ann", "bob")
        for system, score in (("a", 2 + k % 3), ("b", 1 + k % 2))
    ]
    made = rejoinder.report(
        testset, replies, ["bleu:order=1"], ratings=pl.DataFrame(rows), resamples=100
    )
    by = {row["by"]: row for row in made.with_people["fit"].pairs.to_dicts()}
    shown = first_screen(made)
    assert shown.verdict.evidence == "corrected"
    assert shown.verdict.sentence.startswith("a is better than b by people, corrected by BLEU-1: ")
    assert shown.sureness[0].startswith(
        f"The lead of a over b is {by['corrected']['difference']:.2f} (95%"
    )
    (marks,) = [row.marks for row in shown.chart.rows if row.system == "b"]
    drawn = {shown.chart.legend[mark.kind][1]: -mark.value for mark in marks}
    assert drawn == {
        "people alone": by["people"]["difference"],
        "people, corrected by BLEU-1": by["corrected"]["difference"],
    }
