"""NLTK's sentence BLEU as the oracle of average-max BLEU and of floor smoothing."""

import numpy as np
import pytest

from lazily import lazily
from random_text import corpus
from rejoinder.metrics.average_max_bleu import AverageMaxBLEU
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from shared_data import dstc7

bleu = lazily("nltk.translate.bleu_score")


def best_single(reply, references, order, weights=None):
    return max(
        bleu().sentence_bleu(
            [each.lower().split()],
            reply.lower().split(),
            weights=weights or (1 / order,) * order,
            smoothing_function=bleu().SmoothingFunction().method1,
        )
        for each in references
    )


def real():
    replies, references = dstc7()
    kept = [item for item in references if references[item]][:150]
    return [replies["TeamG"][item] for item in kept], [references[item] for item in kept]


SOURCES = {"unicode": lambda: corpus(21, 500), "dstc7": real}


def cells(orders, real):
    """Every order on generated texts, and some of them on real ones; the others are slow."""
    return [
        pytest.param(
            source, order, marks=[pytest.mark.slow] * (source == "dstc7" and order not in real)
        )
        for source in SOURCES
        for order in orders
    ]


@pytest.mark.parametrize(("source", "order"), cells([1, 2, 3, 4, 6], [2, 6]))
def test_average_max(source, order):
    hypotheses, references = SOURCES[source]()
    theirs = [
        best_single(reply, few, order) for reply, few in zip(hypotheses, references, strict=True)
    ]
    metric = AverageMaxBLEU(order=order)
    assert metric.segments(hypotheses, references) == pytest.approx(theirs, abs=1e-12)
    assert metric.corpus(hypotheses, references).value == pytest.approx(np.mean(theirs), abs=1e-12)


# The weights that score_multiref.py of Gupta et al. 2019 hands to NLTK (get_max_bleu).
GUPTA = {
    1: (1.0, 0.0, 0.0, 0.0),
    2: (0.5, 0.5, 0.0, 0.0),
    3: (0.33, 0.33, 0.33, 0.0),
    4: (0.25, 0.25, 0.25, 0.25),
}


@pytest.mark.parametrize(("source", "order"), cells(GUPTA, [3]))
def test_average_max_with_the_weights_of_gupta_et_al(source, order):
    hypotheses, references = SOURCES[source]()
    theirs = [
        best_single(reply, few, order, GUPTA[order])
        for reply, few in zip(hypotheses, references, strict=True)
    ]
    metric = AverageMaxBLEU(order=order, order_weights="two-decimals")
    assert metric.segments(hypotheses, references) == pytest.approx(theirs, abs=1e-12)
    uniform = AverageMaxBLEU(order=order).segments(hypotheses, references)
    assert (order == 3) == bool(np.abs(uniform - theirs).max() > 1e-4)


@pytest.mark.parametrize("order", [2, 4])
def test_method1_where_the_reply_has_every_order(order):
    hypotheses, references = corpus(22, 800)
    long = [i for i, reply in enumerate(hypotheses) if len(reply.split()) >= order]
    hypotheses, references = [hypotheses[i] for i in long], [references[i] for i in long]
    theirs = [
        bleu().sentence_bleu(
            [each.split() for each in few],
            reply.split(),
            (1 / order,) * order,
            bleu().SmoothingFunction().method1,
        )
        for reply, few in zip(hypotheses, references, strict=True)
    ]
    for smoothing in ("method1", "floor"):
        metric = SentenceBLEU(order, "none", smoothing=smoothing, brevity="bleu")
        assert metric.segments(hypotheses, references) == pytest.approx(theirs, abs=1e-12)
