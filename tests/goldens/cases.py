"""The cases of which there are goldens: every option of every verb, and more."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import click

from command_line import commands
from format_examples import examples
from goldens.world import FormatWorld
from rejoinder.cli.verb_group import quiet
from settings import ROWS, USUAL

FOLDER = Path(__file__).parent

_MODELS = "responder|phrases|ruber|other_ruber|vectors|encoder|language_model|chat_model"
_TRAINING = ("train ", "sweep", "recipe khayrallah2021", "recipe systems2015")


_SMALLER = {
    "annotate page": "{usual} --sample 3",
    "mine": "mine {corpus} {testset} -o {out}/m.jsonl --candidates 3",
    "plan": "{usual} --items 15 --items 60 --raters-per-reply 3",
    "report": "{usual} --without generic",
}
"""Usual commands that print or write less than those of the table of settings."""

USUALS = {
    verb: _SMALLER.get(verb, "{usual}").replace("{usual}", words) for verb, words in USUAL.items()
}
"""The usual command of each verb, with placeholders for files of the world."""

_HEAVY = (
    "annotate page",
    "annotate serve",
    "audit",
    "correlate",
    "plan",
    "recipe galley2015",
    "report",
    "tune",
)
"""Verbs that take time: but for their usual command they are left to the slow part."""

_READS_ALIKE = (
    "compare",
    "explain-diff",
    "judge",
    "mark",
    "weigh",
    "variety",
    "recipe negative-references",
)
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
    given = re.findall(r"(?<!\S)(?:--set \w+|--?[a-z][a-z0-9-]*)", words)
    given += ["--set"] * any(name.startswith("--set ") for name in given)
    return {OPTIONS.get((verb, name), name) for name in given}


@dataclass(frozen=True)
class Case:
    """Commands whose outcomes stand in one golden.

    Attributes:
        verb: For example ``score`` or ``train ruber``.
        name: What the file is called.
        commands: Command lines with placeholders for what is in the world; each finds nothing written.
        models: Whether they need torch.
        items: How many items there are in the world; 0: the world has a file of every format.
        slow: Whether they are left to the slow part.
        option: Whether it is of a row of the table of settings, whose JSON test_every_setting.py looks at.
    """

    verb: str
    name: str
    commands: tuple[str, ...]
    models: bool = False
    items: int = 15
    slow: bool = False
    option: bool = False

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
    if re.search(r"\{(chat|hesitant)\}", words) and "concurrency=" not in words:
        words += " --set concurrency=1"  # kept answers stand in the order in which they came
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
    given = {verb: options_in(verb, words) for verb, words in USUALS.items()}
    cases = [_both(verb, words, "usual") for verb, words in USUALS.items()]
    for row in ROWS:
        usual = row.usual or USUALS[row.verb]
        for name, other in row.where.items():
            usual = usual.replace(f"{{{name}}}", f"{{{other}}}")
        known, here = given[row.verb], options_in(row.verb, f"{row.also} {row.more}")
        if row.option in ("--tables", "--ledger") or (
            row.verb in _LONG and here <= known and not row.status[1]
        ):
            continue  # tables of every form have a case below
        known |= here
        where = " ".join(row.where.values())
        refused = [row.also] if row.status[0] else []
        slow = row.verb in _HEAVY or (where and row.verb in _READS_ALIKE)
        both = [
            _both(row.verb, f"{usual} {words}", _name(f"{where} {words}"), bool(slow))
            for words in (*refused, f"{row.also} {row.more}")
        ]
        cases += [replace(each, option=True) for each in both]
    return list({each.commands: each for each in reversed(cases)}.values())[::-1]


_PAIR = "{testset} {systems} -m bleu -m length"
_RATED = f"{_PAIR} --ratings {{ratings}}"
FURTHER = {
    "score": {
        "default-metrics": "{testset} {systems}",
        "kept": "{kept}",
        "kept,metric": "{kept} -m sbleu",
        "one-system": "{testset} {tuned}",
        "one-item": "{one_item} {one_reply}",
        "twins": "{testset} {tuned} {twin} -m bleu -m length",
        "empty-replies": "{testset} {tuned} {empty_replies} -m bleu -m length -m distinct",
        "no-references": "{contexts_csv} {systems} -m distinct -m length",
        "settings-of-metrics": "{testset} {systems} -m bleu:order=4,smoothing=exp -m rouge1:stemmer=true"
        " -m chrf -m ter -m deltableu",
        "quiet": "{testset} {systems} -m bleu -q",
    },
    "compare": {
        "default-metrics": "{testset} {systems}",
        "kept": "{kept}",
        "kept,ratings": "{kept} --ratings {some_ratings}",
        "one-system": "{testset} {tuned} -m bleu",
        "one-item": "{one_item} {one_reply} {other_reply} -m length",
        "twins": "{testset} {tuned} {twin} -m bleu -m length",
        "seven-systems": "{testset} {seven_systems} -m length -m bleu",
        "digits,margin": f"{_PAIR} --digits 3 --margin bleu=0.1 --ranks",
        "people": f"{_PAIR} --ratings {{some_ratings}} --ranks --anytime --correction max",
    },
    "correlate": {
        "kept": "{kept} --ratings {ratings}",
        "system": f"{_RATED} -p system",
        "pairwise": f"{_RATED} -p pairwise",
        "one-system": "{testset} {tuned} --ratings {ratings} -m bleu",
        "all-threes": f"{_PAIR} --ratings {{all_threes}}",
        "few-ratings": f"{_PAIR} --ratings {{few_ratings}}",
    },
    "ratings": {
        "one-rater": "{one_rater}",
        "all-threes": "{all_threes}",
        "few-ratings": "{few_ratings}",
        "no-ratings": "{systems}",
    },
    "preferences": {
        "all-ties": "{all_ties}",
        "one-winner": "{one_winner}",
        "davidson,all-ties": "{all_ties} --ties davidson",
        "ratings-for-comparisons": "{ratings}",
    },
    "judge": {
        "scores": "{testset} {systems} --scores {judge_scores} --ratings {ratings}",
        "one-rater": f"{_PAIR} --ratings {{one_rater}}",
        "all-threes": f"{_PAIR} --ratings {{all_threes}}",
        "few-ratings": f"{_PAIR} --ratings {{few_ratings}}",
        "one-system": "{testset} {tuned} --ratings {ratings} -m bleu",
    },
    "audit": {
        "one-system": "{testset} {tuned} -m bleu",
        "scores": "{testset} {systems} --scores {judge_scores}",
    },
    "plan": {
        "default-grid": "{testset} {systems} -m bleu --ratings {ratings}",
        "no-ratings": f"{_PAIR} --items 30",
        "one-rater": f"{_PAIR} --ratings {{one_rater}} --items 30",
        "all-threes": f"{_PAIR} --ratings {{all_threes}} --items 30",
    },
    "report": {
        "scores-alone": "{testset} {systems} -m bleu -o {out}/r.md",
        "page": "{testset} {tuned} {other_system} -m bleu --ratings {ratings} -o {out}/r.html",
        "one-system": "{testset} {tuned} -m bleu -o {out}/r.md",
    },
    "explain-diff": {
        "two-tools": "{testset} {tuned} -m bleu:compat=sacrebleu -m bleu:compat=nltk",
    },
    "weigh": {
        "all-threes": "{testset} {systems} --ratings {all_threes} -o {out}/w.jsonl",
        "few-ratings": "{testset} {systems} --ratings {few_ratings} -o {out}/w.jsonl",
    },
    "look": {
        "examples": "{testset} {systems} {ratings} {preferences} {corpus} {judge_scores}",
        "kept": "{kept}",
        "no-file": "none.jsonl",
    },
    "verify": {"kept": "{kept}"},
}
"""Cases besides the options: worlds in which numbers are missing, kept scores, default metrics."""

TABLES = ("md", "tex", "html", "csv")
"""The forms in which printed tables are written."""


def _further() -> list[Case]:
    cases = [
        _both(verb, f"{verb} {words}", name, verb in _HEAVY)
        for verb, rows in FURTHER.items()
        for name, words in rows.items()
    ]
    cases = [
        replace(each, commands=each.commands[:1]) if each.name == "page" else each for each in cases
    ]
    for verb, command in commands().items():
        if not isinstance(command, click.Group):
            cases.append(Case(verb, "help", (f"{verb} --help",)))
    for verb, words in USUALS.items():
        if (verb, "--tables") in OPTIONS:
            usual = _both(verb, words, "usual")
            forms = tuple(f"{usual.commands[0]} --tables {{out}}/t.{each}" for each in TABLES)
            slow = usual.models or verb in _HEAVY
            cases.append(replace(usual, name="tables", commands=forms, slow=slow))
    return cases


def _of_formats() -> list[Case]:
    """Every file of a known format: what look says of it, and what it holds."""
    cases = {}
    for role, form, name, _ in examples():
        file = FormatWorld.path(role, form, name)
        read = (f"look {file}", f"convert {file} --as {role} -o {{out}}/{role}.jsonl")
        named = f"{role}-{form},{name.partition('.')[0]}"
        cases[named] = Case("convert", named, read, items=0)
    return list(cases.values())


_EVERY = [*_of_settings(), *_further(), *_of_formats()]

CASES = {each.path: each for each in _EVERY if not each.models}
"""Every case by the file of its golden."""

WITH_MODELS = [each for each in _EVERY if each.models]
"""What has no golden: the numbers of models that are trained or run here differ between machines."""
