"""The columns of a test set in their types, from cells of text, from typed columns or from rows of JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import meant, more, quoted
from rejoinder.tables.assembly.column_roles import is_reference_column, may_be_nested
from rejoinder.tables.assembly.json_rows import converted, without_collection
from rejoinder.tables.columns import exchanged, lookalike, remedy, require, synonym
from rejoinder.tables.io.json_lines import ReferenceRow
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import REFERENCES


@without_collection()
def with_types(part: Part, alone: bool) -> Part:
    """A table of a test set under our names, its columns in their types.

    Args:
        part: The table.
        alone: Whether no other table holds the references.

    Raises:
        InputError: A cell or a value is not of its column; a row of JSON lacks a column, or is a reply.
    """
    part = _without_nested(part)
    if part.holds == "cells":
        part = _parsed_cells(part)
    if part.holds == "rows" or (alone and "text" not in part.frame.columns):
        part = _with_references(part, alone)
    return _items_by_row(part) if part.holds == "rows" else part


def _without_nested(part: Part) -> Part:
    """A table without the additional columns of lists and objects, which a note names.

    One that may be the absent contexts or references under another name stays, to be refused.
    """
    names = part.frame.columns
    absent = [name for name in ("context", "references") if name not in names]
    nested = [
        each.name
        for each in part.frame.iter_columns()
        if not may_be_nested(each.name)
        and not any(lookalike(name, [each.name], ("id",)) for name in absent)
        and (
            each.dtype.is_nested()
            or (each.dtype == pl.Object and any(isinstance(v, list | dict) for v in each.to_list()))
        )
    ]
    if nested:
        note("columns not read", part.name, columns=nested)
    return part.with_frame(part.frame.drop(nested))


def _items_by_row(part: Part) -> Part:
    """One item per row, its references as texts or as objects with text, weight and source."""
    for row, names in part.shapes():
        where = part.where(row)
        if "references" not in names and {"text", "id"} <= set(names):
            has = "'text' and no 'references'"
            raise exchanged(where, has, "a file of responses", "a test set")
        require(("id", "references"), names, where, ("context",))
    columns = [ids_of(part)]
    if "context" in part.frame.columns:
        contexts = converted(part, "context", str | list[str] | None)
        turns = [[each] if isinstance(each, str) else each or [] for each in contexts]
        columns.append(turns_column(turns))
    columns.append(_references(part))
    known = {"id", "context", "references"}
    columns += [
        scalar_column(name, part.values(name), part.where)
        for name in sorted(set(part.frame.columns) - known)
    ]
    return Part(part.name, pl.DataFrame(columns), part.numbers, part.holds)


def ids_of(part: Part) -> pl.Series:
    """The ids of rows of JSON, of which a whole number is its digits.

    Raises:
        InputError: A row has none, or one that is neither text nor a whole number.
    """
    ids = part.frame.get_column("id")
    if ids.dtype == pl.String:
        return ids
    part.require(("id",))
    return pl.Series(
        "id", [str(each) for each in converted(part, "id", str | int)], dtype=pl.String
    )


def _references(part: Part) -> pl.Series:
    """Texts, or objects where one has a weight or a source."""
    if isinstance(part.frame.schema["references"], pl.List):
        return part.frame.get_column("references")
    lists = converted(part, "references", list[str | ReferenceRow], ReferenceRow.__struct_fields__)
    flat: list[Any] = list(chain.from_iterable(lists))
    if set(map(type, flat)) <= {str}:
        values = pl.Series("references", flat, dtype=pl.String)
    else:
        rows = [ReferenceRow(each) if isinstance(each, str) else each for each in flat]
        schema = {name: REFERENCES[name] for name in ReferenceRow.__struct_fields__}
        columns = {name: list(map(attrgetter(name), rows)) for name in schema}
        values = pl.DataFrame(columns, schema=schema).to_struct("references")
    return list_column(values, list(map(len, lists)))


def _with_references(part: Part, alone: bool) -> Part:
    """The references of an item in one list, where they have columns of their own; an empty cell is none.

    A column of texts is the source of its references. A table of contexts alone has none.

    Raises:
        InputError: There are no ids, a column holds something else than text, or two kinds of columns
            could be the references.
    """
    frame = part.frame
    streams = [name for name in frame.columns if is_reference_column(name)]
    if part.holds == "cells" and streams and "references" in frame.columns:
        raise InputError(
            f"{part.name}: columns 'references' and {quoted(streams[0])} could both be the references; "
            "leave one of them out"
        )
    if "references" in frame.columns:
        return part
    if part.holds == "cells" and (of_lists := [n for n in streams if _is_of_lists(frame[n])]):
        note("lists in cells", part.name, columns=of_lists)
    if not streams:
        return _without_references(part) if alone and _is_of_contexts(frame.columns) else part
    if part.holds == "rows" and not set(streams) <= set(part.texts()):
        rows = zip(*(part.values(name) for name in streams), strict=True)
        lists = [[text for each in row for text in _listed(each)] for row in rows]
        references = pl.Series("references", lists, dtype=pl.Object)
        return part.with_frame(frame.drop(streams).with_columns(references))
    lists = [name for name in streams if isinstance(frame.schema[name], pl.List)]
    if len(lists) == 1:
        return part.with_frame(frame.rename({lists[0]: "references"}))
    refuse_replies(part)
    part.require(("id",), ("context",))
    for name in streams:
        if frame.schema[name] not in (pl.String, pl.Null, pl.Object):
            raise InputError(
                f"{part.name}: column {quoted(name)} holds {frame.schema[name]}; expected the text "
                "of a reference"
            )
    texts = pl.DataFrame([pl.Series(name, part.values(name), pl.String) for name in streams])
    each = (pl.struct(pl.col(name).alias("text"), pl.lit(name).alias("source")) for name in streams)
    is_text = pl.element().struct.field("text").str.strip_chars() != ""
    references = texts.select(pl.concat_list(each).list.filter(is_text).alias("references"))
    rest = frame.drop(streams).with_columns(references)
    return Part(part.name, rest, part.numbers, "rows" if part.holds == "rows" else "columns")


def _is_of_lists(cells: pl.Series) -> bool:
    """Whether every filled cell is a list of texts as JSON or Python prints it."""
    filled = cells.str.strip_chars().replace("", None).drop_nulls()
    return len(filled) > 0 and bool(filled.str.contains(r"^\[[\"'].*[\"']\]$").all())


def _is_of_contexts(names: Sequence[str]) -> bool:
    """Whether a table has contexts, and no column that holds references or replies under any name."""
    others = [name for name in names if name not in ("id", "context")]
    if not {"id", "context"} <= set(names) or meant("references", others):
        return False
    return not any(synonym(each, others) for each in ("references", "reference", "text", "system"))


def _without_references(part: Part) -> Part:
    """A table of contexts as items without any reference."""
    note("no references", part.name)
    none = pl.Series("references", [[]] * part.frame.height, dtype=pl.List(pl.String))
    holds = "rows" if part.holds == "rows" else "columns"
    return Part(part.name, part.frame.with_columns(none), part.numbers, holds)


def refuse_replies(part: Part) -> None:
    """Raises an InputError where a table that is no list of items has a column of systems."""
    columns = part.frame.columns
    if part.holds != "rows" and "system" in columns:
        this = "a file of judgements" if "rater" in columns else "a file of responses"
        hint = "" if "id" in columns else remedy("id", lookalike("id", columns))
        raise exchanged(part.name, "a column 'system'", this, f"a test set{hint}")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _parsed_cells(part: Part) -> Part:
    """The cells of a test set as turns, weights and sources; an empty cell of these is null.

    Raises:
        InputError: A reference is empty: as a reference it would switch BLEU's brevity penalty off.
    """
    frame = part.frame
    if "text" in frame.columns and "context" not in frame.columns:
        _refuse_empty_references(part)
    if "context" in frame.columns:
        frame = frame.with_columns(turns_column(_turns(part)))
    if "weight" in frame.columns:
        frame = frame.with_columns(_weights(part).alias("weight"))
    if "source" in frame.columns:
        frame = frame.with_columns(pl.col("source").replace("", None))
    return part.with_frame(frame)


def _turns(part: Part) -> list[list[str]]:
    """A cell is the message alone, or a JSON list of turns; an empty one is no turn."""
    decode = msgspec.json.Decoder(list[str]).decode
    turns = []
    for number, cell in zip(part.numbers, part.frame["context"], strict=True):
        if cell.startswith(("['", '["')) and cell.endswith("']"):
            raise InputError(
                f"{part.name}, row {number}: the context is a list as Python prints it; write it as "
                "JSON: frame['context'].map(json.dumps)"
            )
        if not cell.startswith('["'):
            turns.append([cell] if cell else [])
            continue
        try:
            turns.append(decode(cell))
        except (msgspec.DecodeError, RecursionError):
            raise InputError(
                f"{part.name}, row {number}: the context opens like a JSON list of turns and is "
                'none; expected ["first turn", "second turn"] or plain text'
            ) from None
    return turns


def _weights(part: Part) -> pl.Series:
    cells = part.frame.get_column("weight").str.strip_chars()
    weights = cells.cast(pl.Float64, strict=False)
    wrong = (weights.is_null() & (cells != "")).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{part.name}, row {part.numbers[row]}: weight {quoted(cells[row])} is no number; expected "
            "one within [-1, 1] with a decimal point, or an empty cell"
        )
    return weights


def _refuse_empty_references(part: Part) -> None:
    cells = part.frame.get_column("text").to_list()
    empty = [i for i, cell in enumerate(cells) if not cell.strip()]
    if empty:
        raise InputError(
            f"{part.name}, row {part.numbers[empty[0]]}: the text of the reference is "
            f"empty{more(len(empty))}; an empty cell is no reference: drop such rows "
            "(pandas: dropna(subset=['text']))"
        )


_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}
_LARGEST = 2**63


def scalar_column(name: str, values: list[Any], where: Callable[[int], str]) -> pl.Series:
    """An additional column: text, numbers, or true and false.

    Args:
        name: The column.
        values: Its values, None where there is none.
        where: Names the file and the row of a value.

    Raises:
        InputError: A value is a list or an object, or some are text and others numbers.
    """
    types = set(map(type, values)) - {type(None)}
    kinds = {_KINDS.get(each) for each in types}
    if len(kinds) > 1 or None in kinds:
        _refuse(name, values, where)
    if not types or types == {str}:
        return pl.Series(name, values, dtype=pl.String)
    if types == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if types == {int} and all(v is None or -_LARGEST <= v < _LARGEST for v in values):
        return pl.Series(name, values, dtype=pl.Int64)
    numbers = [None if value is None else float(value) for value in values]
    return pl.Series(name, numbers, dtype=pl.Float64)


def _refuse(name: str, values: list[Any], where: Callable[[int], str]) -> None:
    first: str | None = None
    for row, value in enumerate(values):
        if value is None:
            continue
        kind = _KINDS.get(type(value))
        if kind is None:
            what = "a list" if isinstance(value, list) else "an object"
            raise InputError(
                f"{where(row)}: column {quoted(name)} holds {what}; an additional column holds text, a "
                "number, or true or false; turns belong in 'context', references in 'references'"
            )
        if first is not None and kind != first:
            raise InputError(
                f"{where(row)}: column {quoted(name)} holds {kind}, above it holds {first}; keep one kind"
            )
        first = kind


def turns_column(contexts: Sequence[Sequence[str | None]]) -> pl.Series:
    """The turns of every item as one column of lists.

    Args:
        contexts: For each item its turns, oldest first; zero or more.

    Example:
        >>> turns_column([["Hi", "Hello"], []]).to_list()
        [['Hi', 'Hello'], []]
    """
    flat = pl.Series("context", list(chain.from_iterable(contexts)), dtype=pl.String)
    return list_column(flat, list(map(len, contexts)))


def list_column(flat: pl.Series, lengths: Sequence[int]) -> pl.Series:
    """A column of lists, of which each takes so many of the values.

    Polars builds a column of lists item by item; grouping one flat column is ten times as fast.
    """
    # Not by NumPy's repeat: a column made of an array imports numpy.ma, which takes 25 ms.
    counts = pl.Series("length", lengths, dtype=pl.UInt32)
    items = pl.DataFrame([pl.Series("item", range(len(lengths)), dtype=pl.UInt32), counts])
    item = items.select(pl.col("item").repeat_by("length").list.explode(empty_as_null=False))
    grouped = item.with_columns(flat).group_by("item", maintain_order=True).agg(flat.name)
    lists, filled = grouped.get_column(flat.name), counts > 0
    if filled.all():
        return lists
    place = (filled.cast(pl.Int64).cum_sum() - 1).set(~filled, None)
    return lists.gather(place).fill_null([])
