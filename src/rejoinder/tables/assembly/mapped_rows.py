"""Rows of JSON brought to our own names of columns: by the user's ``columns``, then by the aliases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from rejoinder.errors import InputError
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles, log_renames, log_systems, roles_of
from rejoinder.tables.assembly.one_table import are_replies, first_rows, made_ids

Row: TypeAlias = tuple[int, dict[str, Any]]
"""The number of a row in its file, and the row."""

ReadRows: TypeAlias = Callable[[Path], Iterator[Row]]


def rows_of_items(path: Path, columns: ColumnMapping | None, read: ReadRows) -> Iterator[Row]:
    """The rows of a test set: ``id``, ``context``, ``references`` and additional columns.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    roles, rows = _mapped(path, columns, "test set", read)
    log_renames(roles.of_items, str(path))
    if not roles.holds_all:
        yield from ((number, _item(row, roles)) for number, row in rows)
        return
    listed = list(rows)
    if _lacks_ids(listed, roles):
        yield from ((number, _item(row, roles)) for number, row in listed)
        return
    keys = _keys(listed, roles)
    ids = _ids(listed, keys, roles, str(path))
    for id, (number, _) in zip(ids, listed, strict=True):
        if isinstance(id, dict | list):
            what = "an object" if isinstance(id, dict) else "a list"
            raise InputError(
                f"{path}, row {number}: id: got {what}; expected text or a whole number"
            )
    numbers = [number for number, _ in listed]
    several = roles.columns_of("system")
    for index in first_rows(ids, keys, numbers, str(path)) if several else range(len(ids)):
        number, row = listed[index]
        yield number, _item(row, roles) | {"id": ids[index]}


def rows_of_replies(path: Path, columns: ColumnMapping | None, read: ReadRows) -> Iterator[Row]:
    """The rows of replies: ``system``, ``id`` and ``text``, among others.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    roles, rows = _mapped(path, columns, "responses", read)
    log_renames(roles.of_replies, str(path))
    log_systems(roles, str(path))
    if not roles.holds_all:
        yield from ((number, _renamed(row, roles.of_replies)) for number, row in rows)
        return
    listed = list(rows)
    if _lacks_ids(listed, roles):
        yield from ((number, _renamed(row, roles.of_replies)) for number, row in listed)
        return
    ids = _ids(listed, _keys(listed, roles), roles, "")
    if not roles.systems:
        for id, (number, row) in zip(ids, listed, strict=True):
            yield number, _renamed(row, roles.of_replies) | {"id": id}
    for system in roles.systems:
        for id, (number, row) in zip(ids, listed, strict=True):
            if row.get(system) is not None:
                yield number, {"system": system, "id": id, "text": row[system]}


def roles_of_rows(path: Path, columns: ColumnMapping | None, read: ReadRows) -> Roles:
    """What the columns of a file are used as."""
    return _mapped(path, columns, "", read)[0]


def _mapped(
    path: Path, columns: ColumnMapping | None, what: str, read: ReadRows
) -> tuple[Roles, Iterator[Row]]:
    """What the columns of the first row are used as, and all rows."""
    rows = read(path)
    first = next(rows, None)
    if first is None:
        return Roles(), iter(())
    number, row = first
    rows = chain([first], rows)
    columns = columns and columns.of_file(path)
    if columns is not None:
        given, row = row, columns.of_row(row)
        if what:
            columns.check(list(row), list(given), what, f"{path}, row {number}")
        rows = ((number, columns.of_row(each)) for number, each in rows)
    texts = [name for name, value in row.items() if isinstance(value, str)]
    return roles_of(list(row), str(path), texts), rows


def _renamed(row: dict[str, Any], renames: dict[str, str]) -> dict[str, Any]:
    return {renames.get(name, name): value for name, value in row.items()} if renames else row


def _item(row: dict[str, Any], roles: Roles) -> dict[str, Any]:
    """A row of a test set, its references in one list."""
    if roles.not_of_items:
        row = {name: value for name, value in row.items() if name not in roles.not_of_items}
    row = _renamed(row, roles.of_items)
    if "references" in row or not roles.references or roles.references == ("references",):
        return row
    references = [row.get(name) for name in roles.references]
    rest = {name: value for name, value in row.items() if name not in roles.references}
    return rest | {"references": list(_flat(references))}


def _flat(references: Iterable[Any]) -> Iterator[Any]:
    for each in references:
        if isinstance(each, list):
            yield from each
        elif each is not None:
            yield each


def _lacks_ids(rows: list[Row], roles: Roles) -> bool:
    """Whether a table has no ids, and columns that need not be the replies of systems."""
    if roles.columns_of("id") or not roles.systems:
        return False
    return not are_replies([row.get(system) for _, row in rows] for system in roles.systems)


def _keys(rows: list[Row], roles: Roles) -> list[bytes]:
    """For each row what says which item it is of: its context and its references."""
    names = roles.columns_of("context", *roles.references)
    return [msgspec.json.encode([row.get(name) for name in names]) for _, row in rows]


def _ids(rows: list[Row], keys: list[bytes], roles: Roles, where: str) -> list[Any]:
    names = roles.columns_of("id")
    if names:
        return [row.get(names[0]) for _, row in rows]
    systems = roles.columns_of("system")
    return made_ids(keys, [str(row.get(systems[0])) for _, row in rows] if systems else None, where)
