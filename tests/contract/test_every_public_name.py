"""Every verb is a call of the library, and every registered metric a class of its package."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest

import rejoinder
from command_line import verbs
from rejoinder import metrics
from rejoinder.cli.app import run
from rejoinder.metrics.registry import METRICS

OTHER_NAMES = {"filter": "filter_corpus"}
WITHOUT_A_CALL = {
    "annotate export": "writes what 'annotate serve' collected",
    "annotate page": "writes a page of a study that 'annotate serve' could serve",
    "annotate serve": "serves a page until it is stopped",
    "metrics": "lists the registry of metrics",
}
RECIPE = "recipe "  # listed in rejoinder.recipes.registry: test_every_recipe.py


@pytest.mark.parametrize("verb", [each for each in verbs() if not each.startswith(RECIPE)])
def test_a_verb_is_a_call_of_the_library(verb):
    name = OTHER_NAMES.get(verb, verb.replace(" ", "_").replace("-", "_"))
    assert (name in rejoinder.__all__) != (verb in WITHOUT_A_CALL)
    if verb not in WITHOUT_A_CALL:
        call = getattr(rejoinder, name)
        assert callable(call)
        assert call.__doc__


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_exported_by_its_package(name):
    make = METRICS[name]
    metric = make.func if isinstance(make, partial) else make
    assert metric.__name__ in metrics.__all__
    assert getattr(metrics, metric.__name__) is metric


def test_tab_finds_the_metrics_and_nothing_is_loaded_before():
    code = (
        "import sys, rejoinder\n"
        "assert {'metrics', 'errors'} <= set(dir(rejoinder))\n"
        "assert not {'rejoinder.metrics', 'numpy', 'polars'} & set(sys.modules)\n"
        "assert dir(rejoinder.metrics) == sorted(rejoinder.metrics.__all__)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("rejoinder score -m delta", ["deltableu"]),
        ("rejoinder compare --metric chrf:be", ["chrf:beta="]),
        ("rejoinder score -m nothing:", []),
    ],
)
def test_tab_completes_the_name_of_a_metric(words, offered, monkeypatch, capsys):
    monkeypatch.setenv("_REJOINDER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert run([]) == 0
    assert capsys.readouterr().out.split() == [f"plain,{each}" for each in offered]


def test_modules_of_metrics_are_found_by_name():
    program = "import rejoinder; assert rejoinder.metrics.bleu.BLEU is rejoinder.metrics.BLEU"
    subprocess.run([sys.executable, "-c", program], check=True)
