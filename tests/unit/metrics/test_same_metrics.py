"""One metric under two spellings is measured once; what differs in any number is two metrics."""

import itertools
import logging

import numpy as np
import polars as pl
import pytest

from rejoinder.errors import ParameterError
from rejoinder.metrics import BLEU, External, registry

SAME = [
    ("bleu", "bleu:reference_length=closest"),
    ("bleu", "bleu:order=2"),
    ("bleu:order=4,smoothing=exp", "bleu:compat=sacrebleu"),
    ("bleu:smoothing=floor", "bleu:smoothing=floor,smoothing_value=0.1"),
    ("bleu:smoothing=laplace", "bleu:smoothing=laplace,smoothing_value=1"),
    ("sbleu:smoothing=floor", "sbleu:smoothing=method1"),
    ("sbleu", "sbleu:smoothing_value=1"),
    ("deltableu", "deltableu:smoothing=none"),
    ("deltableu:reading=authors-code", "deltableu:reading=authors-code,smoothing=exp"),
    ("rougeLsum", "rougeLsum:sentences=lines"),
    ("rougeLsum", "rouge:variant=Lsum"),
    ("rougeL:tokenizer=rouge", "rougeL:lowercase=true"),
    ("ROUGEL", "rougeL"),
]
OTHERS = [
    ("bleu", "bleu:reference_length=shortest"),
    ("bleu", "bleu:minimum_total=1"),
    ("bleu:smoothing=floor", "bleu:smoothing=floor,smoothing_value=0.2"),
    ("deltableu", "deltableu:smoothing=exp"),
    ("sbleu", "sbleu:brevity=bleu"),
    ("rougeL", "rougeL:measure=recall"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_one_metric_is_measured_once_and_a_note_says_so(first, second, caplog):
    with caplog.at_level(logging.WARNING):
        metrics = registry.metrics([first, "length", second])
    assert list(metrics) == [registry.metric(first).label, "length"]
    (note,) = caplog.messages
    assert note == f"'{second}' is the same metric as '{first}'; it is scored once"


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_numbers_of_the_same_metric_are_the_same(first, second):
    rng = np.random.default_rng(7)
    words = ["a", "b", "c", "d", "e", "f."]
    texts = [" ".join(rng.choice(words, rng.integers(1, 8))) for _ in range(60)]
    replies, references = texts[:20], [[one, two] for one, two in itertools.pairwise(texts[19:40])]
    first, second = registry.metric(first), registry.metric(second)
    values = [each.corpus(replies, references).value for each in (first, second)]
    assert values[0] == values[1]
    assert (first.segments(replies, references) == second.segments(replies, references)).all()


@pytest.mark.parametrize(("first", "second"), OTHERS)
def test_two_metrics_stay_two(first, second, caplog):
    assert len(registry.metrics([first, second])) == 2
    assert not caplog.messages


@pytest.mark.parametrize("wanted", [["bleu", "bleu"], [BLEU(), BLEU(order=2)]])
def test_the_same_words_twice_are_a_mistake(wanted):
    with pytest.raises(ParameterError, match="wanted twice"):
        registry.metrics(wanted)


def test_scores_of_other_tools_are_not_compared():
    frame = pl.DataFrame({"system": ["a", "a"], "id": ["1", "2"], "score": [1.0, 2.0]})
    with pytest.raises(ParameterError, match="wanted twice"):
        registry.metrics([External("bleu", frame), External("bleu", frame)])


def test_the_command_line_has_one_column_and_the_note(command, caplog):
    from shared_data import SYSTEMS, TESTSET

    given = ["-m", "rougeLsum", "-m", "rougeLsum:sentences=lines", "--resamples", 0]
    status, out, err = command("score", TESTSET, SYSTEMS[0], *given)
    assert status == 0, err
    assert out.count("ROUGE-Lsum") == 2  # the heading and the signature
    assert "'rougeLsum:sentences=lines' is the same metric as 'rougeLsum'" in caplog.text
