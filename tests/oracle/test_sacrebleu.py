"""sacreBLEU as the oracle: its statistics as integers, its scores to 1e-12."""

import csv
import json
from itertools import pairwise

import numpy as np
import pytest
import sacrebleu

from random_text import corpus
from rejoinder.batches.batch import Batch
from rejoinder.metrics import BLEU
from shared_data import dstc7, shared, streams

TOKENIZERS = ["13a", "none", "char", "intl"]
SMOOTHINGS = [
    ("none", None),
    ("floor", None),
    ("floor", 0.3),
    ("add-k", None),
    ("add-k", 2.0),
    ("exp", None),
]


def agree(hypotheses, references, tokenizer, lowercase, smoothings=SMOOTHINGS, orders=(1, 2, 3, 4)):
    """One pass of sacreBLEU for the statistics of order 4; they hold those of the lower orders."""
    theirs = sacrebleu.BLEU(tokenize=tokenizer, lowercase=lowercase)
    statistics = np.array(theirs._extract_corpus_statistics(hypotheses, streams(references)))
    batch = Batch.from_lists(hypotheses, references)
    for order in orders:
        metric = BLEU(order=order, tokenizer=tokenizer, lowercase=lowercase)
        expected = statistics[:, [0, 1, *range(2, 2 + order), *range(6, 6 + order)]]
        rows = metric.statistics(batch)
        wrong = np.flatnonzero((rows != expected).any(axis=1))
        assert not wrong.size, (hypotheses[wrong[0]], references[wrong[0]], rows[wrong[0]])
        for smoothing, value in smoothings:
            for effective in (False, True):
                metric = BLEU(order, tokenizer, lowercase, smoothing, value, effective)
                scorer = sacrebleu.BLEU(
                    tokenize=tokenizer,
                    lowercase=lowercase,
                    smooth_method=smoothing,
                    smooth_value=value,
                    max_ngram_order=order,
                    effective_order=effective,
                )
                score = scorer._compute_score_from_stats(expected.sum(axis=0).tolist()).score
                assert metric.score(rows.sum(axis=0)) == pytest.approx(score / 100, abs=1e-12)
                each = [
                    scorer._compute_score_from_stats(row).score / 100
                    for row in expected[:200].tolist()
                ]
                assert metric.score(rows[:200]) == pytest.approx(each, abs=1e-12)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_generated_unicode(tokenizer, lowercase):
    # Scores are of the statistics alone, which all smoothings have of one tokenizer; the slow test below
    # has every smoothing of every tokenizer.
    smoothings = SMOOTHINGS if (tokenizer, lowercase) == ("13a", False) else SMOOTHINGS[:1]
    agree(*corpus(seed=7, n=1000), tokenizer, lowercase, smoothings)


@pytest.mark.slow
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_generated_unicode_at_length(tokenizer, lowercase):
    agree(*corpus(seed=8, n=20_000), tokenizer, lowercase)


def test_dstc7_one_system():
    replies, references = dstc7()
    kept = [item for item in references if references[item]]
    assert (len(references), len(kept)) == (500, 477)
    agree([replies["TeamG"][i] for i in kept], [references[i] for i in kept], "13a", False)


@pytest.mark.slow
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_dstc7_all_systems(tokenizer, lowercase):
    replies, references = dstc7()
    kept = [item for item in references if references[item]]
    for each in replies.values():
        agree([each[i] for i in kept], [references[i] for i in kept], tokenizer, lowercase)


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_dailydialog_multiref(tokenizer):
    folder = shared("data", "dailydialog-multiref")
    hypotheses = (folder / "hredf.txt").read_text(encoding="utf-8").split("\n")[:-1]
    references = []
    for line in (folder / "multireftest.json").read_text(encoding="utf-8").splitlines():
        turns = json.loads(line)["dialogue"]
        for turn, following in pairwise(turns):
            references.append([following["text"], *turn["responses"][1:]])
    assert len(references) == len(hypotheses) == 6740
    for lowercase in (False, True):
        agree(hypotheses, references, tokenizer, lowercase)


def test_a_ragged_corpus_score_is_sacrebleus():
    # The public face against the public face: 2 and 1 references, nothing taken apart.
    hypotheses = ["It's 3.5, no?", "yes"]
    references = [["It is 3.5, no?", "It's 3,5."], ["yes , yes"]]
    theirs = sacrebleu.corpus_bleu(hypotheses, streams(references)).score
    ours = BLEU(order=4, smoothing="exp").corpus(hypotheses, references).value
    assert ours == pytest.approx(theirs / 100, abs=1e-12)


@pytest.mark.parametrize("reading", ["authors-code"])
@pytest.mark.parametrize("setting", ["none", "none-lc", "13a", "13a-lc"])
def test_delta_bleu_equals_the_authors_code(reading, setting):
    from rejoinder.metrics import DeltaBLEU

    oracle = json.loads(shared("oracles", "deltableu-authors-code-dstc7.json").read_text())
    replies, _ = dstc7()
    path = shared("data", "dstc7-task2", "dstc7-task2-human_evaluation.tsv")
    with open(path, encoding="utf-8-sig", newline="") as file:
        rated = {
            row["InstanceID"]: row
            for row in csv.DictReader(file, delimiter="\t")
            if row["InstanceID"] in replies["Human"]
        }
    tokenizer, _, folded = setting.partition("-")
    for system, figures in oracle["systems"].items():
        others = [name for name in replies if name != system]
        hypotheses = [replies[system][item] for item in rated]
        references = [[replies[name][item] for name in others] for item in rated]
        weights = [
            [round((float(row[name]) - 1.5) / 3.5, 4) for name in others] for row in rated.values()
        ]
        for kind, metric in (
            # The file says of its figures that they are without smoothing.
            ("delta", DeltaBLEU(4, tokenizer, folded == "lc", reading, smoothing="none")),
            ("bleu", BLEU(4, tokenizer, folded == "lc")),
        ):
            expected = figures[setting][kind]
            given = (hypotheses, references, weights if kind == "delta" else None)
            score = metric.corpus(*given)
            tops = score.parts["numerators" if kind == "delta" else "matches"]
            bottoms = score.parts["denominators" if kind == "delta" else "totals"]
            assert tops == pytest.approx(expected["matched"], rel=1e-6)
            assert bottoms == pytest.approx(expected["total"], rel=1e-6)
            assert score.value == pytest.approx(expected["score"] / 100, rel=1e-6)
            assert score.parts["hypothesis_length"] == expected["hyp_len"]
            assert score.parts["reference_length"] == expected["ref_len"]
        # The code's own default, exp: each order without a match halves what a match would give.
        # Worked out from the sums that the file holds.
        tops, bottoms = figures[setting]["delta"]["matched"], figures[setting]["delta"]["total"]
        logs, misses = [], 0
        for top, bottom in zip(tops, bottoms, strict=True):
            misses += top <= 0
            logs.append(np.log(top / bottom if top > 0 else 0.5**misses / bottom))
        smoothed = figures[setting]["delta"]["bp"] * np.exp(np.mean(logs))
        by_default = DeltaBLEU(4, tokenizer, folded == "lc", reading)
        assert by_default.corpus(hypotheses, references, weights).value == pytest.approx(
            smoothed, rel=1e-6
        )


# Computed with the first author's code (github.com/mgalley/sacreBLEU, commit 813fc0a):
# corpus_bleu(replies, streams of references, ref_weights=weights, smooth_method=...), order 4, 13a.
# The texts are our own; the published example itself is run in tests/peers.
REFERENCES = [
    ["the soup was nice .", "i liked the soup .", "the soup was okay .", "the soup was cold ."],
    [
        "the band was great .",
        "they were very good .",
        "the band was loud .",
        "the band was a mess .",
    ],
]
WEIGHTS = [[1.0, 0.6, 0.2, -0.6], [0.9, 0.7, 0.1, -1.0]]
GOOD = ["the soup was really nice .", "the band was very loud ."]
BAD = ["the soup was cold again .", "the band was a mess ."]


@pytest.mark.parametrize(
    ("replies", "smoothing", "expected"),
    [
        (GOOD, "none", 0.0),
        (GOOD, "floor", 20.78213480112254),
        (GOOD, "exp", 31.076539946033716),
        (GOOD, None, 31.076539946033716),
        (BAD, "none", 0.0),
        (BAD, "floor", 3.820944890081457),
        (BAD, "exp", 7.184528586076487),
        (BAD, None, 7.184528586076487),
    ],
)
def test_delta_bleu_smoothed_as_the_authors_code_does(replies, smoothing, expected):
    from rejoinder.metrics import DeltaBLEU

    metric = DeltaBLEU(order=4, reading="authors-code", smoothing=smoothing)
    score = metric.corpus(replies, REFERENCES, WEIGHTS)
    assert 100 * score.value == pytest.approx(expected, abs=1e-9)
