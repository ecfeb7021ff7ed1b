import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.errors import ParameterError
from rejoinder.statistics.median_of_means import median_of_means
from shared_data import SYSTEMS, TESTSET

FILES = rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS)
FIRST, SECOND = "bleu:compat=sacrebleu", "sbleu:compat=nltk,smoothing_function=method1"


@pytest.fixture(scope="module")
def explained():
    return rejoinder.explain_diff(*FILES, FIRST, SECOND)


def test_it_begins_and_ends_with_the_two_scores(explained):
    for typed, place in ((FIRST, 0), (SECOND, -1)):
        expected = rejoinder.score(*FILES, [typed], resamples=0).systems()
        for system, value in expected.select("system", "value").iter_rows():
            rows = explained.table.filter(system=system)
            assert rows["value"][place] == value


def test_changes_sum_to_the_difference(explained):
    for _, rows in explained.table.group_by("system"):
        whole = rows["value"][-1] - rows["value"][0]
        assert rows["change"].sum() == pytest.approx(whole, abs=1e-12)


def test_alone_is_the_change_of_one_setting(explained):
    row = explained.table.row(1, named=True)
    assert (row["setting"], row["before"], row["after"]) == ("tokenizer", "13a", "none")
    assert row["alone"] == row["change"]
    table = rejoinder.score(*FILES, ["bleu:order=4,smoothing=exp,minimum_total=1"], resamples=0)
    value = dict(table.systems().select("system", "value").iter_rows())[row["system"]]
    rows = explained.table.filter(system=row["system"])
    least = rows.filter(setting="minimum_total").row(0, named=True)
    assert least["alone"] == pytest.approx(value - rows["value"][0], abs=1e-15)


def test_facts_beside_the_steps(explained):
    assert explained.items == 66
    assert explained.meanings["average"].startswith("bleu sums the counts")
    assert explained.signatures[0].startswith("bleu|order:4|tok:13a")
    assert explained.signatures[1].startswith("sbleu|order:4|tok:none")
    assert explained.aggregates.is_empty()
    assert any("1 empty reply" in note for note in explained.notes)
    assert explained.as_json()["steps"][0]["change"] is None


def test_the_same_metric_has_one_row_and_says_so():
    same = rejoinder.explain_diff(*FILES, "bleu", "bleu:order=2")
    assert same.table["step"].to_list() == [0, 0, 0]
    assert "did not read the same texts" in same.to_markdown()


def test_rouge_scores_aggregator():
    scoring = pytest.importorskip("rouge_score.scoring")
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    testset = FILES[0]
    texts = FILES[1].filter(system="tuned").sort("id")
    by_id = testset.references.group_by("id", maintain_order=True).agg("text")
    references = dict(by_id.iter_rows())
    replies = dict(texts.select("id", "text").iter_rows())
    aggregator = scoring.BootstrapAggregator()
    for each in testset.ids:
        aggregator.add_scores(scorer.score_multi(references[each], replies[each]))
    np.random.seed(7)  # noqa: NPY002
    theirs = aggregator.aggregate()["rougeL"]
    for measure, attribute in (("f", "fmeasure"), ("recall", "recall")):
        ours = rejoinder.explain_diff(
            *FILES, "rougeL:stemmer=true", f"rougeL:measure={measure}", seed=7
        ).aggregates.filter(system="tuned")
        row = ours.row(0, named=True)
        for end in ("low", "mid", "high"):
            assert row[end] == getattr(getattr(theirs, end), attribute)


def test_no_item_has_no_median():
    assert np.isnan(median_of_means(np.empty((0, 2)), seed=1)).all()


def test_settings_of_tables():
    testset = rejoinder.TestSet.from_lists([["a b"], ["c d"]])
    rows = [("s", "1", "a b")]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    dropped = rejoinder.explain_diff(testset, replies, "bleu", "bleu:order=1", missing="drop")
    assert (dropped.items, dropped.table["value"][0]) == (1, 1.0)
    with pytest.raises(ParameterError, match="seed"):
        rejoinder.explain_diff(testset, replies, "bleu", "bleu:order=1", seed=-1)
