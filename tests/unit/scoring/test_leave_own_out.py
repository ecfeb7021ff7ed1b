"""Systems scored against each other's replies, without their own."""

import numpy as np
import polars as pl
import pytest

from rejoinder import correlate, load_scores, read_ratings, read_responses, read_testset, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.meta_evaluation.leave_own_out_units import measured, pair_unit
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.metrics import BLEU, DeltaBLEU
from rejoinder.metrics.length import Length
from rejoinder.references.weighing import weigh
from rejoinder.scoring.leave_own_out import score_left_out
from rejoinder.tables.testset import TestSet
from shared_data import EXAMPLES

ITEMS = ["1", "2", "3"]
TEXTS = {
    "a": ["yes we can go now", "at nine", "no way"],
    "b": ["yes we can", "at ten then", "No way"],
    "c": ["go away now", "at nine then", "why not"],
}
WEIGHTS = {"a": [0.9, 0.5, 0.2], "b": [0.4, -0.5, 0.6], "c": [-0.8, 0.3, 0.1]}
REPLIES = pl.DataFrame(
    [(s, i, t) for s, texts in TEXTS.items() for i, t in zip(ITEMS, texts, strict=True)],
    schema=["system", "id", "text"],
    orient="row",
)
TESTSET = TestSet(
    pl.DataFrame({"id": ITEMS, "context": [["?"]] * 3}),
    pl.DataFrame(
        [(i, TEXTS[s][n], WEIGHTS[s][n], s) for n, i in enumerate(ITEMS) for s in TEXTS],
        schema=["id", "text", "weight", "source"],
        orient="row",
    ),
)


def naive(metric, system, without):
    """The corpus score with lists, reply by reply."""
    references, weights = [], []
    for n in range(3):
        own = TEXTS[system][n].lower()
        kept = [s for s in TEXTS if s not in without and TEXTS[s][n].lower() != own]
        references.append([TEXTS[s][n] for s in kept])
        weights.append([WEIGHTS[s][n] for s in kept])
    return metric.corpus(TEXTS[system], references, weights).value


def values(scores, label):
    return dict(zip(scores.names, scores.measured[label].scores(), strict=True))


def test_each_system_is_scored_without_its_own():
    metrics = [BLEU(order=1), DeltaBLEU(order=1)]
    # a's "no way" is also b's, but for case: c's alone is left there, and it has no word of it.
    scores = score_left_out(TESTSET, REPLIES, metrics)
    for metric in metrics:
        found = values(scores, metric.label)
        for system in TEXTS:
            assert found[system] == pytest.approx(naive(metric, system, [system]), abs=1e-12)
    assert any("each system's own, 9 in all" in note for note in scores.notes)
    assert any("2 replies also given by somebody else" in note for note in scores.notes)
    assert "left_out:own|identical:out" in scores.measured["BLEU-1"].signature
    assert scores.references == (1, 2)


def test_references_of_others_stay():
    held = TESTSET.references.with_columns(
        source=pl.when(pl.col("source") == "c").then(pl.lit("people")).otherwise(pl.col("source"))
    )
    two = REPLIES.filter(pl.col("system") != "c")
    scores = score_left_out(TestSet(TESTSET.contexts, held), two, [BLEU(order=1)])
    assert scores.names == ("a", "b")
    assert values(scores, "BLEU-1")["a"] == pytest.approx(naive(BLEU(order=1), "a", ["a"]))


def test_what_an_item_lacks_for_one_system_it_lacks_for_all():
    # At w >= 0.6 item 1 has a's alone, item 2 nothing, item 3 b's alone.
    metric = BLEU(order=1, references="w>=0.3")
    with pytest.raises(InputError, match=r"item '3' has .* for some system"):
        score_left_out(TESTSET, REPLIES, [metric])
    scores = score_left_out(TESTSET, REPLIES, [metric], drop_unusable=True)
    # At w >= 0.3: item 1 a, b; item 2 a, c; item 3 b alone, which b itself and a do without.
    assert scores.measured[metric.label].usable.tolist() == [True, True, False]
    assert any("1 of 3 items dropped" in note for note in scores.notes)
    none = BLEU(order=1, references="w>=0.8")
    with pytest.raises(InputError, match="no item can be scored for every system"):
        score_left_out(TESTSET, REPLIES, [none], drop_unusable=True)


def test_no_reference_of_a_system_is_an_error():
    bare = TestSet(TESTSET.contexts, TESTSET.references.with_columns(source=pl.lit("people")))
    with pytest.raises(InputError, match="no source is one of the systems 'a', 'b' or 'c'"):
        score_left_out(bare, REPLIES)


def test_the_scores_are_ordinary_ones(tmp_path):
    scores = score_left_out(TESTSET, REPLIES, ["bleu:order=1", "length", "distinct"], resamples=100)
    assert scores.compare("a", "b").height == 3
    assert scores.segments().height == 9
    scores.save(tmp_path / "kept.parquet")
    assert load_scores(tmp_path / "kept.parquet").systems().equals(scores.systems())
    plain = score(TESTSET, REPLIES, ["length", "distinct"])
    for label in plain.labels:  # what reads no reference does not change
        assert values(scores, label) == values(plain, label)


def test_missing_replies_are_said():
    some = REPLIES.filter((pl.col("system") != "c") | (pl.col("id") != "2"))
    dropped = score_left_out(TESTSET, some, ["bleu:order=1"], missing="drop")
    assert "1 item dropped that a system did not answer" in dropped.notes
    filled = score_left_out(TESTSET, some, ["bleu:order=1"], missing="empty")
    assert "1 missing reply of 'c' scored as empty" in filled.notes


def test_a_pair_faces_the_same_references():
    metric = BLEU(order=1)
    with pytest.raises(InputError, match="item '3'"):
        pair_unit(TESTSET, REPLIES, [metric], Unit(1, 4))
    scores, protocol = pair_unit(
        TESTSET, REPLIES, [metric, Length()], Unit(1, 4), drop_unusable=True
    )
    rows = protocol.pair_rows.rows["BLEU-1"]
    places = {name: place for place, name in enumerate(scores.names)}
    for a in TEXTS:
        for b in set(TEXTS) - {a}:
            # By hand, of item 1 alone: no texts are the same there.
            (third,) = set(TEXTS) - {a, b}
            expected = metric.corpus([TEXTS[a][0]], [[TEXTS[third][0]]]).value
            assert metric.score(rows[places[b], 0, places[a]]) == pytest.approx(expected)
    # Item 3: a and b say the same, so that a against c has no reference left there.
    assert np.isnan(rows[places["c"], 2, places["a"]]).all()
    assert scores.measured["BLEU-1"].usable.tolist() == [True, True, False]
    assert protocol.signature() == "protocol:unit|size:1|assignments:4|left_out:pair"


@pytest.fixture(scope="module")
def examples():
    testset = read_testset(EXAMPLES / "testset.jsonl")
    systems = [
        EXAMPLES / "responses" / f"{name}.jsonl" for name in ("generic", "retrieval", "tuned")
    ]
    replies = read_responses(*systems, ids=testset.ids)
    ratings = read_ratings(EXAMPLES / "ratings.csv")
    return weigh(testset, replies, ratings, keep=True).testset, replies, ratings


def test_units_of_pairs_by_hand(examples):
    """One unit of all items for each pair: two corpus scores, and two means of ratings."""
    testset, replies, ratings = examples
    size = len(testset)
    scores, protocol = pair_unit(testset, replies, ["bleu"], Unit(size, 2))
    told = correlate(scores, ratings, protocol, permutations=20, resamples=0)
    means = dict(ratings.group_by("system").agg(pl.col("score").mean()).iter_rows())
    told_texts = {(s, i): t for s, i, t in replies.select("system", "id", "text").rows()}
    for row in told.observations().iter_rows(named=True):
        a, b = row["system_a"], row["system_b"]
        held = {i: [] for i in testset.ids}
        for i, text, source in testset.references.select("id", "text", "source").rows():
            alike = [fold(told_texts[s, i]) for s in (a, b)]
            if source not in (a, b) and fold(text) not in alike:
                held[i].append(text)
        one, other = (
            BLEU().corpus([told_texts[s, i] for i in held], list(held.values())).value
            for s in (a, b)
        )
        assert row["BLEU-2"] == pytest.approx(one - other, abs=1e-9)
        assert row["human"] == pytest.approx(means[a] - means[b], abs=1e-9)
    assert told.table()["p"].is_not_nan().all()
    assert any("both systems of a pair are left out" in note for note in told.notes)


def fold(text):
    return text.lower().replace(" ", "")


def test_where_nothing_is_left_out_pairs_are_plain_units(examples):
    """All that is left out is a reference that changes nothing: three ways, one table."""
    testset, replies, ratings = examples
    said = {(i, fold(t)) for i, t in replies.select("id", "text").rows()}
    held = testset.references.filter(pl.col("source").is_in(["original", "written", "mined"]))
    apart = [(i, fold(t)) not in said for i, t in held.select("id", "text").rows()]
    # One reference of 'generic' that matches nothing, and is closest in length to no reply.
    long = testset.contexts.select(
        "id", text=pl.lit("q" + " q" * 60), weight=pl.lit(0.5), source=pl.lit("generic")
    )
    made = TestSet(testset.contexts, pl.concat([held.filter(apart), long]))
    tables, compared = [], []
    for left_out in (None, "own", "pair"):
        scores, protocol = measured(
            made, replies, ["bleu", "rougeL"], Unit(11, 5), left_out, drop_unusable=True
        )
        told = correlate(scores, ratings, protocol, permutations=20, resamples=0)
        tables.append(told.table().select("metric", "correlation", "value", "p"))
        compared.append(told.comparisons("spearman").row(0, named=True))
    for told in compared[1:]:
        assert told["p"] == compared[0]["p"]
        assert told["difference"] == pytest.approx(compared[0]["difference"], abs=1e-12)
    for table in tables[1:]:
        for column in ("value", "p"):
            assert table[column].to_list() == pytest.approx(tables[0][column].to_list(), abs=1e-12)


def test_all_say_the_same(examples):
    """Same replies, same references: no difference, hence no correlation; without own ones, some."""
    testset, replies, ratings = examples
    same = replies.with_columns(text=pl.lit("Yes, I think so."))
    scores, protocol = measured(
        testset, same, ["bleu:order=1"], Unit(11, 5), "pair", drop_unusable=True
    )
    told = correlate(scores, ratings, protocol, permutations=0, resamples=0).table()
    assert told.filter(pl.col("metric") == "BLEU-1")["value"].is_nan().all()
    scores, protocol = measured(
        testset, same, ["bleu:order=1"], Unit(11, 5), "own", drop_unusable=True
    )
    told = correlate(scores, ratings, protocol, permutations=0, resamples=0).table()
    assert told.filter(pl.col("metric") == "BLEU-1")["value"].is_not_nan().all()


def test_an_unknown_way_of_leaving_out():
    with pytest.raises(ParameterError, match="choose 'own' or 'pair'"):
        measured(TESTSET, REPLIES, ["bleu"], Unit(1, 1), "all")
