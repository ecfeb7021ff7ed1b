"""Do negative references help? On small sets of our own."""

import json

import numpy as np
import polars as pl
import pytest

from rejoinder import read_testset
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import BLEU, DeltaBLEU, SentenceBLEU
from rejoinder.recipes.negative_references.held_out import HeldOut
from rejoinder.recipes.negative_references.study import (
    BASELINE,
    FORMS,
    ORDERS,
    negative_references,
    sentence_scores,
)
from rejoinder.tables.testset import TestSet
from shared_data import EXAMPLES, shared

GOOD = ["we can go now", "yes go now please", "at nine then"]
BAD = ["we have a cat", "the cat can go"]


def made(*items):
    """Items as lists of (text, weight, source)."""
    rows = [(f"{n}", *each) for n, item in enumerate(items) for each in item]
    schema = {"id": pl.String, "text": pl.String, "weight": pl.Float64, "source": pl.String}
    ids = [f"{n}" for n in range(len(items))]
    contexts = pl.DataFrame({"id": ids, "context": [["?"]] * len(ids)})
    return TestSet(contexts, pl.DataFrame(rows, schema=schema, orient="row"))


ITEM = [*((text, 1.0, "good") for text in GOOD), *((text, -1.0, "evil") for text in BAD)]
FEW = {"resamples": 100, "permutations": 20}


def test_good_and_bad_are_held_out_together():
    held = HeldOut.of(made(ITEM))
    assert held.item.size == 6
    batch = held.batch(bad=True)
    assert list(batch.hypotheses)[:4] == [GOOD[0], BAD[0], GOOD[0], BAD[1]]
    first = list(batch.reference_texts)[: batch.reference_bounds[1]]
    assert first == [GOOD[1], GOOD[2], BAD[1]]
    assert batch.weights[:3].tolist() == [1, 1, -1]
    good = held.batch(bad=False)
    assert np.diff(good.reference_bounds).tolist() == [2] * 6
    assert list(good.reference_texts)[:2] == [GOOD[1], GOOD[2]]


def test_the_scores_are_those_of_single_replies():
    """Every pair by itself, with lists: accuracy of plain BLEU and deltaBLEU at every order."""
    found = negative_references(made(ITEM), **FEW).table
    for order in ORDERS:
        wins = {"bleu": [], "delta": []}
        for g in GOOD:
            for b in BAD:
                goods, bads = [t for t in GOOD if t != g], [t for t in BAD if t != b]
                weights = [1.0] * len(goods) + [-1.0] * len(bads)
                bleu, delta = (
                    [BLEU(order=order).corpus([x], [goods]).value for x in (g, b)],
                    [
                        DeltaBLEU(order=order).corpus([x], [goods + bads], [weights]).value
                        for x in (g, b)
                    ],
                )
                for name, (one, other) in (("bleu", bleu), ("delta", delta)):
                    wins[name].append((one > other) + (one == other) / 2)
        for metric, name in ((BASELINE, "bleu"), ("deltaBLEU", "delta")):
            row = found.filter(
                pl.col("metric") == metric, pl.col("form") == "plain", pl.col("order") == order
            )
            assert row["accuracy"].item() == pytest.approx(np.mean(wins[name])), (metric, order)


def test_a_reply_never_meets_its_own_text():
    twice = [*ITEM, ("We can go now", 1.0, "good"), ("the cat can GO", -1.0, "evil")]
    held = HeldOut.of(made(twice))
    batch = held.batch(bad=True)
    told = list(batch.reference_texts)
    spoken = list(batch.hypotheses)
    for pair in range(held.item.size):
        own = {text.lower() for text in spoken[2 * pair : 2 * pair + 2]}
        begin, end = batch.reference_bounds[pair : pair + 2]
        assert not own & {text.lower() for text in told[begin:end]}


def test_what_cannot_be_held_out_is_counted():
    lone = [("a b", 1.0, "good"), ("c", -1.0, "evil")]
    same = [("a b", 1.0, None), ("b c", 1.0, None), ("A b", -1.0, None), ("x", 0.0, None)]
    twins = [("a b", 1.0, None), ("A B", 1.0, None), ("q", -1.0, None)]
    held = HeldOut.of(made(ITEM, lone, same, twins))
    assert held.kinds == ["evil"]
    assert held.notes == (
        "1 of 4 contexts left out: fewer than two good references, or no bad one",
        "1 references of weight 0 are neither good nor bad: never held out",
        "1 pairs left out: the good and the bad reply are one text",
        "3 pairs left out: no other good reference is left",
    )
    assert held.item.tolist() == [0] * 6


def test_nothing_to_hold_out_is_an_error():
    with pytest.raises(InputError, match="two good ones"):
        negative_references(TestSet.from_lists([["a", "b"]]))
    with pytest.raises(ParameterError, match="factor=2"):
        negative_references(made(ITEM), factor=2)


def test_smoothing_is_that_of_sentence_bleu():
    replies = ["we can go", "now", "", "yes go now please", "zebra"]
    references = [["we can go now", "you can go"]] * 5
    metric = BLEU(order=4)
    rows = np.array([_row(metric, r, x) for r, x in zip(replies, references, strict=True)])
    for order in ORDERS:
        expected = SentenceBLEU(order=order, brevity="bleu").segments(replies, references)
        assert sentence_scores(rows, order, "smoothed") == pytest.approx(expected, abs=1e-12)
        plain = BLEU(order=order).segments(replies, references)
        assert sentence_scores(rows, order, "plain") == pytest.approx(plain, abs=1e-12)


def _row(metric, reply, references):
    parts = metric.corpus([reply], [references]).parts
    lengths = [parts["hypothesis_length"], parts["reference_length"]]
    return [*lengths, *parts["matches"], *parts["totals"]]


def test_below_zero_only_where_nothing_is_floored():
    # Lengths 2 and 3: BP exp(1 - 3 / 2). Two bad words of 2, one good bigram of 1.
    row = np.array([[2.0, 3.0, -2.0, 1.0, 2.0, 1.0]])
    assert [sentence_scores(row, 2, form).item() for form in FORMS] == [0, 0, 0]
    assert sentence_scores(row, 1, "unfloored").item() == pytest.approx(-np.exp(-0.5))
    # Orders beyond the reply do not count: one word has no bigram.
    single = np.array([[1.0, 1.0, 1.0, 0.0, 1.0, 0.0]])
    assert [sentence_scores(single, 2, form).item() for form in FORMS] == [0, 1, 1]


def test_at_factor_0_bad_references_are_lengths_alone():
    # Good and bad are all four words long: nothing of the bad ones is left.
    item = [(t, 1.0, "good") for t in ("a b c d", "b c d e", "a c x y")]
    item += [(t, -1.0, "evil") for t in ("a q c q", "x y q q")]
    found = negative_references(made(item), factor=0, **FEW)
    assert (found.comparisons.filter(pl.col("metric") == "deltaBLEU")["difference"] == 0).all()
    assert "negatives:x0" in found.signatures["deltaBLEU"]
    whole = negative_references(made(item), **FEW)
    assert (whole.comparisons["difference"] != 0).any()


def test_the_examples():
    found = negative_references(read_testset(EXAMPLES / "testset.jsonl"), **FEW)
    assert found.table["kind"].unique().to_list() == ["mined"]
    assert "deltaBLEU, good only" in found.table["metric"].to_list()  # the good ones are graded
    told = found.table.filter(pl.col("metric") == "random").row(0, named=True)
    assert 0.3 < told["accuracy"] < 0.7
    assert told["ties"] == 0
    for column in ("accuracy", "auc"):
        assert (found.table[column] >= found.table[f"{column}_low"]).all()
        assert (found.table[column] <= found.table[f"{column}_high"]).all()


def test_the_published_set():
    testset = read_testset(shared("data", "dailydialog-plusplus", "dev.jsonl"))
    some = testset.select(testset.ids[:40])
    found = negative_references(some, **FEW)
    assert found.table["kind"].unique(maintain_order=True).to_list() == ["adversarial", "random"]
    assert "deltaBLEU, good only" not in found.table["metric"].to_list()
    assert found.table["contexts"].unique().to_list() == [40]


@pytest.fixture
def command(capfd, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)

    def call(*arguments):
        status = run(["recipe", "negative-references", *map(str, arguments)])
        streams = capfd.readouterr()
        return status, streams.out, streams.err

    return call


def test_the_command(command):
    status, out, err = command(
        EXAMPLES / "testset.jsonl", "--resamples", 100, "--permutations", 20, "--set", "order=1"
    )
    assert (status, err) == (0, "")
    assert "bad: mined (378 pairs of 66 contexts)" in out
    assert "17 references of weight 0" in out


def test_json(command):
    status, out, _ = command(
        EXAMPLES / "testset.jsonl", "--resamples", 0, "--permutations", 0, "--json"
    )
    told = json.loads(out)
    assert status == 0
    # BLEU, deltaBLEU of good ones, of all, and the authors' in 3 forms and 4 orders; three more.
    assert len(told["table"]) == 4 * 12 + 3
    assert len(told["comparisons"]) == 3 * 12
    assert told["table"][0]["accuracy_low"] is None


def test_a_test_set_without_bad_references_is_a_message(command, tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "1", "references": ["a", "b"]}\n')
    status, out, err = command(path)
    assert (status, out) == (2, "")
    assert "rejoinder weigh" in err
