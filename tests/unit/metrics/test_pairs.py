"""Every pair of a group's texts: the fast roads equal items scored one by one, and sacreBLEU."""

import numpy as np
import pytest
import sacrebleu

from random_text import corpus
from rejoinder.errors import ParameterError
from rejoinder.metrics import BLEU, ROUGE, TER, ChrF, DeltaBLEU, DistinctN, Length, SentenceBLEU
from rejoinder.metrics.pairs import PairScorer

TEXTS = [*corpus(seed=5, n=40)[0], "", "yes", "yes", "aaaaaaa aaaa", "a", "the cat sat on the mat"]
GROUPS = [TEXTS[:11], [], TEXTS[11:12], TEXTS[12:]]
OTHERS = [TEXTS[20:25], TEXTS[:3], [], TEXTS[40:]]


def pair_scores(metric, groups, others=None):
    """Every pair of texts within each group, or of a group (replies) with another (references)."""
    sides = [groups] if others is None else [groups, others]
    scorer = PairScorer(metric, [text for side in sides for group in side for text in group])
    bounds = [np.cumsum([0, *map(len, side)]) for side in sides]
    first = np.arange(bounds[0][-1])
    if others is None:
        return scorer.within(first, bounds[0])
    return scorer.between(first, bounds[0], len(first) + np.arange(bounds[1][-1]), bounds[1])


def one_by_one(metric, groups, others):
    """Each pair as an item with one reference."""
    return [
        np.array([metric.segments([h] * len(refs), [[r] for r in refs]) for h in group]).reshape(
            len(group), len(refs)
        )
        for group, refs in zip(groups, others, strict=True)
    ]


@pytest.mark.parametrize(
    "metric",
    [
        ChrF(),
        ChrF(char_order=2, beta=1, lowercase=True),
        ChrF(word_order=2),
        ChrF(whitespace=True),
        ChrF(eps_smoothing=True),
        SentenceBLEU(),
        SentenceBLEU(order=4, tokenizer="none", smoothing="exp", brevity="bleu"),
        SentenceBLEU(effective_order=False, lowercase=True, smoothing="method1", minimum_total=1),
        BLEU(),
        DeltaBLEU(),
        ROUGE(),
        TER(),
    ],
    ids=str,
)
def test_all_pairs_equal_items_of_one_reference(metric):
    for ours, plain in zip(
        [*pair_scores(metric, GROUPS), *pair_scores(metric, GROUPS, OTHERS)],
        [*one_by_one(metric, GROUPS, GROUPS), *one_by_one(metric, GROUPS, OTHERS)],
        strict=True,
    ):
        assert ours.shape == plain.shape
        assert ours == pytest.approx(plain, abs=1e-15, nan_ok=True)


def test_chrf_and_sentence_bleu_are_those_of_sacrebleu():
    # sacreBLEU decides after smoothing which orders count, so that its 'exp' is the same as ours
    # where a reply has every order; none of these texts is shorter than two words.
    texts = [text for text in TEXTS if len(text.split()) > 2][:20]
    chrf, bleu = sacrebleu.CHRF(), sacrebleu.BLEU(max_ngram_order=2, effective_order=True)
    ours = pair_scores(ChrF(), [texts])[0]
    theirs = [[chrf.sentence_score(h, [r]).score / 100 for r in texts] for h in texts]
    assert ours == pytest.approx(np.array(theirs), abs=1e-12)
    ours = pair_scores(SentenceBLEU(smoothing="exp", brevity="bleu"), [texts])[0]
    theirs = [[bleu.sentence_score(h, [r]).score / 100 for r in texts] for h in texts]
    assert ours == pytest.approx(np.array(theirs), abs=1e-12)


def test_texts_are_taken_by_their_places():
    scorer = PairScorer(ChrF(), ["yes", "no", "yes i do"])
    places = np.array([2, 0, 0, 2])
    (matrix,) = scorer.within(places, np.array([0, 4]))
    assert matrix[0].tolist() == matrix[3].tolist()
    assert matrix[1, 2] == matrix[0, 3] == 1
    (between,) = scorer.between(np.array([0]), np.array([0, 1]), places, np.array([0, 4]))
    assert between.tolist() == [matrix[1].tolist()]


def test_many_groups_are_scored_on_several_cores(monkeypatch):
    monkeypatch.setattr("rejoinder.metrics.pairs.PAIRS_AT_ONCE", 7)
    monkeypatch.setattr("rejoinder.metrics.pairs.cores", lambda: 2)
    for cut, whole in zip(
        pair_scores(ChrF(), GROUPS * 3), one_by_one(ChrF(), GROUPS, GROUPS) * 3, strict=True
    ):
        assert cut == pytest.approx(whole, abs=1e-15)


@pytest.mark.parametrize("metric", [DistinctN(), Length()], ids=str)
def test_a_metric_without_pairs_is_refused(metric):
    with pytest.raises(ParameterError, match="no score of a pair of texts"):
        pair_scores(metric, GROUPS)
