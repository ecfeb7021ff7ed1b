"""METEOR's own Java scorer as the oracle of the formula: its EVAL of its own statistics."""

from urllib.parse import quote

import numpy as np
import pytest

from random_text import corpus
from rejoinder.batches.batch import Batch
from rejoinder.errors import MissingExtraError
from rejoinder.metrics.meteor import METEOR
from rejoinder.metrics.meteor_scorer import command, score_line, scorer
from shared_data import dstc7

try:
    COMMAND = command("en", normalize=True)
except MissingExtraError as missing:
    pytest.skip(f"{missing}", allow_module_level=True)

pytestmark = pytest.mark.java


def java(lines, answers, normalize=True):
    """What the scorer answers to lines, in so many lines of its own.

    It is the process that the metric speaks to as well: a start of Java takes five seconds.
    """
    process = scorer("en", normalize)._process
    process.stdin.write("".join(lines).encode())
    process.stdin.flush()
    return [process.stdout.readline().decode() for _ in range(answers)]


def agree(hypotheses, references, normalize=True):
    raw = []
    for pair in zip(hypotheses, references, strict=True):
        raw += java([score_line(*pair)], 1, normalize)
    # EVAL answers with the score of each segment, and then with that of all of them.
    evaluated = java(
        [f"EVAL ||| {' ||| '.join(line.strip() for line in raw)}\n"], len(raw) + 1, normalize
    )
    expected = [float(line) for line in evaluated]
    metric = METEOR(normalize=normalize)
    rows = metric.statistics(Batch.from_lists(hypotheses, references))
    # All but the chunks, which whole matches give up, are the scorer's numbers.
    theirs = np.array([line.split() for line in raw], dtype=float)
    assert (np.delete(rows, 20, axis=1) == np.delete(theirs, 20, axis=1)).all()
    assert metric.score(rows) == pytest.approx(expected[:-1], abs=1e-12)
    assert metric.score(rows.sum(axis=0)) == pytest.approx(expected[-1], abs=1e-12)


def test_generated_unicode():
    agree(*corpus(31, 400))


@pytest.mark.slow  # a second start of Java
def test_without_normalisation():
    agree(*corpus(32, 200), normalize=False)


def test_dstc7():
    replies, references = dstc7()
    kept = [item for item in references if references[item]][:60]
    agree([replies["Human"][item] for item in kept], [references[item] for item in kept])


@pytest.mark.slow  # two more starts of Java; all other tests here ask the same scorer
def test_what_the_caption_scorers_print():
    theirs = pytest.importorskip("pycocoevalcap.meteor.meteor")
    if quote(theirs.__file__) != theirs.__file__:
        pytest.skip("theirs cannot find its data under a path with a blank (ours runs from a copy)")
    meteor = theirs.Meteor()
    hypotheses = ["well , i see .", "yes  yes ||| no", "the cat", "hm"]
    references = [["i see , well .", "ok"], ["yes no"], ["the cat"], ["what ?"]]
    try:
        corpus_score, scores = meteor.compute_score(
            dict(enumerate(references)), {i: [reply] for i, reply in enumerate(hypotheses)}
        )
    finally:
        if meteor.lock.locked():  # after an error theirs would wait for itself for ever
            meteor.lock.release()
        meteor.meteor_p.stdout.close()
        meteor.meteor_p.stderr.close()
        del meteor
    assert METEOR().segments(hypotheses, references) == pytest.approx(scores, abs=1e-12)
    assert METEOR().corpus(hypotheses, references).value == pytest.approx(corpus_score, abs=1e-12)


def test_hostile_texts_do_not_lose_step():
    # Line ends, separators, controls and empty texts among replies whose scores are known.
    hostile = ["", "a\nb", "a\rb\r\n", "|||", "||||", "a ||| b", "\x00\x01\x1b", "SCORE ||| x", " "]
    hypotheses = [each for text in hostile for each in (text, "the cat sat")]
    references = [few for text in hostile for few in ([text, "dog"], ["the cat sat", text])]
    scores = METEOR().segments(hypotheses, references)
    assert (scores[1::2] == 1).all()
    assert scores[0] == 0
    assert METEOR().segments(["the cat"], [[""]])[0] == 0
