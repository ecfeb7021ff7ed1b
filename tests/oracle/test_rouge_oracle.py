"""rouge-score and the caption scorers' ROUGE-L as oracles, to the last bit."""

import csv
import random

import numpy as np
import pytest

from random_text import corpus
from rejoinder.metrics.rouge import ROUGE
from shared_data import dstc7, shared


def real(n):
    replies, references = dstc7()
    kept = [item for item in references if references[item]][:n]
    return [replies["TeamG"][item] for item in kept], [references[item] for item in kept]


def letters(seed, n):
    """Short texts over few tokens: long common subsequences, repeats, doubled blanks."""
    rng = np.random.default_rng(seed)

    def text():
        return "".join(rng.choice(list("ab K\u212aİ1 \t"), size=rng.integers(0, 14)))

    return [text() for _ in range(n)], [[text() for _ in range(3)] for _ in range(n)]


def rouge_score(hypotheses, references):
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(
        ["rouge1", "rouge2", "rougeL"]
    )
    return [
        scorer.score_multi(few, reply) for few, reply in zip(references, hypotheses, strict=True)
    ]


@pytest.mark.parametrize(
    "source",
    [lambda: corpus(3, 1500), lambda: letters(4, 1500), lambda: real(120)],
    ids=["unicode", "letters", "dstc7"],
)
def test_f1_is_rouge_scores(source):
    hypotheses, references = source()
    theirs = rouge_score(hypotheses, references)
    for variant in ("1", "2", "L"):
        ours = ROUGE(variant).segments(hypotheses, references)
        np.testing.assert_array_equal(ours, [each[f"rouge{variant}"].fmeasure for each in theirs])
        parts = ROUGE(variant).corpus(hypotheses, references).parts
        for measure in ("precision", "recall"):
            expected = [getattr(each[f"rouge{variant}"], measure) for each in theirs]
            metric = ROUGE(variant, measure=measure)
            np.testing.assert_array_equal(metric.segments(hypotheses, references), expected)
            assert parts[measure] == pytest.approx(np.mean(expected), abs=1e-12)
            assert metric.corpus(hypotheses, references).value == parts[measure]


def lines(seed, n):
    """Texts of several lines over few words, some of them empty."""
    rng = random.Random(seed)
    known = "the cat cats running runs happily sat on mat a".split()

    def text():
        rows = [rng.choices(known, k=rng.randrange(9)) for _ in range(rng.randrange(6))]
        return "\n".join(" ".join(row) for row in rows)

    return [text() for _ in range(n)], [[text() for _ in range(2)] for _ in range(n)]


@pytest.mark.parametrize("stemmer", [False, True])
@pytest.mark.parametrize("source", [lambda: corpus(8, 300), lambda: lines(9, 300)])
def test_every_type_of_rouge_score_with_and_without_a_stemmer(source, stemmer):
    hypotheses, references = source()
    types = ["rouge1", "rouge2", "rouge3", "rouge9", "rougeL", "rougeLsum"]
    module = pytest.importorskip("rouge_score.rouge_scorer")
    scorer = module.RougeScorer(types, use_stemmer=stemmer)
    theirs = [scorer.score_multi(*each) for each in zip(references, hypotheses, strict=True)]
    for name in types:
        for measure, attribute in (("f", "fmeasure"), ("precision",) * 2, ("recall",) * 2):
            metric = ROUGE(name.removeprefix("rouge"), stemmer=stemmer, measure=measure)
            expected = [getattr(each[name], attribute) for each in theirs]
            np.testing.assert_array_equal(metric.segments(hypotheses, references), expected)


@pytest.mark.parametrize(
    "source",
    [lambda: corpus(5, 800), lambda: letters(6, 1500), lambda: real(60)],
    ids=["unicode", "letters", "dstc7"],
)
def test_caption_is_the_caption_scorers(source):
    scorer = pytest.importorskip("pycocoevalcap.rouge.rouge").Rouge()
    hypotheses, references = source()
    ours = ROUGE("L", form="caption").segments(hypotheses, references)
    theirs = [
        scorer.calc_score([reply], few) for reply, few in zip(hypotheses, references, strict=True)
    ]
    np.testing.assert_array_equal(ours, theirs)


def test_both_forms_on_rated_replies():
    path = shared("data", "dailydialog-multiref", "mturk_rating_processed_output.csv")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    hypotheses = [row["response"] for row in rows]
    references = [row["all_references"].split("\t") for row in rows]
    theirs = [each["rougeL"].fmeasure for each in rouge_score(hypotheses, references)]
    np.testing.assert_array_equal(ROUGE("L").segments(hypotheses, references), theirs)
    scorer = pytest.importorskip("pycocoevalcap.rouge.rouge").Rouge()
    theirs = [
        scorer.calc_score([reply], few) for reply, few in zip(hypotheses, references, strict=True)
    ]
    ours = ROUGE("L", form="caption").segments(hypotheses, references)
    np.testing.assert_array_equal(ours, theirs)
