"""What the settings of other tools stand for, and what they score."""

import math
import random
from collections import Counter

import numpy as np
import pytest

from rejoinder.errors import ParameterError
from rejoinder.metrics import BLEU, ROUGE, TER, ChrF, SentenceBLEU
from rejoinder.metrics.presets import PRESETS
from rejoinder.metrics.registry import metric

RNG = random.Random(41)
WORDS = "the a cat sat on mat dog ran".split()


def text(longest=9):
    return " ".join(RNG.choice(WORDS) for _ in range(RNG.randrange(longest + 1)))


REFERENCES = [[text() for _ in range(RNG.randrange(1, 4))] for _ in range(150)]
REPLIES = [
    " ".join(RNG.choice(WORDS) if RNG.random() < 0.3 else word for word in few[0].split())
    for few in REFERENCES
]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bleu:tok=zh,smooth=exp,case=lc,eff=yes", BLEU(2, "zh", True, "exp", None, True)),
        ("sbleu:case=mixed", SentenceBLEU()),
        ("bleu:compat=sacrebleu", BLEU(4, smoothing="exp")),
        (
            "bleu:tokenize=intl,lc=true,compat=sacrebleu,smooth_method=floor,smooth_value=0.2",
            BLEU(4, "intl", True, "floor", 0.2),
        ),
        ("bleu:compat=sacrebleu,max_ngram_order=3,order=3", "order is given twice"),
        (
            "sbleu:compat=sacrebleu,use_effective_order=false",
            SentenceBLEU(4, smoothing="exp", brevity="bleu", effective_order=False),
        ),
        (
            "chrf:compat=sacrebleu,nw=2,space=yes,case=lc",
            ChrF(6, 2, lowercase=True, whitespace=True),
        ),
        ("chrf:compat=hf,remove_whitespace=true", ChrF()),
        (
            "ter:compat=sacrebleu,case_sensitive=true,norm=yes",
            TER(lowercase=False, normalized=True),
        ),
        ("ter:compat=sacrebleu,case=lc,punct=no", TER(no_punct=True)),
        (
            "ter:compat=hf,ignore_punct=true,support_zh_ja_chars=true",
            TER(no_punct=True, asian_support=True),
        ),
        ("rouge:compat=rouge-score,stemmer=true", ROUGE("L", stemmer=True)),
        ("rouge:compat=hf,rouge_types=rouge3,use_stemmer=true", ROUGE("3", stemmer=True)),
        ("rougeLsum:compat=rouge-score,split_summaries=true", ROUGE("Lsum", sentences="punkt")),
        ("rougeL:compat=nlg-eval", ROUGE("L", form="caption")),
        ("bleu:compat=nlg-eval,order=2", BLEU(2, "none", smoothing="caption")),
        ("BLEU:compat=nltk", BLEU(4, "none", minimum_total=1)),
        (
            "bleu:compat=hf,max_order=2,smooth=true",
            BLEU(2, smoothing="laplace", reference_length="shortest"),
        ),
        ("bleu:compat=sacrebleus", "compat='sacrebleus' is unknown; did you mean 'sacrebleu'?"),
        ("bleu:compat=", "choose 'sacrebleu', 'rouge-score'"),
        ("distinct:compat=nltk", "compat=nltk has no preset for it, only for 'bleu' or 'sbleu'"),
        ("chrf:compat=nltk", "of 'chrf' there are those of 'sacrebleu' or 'hf'"),
        ("bleu:compat=nltk,weights=x", "weights=x is not computed: uniform weights"),
        ("bleu:compat=nltk,smoothing_function=method5", "expected 'method0'"),
        ("sbleu:compat=sacrebleu,smooth=add-k", "smooth=add-k is not computed"),
        ("rouge:compat=hf,use_aggregator=true", "median of random resamples"),
        ("bleu:compat=hf,smooth=maybe", "smooth='maybe'; expected 'true' or 'false'"),
        ("rougeL:tok=13a,eff=yes", "'eff=yes' is no parameter"),
        ("rouge1:compat=rouge-score,rouge_types=rouge2", "'rouge_types=rouge2' is no parameter"),
        ("bleu:compat=nltk,compat=hf", "'compat=hf' is no parameter"),
    ],
)
def test_what_is_typed_is_what_is_meant(typed, meant):
    if isinstance(meant, str):
        with pytest.raises(ParameterError) as error:
            metric(typed)
        assert meant in str(error.value)
    else:
        assert metric(typed) == meant


@pytest.mark.parametrize(
    ("tool", "name"), [(tool, name) for tool in PRESETS for name in PRESETS[tool]]
)
def test_every_preset_makes_its_metric(tool, name):
    assert metric(f"{name}:compat={tool}").name == metric(name).name
    for key in PRESETS[tool][name].names:
        values = PRESETS[tool][name].names[key].values
        assert values is None or all(values)


@pytest.mark.filterwarnings("ignore::UserWarning")  # NLTK's, of orders without a match
@pytest.mark.parametrize("method", ["method0", "method1", "method2", "method3"])
@pytest.mark.parametrize("order", [2, 4])
def test_nltk(method, order):
    theirs = pytest.importorskip("nltk.translate.bleu_score")
    smooth = getattr(theirs.SmoothingFunction(), method)
    references = [[each.split() for each in few] for few in REFERENCES]
    replies = [each.split() for each in REPLIES]
    settings = f"compat=nltk,order={order},smoothing_function={method}"
    weights = (1 / order,) * order
    expected = theirs.corpus_bleu(references, replies, weights, smooth)
    assert metric(f"bleu:{settings}").corpus(REPLIES, REFERENCES).value == pytest.approx(expected)
    each = [
        theirs.sentence_bleu(few, reply, weights, smooth)
        for few, reply in zip(references, replies, strict=True)
    ]
    ours = metric(f"sbleu:{settings}").segments(REPLIES, REFERENCES)
    np.testing.assert_allclose(ours, each, atol=1e-12)


@pytest.mark.parametrize("smooth", [False, True])
def test_hugging_face(smooth):
    """The formula of its module ``bleu``, by hand: shortest references, +1 for every order."""
    matches, totals, length, reference_length = [0] * 4, [0] * 4, 0, 0
    for reply, few in zip(REPLIES, REFERENCES, strict=True):
        words = reply.split()
        length += len(words)
        reference_length += min(len(each.split()) for each in few)
        for n in range(1, 5):
            grams = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
            most = Counter()
            for each in few:
                other = each.split()
                most |= Counter(tuple(other[i : i + n]) for i in range(len(other) - n + 1))
            matches[n - 1] += (grams & most).total()
            totals[n - 1] += grams.total()
    added = int(smooth)
    ps = [(m + added) / (t + added) for m, t in zip(matches, totals, strict=True)]
    ratio = length / reference_length
    expected = math.exp(sum(map(math.log, ps)) / 4) * (1 if ratio > 1 else math.exp(1 - 1 / ratio))
    ours = metric(f"bleu:compat=hf,smooth={smooth}").corpus(REPLIES, REFERENCES).value
    assert ours == pytest.approx(expected, abs=1e-14)


def test_laplace_scores_what_matches_nothing():
    # p_1 = (0 + 1) / (2 + 1), p_2 = (0 + 1) / (1 + 1)
    value = BLEU(smoothing="laplace").corpus(["a b"], [["c d"]]).value
    assert value == pytest.approx(math.sqrt(1 / 3 * 1 / 2))
    assert BLEU(smoothing="laplace", smoothing_value=0.5).corpus(["a"], [["a"]]).value == 1


@pytest.mark.parametrize("least", [0, -1])
def test_a_least_total_below_1_is_refused(least):
    for kind in (BLEU, SentenceBLEU):
        with pytest.raises(ParameterError, match="must be 1 or more"):
            kind(minimum_total=least)


def test_older_signatures_stay():
    assert BLEU().signature().partition("|version")[0] == (
        "bleu|order:2|tok:13a|case:mixed|smooth:none|eff:no|references:all"
    )
    assert "minimum_total:1" in metric("bleu:compat=nltk").signature()
