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


def ngrams(text, n):
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def brute_force(items, order):
    """Section 3 of the paper, sign by sign: the score, and the sums of each order."""
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
                if holding:
                    top += max(w * min(count, held) for w, held in holding)
                bottom += max(w * count for _, w in references)
        tops.append(top)
        bottoms.append(bottom)
    penalty = 1.0 if eta > rho else (math.exp(1 - rho / eta) if eta else 0.0)
    p = [
        max(0.0, top) / bottom if bottom > 0 else 0.0
        for top, bottom in zip(tops, bottoms, strict=True)
    ]
    value = 0.0 if min(p) <= 0 else penalty * math.exp(sum(map(math.log, p)) / order)
    return value, tops, bottoms


def split(items):
    return (
        [hypothesis for hypothesis, _ in items],
        [[r for r, _ in references] for _, references in items],
        [[w for _, w in references] for _, references in items],
    )


@given(ITEMS, ORDERS)
def test_paper_reading_is_the_formula(items, order):
    items = [each for each in items if max(w for _, w in each[1]) > 0]
    if not items:
        return
    score = DeltaBLEU(order=order).corpus(*split(items))
    value, tops, bottoms = brute_force(items, order)
    assert score.parts["numerators"] == pytest.approx(tops, abs=1e-12)
    assert score.parts["denominators"] == pytest.approx(bottoms, abs=1e-12)
    # A numerator that is zero but for rounding may fall on either side of it.
    if all(abs(top) > 1e-9 or top == 0 for top in tops):
        assert score.value == pytest.approx(value, abs=1e-12)


@given(ITEMS, ORDERS)
def test_all_weights_one_is_bleu_to_the_last_bit(items, order):
    hypotheses, references, _ = split(items)
    ones = [[1.0] * len(few) for few in references]
    delta, bleu = DeltaBLEU(order=order), BLEU(order=order)
    assert (
        delta.corpus(hypotheses, references, ones).value
        == bleu.corpus(hypotheses, references).value
    )
    np.testing.assert_array_equal(
        delta.segments(hypotheses, references, ones), bleu.segments(hypotheses, references)
    )


@given(st.lists(ITEM, min_size=1, max_size=6))
def test_the_top_score_is_one_where_each_reply_is_its_best_reference(items):
    _, references, weights = split(items)
    best = []
    for few, values in zip(references, weights, strict=True):
        few[0], values[0] = "one two three four", max(0.3, *values)
        best.append(few[0])
    assert DeltaBLEU(order=4).corpus(best, references, weights).value == 1.0


@given(ITEMS, ORDERS, st.sampled_from(["paper", "authors-code"]))
def test_bounds(items, order, reading):
    hypotheses, references, weights = split(items)
    scores = DeltaBLEU(order=order, reading=reading).segments(
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
