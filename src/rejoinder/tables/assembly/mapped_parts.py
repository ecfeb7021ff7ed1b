"""Tables of columns brought to our own names: by the user's ``columns``, then by the aliases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import (
    Roles,
    key_renames,
    log_renames,
    log_systems,
    roles_of,
)
from rejoinder.tables.assembly.one_table import are_replies, first_rows, made_ids
from rejoinder.tables.assembly.two_tables import Part


def part_of_items(part: Part, columns: ColumnMapping | None) -> Part:
    """A table of a test set under our names; of a table with replies too, the items alone.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    part, roles = _mapped(part, columns, "test set")
    log_renames(roles.of_items, part.name)
    if not roles.holds_all or _lacks_ids(part, roles):
        return replace(part, frame=part.frame.rename(roles.of_items))
    keys, frame = _with_ids(part, roles, part.name)
    frame = frame.drop(roles.not_of_items, strict=False).rename(roles.of_items)
    if not roles.columns_of("system"):
        return replace(part, frame=frame)
    rows = first_rows(frame.get_column("id").to_list(), keys, part.numbers, part.name)
    return Part(part.name, frame[rows], [part.numbers[row] for row in rows])


def part_of_replies(part: Part, columns: ColumnMapping | None) -> Part:
    """A table of replies under our names, long or wide; of a table of all, the replies alone.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    part, roles = _mapped(part, columns, "responses")
    log_renames(roles.of_replies, part.name)
    log_systems(roles, part.name)
    if not roles.holds_all or _lacks_ids(part, roles):
        return replace(part, frame=part.frame.rename(roles.of_replies))
    frame = _with_ids(part, roles, "")[1].rename(roles.of_replies)
    kept = roles.systems or ("system", "text")
    return replace(part, frame=frame.select("id", *(n for n in kept if n in frame.columns)))


def part_of_judgements(
    part: Part, columns: ColumnMapping | None, what: str, names: Sequence[str]
) -> Part:
    """A table of ratings or preferences under our names.

    Args:
        part: The table.
        columns: The user's mapping.
        what: ``ratings`` or ``preferences``.
        names: Our names that have aliases there.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    frame = _checked(part, columns, what)
    renames = key_renames(frame.columns, names, part.name)
    log_renames(renames, part.name)
    return replace(part, frame=frame.rename(renames))


def roles_of_part(part: Part, columns: ColumnMapping | None) -> Roles:
    """What the columns of a table are used as."""
    return _mapped(part, columns, "")[1]


def _mapped(part: Part, columns: ColumnMapping | None, what: str) -> tuple[Part, Roles]:
    part = replace(part, frame=_checked(part, columns, what))
    texts = [name for name, dtype in part.frame.schema.items() if dtype == pl.String]
    return part, roles_of(part.frame.columns, part.name, texts)


def _checked(part: Part, columns: ColumnMapping | None, what: str) -> pl.DataFrame:
    columns = columns and columns.of_file(part.name)
    if columns is None:
        return part.frame
    frame = columns.of_frame(part.frame)
    if what:
        columns.check(frame.columns, part.frame.columns, what, part.name)
    return frame


def _lacks_ids(part: Part, roles: Roles) -> bool:
    """Whether a table has no ids, and columns that need not be the replies of systems."""
    if roles.columns_of("id") or not roles.systems:
        return False
    return not are_replies(part.frame.get_column(system) for system in roles.systems)


def _with_ids(part: Part, roles: Roles, where: str) -> tuple[list[str], pl.DataFrame]:
    """For each row what says which item it is of; and the table with ids, made where it has none."""
    items = part.frame.select(roles.columns_of("context", *roles.references)).rows()
    keys = [repr(item) for item in items]
    if roles.columns_of("id"):
        return keys, part.frame
    systems = roles.columns_of("system")
    names = part.frame.get_column(systems[0]).to_list() if systems else None
    return keys, part.frame.with_columns(pl.Series("id", made_ids(keys, names, where)))
