import math

import pytest

from rejoinder.errors import ParameterError
from rejoinder.metrics.average_max_bleu import AverageMaxBLEU


def test_a_pair_by_hand():
    # h = a b c, r = a b d e, N = 2. p_1 = 2/3, p_2 = 1/2, BP = exp(1 - 4/3).
    expected = math.exp(-1 / 3) * math.sqrt(2 / 3 * 1 / 2)
    assert AverageMaxBLEU(order=2).segments(["a b c"], [["a b d e"]])[0] == pytest.approx(expected)


def test_each_reference_is_taken_alone():
    # Together the references hold both words of the reply; alone each holds one: p_1 = 1/2.
    assert AverageMaxBLEU(order=1).segments(["a b"], [["a x", "y b"]])[0] == pytest.approx(0.5)


def test_an_order_without_a_match_counts_a_tenth():
    # h = a b c, r = c a b a (4 tokens): p_1 = 1, p_2 = 1/2, p_3 = 0.1/1, BP = exp(-1/3).
    expected = math.exp(-1 / 3) * (1 / 2 * 0.1) ** (1 / 3)
    assert AverageMaxBLEU(order=3).segments(["a b c"], [["c a b a"]])[0] == pytest.approx(expected)


def test_a_perfect_reply_shorter_than_the_order_stays_below_one():
    # p_1 = 1; orders 2 to 4 have no n-gram and count 0.1 each: (0.1^3)^(1/4).
    assert AverageMaxBLEU().segments(["yes"], [["yes"]])[0] == pytest.approx(0.1**0.75)


@pytest.mark.parametrize(("reply", "reference"), [("", "a"), ("", ""), ("a", ""), ("a b", "c d")])
def test_without_a_common_word_it_is_0(reply, reference):
    assert AverageMaxBLEU().segments([reply], [[reference]])[0] == 0


def test_case_is_folded_unless_told():
    assert AverageMaxBLEU(order=1).segments(["YES"], [["yes"]])[0] == 1
    assert AverageMaxBLEU(order=1, lowercase=False).segments(["YES"], [["yes"]])[0] == 0


def test_label_signature_and_mistakes():
    assert AverageMaxBLEU().label == "avg-max BLEU-4"
    assert AverageMaxBLEU().signature().startswith("ambleu|order:4|tok:none|case:lc|references:all")
    with pytest.raises(ParameterError, match="order=0"):
        AverageMaxBLEU(order=0)


def test_weights_of_two_decimals_are_those_of_gupta_et_al():
    # h = r = a b c d: p_n = 1, and both are 1. h = a b c, r = a b d e: p = 2/3, 1/2, 0.1/1.
    metric = AverageMaxBLEU(order=3, order_weights="two-decimals")
    assert metric.segments(["a b c d"], [["a b c d"]])[0] == 1.0
    expected = math.exp(-1 / 3) * (2 / 3 * 1 / 2 * 0.1) ** 0.33
    assert metric.segments(["a b c"], [["a b d e"]])[0] == pytest.approx(expected)
    assert "order_weights:two-decimals" in metric.signature()


def test_unknown_weights_are_told():
    with pytest.raises(ParameterError, match="order_weights='gupta' is unknown; choose 'uniform'"):
        AverageMaxBLEU(order_weights="gupta")
