"""The chain from a corpus to weighted references and what they are worth."""

import json

import polars as pl
import pytest

from rejoinder import mine, read_ratings, read_responses, read_testset, score, weigh
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.meta_evaluation.correlate import correlate
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.metrics import BLEU, DeltaBLEU
from rejoinder.recipes.references import references
from rejoinder.recipes.references.candidates import with_originals
from rejoinder.rendering.comma_separated import as_csv
from rejoinder.tables.schemas import CANDIDATES, RATINGS
from shared_data import EXAMPLES, SYSTEMS, TESTSET

FEW = {"unit_size": 5, "assignments": 10, "permutations": 10, "resamples": 0}


@pytest.fixture(scope="module")
def corpus():
    return read_testset(EXAMPLES / "corpus.txt")


@pytest.fixture(scope="module")
def testset():
    return read_testset(TESTSET)


@pytest.fixture(scope="module")
def replies():
    return read_responses(*SYSTEMS)


@pytest.fixture(scope="module")
def of_systems():
    return read_ratings(EXAMPLES / "ratings.csv")


def of_candidates(table, grade=lambda n: 1 + n % 5):
    rows = [
        (id, source, "ann", "relevance", float(grade(n)))
        for n, (id, source) in enumerate(table.select("id", "source").iter_rows())
    ]
    return pl.DataFrame(rows, schema=RATINGS, orient="row")


def test_without_ratings_the_chain_ends_with_what_is_to_be_rated(corpus, testset, tmp_path):
    study = references(corpus, testset, tmp_path / "run", candidates=2)
    assert (study.weighed, study.scores, study.agreement) == (None, None, None)
    mined = mine(corpus, testset, candidates=2).table
    # The item's own first reference, then what was mined for it.
    first = testset.references.unique("id", keep="first", maintain_order=True)
    expected = [
        row
        for id in testset.ids
        for row in (
            *first.filter(id=id).select("id", "text", pl.lit("original")).iter_rows(),
            *mined.filter(id=id).select("id", "text", "source").iter_rows(),
        )
    ]
    assert study.candidates.rows() == expected
    assert [path.name for path in study.files] == ["candidates.jsonl"]
    assert "repeat with ratings=FILE" in study.notes[-1]


def test_each_step_is_the_call_of_the_library(corpus, testset, replies, of_systems, tmp_path):
    first = references(corpus, testset, tmp_path / "run", candidates=2)
    before = (tmp_path / "run" / "candidates.jsonl").read_bytes()
    rated = of_candidates(first.candidates)
    both = pl.concat([rated, of_systems.select(*RATINGS)])
    study = references(corpus, testset, tmp_path / "run", replies, both, candidates=2, **FEW)
    assert (tmp_path / "run" / "candidates.jsonl").read_bytes() == before
    assert [path.name for path in study.files] == [
        "weighed.jsonl", "scores.parquet", "agreement.csv",
    ]  # fmt: skip
    assert {*as_csv(study.document())} == {"", "scores", "agreement"}
    weighed = weigh(testset, first.candidates, rated).testset
    assert study.weighed.testset.references.equals(weighed.references)
    assert read_testset(tmp_path / "run" / "weighed.jsonl").references.equals(weighed.references)
    metrics = [DeltaBLEU(order=2), BLEU(order=2, references="w>=0"), BLEU(order=2)]
    scores = score(weighed, replies, metrics, drop_unusable=True, resamples=0)
    assert study.scores.systems().equals(scores.systems())
    agreement = correlate(
        scores, of_systems, Unit(5, 10), correlations=["spearman", "kendall-b"], permutations=10,
        resamples=0,
    )  # fmt: skip
    assert study.agreement.table().equals(agreement.table())
    assert json.loads(json.dumps(study.as_json()))["candidates"] == first.candidates.height


def test_a_learned_rater_goes_on_without_people(corpus, testset, replies, tmp_path):
    run = tmp_path / "run"
    rated = of_candidates(references(corpus, testset, run, candidates=2).candidates)
    study = references(
        corpus, testset, run, replies, rated, weights_from="length", candidates=2, **FEW
    )
    learned = weigh(testset, study.candidates, rated, weights_from="length")
    assert study.weighed.testset.references.equals(learned.testset.references)
    assert study.agreement is None
    assert "no rating of these systems was given" in study.notes[-1]
    assert set(study.signatures) == {
        "candidates", "weights", "deltaBLEU-2", "BLEU-2 w>=0", "BLEU-2",
    }  # fmt: skip


def test_another_run_and_damaged_candidates_are_refused(corpus, testset, tmp_path):
    run = tmp_path / "run"
    references(corpus, testset, run, candidates=2)
    with pytest.raises(InputError, match="candidates of another run: candidates was 2, is 3"):
        references(corpus, testset, run, candidates=3)
    with pytest.raises(InputError, match="candidates of another run: test set was"):
        references(corpus, testset.select(testset.ids[:9]), run, candidates=2)
    path = run / "candidates.jsonl"
    path.write_bytes(path.read_bytes().replace(b"mined-1", b"mined-7"))
    with pytest.raises(InputError, match=r"candidates\.jsonl is not as it was written"):
        references(corpus, testset, run, candidates=2)
    path.write_bytes(path.read_bytes().replace(b"mined-7", b"mined-1"))
    record = without_checksum((run / "run.json").read_bytes())
    for key in record:
        without = {name: value for name, value in record.items() if name != key}
        (run / "run.json").write_text(json.dumps(with_checksum(without)))
        with pytest.raises(InputError, match="the kept candidates are damaged"):
            references(corpus, testset, run, candidates=2)
    (run / "run.json").write_text("{")
    with pytest.raises(InputError, match="the kept candidates are damaged"):
        references(corpus, testset, run, candidates=2)


def test_candidates_without_a_record_of_their_run_are_never_replaced(corpus, testset, tmp_path):
    study = references(corpus, testset, tmp_path / "run", candidates=1)
    path, record = tmp_path / "run" / "candidates.jsonl", tmp_path / "run" / "run.json"
    mined, written = path.read_bytes(), record.read_bytes()
    record.unlink()  # as after a run that was ended between the two files
    again = references(corpus, testset, tmp_path / "run", candidates=1)
    assert again.candidates.rows() == study.candidates.rows()
    assert (path.read_bytes(), record.read_bytes()) == (mined, written)
    record.unlink()
    changed = mined.replace(b"original", b"by hand", 1)
    path.write_bytes(changed)
    with pytest.raises(InputError, match=r"candidates\.jsonl: already there, without run\.json"):
        references(corpus, testset, tmp_path / "run", candidates=1)
    assert path.read_bytes() == changed
    assert not record.exists()


def test_ratings_of_nobody_and_names_that_are_both(corpus, testset, replies, tmp_path):
    run = tmp_path / "run"
    strange = pl.DataFrame([("c001", "dog", "r", "x", 3.0)], schema=RATINGS, orient="row")
    with pytest.raises(
        InputError, match="none of 1 ratings is of a candidate or of a system; got 'dog'"
    ):
        references(corpus, testset, run, replies, strange, candidates=2)
    called = replies.with_columns(system=pl.lit("mined-1")).unique("id")
    with pytest.raises(InputError, match="the system 'mined-1' is called like a source"):
        references(corpus, testset, run, called, strange, candidates=2)
    with pytest.raises(ParameterError, match="have no effect without ratings of candidates"):
        references(corpus, testset, run, least_raters=2, weights_from="length", candidates=2)


def test_an_item_without_references_or_candidates(testset):
    empty = pl.DataFrame(schema=CANDIDATES)
    table = with_originals(empty, testset)
    assert table["source"].unique().to_list() == ["original"]
    assert table["id"].to_list() == testset.ids
