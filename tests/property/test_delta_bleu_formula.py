"""deltaBLEU against a brute-force reading of the formula, on hypothesis' idea of hard input."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rejoinder.metrics import BLEU, DeltaBLEU

WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=7).map(" ".join)
WEIGHTS = st.sampled_from([-1.0, -0.7, -0.1, 0.0, 0.1, 0.3, 0.3, 0.9, 1.0])
ITEM = st.tuples(WORDS, st.lists(st.tuples(WORDS, WEIGHTS), min_size=1, max_size=5))
ITEMS = st.lists(ITEM, min_size=1, max_size=6)
ORDERS = st.integers(1, 4)
READINGS = st.sampled_from(["paper", "authors-code"])
SMOOTHINGS = st.sampled_from(
    [
        ("none", None),
        ("floor", None),
        ("floor", 0.7),
        ("floor", 3.0),
        ("add-k", None),
        ("add-k", 0.4),
        ("exp", None),
        ("caption", None),
    ]
)


def ngrams(text, n):
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def brute_force(items, order, reading="paper"):
    """Section 3 of the paper, sign by sign: the sums of each order, and the two lengths."""
    tops, bottoms, eta, rho = [], [], 0, 0
    for hypothesis, references in items:
        length = len(hypothesis.split())
        eta += length
        rho += min((len(r.split()) for r, _ in references), key=lambda x: (abs(x - length), x))
    for n in range(1, order + 1):
        top = bottom = 0.0
        for hypothesis, references in items:
            for gram, count in ngrams(hypothesis, n).items():
                holding = [(w, ngrams(r, n)[gram]) for r, w in references if ngrams(r, n)[gram]]
                if holding and reading == "paper":
                    top += max(w * min(count, held) for w, held in holding)
                elif holding:
                    top += max(w for w, _ in holding) * min(count, max(held for _, held in holding))
                bottom += max(w * count for _, w in references)
        tops.append(top)
        bottoms.append(bottom)
    return tops, bottoms, eta, rho


def smoothed_score(sums, smoothing, value):
    """The score of four sums, order by order, as Chen and Cherry (2014) describe each smoothing.

    The numerator is floored at 0 before. Where no order has a positive one, the score is 0.
    """
    tops, bottoms, eta, rho = sums
    tops = [
        0.0 if top <= 1e-12 * bottom else top for top, bottom in zip(tops, bottoms, strict=True)
    ]
    if smoothing == "caption":  # the COCO caption scorers add 1e-15 and 1e-9, lengths included
        p = [(top + 1e-15) / (bottom + 1e-9) for top, bottom in zip(tops, bottoms, strict=True)]
        ratio = (eta + 1e-15) / (rho + 1e-9)
        penalty = 1.0 if ratio >= 1 else math.exp(1 - 1 / ratio)
        return penalty * math.exp(sum(map(math.log, p)) / len(p))
    if not any(tops):
        return 0.0
    penalty = 1.0 if eta >= rho else (math.exp(1 - rho / eta) if eta else 0.0)
    logs, misses = [], 0
    for n, (top, bottom) in enumerate(zip(tops, bottoms, strict=True), 1):
        if smoothing == "add-k" and n > 1:
            top, bottom = top + value, bottom + value
        if bottom <= 0:
            return 0.0
        if top > 0:
            logs.append(math.log(top / bottom))
            continue
        misses += 1
        share = {"floor": value, "exp": 0.5**misses}.get(smoothing, 0.0) / max(1.0, bottom)
        if share == 0:
            return 0.0
        logs.append(math.log(share))
    return penalty * math.exp(sum(logs) / len(logs))


def split(items):
    return (
        [hypothesis for hypothesis, _ in items],
        [[r for r, _ in references] for _, references in items],
        [[w for _, w in references] for _, references in items],
    )


@given(ITEMS, ORDERS, READINGS, SMOOTHINGS)
def test_every_reading_and_smoothing_is_the_formula(items, order, reading, smoothing):
    items = [each for each in items if max(w for _, w in each[1]) > 0]
    if not items:
        return
    name, value = smoothing
    metric = DeltaBLEU(order=order, reading=reading, smoothing=name, smoothing_value=value)
    score = metric.corpus(*split(items))
    sums = brute_force(items, order, reading)
    assert score.parts["numerators"] == pytest.approx(sums[0], abs=1e-12)
    assert score.parts["denominators"] == pytest.approx(sums[1], abs=1e-12)
    expected = smoothed_score(sums, name, value or {"floor": 0.1, "add-k": 1.0}.get(name))
    assert score.value == pytest.approx(expected, abs=1e-12)


@given(ITEMS, ORDERS, READINGS, SMOOTHINGS)
def test_all_weights_one_is_bleu_to_the_last_bit(items, order, reading, smoothing):
    hypotheses, references, _ = split(items)
    ones = [[1.0] * len(few) for few in references]
    named = dict(zip(("smoothing", "smoothing_value"), smoothing, strict=True))
    delta, bleu = DeltaBLEU(order=order, reading=reading, **named), BLEU(order=order, **named)
    assert (
        delta.corpus(hypotheses, references, ones).value
        == bleu.corpus(hypotheses, references).value
    )
    np.testing.assert_array_equal(
        delta.segments(hypotheses, references, ones), bleu.segments(hypotheses, references)
    )


@given(ITEMS, ORDERS, READINGS)
def test_the_smoothing_of_a_reading_is_the_one_that_its_signature_names(items, order, reading):
    hypotheses, references, weights = split(items)
    given = (hypotheses, references, weights)
    default = DeltaBLEU(order=order, reading=reading)
    named = DeltaBLEU(
        order=order, reading=reading, smoothing={"paper": "none", "authors-code": "exp"}[reading]
    )
    assert default.signature() == named.signature()
    np.testing.assert_array_equal(
        default.segments(*given, drop_unusable=True), named.segments(*given, drop_unusable=True)
    )


@given(st.lists(ITEM, min_size=1, max_size=6))
def test_the_top_score_is_one_where_each_reply_is_its_best_reference(items):
    _, references, weights = split(items)
    best = []
    for few, values in zip(references, weights, strict=True):
        few[0], values[0] = "one two three four", max(0.3, *values)
        best.append(few[0])
    assert DeltaBLEU(order=4).corpus(best, references, weights).value == 1.0


@given(ITEMS, ORDERS, READINGS, st.sampled_from(["none", "floor", "add-k", "exp", "caption"]))
def test_bounds(items, order, reading, smoothing):
    hypotheses, references, weights = split(items)
    scores = DeltaBLEU(order=order, reading=reading, smoothing=smoothing).segments(
        hypotheses, references, weights, drop_unusable=True
    )
    positive = np.array([max(values) > 0 for values in weights])
    assert np.isnan(scores[~positive]).all()
    assert ((scores[positive] >= 0) & (scores[positive] <= 1)).all()


@settings(max_examples=30)
@given(ITEMS, ORDERS)
def test_two_maxima_reach_at_least_as_high_where_no_weight_is_negative(items, order):
    hypotheses, references, weights = split(items)
    weights = [[abs(w) or 0.5 for w in few] for few in weights]
    given = (hypotheses, references, weights)
    paper = DeltaBLEU(order=order).corpus(*given).parts["numerators"]
    code = DeltaBLEU(order=order, reading="authors-code").corpus(*given).parts["numerators"]
    assert all(b >= a - 1e-12 for a, b in zip(paper, code, strict=True))


def test_without_a_match_of_positive_weight_the_score_is_0_and_the_authors_code_gives_more():
    # One reply of four words, no word in common; weight 0.8, so denominators 3.2, 2.4, 1.6, 0.8. Exp
    # smoothing there: 1 / (2^k times each), k from 1: (6.4 * 9.6 * 12.8 * 12.8)^(-1/4) = 0.0998.
    metric = DeltaBLEU(order=4, reading="authors-code")
    score = metric.corpus(["a c f f"], [["b b"]], [[0.8]])
    assert score.parts["denominators"] == pytest.approx([3.2, 2.4, 1.6, 0.8])
    assert score.value == 0.0
