"""Messages of the library on the command line: they name an argument of Python, which is an option here."""

from __future__ import annotations

import os
import re
import shlex
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from rejoinder.errors import RejoinderError
from rejoinder.messages import Argument, Call, Placeholder, quoted, spelled_by

_ARGUMENT = re.compile(r"([a-z][a-z_]*)=(?!=)")

_INSIDE = re.compile(r"(?<= )([a-z][a-z_]*)=(True|[A-Z]+|\d+|\['[^\]]*'\]|)(?=[\s,;:)]|\.?$)")
"""An argument within a message, with a value that no text of others looks like, or without one."""


COMMANDS = {
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
    "rejoinder.compare_with_people": "rejoinder compare --ratings",
    "rejoinder.convert('LOG', 'NAME.jsonl', kind='responses')": "rejoinder convert LOG --as responses "
    "-o NAME.jsonl",
    "rejoinder.next_items": "rejoinder plan --next",
    "rejoinder.next_items(scores, N)": "rejoinder plan --next N",
    "Scores.save": "rejoinder score --save",
    "rejoinder.load_scores({0!r}).save('NEW.parquet')": "rejoinder score {0} --save NEW.parquet",
}
"""By call of the library, as a message names it, the command that does the same."""


@contextmanager
def named_as_options() -> Iterator[None]:
    """Lets what the library says in the body name the options of the running command."""
    with spelled_by(_spelled):
        try:
            yield
        except RejoinderError as error:
            error.args = (as_option(str(error)),)
            raise


def _spelled(part: Argument | Call) -> str:
    """An argument as the option that gives it, a call as its command; empty: as in Python."""
    if isinstance(part, Call):
        return COMMANDS.get(part.text, "").format(*part.values)
    context = click.get_current_context(silent=True)
    options = {} if context is None else _options_here(context)
    option = options.get(part.option or part.name) or options.get(part.name)
    if option is None:
        return ""
    values = (
        part.value if option.multiple and isinstance(part.value, (list, tuple)) else [part.value]
    )
    name = option.opts[0]
    return " ".join(f"{name} {_word(each)}" if _takes(option, part) else name for each in values)


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
    found = [_options(context.command)]
    verbs = context.find_root().command
    for name in _PARTS.get(context.command.name or "", ()):
        part = verbs.get_command(context, name) if isinstance(verbs, click.Group) else None
        found += [] if part is None else [_options(part)]
    return ChainMap(*found)


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


def as_option(message: str) -> str:
    """The message with options in the place of arguments that the running command has options for.

    ``seed=-1 must be 0 or more`` becomes ``--seed -1 must be 0 or more``, and ``max_calls= needs
    work=FOLDER`` becomes ``--max-calls needs --work FOLDER``. What a message names as an option already
    stays as it is.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    options = _options(context.command)
    message = _INSIDE.sub(lambda found: _inside(found, options), message)
    message = _of_another_tool(message, "scores" in options)
    start = _ARGUMENT.match(message)
    option = options.get(start[1]) if start else None
    if start is None or option is None or any(f"({name})" in message for name in option.opts):
        return message
    value = message[start.end() :]
    return f"{option.opts[0]}{'' if value[:1] in (' ', ':') else ' '}{value}"


def _inside(found: re.Match[str], options: Mapping[str, click.Option]) -> str:
    """An argument within a message as its option; unchanged where the message names that already."""
    option, value, message = options.get(found[1]), found[2], found.string
    before = message[: found.start()]
    in_parentheses = before.count("(") > before.count(")")  # of a call in Python, mostly
    if option is None or in_parentheses or before.split()[-1:][0].startswith("-"):
        return found[0]
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) for name in option.opts):
        return found[0]
    if value.startswith("["):
        short = min(option.opts, key=len)
        return " ".join(f"{short} {each}" for each in re.findall(r"'([^']*)'", value))
    name = option.opts[0]
    return name if not value or option.is_flag else f"{name} {value}"


def _of_another_tool(message: str, has_option: bool) -> str:
    """How scores of another tool come in: by an option, where the running command has it."""
    if "External(" not in message:
        return message
    from rejoinder.metrics.registry import FROM_ANOTHER_TOOL  # not imported for --help

    how = "; scores that another tool made are metrics too: --scores FILE" if has_option else ""
    return message.replace(FROM_ANOTHER_TOOL, how)
