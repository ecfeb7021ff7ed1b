"""The cases of which there are goldens: every option of every verb, and more."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import click

from command_line import commands
from goldens.text import CLOSE
from rejoinder.cli.verb_group import quiet
from settings import ROWS, USUAL

FOLDER = Path(__file__).parent

_MODELS = "responder|ruber|other_ruber|vectors|encoder|language_model|chat_model"
_TRAINING = ("train ", "sweep", "recipe khayrallah2021")


_SMALLER = {
    "annotate page": "{usual} --sample 3",
    "mine": "mine {corpus} {testset} -o {out}/m.jsonl --candidates 3",
    "plan": "{usual} --items 15 --items 60 --raters-per-reply 3",
    "report": "{usual} --without generic",
}
"""Usual commands that print or write less than those of the table of settings."""

_HEAVY = (
    "annotate page",
    "annotate serve",
    "audit",
    "correlate",
    "plan",
    "recipe galley2015",
    "report",
)
"""Verbs that take time: but for their usual command they are left to the slow part."""

_READS_ALIKE = ("compare", "explain-diff", "judge", "mark", "weigh", "recipe negative-references")
"""Verbs that read their files as score and correlate do: other files are left to the slow part."""

_LONG = ("annotate page", "annotate serve", "report")
"""Verbs that print or write much: of their rows those alone that add an option."""

_FEW = ("annotate", "convert", "look", "mark", "mine", "respond")
"""Verbs that write a row for each item or reply: five items are enough."""


OPTIONS = {
    (verb, name): each.opts[0]
    for verb, command in commands().items()
    for each in command.params
    if isinstance(each, click.Option) and each is not quiet
    for name in each.opts
}
"""Every name of every option of every verb, with the first name of that option."""


def options_in(verb: str, words: str) -> set[str]:
    """The options that some words of a command give, under their first names."""
    given = re.findall(r"(?<!\S)--?[a-z][a-z-]*", words)
    return {OPTIONS.get((verb, name), name) for name in given}


@dataclass(frozen=True)
class Case:
    """Commands whose outcomes stand in one golden.

    Attributes:
        verb: For example ``score`` or ``train ruber``.
        name: What the file is called.
        commands: Command lines with placeholders for what is in the world; each finds nothing written.
        models: Whether they need torch.
        items: How many items there are in the world.
        slow: Whether they are left to the slow part.
    """

    verb: str
    name: str
    commands: tuple[str, ...]
    models: bool = False
    items: int = 15
    slow: bool = False

    @property
    def close(self) -> float:
        """By how much numbers may differ: what models compute differs between machines."""
        return 5e-3 if self.models else CLOSE

    @property
    def path(self) -> Path:
        return FOLDER / self.verb.replace(" ", "-") / f"{self.name}.txt"

    def __str__(self) -> str:
        return f"{self.verb}: {self.name}"

    @property
    def options(self) -> set[str]:
        """The options that it gives, under their first names."""
        return {name for each in self.commands for name in options_in(self.verb, each)}


def _both(verb: str, words: str, name: str, slow: bool = False) -> Case:
    """A command for people and for programs."""
    words = " ".join(words.replace(" --json", "").split())
    models = bool(re.search(rf"\{{({_MODELS})\}}", words)) or verb.startswith(_TRAINING)
    items = 5 if verb.split()[0] in _FEW else 15
    return Case(verb, name, (words, f"{words} --json"), models, items, models or slow)


def _name(words: str) -> str:
    """The name of a golden for some words of a command: ``by-topic,digits-3``."""
    options = re.split(r"(?:^|\s+)--?(?=[a-z])", re.sub(r"\{out\}/?|[{}']", "", words))
    parts = [re.sub(r"[^\w.=+]+", "-", each).strip("-") for each in options]
    return ",".join(filter(None, parts))


def _of_settings() -> list[Case]:
    """The usual command of each verb, and the commands of each row of the table of settings."""
    usuals = {
        verb: _SMALLER.get(verb, "{usual}").replace("{usual}", words)
        for verb, words in USUAL.items()
    }
    given = {verb: options_in(verb, words) for verb, words in usuals.items()}
    cases = [_both(verb, words, "usual") for verb, words in usuals.items()]
    for row in ROWS:
        usual = usuals[row.verb]
        for name, other in row.where.items():
            usual = usual.replace(f"{{{name}}}", f"{{{other}}}")
        known, here = given[row.verb], options_in(row.verb, f"{row.also} {row.more}")
        if row.verb in _LONG and here <= known and not row.status[1]:
            continue
        known |= here
        where = " ".join(row.where.values())
        refused = [row.also] if row.status[0] else []
        slow = row.verb in _HEAVY or (where and row.verb in _READS_ALIKE)
        cases += [
            _both(row.verb, f"{usual} {words}", _name(f"{where} {words}"), bool(slow))
            for words in (*refused, f"{row.also} {row.more}")
        ]
    return list({each.commands: each for each in reversed(cases)}.values())[::-1]


CASES = {each.path: each for each in _of_settings() if not each.models}
