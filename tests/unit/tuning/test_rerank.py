"""One candidate of each list: by every rule, and minimum Bayes risk against brute force."""

import itertools
import json

import numpy as np
import polars as pl
import pytest
import sacrebleu

import rejoinder
from rejoinder import TestSet
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tuning.rules import probabilities

# Two lists of three; the second candidate of the first list is most like the others.
ROWS = pl.DataFrame(
    {
        "id": ["1"] * 3 + ["2"] * 3,
        "sample": ["0", "1", "2"] * 2,
        "text": [
            "the bus left",
            "the bus left at nine",
            "a bus left at nine",
            "no",
            "yes it is",
            "yes",
        ],
        "lm": [-1.0, -2.0, -3.0, -1.0, -9.0, -0.5],
    }
)
TESTSET = TestSet.from_lists([["the bus left at nine"], ["yes"]])


def chosen(**rule):
    return rejoinder.rerank(ROWS, **rule).table["candidate"].to_list()


def test_every_rule():
    assert chosen(weights={"lm": 1.0}) == [1, 3]
    assert chosen(weights={"lm": -1.0}) == [3, 2]
    assert chosen(best="lm") == [1, 3]
    assert chosen(best="lm:lower") == [3, 2]
    assert chosen(mbr="chrf") == [2, 2]  # recall counts more: "yes it is" holds all of "yes"
    assert chosen(oracle="bleu", testset=TESTSET) == [2, 3]


def test_minimum_bayes_risk_is_that_of_brute_force():
    texts = ROWS["text"].to_list()
    metric = sacrebleu.metrics.CHRF(eps_smoothing=False)
    for name in (None, "lm"):
        result = rejoinder.rerank(ROWS, mbr="chrf", log_probability=name)
        for place, (begin, end) in enumerate([(0, 3), (3, 6)]):
            logs = np.zeros(3) if name is None else ROWS["lm"].to_numpy()[begin:end]
            p = np.exp(logs) / np.exp(logs).sum()
            risks = [
                sum(
                    w * metric.sentence_score(a, [b]).score / 100
                    for w, b in zip(p, texts[begin:end], strict=True)
                )
                for a in texts[begin:end]
            ]
            assert result.table["candidate"][place] == 1 + int(np.argmax(risks))
            assert result.table["value"][place] == pytest.approx(max(risks), abs=1e-9)


def test_saved_utilities_choose_alike():
    kept = rejoinder.rerank(ROWS, mbr="chrf", keep_utility=True)
    assert kept.utilities.columns == ["id", "candidate", "reference", "utility"]
    again = rejoinder.rerank(ROWS, utility=kept.utilities)
    assert again.table.equals(kept.table)
    with pytest.raises(InputError, match="none of candidate 3 with reference 3 at id '2'"):
        rejoinder.rerank(ROWS, utility=kept.utilities.head(17))
    with pytest.raises(InputError, match="no column 'utility'"):
        rejoinder.rerank(ROWS, utility=kept.utilities.drop("utility"))
    with pytest.raises(InputError, match="beyond the 3 of its list"):
        rejoinder.rerank(ROWS, utility=kept.utilities.with_columns(pl.col("reference") + 1))


def test_probabilities_are_of_a_list():
    lists = NBestLists.of(ROWS)
    assert np.allclose(probabilities(lists, None), 1 / 3)
    p = probabilities(lists, "lm").reshape(2, 3)
    assert np.allclose(p.sum(axis=1), 1)
    assert p[0, 0] / p[0, 1] == pytest.approx(np.e)


def test_a_candidate_of_probability_0_is_known():
    impossible = [-1.0, -np.inf, -2.0, -1.0, -9.0, -0.5]
    rows = ROWS.with_columns(lm=pl.Series(impossible))
    p = probabilities(NBestLists.of(rows), "lm")
    assert p[1] == 0
    assert p[:3].sum() == pytest.approx(1)
    assert rejoinder.rerank(rows, best="lm").table["candidate"].to_list() == [1, 3]
    with pytest.raises(InputError, match="candidate 2 of id '1' has the value -inf of 'lm'"):
        rejoinder.rerank(rows, weights={"lm": 1.0})
    none = rows.with_columns(lm=pl.Series([-np.inf] * 3 + [-1.0] * 3))
    with pytest.raises(InputError, match="every candidate of id '1' has the value -inf of 'lm'"):
        rejoinder.rerank(none, mbr="chrf", log_probability="lm")


def test_the_oracle_is_no_worse_than_any_single_exchange():
    rng = np.random.default_rng(2)
    words = ["yes", "no", "it", "is", "not"]
    texts = [[" ".join(rng.choice(words, 4)) for _ in range(4)] for _ in range(5)]
    references = [[" ".join(rng.choice(words, 4))] for _ in range(5)]
    rows = [(str(i + 1), str(k), t) for i, each in enumerate(texts) for k, t in enumerate(each)]
    frame = pl.DataFrame(rows, schema=["id", "sample", "text"], orient="row")
    result = rejoinder.rerank(frame, TestSet.from_lists(references), ["bleu"], oracle="bleu")
    best = result.gains["reranked"][0]
    bleu = rejoinder.metrics.BLEU()
    picked = [each[k - 1] for each, k in zip(texts, result.table["candidate"], strict=True)]
    for i, other in itertools.product(range(5), range(4)):
        changed = [*picked[:i], texts[i][other], *picked[i + 1 :]]
        assert bleu.corpus(changed, references).value <= best + 1e-12
    assert result.gains["used"].to_list() == [True]
    assert any("no reranker" in note for note in result.notes)


def test_the_oracle_leaves_items_without_references_as_they_are():
    testset = TestSet.from_lists([[], ["yes"]])
    assert chosen(oracle="chrf", testset=testset) == [1, 3]


def test_the_metric_that_chose_is_marked():
    result = rejoinder.rerank(ROWS, TESTSET, ["chrf", "bleu"], mbr="chrf")
    assert result.gains["used"].to_list() == [True, False]
    assert any("chrF chose the candidates" in note for note in result.notes)


def test_the_command_shows_and_explains_what_is_chosen_without_a_file(command, tmp_path):
    given = tmp_path / "candidates.jsonl"
    rows = [{"id": "c1", "text": text, "sample": n} for n, text in enumerate(("a b c", "a b d"))]
    given.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    status, out, _ = command("rerank", given, "--mbr", "chrf")
    assert (status, "a b c" in out, "a b d" in out) == (0, True, False)
    status, out, _ = command("rerank", given, "--mbr", "chrf", "--explain", "c1")
    assert (status, "a b c" in out, "a b d" in out) == (0, True, True)
    assert [path.name for path in tmp_path.iterdir()] == [given.name]


def test_an_item_is_explained():
    table = rejoinder.rerank(ROWS, weights={"lm": -2.0}).explain("1")
    assert table["candidate"].to_list() == [3, 2, 1]
    assert table["value"].to_list() == table["lm"].to_list() == [6.0, 4.0, 2.0]
    with pytest.raises(ParameterError, match="no item with candidates"):
        rejoinder.rerank(ROWS, best="lm").explain("9")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({}, "no rule"),
        ({"best": "lm", "mbr": "chrf"}, "several rules"),
        ({"oracle": "bleu"}, "needs references"),
        ({"best": "tm"}, "no number of that name"),
        ({"best": "lm:low"}, "expected 'lower'"),
        ({"weights": {}}, "no weight"),
        ({"weights": {"chrf": 1.0}}, "looks at references"),
        ({"mbr": "length"}, "reads no reference"),
        ({"mbr": "chrf", "log_probability": "p"}, "no number of that name"),
        ({"best": "lm", "log_probability": "lm"}, "has no effect without mbr= or utility="),
        ({"best": "lm", "keep_utility": True}, "has no effect without mbr= or utility="),
    ],
)
def test_what_cannot_be(rule, words):
    with pytest.raises(ParameterError, match=words):
        rejoinder.rerank(ROWS, **rule)


def test_a_metric_of_which_less_is_better_is_a_loss():
    """TER: the candidate with the fewest edits to the others, also from the utilities that were kept."""
    texts = ["a b c d", "a b c e", "a b c d e", "x y z w"]
    rows = pl.DataFrame({"id": "1", "sample": list("0123"), "text": texts})
    kept = rejoinder.rerank(rows, mbr="ter", keep_utility=True)
    risks = [
        np.mean([sacrebleu.metrics.TER().sentence_score(a, [b]).score / 100 for b in texts])
        for a in texts
    ]
    assert kept.table["candidate"][0] == 1 + int(np.argmin(risks))
    assert kept.table["value"][0] == pytest.approx(-min(risks))
    assert rejoinder.rerank(rows, utility=kept.utilities).table.equals(kept.table)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("utility", pl.lit("good"), "utility: .*good"),
        ("utility", pl.lit(None, pl.Float64), "an empty cell in the column 'utility'"),
        ("utility", pl.lit(float("nan")), "none of candidate 1 with reference 1 at id '1'"),
        ("id", pl.lit("9"), "'9': no candidates have this id"),
        ("reference", pl.lit(1), "candidate 1 with reference 1 at id '1' more than once"),
    ],
)
def test_utilities_that_cannot_be(column, value, words):
    kept = rejoinder.rerank(ROWS, mbr="chrf", keep_utility=True).utilities
    with pytest.raises(InputError, match=words):
        rejoinder.rerank(ROWS, utility=kept.with_columns(value.alias(column)))


def test_an_undefined_utility_takes_no_candidate_of_another_list():
    kept = rejoinder.rerank(ROWS, mbr="chrf", keep_utility=True).utilities
    odd = kept.with_columns(utility=pl.Series([float("inf"), float("-inf"), *[1.0] * 16]))
    with pytest.raises(InputError, match="candidate 1 of id '1' has no expected utility"):
        rejoinder.rerank(ROWS, utility=odd)


def test_numbers_may_have_any_name():
    odd = ROWS.rename({"lm": "judge:x"}).with_columns(candidate=1.5, value=2.5)
    frame = odd.select("id", pl.lit("s").alias("system"), "sample", "text", *odd.columns[3:])
    result = rejoinder.rerank(NBestLists(frame), best="judge:x")
    assert result.table["candidate"].to_list() == [1, 3]
    table = result.explain("1")
    assert table["candidate"].to_list() == [1, 2, 3]
    assert table["value_number"].to_list() == [2.5] * 3


def test_the_metric_that_weights_were_tuned_by_is_marked():
    tuned = {"tuned": {"metric": "chrF", "weights": {"lm": 1}}}
    result = rejoinder.rerank(ROWS, TESTSET, ["chrf", "length"], weights=tuned)
    assert result.table["candidate"].to_list() == chosen(weights={"lm": 1.0})
    assert result.gains["used"].to_list() == [True, False]
    assert any("gain in training" in note for note in result.notes)
    plain = rejoinder.rerank(ROWS, TESTSET, ["chrf"], weights={"lm": 1.0})
    assert plain.gains["used"].to_list() == [False]
    # As tune shows it: x100, or three decimals.
    shown = result.to_markdown()
    assert f"{100 * result.gains['reranked'][0]:.1f}" in shown
    assert "x100" in shown
    assert " tuned " in shown


def test_weights_that_were_tuned_on_another_test_set_are_held_out():
    tuned = {"metric": "chrF", "weights": {"lm": 1}, "testset": TESTSET.digest}
    other = TestSet.from_lists([["the bus"], ["yes"]])
    for testset, words in ((TESTSET, "gain in training"), (other, "on another test set")):
        result = rejoinder.rerank(ROWS, testset, ["chrf"], weights={"tuned": tuned})
        assert any(words in note for note in result.notes)
        assert result.gains["used"].to_list() == [True]


def test_notes_advise_no_option_that_there_is_not():
    """'first' gives a reference in both items: only that is said."""
    result = rejoinder.rerank(
        ROWS, TestSet.from_lists([["the bus left"], ["no"]]), ["chrf"], best="lm"
    )
    (note,) = [each for each in result.notes if "gives a reference" in each]
    assert "without" not in note
