"""deltaBLEU beside the first author's released code, run from a checkout of it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from peers.checkouts import checkout
from rejoinder.metrics import BLEU, DeltaBLEU

# Runs in the checkout, in a process of its own: its module is called sacrebleu too. Importing its
# example prints the figures that its README publishes; its variables hold the sentences.
EXAMPLE = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
printed, sys.stdout = sys.stdout, open(os.devnull, "w")
import test_deltableu as example
sys.stdout = printed
print(json.dumps([example.pred1_t, example.pred2_t, example.ref_t, example.ref_scores_t]))
"""
SCORES = """
import json, sys
sys.path.insert(0, sys.argv[1])
import sacrebleu
scores = []
for hypotheses, streams, weights, smoothing, value in json.load(sys.stdin):
    bleu = sacrebleu.corpus_bleu(
        hypotheses, streams, smooth_method=smoothing, smooth_value=value, force=True,
        ref_weights=weights,
    )
    scores.append([bleu.score / 100, bleu.counts, bleu.totals])
print(json.dumps(scores))
"""
SMOOTHINGS = [("none", 0.0), ("floor", 0.1), ("floor", 0.4), ("exp", 0.0)]


def run(program, given=""):
    folder = str(checkout("REJOINDER_DELTABLEU_CODE"))
    done = subprocess.run(
        [sys.executable, "-c", program, folder],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def transposed(streams):
    return [list(each) for each in zip(*streams, strict=True)]


def test_the_published_example():
    # README.md of the checkout: 33.11 and 7.14, and as BLEU 36.28 and 42.04.
    first, second, references, weights = run(EXAMPLE)
    given = (transposed(references), transposed(weights))
    metric = DeltaBLEU(order=4, reading="authors-code")
    assert f"{100 * metric.corpus(first, *given).value:.2f}" == "33.11"
    assert f"{100 * metric.corpus(second, *given).value:.2f}" == "7.14"
    plain = BLEU(order=4, smoothing="exp")
    assert f"{100 * plain.corpus(first, given[0]).value:.2f}" == "36.28"
    assert f"{100 * plain.corpus(second, given[0]).value:.2f}" == "42.04"


def test_generated_corpora_under_every_smoothing():
    rng = np.random.default_rng(20)
    cases = []
    for case in range(300):
        items, count = int(rng.integers(1, 5)), int(rng.integers(1, 5))

        def text():
            return " ".join(rng.choice(list("abcdef"), size=rng.integers(1, 9)))

        weights = rng.choice([-1.0, -0.4, 0.0, 0.2, 0.7, 1.0], size=(count, items))
        weights[0] = rng.choice([0.3, 0.8, 1.0], size=items)  # a good one in every item
        cases.append(
            [
                [text() for _ in range(items)],
                [[text() for _ in range(items)] for _ in range(count)],
                weights.tolist(),
                *SMOOTHINGS[case % len(SMOOTHINGS)],
            ]
        )
    told = run(SCORES, json.dumps(cases))
    compared = 0
    for case, (value, counts, totals) in zip(cases, told, strict=True):
        hypotheses, streams, weights, smoothing, amount = case
        metric = DeltaBLEU(
            order=4,
            reading="authors-code",
            smoothing=smoothing,
            smoothing_value=amount or None,
        )
        score = metric.corpus(hypotheses, transposed(streams), transposed(weights))
        assert score.parts["numerators"] == pytest.approx(
            [
                c if c else min(0.0, n)
                for c, n in zip(counts, score.parts["numerators"], strict=True)
            ],
            abs=1e-9,
        )
        assert score.parts["denominators"] == pytest.approx(totals, abs=1e-9)
        # What DeltaBLEU's docstring sets apart: no order matches, or a denominator below 1. And a
        # sum that is 0 but for rounding, which is smoothed here, and is as good as 0 there.
        if max(counts) < 1e-9:
            assert score.value == 0.0
            continue
        sums = zip(counts, totals, strict=True)
        if all(c > 1e-9 or (c == 0 and (t == 0 or t >= 1)) for c, t in sums):
            assert score.value == pytest.approx(value, abs=1e-9)
            compared += 1
    assert compared > 150
