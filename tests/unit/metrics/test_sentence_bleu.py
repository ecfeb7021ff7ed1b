import math

import pytest

from random_text import corpus
from rejoinder.errors import ParameterError
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.sentence_bleu import SentenceBLEU


def one(reply, *references, **parameters):
    return SentenceBLEU(tokenizer="none", **parameters).segments([reply], [list(references)])[0]


def test_bleu_plus_one_with_the_smoothed_penalty_by_hand():
    # h = a b c, r = a b d e. p_1 = 2/3 (not smoothed), p_2 = (1 + 1)/(2 + 1) = 2/3.
    # BP = exp(1 - (4 + 1)/3) = exp(-2/3).
    assert one("a b c", "a b d e") == pytest.approx(math.exp(-2 / 3) * 2 / 3)
    assert one("a b c", "a b d e", brevity="bleu") == pytest.approx(math.exp(-1 / 3) * 2 / 3)


def test_a_perfect_reply_pays_nakovs_penalty():
    assert one("a b", "a b") == pytest.approx(math.exp(-1 / 2))
    assert one("a b", "a b", brevity="bleu") == 1
    # Two tokens more than the reference: no penalty. p_1 = 1/3, p_2 = (0 + 1)/(2 + 1).
    assert one("a b c", "a") == pytest.approx(1 / 3)


def test_one_word_replies():
    # Of order 1 alone: a match is 1, times exp(1 - 2/1); none is 0.
    assert one("yes", "yes") == pytest.approx(math.exp(-1))
    assert one("yes", "yes", brevity="bleu") == 1
    assert one("yes", "no") == 0
    # "yes" against "yes i do": p_1 = 1, BP = exp(1 - 3).
    assert one("yes", "yes i do", brevity="bleu", order=4) == pytest.approx(math.exp(-2))


def test_orders_longer_than_the_reply_do_not_count_before_smoothing():
    # h = a b against r = a c, N = 4. Ours: p_1 = 1/2, p_2 = (0 + 1)/(1 + 1) = 1/2: 1/2. sacreBLEU's
    # add-k also makes p_3 = p_4 = 1/1, so that the mean over 4 orders is (1/4)^(1/4) = 0.707.
    assert one("a b", "a c", order=4, brevity="bleu") == pytest.approx(1 / 2)
    theirs = BLEU(4, "none", smoothing="add-k", effective_order=True).segments(["a b"], [["a c"]])
    assert theirs[0] == pytest.approx(0.25**0.25)
    all_orders = one("a b", "a c", order=4, brevity="bleu", effective_order=False)
    assert all_orders == pytest.approx(0.25**0.25)


@pytest.mark.parametrize(
    ("smoothing", "value", "expected"),
    [
        # h = a b c, r = c b a: p_1 = 1, p_2 = 0/2, p_3 = 0/1, no penalty.
        ("none", None, 0.0),
        ("add-k", None, (1 / 3 * 1 / 2) ** (1 / 3)),
        ("add-k", 0.5, (0.5 / 2.5 * 0.5 / 1.5) ** (1 / 3)),
        ("floor", None, (0.1 / 2 * 0.1) ** (1 / 3)),
        ("method1", None, (0.1 / 2 * 0.1) ** (1 / 3)),
        ("floor", 0.3, (0.3 / 2 * 0.3) ** (1 / 3)),
        ("exp", None, (1 / 2 / 2 * 1 / 4) ** (1 / 3)),
        ("caption", None, (1e-15 / 2 * 1e-15) ** (1 / 3)),
    ],
)
def test_smoothings_by_hand(smoothing, value, expected):
    parameters = {"smoothing": smoothing, "smoothing_value": value, "brevity": "bleu", "order": 3}
    assert one("a b c", "c b a", **parameters) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("smoothing", ["none", "add-k", "floor", "method1", "exp", "caption"])
@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("reply", "reference"), [("", ""), ("", "a"), ("a", ""), ("a b", "c d")])
def test_nothing_matched_is_0_whatever_the_smoothing(smoothing, effective_order, reply, reference):
    assert one(reply, reference, smoothing=smoothing, effective_order=effective_order) == 0


@pytest.mark.parametrize(
    ("smoothing", "value", "effective_order"),
    [
        ("none", None, False),
        ("none", None, True),
        ("floor", 0.2, False),
        ("floor", 0.2, True),
        ("exp", None, False),
        ("exp", None, True),
        ("add-k", 2.0, False),  # with effective order: the deviation above
    ],
)
def test_with_bleus_own_penalty_a_sentence_is_a_corpus_of_one(smoothing, value, effective_order):
    hypotheses, references = corpus(41, 300)
    parameters = {"order": 4, "smoothing": smoothing, "smoothing_value": value}
    ours = SentenceBLEU(**parameters, brevity="bleu", effective_order=effective_order)
    corpora = BLEU(**parameters, effective_order=effective_order).segments(hypotheses, references)
    assert ours.segments(hypotheses, references) == pytest.approx(corpora, abs=1e-12)


def test_it_is_a_mean_over_replies():
    # Corpus BLEU sums before it divides; this does not: (1 + 0) / 2.
    metric = SentenceBLEU(brevity="bleu", tokenizer="none")
    assert metric.corpus(["a b", "c d e f g h"], [["a b"], ["x"]]).value == 0.5


def test_label_signature_and_mistakes():
    assert SentenceBLEU().label == "sBLEU-2"
    signature = SentenceBLEU().signature()
    assert signature.startswith(
        "sbleu|order:2|tok:13a|case:mixed|smooth:add-k|brevity:nakov|eff:yes"
    )
    with pytest.raises(ParameterError, match="smoothing='laplace' is unknown; choose 'none'"):
        SentenceBLEU(smoothing="laplace")
    with pytest.raises(
        ParameterError, match="brevity='short' is unknown; choose 'nakov' or 'bleu'"
    ):
        SentenceBLEU(brevity="short")
    with pytest.raises(ParameterError, match="means nothing"):
        SentenceBLEU(smoothing="exp", smoothing_value=1.0)
