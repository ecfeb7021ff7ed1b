"""What holds for every recipe, and for the tables of names that are imported when needed."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import rejoinder
from rejoinder.cli.verbs.recipe import recipe as group
from rejoinder.recipes.registry import RECIPES

ROOT = Path(__file__).parents[2]


def test_the_commands_are_the_recipes():
    assert set(group.commands) == set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe(name):
    recipe = RECIPES[name]
    command = group.commands[name]
    assert (ROOT / "docs" / recipe.page).exists()
    assert command.short_help == f"{recipe.paper}: {recipe.question}"
    package = import_module(f"rejoinder.recipes.{name.replace('-', '_')}")
    assert recipe.run in (getattr(package, each) for each in package.__all__)
    assert [name for name in package.__all__ if not callable(getattr(package, name))] == []
    parameters = inspect.signature(recipe.run).parameters
    assert parameters["seed"].default == 12345
    assert "Raises:" in (recipe.run.__doc__ or "")
    # One call does what the command does: its options are the call's parameters.
    options = {each.name for each in command.params}
    shared = {"criterion", "order", "permutations", "resamples", "without", "missing", "systems"}
    assert (options & shared) - {"order"} <= set(parameters)


def test_public_names_load_from_where_type_checkers_find_them():
    source = ast.parse(Path(rejoinder.__file__).read_text())
    (block,) = (node for node in source.body if isinstance(node, ast.If))
    typed = {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == rejoinder._HOMES
    assert sorted({*typed, "__version__"}) == sorted(rejoinder.__all__)
    for name in typed:
        assert getattr(rejoinder, name) is not None
