"""Options in the text of one verb that stands in the result of another."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
_NAMED = re.compile(r"'rejoinder [^']*$")


def with_their_verb(text: str, verb: str, here: str = "report") -> str:
    """A text of one verb for the result of another: an option that only the first has names its verb.

    Args:
        text: What the verb says, such as "--all-pairs prints a row for each pair".
        verb: The verb that says it.
        here: The verb in whose result it stands.

    >>> with_their_verb("--all-pairs prints a row for each pair, --json all numbers", "compare")
    "'rejoinder compare' with --all-pairs prints a row for each pair, --json all numbers"
    >>> with_their_verb("'rejoinder audit --save-replies' writes them", "audit")
    "'rejoinder audit --save-replies' writes them"
    """

    def named(match: re.Match[str]) -> str:
        option = match[0]
        if _NAMED.search(text[: match.start()]):
            return option
        only_there = option in options_of(verb) and option not in options_of(here)
        return f"'rejoinder {verb}' with {option}" if only_there else option

    return _OPTION.sub(named, text)


@cache
def options_of(verb: str) -> frozenset[str]:
    """The names of the options of a verb, all spellings.

    The package of the verbs stands above this one, so it is found by name.
    """
    command = getattr(import_module(f"rejoinder.cli.verbs.{verb}"), verb)
    return frozenset(name for each in command.params for name in each.opts)
