"""Messages of the library on the command line: they name an argument of Python, which is an option here."""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import click

from rejoinder.errors import RejoinderError
from rejoinder.messages import Argument, Call, Placeholder, quoted, spelled_by

COMMANDS = {
    "External(name, read_scores(FILE))": "--scores FILE",
    "as_json()": "--json",
    "compare_with_people": "compare --ratings",
    "rejoinder.compare_with_people with drawn=": "rejoinder compare --ratings --drawn",
    "bounds=(LOW, HIGH)": "--scores FILE:LOW..HIGH",
    "encoder=PATH": "--encoder PATH",
    "ratings=, weights_from= or both": "--ratings FILE, --weights-from METRIC, --scores FILE",
    "weights_from=rejoinder.External(name, scores)": "--scores FILE",
    "export with salvage=True": "rejoinder annotate export --salvage",
    "recipes.galley2015 with references_from=responses": "recipe galley2015 --references-from responses",
    "an audit of other metrics, whose Audit.replies they are": "'rejoinder audit' without --scores and "
    "with --save-replies FILE",
    "Audit.replies": "rejoinder audit --save-replies",
    "Quantity.scores.save": "rejoinder ruq --save",
    "Quantity.save_tokens": "rejoinder ruq --save-tokens",
    "missing='drop'": "--missing drop",
    "missing='pairwise'": "--missing pairwise",
    "rejoinder.compare": "rejoinder compare",
    "rejoinder.compare_with_people": "rejoinder compare --ratings",
    "rejoinder.correlate": "rejoinder correlate",
    "rejoinder.judge": "rejoinder judge --scores",
    "rejoinder.judge(scores, ratings)": "rejoinder judge",
    "rejoinder.preferences": "rejoinder preferences",
    "rejoinder.read_ratings(FILE, values={{'disagree': 1, 'agree': 2}})": "rejoinder convert FILE "
    "--as ratings --values disagree=1,agree=2 -o ratings.csv",
    "rejoinder.convert('LOG', 'NAME.jsonl', kind='responses')": "rejoinder convert LOG --as responses "
    "-o NAME.jsonl",
    "rejoinder.next_items": "rejoinder plan --next",
    "rejoinder.next_items(scores, N)": "rejoinder plan --next N",
    "RatingDesign.save": "rejoinder plan --design --save",
    "Scores.save": "rejoinder score --save",
    "rejoinder.load_scores({0!r}).save('NEW.parquet')": "rejoinder score {0} --save NEW.parquet",
}
"""By call of the library, as a message names it, the command that does the same."""


@contextmanager
def named_as_options() -> Iterator[None]:
    """Lets what the library says in the body name the options of the running command."""
    with spelled_by(partial(_spelled, click.get_current_context())):
        try:
            yield
        except RejoinderError as error:
            error.args = (str(error),)
            raise


def _spelled(context: click.Context, part: Argument | Call) -> str:
    """An argument as the option that gives it, a call as its command; empty: as in Python."""
    if isinstance(part, Call):
        return COMMANDS.get(part.text, "").format(*part.values)
    options = _options_here(context)
    option = options.get(part.option or part.name) or options.get(part.name)
    if option is None:
        return ""
    values = (
        part.value if option.multiple and isinstance(part.value, (list, tuple)) else [part.value]
    )
    name = option.opts[0]
    sign = "=" if " " in name else " "  # --set k1=2
    return " ".join(
        f"{name}{sign}{_word(each)}" if _takes(option, part) else name for each in values
    )


def _takes(option: click.Option, part: Argument) -> bool:
    return not (option.is_flag or part.is_bare or part.value is True)


def _word(value: object) -> str:
    """A value as it is written behind its option."""
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_word(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(_word, value))
    if isinstance(value, float):
        return f"{value:.12g}"
    import shlex

    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return text if shlex.quote(text) == text or isinstance(value, Placeholder) else quoted(text)


_PARTS = {
    "look": ("score", "convert"),
    "report": ("ratings", "preferences", "compare", "correlate"),
    "weigh": ("score",),
}
"""By verb those whose results stand in its own, with their notes; `with_their_verb` adds their names."""


def _options_here(context: click.Context) -> Mapping[str, click.Option]:
    """The options of the running verb, and those of the verbs whose results stand in its own."""
    by_command = [_options(context.command)]
    verbs = context.find_root().command
    for name in _PARTS.get(context.command.name or "", ()):
        part = verbs.get_command(context, name) if isinstance(verbs, click.Group) else None
        by_command += [] if part is None else [_options(part)]
    return ChainMap(*by_command)


def _options(command: click.Command) -> dict[str, click.Option]:
    """By argument of the library the option that gives it."""
    params = [each for each in command.params if isinstance(each, click.Option)]
    options = {
        name[2:].replace("-", "_"): each
        for each in params
        for name in each.opts
        if name[:2] == "--"
    }
    options |= {each.name or "": each for each in params}
    return options | {name: each for each in params for name in getattr(each, "gives", ())}
