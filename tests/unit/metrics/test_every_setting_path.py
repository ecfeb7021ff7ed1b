"""The steps from each metric to each other one that settings lead to: they end where they should."""

import itertools

import pytest

from rejoinder.metrics.registry import metric
from rejoinder.metrics.setting_paths import setting_path

FAMILIES = {
    "bleu": [
        "bleu", "bleu:order=4", "bleu:compat=sacrebleu", "bleu:compat=nltk", "bleu:compat=hf",
        "bleu:compat=nlg-eval", "bleu:tokenizer=char", "bleu:lowercase=true", "bleu:smoothing=exp",
        "bleu:smoothing=floor", "sbleu", "sbleu:order=4", "sbleu:compat=nltk",
        "sbleu:brevity=bleu", "deltableu",
    ],
    "rouge": [
        "rougeL", "rougeLsum", "rouge1", "rouge2", "rougeL:compat=nlg-eval", "rougeL:tokenizer=13a",
        "rougeL:compat=rouge-score,use_stemmer=true", "rougeL:compat=hf", "rouge1:tokenizer=char",
        "rougeL:measure=recall", "rougeLsum:compat=rouge-score",
    ],
    "chrf": ["chrf", "chrf:word_order=2", "chrf:lowercase=true", "chrf:compat=sacrebleu"],
    "ter": ["ter", "ter:normalized=true", "ter:compat=sacrebleu"],
}  # fmt: skip
PAIRS = [pair for names in FAMILIES.values() for pair in itertools.product(names, repeat=2)]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_path_ends_at_its_metric_and_each_step_is_what_it_says(first, second):
    begin, end = metric(first), metric(second)
    steps = setting_path(begin, end)
    before = begin
    for step in steps:
        if type(step.metric) is type(before):
            for name, old, new in zip(step.settings, step.before, step.after, strict=True):
                assert getattr(before, name) == old
                assert getattr(step.metric, name) == new
                assert old != new
        before = step.metric
    assert before == end
