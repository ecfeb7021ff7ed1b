"""Contexts and references as two tables, and responses as a long or a wide one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import listed, quoted
from rejoinder.tables.assembly.column_roles import is_reference_column
from rejoinder.tables.columns import lookalike, require, synonym
from rejoinder.tables.origin import Origin, TestSetDraft
from rejoinder.tables.schemas import CONTEXTS, RESPONSES, SAMPLE


@dataclass(frozen=True)
class Part:
    """A table of one file, with the number of each of its rows.

    Attributes:
        name: The file.
        frame: Its table.
        numbers: The numbers of its rows.
    """

    name: str
    frame: pl.DataFrame
    numbers: Sequence[int]


def testset_of_parts(parts: Sequence[Part]) -> TestSetDraft:
    """A test set of a references table alone, or of that and a contexts table, in either order.

    Or of one table with a row for each item, its references in columns of their own (``ref1``,
    ``ref2``, ...), and its context, if there is one, beside them; an empty cell is no reference.

    Raises:
        InputError: The tables are not these.
    """
    if len(parts) > 2:
        raise InputError(
            f"{parts[2].name}: a third table; expected at most two: contexts (id, context) and "
            "references (id, text, weight, source)"
        )
    for part in parts:
        if "system" in part.frame.columns:
            raise InputError(
                f"{part.name}: has a column 'system': this is a file of responses, expected a test "
                "set; were the files given the wrong way round?"
            )
    if len(parts) == 1 and "text" not in parts[0].frame.columns:
        streams = [name for name in parts[0].frame.columns if is_reference_column(name)]
        if streams:
            return _one_row_an_item(parts[0], streams)
    for part in parts:
        _check_names(part, alone=len(parts) == 1)
    references = [part for part in parts if "context" not in part.frame.columns]
    contexts = [part for part in parts if "context" in part.frame.columns]
    if len(references) != 1:
        raise InputError(
            f"{parts[-1].name}: {'a second table' if references else 'a table'} "
            f"{'without' if references else 'with'} a column 'context'; {_TABLES}"
        )
    (given,) = references
    require(("id", "text"), given.frame.columns, given.name, ("weight", "source"))
    origin = Origin(((given.name, given.numbers),))
    if contexts:
        (beside,) = contexts
        require(("id", "context"), beside.frame.columns, beside.name)
        return TestSetDraft(
            beside.frame, given.frame, Origin(((beside.name, beside.numbers),)), origin
        )
    return TestSetDraft(_contexts_of(given.frame), given.frame, origin, origin)


_TABLES = (
    "expected one table of references (id, text, weight, source) and, if there is one, one of "
    "contexts (id, context); or one table of both, the references in columns ref1, ref2, ..."
)


def _check_names(part: Part, alone: bool) -> None:
    """Refuses references or contexts under another name, and says what to rename.

    A contexts table may have additional columns of any name, where the references have their own table.
    """
    columns = part.frame.columns
    free = [name for name in columns if name != "id"]
    items = "text" not in columns and (alone or "context" not in columns)
    if items and (alias := synonym("references", free)):
        raise InputError(
            f"{part.name}: no column 'ref1' or 'text'; got {listed(columns)}; rename "
            f"{quoted(alias)} to 'ref1', and write further references of an item into 'ref2', "
            "'ref3', ...; a list for each item, 'references', is read from JSON Lines and Parquet"
        )
    if "context" not in columns and (alias := synonym("context", free)):
        if "text" not in columns:
            raise InputError(
                f"{part.name}: no column 'context'; got {listed(columns)}; rename {quoted(alias)} "
                "to 'context'"
            )
        raise InputError(
            f"{part.name}: column {quoted(alias)} looks like the contexts, beside references; {_TABLES}"
        )


def _one_row_an_item(part: Part, streams: list[str]) -> TestSetDraft:
    frame = part.frame
    require(("id",), frame.columns, part.name, ("context",))
    for name in streams:
        if frame.schema[name] not in (pl.String, pl.Null):
            raise InputError(
                f"{part.name}: column {quoted(name)} holds {frame.schema[name]}; expected the text "
                "of a reference"
            )
    row = "place of row"  # no column of the user's is called so
    long = (
        frame.select("id", pl.col(streams).cast(pl.String))
        .with_row_index(row)
        .unpivot(index=[row, "id"], variable_name="source", value_name="text")
        .filter(pl.col("text").str.strip_chars() != "")
        .sort(row, maintain_order=True)
    )
    numbers = [part.numbers[i] for i in long.get_column(row).to_list()]
    contexts = frame.drop(streams)
    if "context" not in contexts.columns:
        unknown = pl.Series("context", [[]] * frame.height, dtype=CONTEXTS["context"])
        contexts = contexts.with_columns(unknown)
    elif contexts.schema["context"] == pl.String:
        contexts = contexts.with_columns(pl.concat_list("context"))
    return TestSetDraft(
        contexts,
        long.select("id", "text", "source"),
        Origin(((part.name, part.numbers),)),
        Origin(((part.name, numbers),)),
    )


def long_or_wide(part: Part, stem: str) -> tuple[pl.DataFrame, bool]:
    """Responses as a long table, and whether they came as a wide one.

    Long is ``system, id, text``, or ``id, text`` of the one system that the file is named after.
    Wide is ``id`` and one column per system; its rows come out system after system.

    Raises:
        InputError: A column is absent or misspelt, or the table is one of a test set.
    """
    columns = part.frame.columns
    for other, what in (
        ("context", "contexts"),
        ("references", "a test set"),
        ("weight", "references"),
        ("source", "references"),
    ):
        if other in columns and "system" not in columns:
            raise InputError(
                f"{part.name}: has a column '{other}': this is a table of {what}, expected "
                "responses; were the files given the wrong way round?"
            )
    if "text" in columns:
        require(("id", "text"), columns, part.name, ("system",))
        frame = part.frame
        if "system" not in columns:
            frame = frame.with_columns(pl.lit(stem).alias("system"))
        return frame.select(*RESPONSES, *(name for name in (SAMPLE,) if name in columns)), False
    named = "system" in columns or lookalike("system", columns, ("id", "text"))
    if "id" not in columns or named or len(columns) < 2 or _is_text(columns):
        require(("id", "text"), columns, part.name, ("system",))
    for other in ("context", "references"):
        if alias := synonym(other, [name for name in columns if name != "id"]):
            raise InputError(
                f"{part.name}: column {quoted(alias)} looks like the {other} of a test set; in a wide "
                "table every column beside 'id' holds the replies of one system: drop it, or give "
                "the system another name"
            )
    for system, dtype in part.frame.schema.items():
        if system != "id" and dtype != pl.String:
            raise InputError(
                f"{part.name}: column {quoted(system)} holds {dtype}; expected text: in a wide table "
                "every column beside 'id' holds the replies of one system"
            )
    long = part.frame.unpivot(index="id", variable_name="system", value_name="text")
    return long.select(*RESPONSES), True


def _is_text(columns: list[str]) -> bool:
    """Whether the one column beside the id is ``text`` under another name and not a system."""
    return len(columns) == 2 and lookalike("text", columns, ("id", "text")) is not None


def _contexts_of(references: pl.DataFrame) -> pl.DataFrame:
    ids = references.select(pl.col("id").unique(maintain_order=True))
    return ids.with_columns(pl.Series("context", [[]] * ids.height, dtype=CONTEXTS["context"]))
