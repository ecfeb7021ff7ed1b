"""Every option of every verb changes what it says it changes.

The list of verbs and options is the command's own: an option without a row in tests/settings fails.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import click
import pytest

from json_schemas import faults, is_json, path_of
from rejoinder.cli.app import app
from rejoinder.cli.declarations import SettingsOption
from rejoinder.cli.terminal import progress
from rejoinder.cli.verb_group import quiet
from rejoinder.recipes.khayrallah2021 import study as khayrallah2021
from settings import EXEMPT, FEW, ROWS, USUAL, recipes
from settings.row import Commands
from settings.world import FewItems, World


def options(command=app, verb=()):
    """Every (verb, option) of a command and of the commands below it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from options(command.get_command(context, name), (*verb, name))
        return
    for each in command.params:
        if isinstance(each, SettingsOption) and each.further is None:
            continue  # every setting has rows of its own
        if isinstance(each, click.Option) and each is not quiet:  # tests/unit/cli/test_cli_quiet.py
            yield " ".join(verb), each.opts[0]


@cache
def schema(verb):
    """What docs/schemas says of the JSON of a verb."""
    return json.loads(path_of(verb).read_text("utf-8"))


@cache
def faults_of(verb, out):
    """What is wrong in the JSON of a verb; the base command of many rows is looked at once."""
    return list(faults(json.loads(out), schema(verb)))[:3]


@pytest.fixture(scope="session")
def worlds(tmp_path_factory):
    """The commands on all items, and on a few."""
    folder = tmp_path_factory.mktemp("settings")
    for name in ("given", "made", "few"):
        (folder / name).mkdir()
    whole = World(folder / "given")
    both = ((whole, "made"), (FewItems(whole), "few"))
    return [Commands(USUAL, world, folder / name) for world, name in both]


@pytest.fixture(autouse=True)
def calm(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)  # a busy machine must not add words
    monkeypatch.setenv("COLUMNS", "160")


def test_every_option_has_a_row():
    rows = {(row.verb, row.option) for row in ROWS} | set(EXEMPT)
    there = set(options())
    assert sorted(there - rows) == [], "options without a row in tests/settings"
    assert sorted(rows - there) == [], "rows of options that there are not"


def tried():
    """Every row; those of which the default part takes twelve items take all under ``slow``."""
    for row in ROWS:
        yield pytest.param(row, id=str(row), marks=[pytest.mark.slow] * row.slow)
        if row.verb in FEW:
            every = replace(row, few=False)
            yield pytest.param(every, id=f"{row} of all items", marks=pytest.mark.slow)


@pytest.mark.parametrize("row", [*tried()])
def test_what_an_option_does(row, worlds, monkeypatch):
    monkeypatch.setattr(khayrallah2021, "settings", recipes.sizes)
    commands = worlds[row.few]
    before, after = commands.both(row)
    for result, status in zip((before, after), row.status, strict=True):
        assert result.status == status, result.err or result.out
        assert "Traceback" not in result.err
        if is_json(result.out):
            assert faults_of(row.verb, result.out) == []
    assert row.differs or row.effect or row.as_usual, "the row says nothing"
    if row.differs:
        assert before.at(row.differs) != after.at(row.differs)
    if row.keeps:
        assert before.at(row.keeps) == after.at(row.keeps)
    if row.as_usual:
        usual = commands.of(USUAL[row.verb])
        assert after.at(row.as_usual) == usual.at(row.as_usual)
    if row.effect:
        assert row.effect(before, after), (before.out[-2000:], after.out[-2000:], before.err)
