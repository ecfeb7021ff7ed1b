"""One table with prompts, references and replies: its items, and their ids where it has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from rejoinder.errors import InputError
from rejoinder.messages import quoted
from rejoinder.tables.notes import note


def made_ids(
    items: Sequence[Hashable], systems: Sequence[str] | None, where: str = ""
) -> list[str]:
    """Ids of the rows of a table that has none: ``"1"``, ``"2"``, ...

    Args:
        items: For each row its context and references.
        systems: For each row its system: rows with the same item are replies of several systems to
            it. An item that a system answered twice is two items. None: each row is an item.
        where: The file, for a line of the log; empty where it was logged already.

    >>> made_ids(["Hi", "Ho", "Hi", "Ho"], ["a", "a", "b", "b"])
    ['1', '2', '1', '2']
    """
    if where:
        note("no ids", where)
    if systems is None:
        return [str(number) for number in range(1, len(items) + 1)]
    times: Counter[tuple[str, Hashable]] = Counter()
    numbers: dict[tuple[Hashable, int], str] = {}
    ids = []
    for item, system in zip(items, systems, strict=True):
        times[system, item] += 1
        ids.append(numbers.setdefault((item, times[system, item]), str(len(numbers) + 1)))
    return ids


def are_replies(columns: Iterable[Iterable[object]]) -> bool:
    """Whether columns hold what somebody says: each has a text with white space between words.

    A column for each system is told from keys and labels by this, in a table without ids.

    >>> are_replies([["Not today.", "No."]]), are_replies([["Not today."], ["k1", "k2"]])
    (True, False)
    """
    return all(
        any(isinstance(cell, str) and len(cell.split()) > 1 for cell in cells) for cells in columns
    )


def first_rows(
    ids: Sequence[str], items: Sequence[Hashable], numbers: Sequence[int], name: str
) -> list[int]:
    """Of a table with several rows for an item, one for each system, the first row of each.

    Args:
        ids: For each row its item.
        items: For each row its context and references.
        numbers: For each row its number in the file.
        name: The file, for messages.

    Raises:
        InputError: Two rows of an item differ in its context or its references.
    """
    first: dict[str, int] = {}
    for index, (id, item) in enumerate(zip(ids, items, strict=True)):
        before = first.setdefault(id, index)
        if items[before] != item:
            raise InputError(
                f"{name}, row {numbers[index]}: another context or reference at id {quoted(id)} than "
                f"in row {numbers[before]}; give each item an id of its own, or the same texts"
            )
    return list(first.values())
