"""Writes the tables of docs/commands.md and docs/responders.md from the declarations of options and settings.

Run ``python docs/commands.py`` (or ``make docs``) after one of them changes;
``tests/unit/test_commands_page.py`` compares the pages.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import click

from rejoinder.cli.app import app
from rejoinder.cli.declarations import settings_of
from rejoinder.responders.phrase.parameters import described_phrase_settings
from rejoinder.responders.seq2seq.parameters import PRESETS, described_settings, preset_named

FOLDER = Path(__file__).parent


def verbs(group: click.Group = app, path: str = "") -> dict[str, click.Command]:
    """Every verb by its path, without the groups of verbs."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            found |= verbs(command, f"{path}{name} ")
        elif command is not None:
            found[f"{path}{name}"] = command
    return found


def options(command: click.Command) -> list[click.Option]:
    """The options of a verb that its help shows."""
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def of_verbs() -> str:
    """A table of the verbs with their arguments, and one of the options with the verbs that have them."""
    by_name: dict[str, list[tuple[str, click.Option]]] = defaultdict(list)
    rows = ["| verb | what it does |", "|---|---|"]
    for path, command in verbs().items():
        context = click.Context(command)
        arguments = [each for each in command.params if isinstance(each, click.Argument)]
        words = " ".join(["rejoinder", path, *(each.make_metavar(context) for each in arguments)])
        first = (command.help or "").partition("\n\n")[0].replace("\n", " ")
        rows.append(f"| `{_cell(words)}` | {_cell(first.strip())} |")
        for option in (*options(command), *settings_of(command)):
            by_name[option.opts[0]].append((path, option))
    rows += ["", "| option | meaning | verbs |", "|---|---|---|"]
    for places in (by_name[name] for name in sorted(by_name, key=lambda each: each.lstrip("-"))):
        option = places[0][1]
        value = "" if option.is_flag else f" {option.make_metavar(click.Context(app))}"
        value = "" if " " in option.opts[0] else value
        names = ", ".join(f"`{each}`" for each in option.opts)
        helps = dict.fromkeys(each.help or "" for _, each in places)
        of = "every verb" if len(places) == len(verbs()) else ", ".join(path for path, _ in places)
        shown = f"{names}{f' `{_cell(value.strip())}`' if value else ''}"
        rows.append(f"| {shown} | {_cell(max(helps, key=len))} | {of} |")
    return "\n".join(rows)


def of_settings() -> str:
    """A table of the settings of replying systems, with their values in each preset."""
    rows = [f"| setting | meaning | {' | '.join(PRESETS)} |", "|---|---|" + "---|" * len(PRESETS)]
    for name, _, _, meaning in described_settings():
        values = (f"{getattr(preset_named(preset), name):g}" for preset in PRESETS)
        rows.append(f"| `{name}` | {_cell(meaning)} | {' | '.join(values)} |")
    for name, _, default, meaning in described_phrase_settings():
        rows.append(f"| `{name}` | {_cell(meaning)} | {' | '.join([default] * len(PRESETS))} |")
    return "\n".join(rows)


PAGES = {"commands.md": of_verbs, "responders.md": of_settings}
"""By page what stands between its two marks."""


def made(name: str) -> str:
    """The whole page as it should be."""
    page = (FOLDER / name).read_text("utf-8")
    marks = re.compile(r"(<!-- made by docs/commands.py -->\n).*?(\n<!-- end -->)", re.S)
    return marks.sub(lambda found: found[1] + "\n" + PAGES[name]() + "\n" + found[2], page, count=1)


if __name__ == "__main__":
    for each in PAGES:
        text = made(each)
        (FOLDER / each).write_text(text, encoding="utf-8")
