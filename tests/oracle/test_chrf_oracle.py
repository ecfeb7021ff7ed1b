"""sacreBLEU's chrF as the oracle: statistics as integers, scores to 1e-12."""

import numpy as np
import pytest
import sacrebleu

from random_text import corpus
from rejoinder.batches.batch import Batch
from rejoinder.metrics.chrf import ChrF
from shared_data import dstc7, streams

SINGLE = [{"lowercase": True}, {"word_order": 2}, {"whitespace": True}, {"eps_smoothing": True}]
"""Parameters of which the default part has each together with others."""

TOGETHER = [
    {},
    {"word_order": 2, "lowercase": True, "beta": 1},
    {"whitespace": True, "word_order": 1, "char_order": 3, "lowercase": True, "beta": 3},
    {"eps_smoothing": True, "word_order": 2, "whitespace": True},
    {"char_order": 1},
]
PARAMETERS = [*TOGETHER, *(pytest.param(each, marks=pytest.mark.slow) for each in SINGLE)]


def agree(hypotheses, references, parameters):
    theirs = sacrebleu.CHRF(**parameters)
    statistics = np.array(theirs._extract_corpus_statistics(hypotheses, streams(references)))
    ours = ChrF(**parameters)
    rows = ours.statistics(Batch.from_lists(hypotheses, references))
    wrong = np.flatnonzero((rows != statistics).any(axis=1))
    assert not wrong.size, (hypotheses[wrong[0]], references[wrong[0]], rows[wrong[0]])
    each = [theirs._compute_f_score(row) / 100 for row in statistics.tolist()]
    assert ours.score(rows) == pytest.approx(each, abs=1e-12)
    whole = theirs._compute_f_score(statistics.sum(axis=0).tolist()) / 100
    assert ours.score(rows.sum(axis=0)) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_generated_unicode(parameters):
    agree(*corpus(seed=11, n=1000), parameters)


@pytest.mark.parametrize("parameters", PARAMETERS[:3] + PARAMETERS[5:8], ids=str)
def test_few_letters_many_ties(parameters):
    rng = np.random.default_rng(12)

    def text():
        return "".join(rng.choice(list("ab, "), size=rng.integers(0, 8)))

    agree(
        [text() for _ in range(1500)], [[text() for _ in range(4)] for _ in range(1500)], parameters
    )


@pytest.mark.parametrize("parameters", [{}, {"word_order": 2}], ids=str)
def test_dstc7(parameters):
    replies, references = dstc7()
    kept = [item for item in references if references[item]][:150]
    agree([replies["TeamG"][i] for i in kept], [references[i] for i in kept], parameters)


def test_a_corpus_score_is_sacrebleus():
    hypotheses, references = ["It's 3.5, no?", "yes"], [["It is 3.5, no?", "It's 3,5."], ["yes!"]]
    theirs = sacrebleu.corpus_chrf(hypotheses, streams(references)).score
    assert ChrF().corpus(hypotheses, references).value == pytest.approx(theirs / 100, abs=1e-12)
