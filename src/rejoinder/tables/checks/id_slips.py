"""Why the ids of two tables do not match, where it is one of the frequent errors."""

from __future__ import annotations

from collections.abc import Sequence

from rejoinder.messages import quoted, some_of


def slip(
    unknown: Sequence[str], given: Sequence[str], known: Sequence[str], table: str, other: str
) -> str:
    """What ids that do not match have in common, as the remedy of a message.

    Args:
        unknown: Ids of a table that the other one does not have; at least one.
        given: All ids of the table.
        known: The ids of the other table.
        table: What the table is called, a plural.
        other: What the other table is called.

    >>> slip(["C1"], ["C1"], ["c1"], "ratings", "test set")
    'they differ in upper and lower case alone; write them alike'
    >>> slip(["0"], ["0", "1"], ["1", "2"], "ratings", "test set")
    'the ids look off by one: the ratings count from 0, those of the test set from 1'
    >>> slip(["talk/1"], ["talk/1"], ["1"], "ratings", "test set")[:61]
    "they differ in the data set before the slash alone ('talk/1')"
    """
    if {_tail(i) for i in given} & {_tail(i) for i in known} and not set(given) & set(known):
        with_name = next((i for i in (*given, *known) if "/" in i), "")
        if with_name:
            return (
                f"they differ in the data set before the slash alone ({quoted(with_name)}); read the "
                "files of all data sets as they were published (GRADE: the folder eval_data/NAME and "
                "human_judgement.json), or those of this data set alone"
            )
    for hint, normalised in (
        ("they differ in white space alone; strip it", str.strip),
        ("they differ in upper and lower case alone; write them alike", str.lower),
        ("they are equal as whole numbers; write them alike (1, not 1.0 or 01)", _whole),
    ):
        names = {normalised(i) for i in known}
        if all(normalised(i) in names for i in unknown):
            return hint
    if step := shift(given, known):
        starts = (0, 1) if step == 1 else (1, 0)
        return (
            f"the ids look off by one: the {table} count from {starts[0]}, those of the {other} "
            f"from {starts[1]}"
        )
    return f"the ids of the {other} look like {first_few(known)}"


def shift(given: Sequence[str], known: Sequence[str]) -> int:
    """The step, 1 or -1, that takes every id given to one that is known; 0 where none does.

    >>> shift(["0", "1"], ["1", "2", "3"]), shift(["1", "4"], ["1", "2", "3"])
    (1, 0)
    """
    items = set(known)
    if all(i.isdecimal() for i in given):
        for step in (1, -1):
            if {str(int(i) + step) for i in given} <= items:
                return step
    return 0


def first_few(names: Sequence[str], count: int = 3) -> str:
    """The first names in quotes, and how many more there are.

    >>> first_few(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 1 more"
    """
    return some_of([quoted(name) for name in names], count)


def _tail(name: str) -> str:
    return name.rpartition("/")[2]


def _whole(text: str) -> str:
    try:
        return str(int(float(text))) if float(text).is_integer() else text
    except (ValueError, OverflowError):
        return text
