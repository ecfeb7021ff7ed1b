"""Every verb is a call of the library, and every registered metric a class of its package."""

from __future__ import annotations

from functools import partial

import pytest

import rejoinder
from command_line import verbs
from rejoinder import metrics
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
