"""Arguments of Python calls that are of another kind than expected: one message that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument, Placeholder

TESTSET = (
    "a TestSet, a frame, or a list of references for each item; read a file with "
    "rejoinder.read_testset(path)"
)


def expect(given: object, kind: type | tuple[type, ...], name: str, expected: str) -> None:
    """Sees that an argument is of the kind that a function works with.

    Args:
        given: The argument.
        kind: What it must be an instance of.
        name: What the function calls it.
        expected: What was expected and how to get one, in words.

    Raises:
        ParameterError: It is something else.

    >>> expect("testset.jsonl", dict, "scores", "a dictionary")
    Traceback (most recent call last):
    rejoinder.errors.ParameterError: scores is str, expected a dictionary
    """
    if not isinstance(given, kind):
        raise ParameterError(f"{name} is {type(given).__name__}, expected {expected}")


def strings(given: Sequence[str], name: str, of: str) -> tuple[str, ...]:
    """A list of names as a tuple; a single string is no list, though Python would take it for one.

    Args:
        given: The argument.
        name: What the function calls it.
        of: What the names are of, as ``systems``.

    Raises:
        ParameterError: It is no list of strings.

    >>> strings(["a", "b"], "without", "systems")
    ('a', 'b')
    """
    if isinstance(given, str):
        raise ParameterError(f"{name} is a string; expected a list of {of}: {name}=[{given!r}]")
    kinds = (list, tuple, set, frozenset, dict)
    expect(given, kinds, name, f"a list of {of}, each a string")
    names: list[Any] = list(given)
    for each in names:
        expect(each, str, f"an entry of {name}", "a string")
    return tuple(names)


def pair(given: object, name: str) -> None:
    """Sees that an argument is two numbers.

    Raises:
        ParameterError: It is something else.
    """
    expect(given, (tuple, list), name, f"two numbers: {name}=(LOW, HIGH)")
    values: list[Any] = list(given)  # pyright: ignore[reportArgumentType, reportCallIssue]
    if len(values) != 2 or not all(isinstance(each, (int, float)) for each in values):
        raise ParameterError(
            Argument(name, Placeholder(f"{given!r:.60}")),
            "; expected two numbers: ",
            Argument(name, (Placeholder("LOW"), Placeholder("HIGH"))),
        )
