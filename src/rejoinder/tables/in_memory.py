"""The table in paths, or in tables in their place, which are read as files are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard, TypeVar

import polars as pl

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.reading import existing, head
from rejoinder.files.sources import keeping_sources
from rejoinder.tables.assembly.column_mapping import ColumnMapping, Columns, column_mapping
from rejoinder.tables.assembly.json_rows import part_of_rows
from rejoinder.tables.checks.arguments import expect
from rejoinder.tables.format import Asked, FormatName, KindName
from rejoinder.tables.formats import own_tables
from rejoinder.tables.formats.format_choice import logs_in, read_table
from rejoinder.tables.frames import Frame, is_list_of_rows, is_table, polars_of
from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.kept_files import holds_scores
from rejoinder.tables.parts import Draft, Part, TestSetDraft
from rejoinder.tables.schemas import COLUMNS, RESPONSES
from rejoinder.tables.types import CheckedTable, Responses
from rejoinder.text.lists import check_number, check_strings

Checked = TypeVar("Checked", bound=CheckedTable)

ResponsesLike: TypeAlias = Responses | Frame | Mapping[str, Sequence[str | None]]
"""Responses, a table of them, or by system its reply to each item in their order (None is no reply)."""


def are_tables(given: Sequence[Any], what: str) -> bool:
    """Whether tables are given in the place of paths.

    Raises:
        ParameterError: Tables and paths are mixed.
    """
    tables = [each for each in given if is_table(each)]
    if tables and len(tables) < len(given):
        raise ParameterError(
            f"{what}: tables and paths together; give either, or read the files first"
        )
    return bool(tables)


def testset_of(tables: Sequence[Any], columns: ColumnMapping | None) -> TestSetDraft:
    """The test set in one table, or in a table of contexts and one of references."""
    names = (f"test set {i}" if len(tables) > 1 else "test set" for i in range(1, len(tables) + 1))
    parts = [_part(each, name, "test set") for each, name in zip(tables, names, strict=False)]
    return own_tables.testset_of(parts, Asked(columns))


@keeping_sources()
def read_as(
    kind: type[Checked],
    given: Sequence[Any],
    *,
    format: FormatName = None,
    columns: Columns = None,
    ids: Sequence[str] | None = None,
    keep: Sequence[str] = (CONVERSATION,),
) -> Checked:
    """The table in paths, or in tables in their place, checked.

    Args:
        kind: Its type.
        given: Files and folders, or tables.
        format: The name of the format of all of them, or by file; None: recognised.
        columns: Which column is which, as for ``read_testset``.
        ids: The ids of the test set that replies answer.
        keep: Additional columns of ratings, preferences and scores to keep.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    asked = Asked(column_mapping(columns), ids, keep)
    return kind.joined(_drafts(given, kind.KIND, format, asked))


def _drafts(
    given: Sequence[Any], kind: KindName, format: FormatName, asked: Asked
) -> Iterator[tuple[str, Draft]]:
    """What readers make of each path or table, with its name; not yet checked."""
    if are_tables(given, kind):
        for i, table in enumerate(given, start=1):
            part = _part(table, f"{kind} {i}" if len(given) > 1 else kind, kind)
            yield part.name, own_tables.draft_of(part, kind, asked)
        return
    for path in existing(given, kind):
        for file in logs_in(path, format) if kind in ("responses", "scores") else [path]:
            parquet = file.is_file() and head(file).startswith(b"PAR1")
            if kind == "scores" and parquet and holds_scores(file):
                raise InputError(
                    f"{file}: these are kept scores, whose columns are the sums that metrics are made of; "
                    "open them with rejoinder.load_scores, or give the file in the place of a test set"
                )
            yield str(file), read_table(file, kind, format, asked)


def taken(
    kind: type[Checked],
    given: CheckedTable | ResponsesLike,
    ids: Sequence[str] | None = None,
    keep: Sequence[str] = (CONVERSATION,),
) -> Checked:
    """The table of a Python call: one of its type stays as it is, all else is read as files are.

    Args:
        kind: Its type.
        given: The table: of this type; in memory, with its columns or in any form that is read; or the
            replies of systems, each a list with one for each item.
        ids: The ids of the test set that replies answer, in their order; None: "1", "2", ...
        keep: Additional columns to keep, which name clusters.

    Raises:
        InputError: A column is absent, a row breaks a rule, or a system has another number of replies.
        ParameterError: It is no table.

    >>> replies = {"bot": ["at nine", "yes"], "cat": ["no", None]}
    >>> taken(Responses, replies, ["c1", "c2"]).frame.rows()
    [('bot', 'c1', 'at nine'), ('bot', 'c2', 'yes'), ('cat', 'c1', 'no')]
    """
    if isinstance(given, kind):
        return given
    if kind is Responses and is_by_system(given):
        return kind.of(_replies(given, ids))
    if isinstance(given, CheckedTable) or not is_table(given):
        return kind.of(given)
    needed = {each.name for each in COLUMNS[kind.KIND] if each.is_needed}
    frame = kind.frame_of(given)
    if needed <= set(frame.columns) and kind.KIND != "scores":
        return kind.of(frame)
    return read_as(kind, [given], ids=ids, keep=keep)


def is_by_system(given: object) -> TypeGuard[Mapping[str, Sequence[str | None]]]:
    """Whether replies are given by system: a dictionary without a column ``id``."""
    return isinstance(given, Mapping) and "id" not in given


def _replies(texts: Mapping[Any, Sequence[str | None]], ids: Sequence[str] | None) -> pl.DataFrame:
    """The rows of replies that are given by system; None is no reply."""
    rows: list[tuple[str, str, str]] = []
    for system, replies in texts.items():
        what = f"responses[{system!r}]"
        expect(replies, (list, tuple), what, "a list of texts, one for each item")
        names = [str(i + 1) for i in range(len(replies))] if ids is None else ids
        check_number(replies, what, len(names))
        check_strings([each for each in replies if each is not None], what)
        answered = zip(names, replies, strict=True)
        rows += [(system, id, text) for id, text in answered if text is not None]
    return pl.DataFrame(rows, schema=RESPONSES, orient="row")


def frame_of(table: Any, what: str) -> pl.DataFrame:
    """A table in memory as a frame of Polars."""
    return polars_of(table, what, "of docs/formats.md", "or give the path of a file")


def _part(table: Any, name: str, what: str) -> Part:
    if is_list_of_rows(table):
        return part_of_rows(name, enumerate(map(dict, table), start=1))
    frame = frame_of(table, what)
    return Part(name, frame, range(1, frame.height + 1))
