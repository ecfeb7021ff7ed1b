"""sacreBLEU's TER as the oracle: edits, lengths and scores to the last bit."""

import random

import numpy as np
import pytest
from sacrebleu.metrics.ter import TER as Theirs

from random_text import corpus
from rejoinder.batches.batch import Batch
from rejoinder.metrics import TER
from shared_data import dstc7, streams

PARAMETERS = [
    {},
    {"case_sensitive": True},
    {"normalized": True, "no_punct": True, "asian_support": True},
    *(
        pytest.param(each, marks=pytest.mark.slow)
        for each in (
            {"normalized": True},
            {"no_punct": True, "case_sensitive": True},
            {"normalized": True, "asian_support": True},
        )
    ),
]


def ours_of(parameters):
    ours = {name: value for name, value in parameters.items() if name != "case_sensitive"}
    return TER(lowercase=not parameters.get("case_sensitive", False), **ours)


def agree(hypotheses, references, parameters):
    theirs, ours = Theirs(**parameters), ours_of(parameters)
    statistics = np.array(theirs._extract_corpus_statistics(hypotheses, streams(references)))
    rows = ours.statistics(Batch.from_lists(hypotheses, references))
    wrong = np.flatnonzero((rows[:, :2] != statistics).any(axis=1))
    assert not wrong.size, (hypotheses[wrong[0]], references[wrong[0]], rows[wrong[0]])
    each = [theirs._compute_score_from_stats(row).score for row in statistics.tolist()]
    assert (100 * ours.score(rows)).tolist() == each
    whole = theirs.corpus_score(hypotheses, streams(references)).score
    assert 100 * ours.corpus(hypotheses, references).value == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_generated_unicode(parameters):
    agree(*corpus(seed=21, n=120, most=3), parameters)


@pytest.mark.parametrize(("letters", "longest"), [("ab", 12), ("abcdefgh", 25)])
def test_few_words_many_shifts(letters, longest):
    rng = random.Random(22)

    def text():
        return " ".join(rng.choice(letters) for _ in range(rng.randrange(longest)))

    agree([text() for _ in range(60)], [[text(), text()] for _ in range(60)], {})


def test_long_texts_leave_the_beam():
    rng = random.Random(23)
    words = [str(i) for i in range(400)]
    reference = rng.sample(words, 160)
    turned = reference[60:] + reference[:60]
    texts = [" ".join(turned), " ".join(reference[::40]), "7", " ".join(rng.sample(words, 90))]
    agree(texts, [[" ".join(reference)]] * 4, {})


def test_candidates_run_out():
    """Equal words everywhere: the search stops at its thousandth shift."""
    agree(["a b " * 14 + "c"], [["c " + "b a " * 14]], {})


def test_dstc7():
    replies, references = dstc7()
    kept = [item for item in references if references[item]][:100]
    agree([replies["TeamG"][i] for i in kept], [references[i][:2] for i in kept], {})
