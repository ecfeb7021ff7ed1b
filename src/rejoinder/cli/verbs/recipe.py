"""``rejoinder recipe``: whole studies of papers, on data of your own."""

from __future__ import annotations

import click

from rejoinder.cli.verb_group import VerbGroup
from rejoinder.cli.verbs.recipe_galley2015 import galley2015
from rejoinder.cli.verbs.recipe_khayrallah2021 import khayrallah2021
from rejoinder.cli.verbs.recipe_negative_references import negative_references
from rejoinder.cli.verbs.recipe_references import references
from rejoinder.cli.verbs.recipe_systems2015 import systems2015
from rejoinder.cli.verbs.recipe_tao2018 import tao2018


@click.group(cls=VerbGroup)
def recipe() -> None:
    """Repeat the study of a paper on your own data."""


for _command in (galley2015, khayrallah2021, negative_references, references, systems2015, tao2018):
    recipe.add_command(_command)
