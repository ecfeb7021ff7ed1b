"""Options that take one of several words offer what the library's registries know, no more or less."""

from typing import get_args

import click
import pytest

from command_line import commands, verbs
from rejoinder.annotation.platforms.registry import PLATFORMS
from rejoinder.annotation.task import KINDS as KINDS_OF_JUDGEMENTS
from rejoinder.annotation.task import MARKUPS
from rejoinder.corpora.entropy_filter import SIDES
from rejoinder.human_evaluation.by_people.families import Correction
from rejoinder.human_evaluation.rater_effects import RaterEffects
from rejoinder.meta_evaluation.dialogue_level import RULES
from rejoinder.meta_evaluation.leave_own_out_units import CHOICES
from rejoinder.meta_evaluation.protocols import PROTOCOLS
from rejoinder.meta_evaluation.with_people.compare import Population
from rejoinder.metrics.ruber import OUTPUTS, REFERENCED
from rejoinder.models.likelihood.prompts import TEMPLATES
from rejoinder.models.ruber.registry import SIZES
from rejoinder.planning.correlations import NORMAL
from rejoinder.planning.design import Goal
from rejoinder.recipes.galley2015.study import REFERENCES_FROM
from rejoinder.responders.phrase.parameters import KIND
from rejoinder.responders.seq2seq.parameters import KINDS, PRESETS
from rejoinder.statistics.aggregation import AGGREGATIONS
from rejoinder.statistics.annotator_test import Alignment
from rejoinder.statistics.correlation import CORRELATIONS
from rejoinder.statistics.paired_comparisons import Ties
from rejoinder.statistics.rating_matrix import Severity
from rejoinder.tables.registry import KINDS as KINDS_OF_TABLES
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tuning.data import METRICS
from rejoinder.tuning.grid import GRIDS, PRUNINGS, SAMPLERS

PAIRWISE = [word for kind in get_args(MissingOrPairwise) for word in get_args(kind) or (kind,)]
REGISTRIES = {
    "--platform": PLATFORMS,
    "--judgement": KINDS_OF_JUDGEMENTS,
    "--set markup": MARKUPS,
    "--alignment": get_args(Alignment),
    "--as": [kind.replace(" ", "") for kind in KINDS_OF_TABLES],
    "--correlation": CORRELATIONS,
    "--grid": GRIDS,
    "--kind": (*KINDS, KIND),
    "--leave-own-out": CHOICES,
    "--missing": PAIRWISE,
    "--preset": PRESETS,
    "--protocol": PROTOCOLS,
    "--set prune": PRUNINGS,
    "--rater-effects": get_args(RaterEffects),
    "--raters": AGGREGATIONS,
    "--set referenced": REFERENCED,
    "--references-from": REFERENCES_FROM,
    "--reply-metric": METRICS,
    "--sampler": SAMPLERS,
    "--side": SIDES,
    "--size": SIZES,
    "--set template": TEMPLATES,
    "--ties": get_args(Ties),
    "--set aggregate_turns": RULES,
    "--set unreferenced": OUTPUTS,
    "compare --correction": get_args(Correction),
    "compare --population": get_args(Population),
    "--rater-severity": get_args(Severity),
    "plan --correlation": NORMAL,
    "plan --goal": get_args(Goal),
}
"""By option, and by verb and option where a verb has fewer or more."""


@pytest.mark.parametrize("verb", verbs())
def test_the_words_are_those_of_the_registry(verb):
    for option in commands()[verb].params:
        if isinstance(option.type, click.Choice):
            name = option.opts[0]
            known = REGISTRIES.get(f"{verb} {name}", REGISTRIES.get(name))
            assert known is not None, f"{verb} {name} has no row here"
            assert sorted(option.type.choices) == sorted(known), (verb, name)
