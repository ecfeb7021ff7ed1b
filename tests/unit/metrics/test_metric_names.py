"""What an unknown name of a metric or of a parameter is answered with."""

import pytest

from rejoinder.errors import ParameterError
from rejoinder.metrics import registry
from shared_data import SYSTEMS, TESTSET


def asked(typed):
    with pytest.raises(ParameterError) as error:
        registry.metric(typed)
    _, found, rest = str(error.value).partition("did you mean '")
    return rest.partition("'?")[0] if found else ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("BLEU-4", "bleu:order=4"),
        ("bleu4", "bleu:order=4"),
        ("deltaBLEU-2", "deltableu:order=2"),
        ("sBLEU-3", "sbleu:order=3"),
        ("avg-max BLEU-2", "ambleu:order=2"),
        ("distinct-1", "distinct:order=1"),
        ("entropy-2", "entropy:order=2"),
        ("ROUGE-L", "rougeL"),
        ("ROUGE-1", "rouge1"),
        ("chrF++", "chrf:word_order=2"),
        ("ROUGE-3", "rouge:variant=3"),
        ("rogueL", "rougeL"),
        ("metoer", "meteor"),
        ("xyz", ""),
    ],
)
def test_the_label_of_a_table_is_answered_with_what_to_type(typed, meant):
    assert asked(typed) == meant


@pytest.mark.parametrize("name", registry.METRICS)
def test_the_label_of_every_metric_leads_to_it(name):
    metric = registry.METRICS[name]()
    try:
        again = registry.metric(metric.label)
    except ParameterError:
        again = registry.metric(asked(metric.label))
    assert again == metric


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bleu:order=4,tokenize=zh", "tokenizer=zh"),
        ("bleu:lc=true", "lowercase=true"),
        ("bleu:smooth_method=exp", "smoothing=exp"),
        ("rougeL:use_stemmer=true", "stemmer=true"),
        ("chrf:word_ordr=2", "word_order=2"),
        ("bleu:order", "order=VALUE"),
        ("bleu:=3", ""),
        ("rougeL:quux=1", ""),
    ],
)
def test_a_parameter_nearly_right_is_answered_with_the_right_one(typed, meant):
    assert asked(typed) == meant


def test_an_unknown_name_is_told_how_scores_of_another_tool_come_in(command):
    with pytest.raises(ParameterError, match=r"too: External\(name, read_scores\(FILE\)\)$"):
        registry.metric("f1")
    for verb, option in (("score", True), ("compare", True), ("explain-diff", False)):
        status, _, err = command(verb, TESTSET, SYSTEMS[0], "-m", "f1")
        assert status == 2
        assert err.rstrip().endswith("are metrics too: --scores FILE") == option
        assert "External" not in err
