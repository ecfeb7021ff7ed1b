import numpy as np
import pytest

from rejoinder.errors import MissingExtraError, ParameterError
from rejoinder.metrics.rouge import ROUGE


def test_rouge_n_by_hand():
    # h = the cat sat (3), r = the cat the mat (4). Common words: the, cat = 2: P = 2/3, R = 2/4,
    # F = 2 * 1/3 / (7/6) = 4/7. Common bigrams: the cat = 1: P = 1/2, R = 1/3, F = 2/5.
    given = ["the cat sat"], [["the cat the mat"]]
    assert ROUGE("1").segments(*given)[0] == pytest.approx(4 / 7)
    assert ROUGE("2").segments(*given)[0] == pytest.approx(2 / 5)


def test_rouge_l_by_hand():
    # The longest common subsequence of a b c d e and c a b e d is a b e (or a b d): 3 of 5.
    assert ROUGE("L").segments(["a b c d e"], [["c a b e d"]])[0] == pytest.approx(3 / 5)


def test_f1_takes_the_best_reference():
    # Against "a": P = 1/2, R = 1, F = 2/3. Against "a b c d": P = 1, R = 1/2, F = 2/3 as well.
    # Against "a b": 1.
    assert ROUGE("L").segments(["a b"], [["a", "a b c d", "a b"]])[0] == 1


def test_caption_takes_two_maxima():
    # P = 1 from "a b c d", R = 1 from "a": F = (1 + 1.44) / (1 + 1.44) = 1, though none is equal.
    assert ROUGE("L", form="caption").segments(["a b"], [["a", "a b c d"]])[0] == 1
    # One reference, P = 1/2, R = 1: (2.44 * 0.5) / (1 + 0.72).
    expected = 2.44 * 0.5 / 1.72
    assert ROUGE("L", form="caption").segments(["a b"], [["a"]])[0] == pytest.approx(expected)


def test_caption_counts_empty_tokens():
    # "a  b" has the tokens a, '', b; "a b" has two: P = 2/3, R = 1.
    expected = 2.44 * 2 / 3 / (1 + 1.44 * 2 / 3)
    assert ROUGE("L", form="caption").segments(["a  b"], [["a b"]])[0] == pytest.approx(expected)
    # An empty text is one empty token, which an empty text holds, and a trailing blank makes.
    caption = ROUGE("L", form="caption").segments(["", "", ""], [[""], ["a"], ["a "]])
    # P = 1, R = 1/2 for the last: 2.44 * 0.5 / (0.5 + 1.44).
    assert caption.tolist() == pytest.approx([1, 0, 1.22 / 1.94])


def test_caption_splits_at_blanks_alone():
    # A tab, a no-break space and a backslash stay within their tokens, and differ.
    caption = ROUGE("L", form="caption")
    texts = ["a\tb", "a\u00a0b", "a\\b", "a\\9;b"]
    for i, text in enumerate(texts):
        expected = [float(i == j) for j in range(4)]
        assert caption.segments([text] * 4, [[other] for other in texts]).tolist() == expected


def test_the_tokenizer_keeps_letters_and_digits():
    assert ROUGE("1").segments(["It's 3.5!"], [["it s 3 5"]])[0] == 1
    assert ROUGE("1").segments(["né"], [["n"]])[0] == 1
    # The Kelvin sign is a k in lower case; a dotted I is an i and a combining dot, which parts.
    assert ROUGE("1").segments(["\u212aelvin \u0130t"], [["kelvin i t"]])[0] == 1
    assert ROUGE("1").segments(["中文"], [["中文"]])[0] == 0


def test_other_tokenizers_stay_available():
    assert ROUGE("1", tokenizer="char").segments(["中文"], [["文中"]])[0] == 1
    assert ROUGE("1", tokenizer="none").segments(["A"], [["a"]])[0] == 0
    assert ROUGE("1", tokenizer="none", lowercase=True).segments(["A"], [["a"]])[0] == 1
    assert ROUGE("L", "caption", lowercase=True).segments(["A"], [["a"]])[0] == 1


@pytest.mark.parametrize("variant", ["1", "2", "L"])
def test_empty_texts_get_0(variant):
    scores = ROUGE(variant).segments(["", "", "a b", "?!"], [["a b"], [""], ["", "!"], ["?!"]])
    assert scores.tolist() == [0, 0, 0, 0]


def test_names_labels_signatures():
    assert [ROUGE(each).name for each in "12L"] == ["rouge1", "rouge2", "rougeL"]
    assert [ROUGE(each).label for each in "12L"] == ["ROUGE-1", "ROUGE-2", "ROUGE-L"]
    assert ROUGE("L", form="caption").label == "ROUGE-L (caption)"
    assert ROUGE("2").signature().startswith("rouge2|variant:2|form:f1|tok:rouge|case:lc")
    assert "tok:blanks" in ROUGE("L", form="caption").signature()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variant": "0"}, "variant='0' is unknown; choose '1', '2', "),
        ({"form": "f2"}, "form='f2' is unknown"),
        ({"variant": "1", "form": "caption"}, "form='caption' is a ROUGE-L"),
        ({"tokenizer": "13b"}, "tokenizer='13b' is unknown; choose 'rouge', 'blanks', '13a'"),
        ({"references": "best"}, "references='best' is no rule"),
    ],
)
def test_mistakes(parameters, message):
    with pytest.raises(ParameterError) as caught:
        ROUGE(**parameters)
    assert message in str(caught.value)


def test_several_hypotheses_of_an_item():
    # A slice in the middle of a batch: bytes before and after it are not its own.
    from rejoinder.batches.batch import Batch

    batch = Batch.from_lists(["K", "a b", "z"], [["K", "x"], ["A", "a b"], ["y"]])
    for metric in (ROUGE("1"), ROUGE("L", "caption")):
        whole = metric.statistics(batch)
        parts = [metric.statistics(batch.part(i, i + 1)) for i in range(3)]
        np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_precision_and_recall_are_of_the_reference_with_the_best_f():
    # h = a b c. With 'a b c d e f': P = 1, R = 1/2, F = 2/3. With 'a b': P = 2/3, R = 1, F = 4/5.
    given = (["a b c"], [["a b c d e f", "a b"]])
    parts = ROUGE("1").corpus(*given).parts
    assert parts["precision"] == pytest.approx(2 / 3)
    assert parts["recall"] == 1
    assert parts["f"] == ROUGE("1").corpus(*given).value == pytest.approx(4 / 5)
    assert ROUGE("1", measure="precision").corpus(*given).value == pytest.approx(2 / 3)
    assert ROUGE("1", measure="recall").label == "ROUGE-1 recall"


def test_caption_takes_the_greatest_precision_and_the_greatest_recall():
    # The same texts: P = 1 from the first reference, R = 1 from the second.
    parts = ROUGE("L", form="caption").corpus(["a b c"], [["a b c d e f", "a b"]]).parts
    assert (parts["precision"], parts["recall"], parts["f"]) == (1, 1, 1)


def test_an_unknown_measure_is_told():
    with pytest.raises(ParameterError, match="measure='F1' is unknown; choose 'f', 'precision'"):
        ROUGE(measure="F1")


def test_sentences_cover_a_reference_together():
    # The example of Lin 2004, section 3.2: w1 w2 of the first sentence and w1 w3 w5 of the second
    # cover w1 w2 w3 w5 of the reference: 4 hits of 5 tokens, and of the reply's 10.
    reply, reference = "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5"
    metric = ROUGE("Lsum")
    parts = metric.corpus([reply], [[reference]]).parts
    assert (parts["precision"], parts["recall"]) == (4 / 10, 4 / 5)
    # As one line the longest common subsequence is w1 w2 w3 w5 too; turned round it is not.
    turned = "w1 w3 w8 w9 w5\nw1 w2 w6 w7 w8"
    assert metric.segments([turned], [[reference]]) == metric.segments([reply], [[reference]])
    assert ROUGE("L").segments([turned], [[reference]])[0] == 2 * 3 / 15


def test_a_token_of_the_reply_is_used_once():
    # Both sentences of the reference want the only "a": 1 hit of 2 and of 1.
    parts = ROUGE("Lsum").corpus(["a"], [["a\na"]]).parts
    assert (parts["precision"], parts["recall"]) == (1.0, 0.5)


def test_lsum_of_nothing_is_0():
    assert ROUGE("Lsum").segments(["", "\n", "a"], [["a"], ["\n\n"], [""]]).tolist() == [0, 0, 0]


def test_the_stemmer_leaves_short_words():
    # Words of three letters or fewer stay: "was" is no "wa", "his" no "hi".
    assert ROUGE("1", stemmer=True).segments(["was his"], [["wa hi"]])[0] == 0
    assert ROUGE("1", stemmer=True).segments(["running ponies"], [["runs pony"]])[0] == 1


def test_higher_orders():
    assert ROUGE("3").segments(["a b c d"], [["a b c"]])[0] == pytest.approx(2 / 3)
    assert (ROUGE("3").name, ROUGE("3").label) == ("rouge", "ROUGE-3")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"stemmer": True, "tokenizer": "13a"}, "tokenizer='13a'"),
        ({"sentences": "lines"}, "take rougeLsum"),
        ({"variant": "Lsum", "form": "caption"}, "form='caption' is a ROUGE-L"),
    ],
)
def test_settings_that_do_nothing_are_refused(parameters, said):
    with pytest.raises(ParameterError, match=said):
        ROUGE(**parameters)


def test_older_signatures_stay():
    assert "stemmer" not in ROUGE("L").signature()
    assert (
        "|stemmer:yes|sentences:lines|"
        in ROUGE("Lsum", stemmer=True, sentences="lines").signature()
    )


def test_a_splitter_without_its_data_is_refused(monkeypatch):
    nltk = pytest.importorskip("nltk")

    def missing(text):
        raise LookupError(text)

    monkeypatch.setattr(nltk, "sent_tokenize", missing)
    metric = ROUGE("Lsum", sentences="punkt")
    with pytest.raises(MissingExtraError, match="punkt_tab"):
        metric.segments(["a b."], [["a b."]])
    monkeypatch.setattr(nltk, "sent_tokenize", lambda text: text.replace(". ", ".\n").split("\n"))
    assert ROUGE("Lsum").segments(["c d. a b."], [["a b. c d."]])[0] == 0.5
    assert metric.segments(["c d. a b."], [["a b. c d."]])[0] == 1
