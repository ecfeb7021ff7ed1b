"""Contexts and references in one table or in two, and responses in a long or a wide one."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import listed, nearest, quoted
from rejoinder.tables.assembly.column_roles import ABOUT_ITEMS, ABOUT_JUDGEMENTS, folded
from rejoinder.tables.assembly.item_columns import ids_of, refuse_replies, with_types
from rejoinder.tables.assembly.json_rows import converted
from rejoinder.tables.assembly.rating_cells import number_in
from rejoinder.tables.columns import exchanged, forbid, lookalike, require, synonym
from rejoinder.tables.notes import left_out, note
from rejoinder.tables.parts import Draft, Part, TestSetDraft, joined
from rejoinder.tables.schemas import CONTEXTS, HINTS, REFERENCES, RESPONSES, SAMPLE


def testset_of_parts(parts: Sequence[Part]) -> TestSetDraft:
    """A test set of tables with a list of references for each item.

    Or of a references table alone, or of that and a contexts table, in either order. Or of one table
    with a row for each item, its references in columns of their own (``ref1``, ``ref2``, ...), and its
    context, if there is one, beside them; an empty cell is no reference.

    Raises:
        InputError: The tables are not these.
    """
    parts = [with_types(part, alone=len(parts) == 1) for part in parts]
    if all("references" in part.frame.columns and part.holds != "cells" for part in parts):
        return _joined([_nested(part) for part in parts])
    if len(parts) > 2:
        raise InputError(
            f"{parts[2].name}: a third table; expected at most two: contexts (id, context) and "
            "references (id, text, weight, source)"
        )
    for part in parts:
        refuse_replies(part)
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
    if contexts:
        (beside,) = contexts
        require(("id", "context"), beside.frame.columns, beside.name)
        return TestSetDraft(beside.draft(), given.draft())
    items = given.frame.select(pl.col("id").unique(maintain_order=True))
    return TestSetDraft(given.with_frame(_without_contexts(items)).draft(), given.draft())


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


def replies_of_part(part: Part, systems: Sequence[str], stem: str) -> Draft:
    """The replies of a long table, or of a wide one, system after system.

    Long is ``system, id, text``, or ``id, text`` of the one system that the file is named after.
    Wide is ``id`` and one column per system; null is no reply there. Rows of JSON without a ``text`` are a
    wide table where every other field is text.

    Args:
        part: The table under our names.
        systems: The columns that are known to hold the replies of a system each.
        stem: What a system is called that no column names.

    Raises:
        InputError: A column is absent or misspelt, or the table is one of a test set.
    """
    if "winner" in part.frame.columns and "system" not in part.frame.columns:
        raise exchanged(part.name, "a column 'winner'", "a table of comparisons", "responses")
    if part.holds == "rows":
        systems = systems or _systems_of_rows(part)
        part = _wide_rows(part, systems) if systems else _long_rows(part)
    else:
        _refuse_other_tables(part)
    columns, numbers = part.frame.columns, part.numbers
    if "text" in columns and not systems:
        part.require(("id", "text"), ("system",))
        frame = part.frame
        if "system" not in columns:
            frame = frame.with_columns(pl.lit(stem).alias("system"))
        frame = frame.select(*RESPONSES, *(name for name in (SAMPLE,) if name in columns))
        return part.with_frame(frame).draft()
    about = synonym("context", [name for name in columns if name != "id"])
    if about and "system" not in columns and len(columns) > 3:
        left_out(part.name, 1, "column", f"of contexts, {quoted(about)},")
        part = part.with_frame(part.frame.drop(about))
        columns = part.frame.columns
    _check_wide(part)
    part = _without_empty_cells(part)
    long = part.frame.unpivot(index="id", variable_name="system", value_name="text")
    with_text = long.get_column("text").is_not_null().arg_true()
    silent = sorted(set(columns) - {"id"} - set(long[with_text].get_column("system")))
    if silent and numbers:
        raise InputError(
            f"{part.name}: no reply of the system {quoted(silent[0])}, its column is all null; take "
            "the column out"
        )
    rows = [numbers[row % len(numbers)] for row in with_text]
    return Draft.of(part.name, rows, long[with_text].select(*RESPONSES))


def _long_rows(part: Part) -> Part:
    """Rows of JSON as a long table."""
    for row, names in part.shapes():
        name = next((each for each in ("references", "reference") if each in names), None)
        if name and "text" not in names and "id" in names:
            has = f"'{name}' and no 'text'"
            raise exchanged(part.where(row), has, "a test set", "responses")
        require(("id", "text"), names, part.where(row), ("system",))
    texts = converted(part, "text", str)
    columns = [ids_of(part), pl.Series("text", texts, dtype=pl.String)]
    for name, into in (("system", str | None), (SAMPLE, str | int | None)):
        if name in part.frame.columns:
            given = converted(part, name, into)
            cells = [None if each is None else str(each) for each in given]
            if any(each is not None for each in given):
                columns.append(pl.Series(name, cells, dtype=pl.String))
    return part.with_frame(pl.DataFrame(columns))


def _systems_of_rows(part: Part) -> list[str]:
    """The fields of rows of JSON that hold the replies of a system each: texts beside an id, and no more.

    None of them may say something of an item or a judgement, nor one alone be called like a reply.
    """
    texts = [name for name in part.texts() if name != "id"]
    others = {*_NO_SYSTEMS, *ABOUT_ITEMS, *ABOUT_JUDGEMENTS}
    whole = len(texts) > 1 and {*texts, "id"} == {*part.frame.columns}
    if not whole or not others.isdisjoint(map(folded, texts)):
        return []
    if 0 < sum(map(_is_like_replies, texts)) < len(texts):
        return []
    note("systems", part.name, columns=texts)
    return texts


_NO_SYSTEMS = ("text", "system", "context", "reference", "references", "winner")


def _is_like_replies(name: str) -> bool:
    """Whether a column is called like one of replies, perhaps misspelt: ``respones``, ``model_answer``."""
    words = {folded(name), *folded(name).split("_")}
    return any(nearest(each, HINTS["text"], cutoff=0.75) for each in words)


def _wide_rows(part: Part, systems: Sequence[str]) -> Part:
    """Rows of JSON with a column for each system."""
    texts = [pl.Series(name, converted(part, name, str | None)) for name in systems]
    return part.with_frame(pl.DataFrame([ids_of(part), *texts]))


def _refuse_other_tables(part: Part) -> None:
    columns = part.frame.columns
    for other, what in (
        ("context", "contexts"),
        ("references", "a test set"),
        ("weight", "references"),
        ("source", "references"),
    ):
        if other in columns and "system" not in columns:
            has = f"a column '{other}'"
            raise exchanged(part.name, has, f"a table of {what}", "responses")


def _check_wide(part: Part) -> None:
    columns = part.frame.columns
    numbered = [each for each in columns if each.lower().startswith("system")]
    others = columns if len(numbered) == 1 else [each for each in columns if each not in numbered]
    # not System A, System B
    named = "system" in columns or lookalike("system", others, ("id", "text"))
    if "id" not in columns or named or len(columns) < 2 or _is_text(columns):
        part.require(("id", "text"), ("system",))
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
    if part.holds == "cells":
        _refuse_numbers(part)


def _is_text(columns: list[str]) -> bool:
    """Whether the one column beside the id is ``text`` under another name and not a system."""
    return len(columns) == 2 and lookalike("text", columns, ("id", "text")) is not None


def _refuse_numbers(part: Part) -> None:
    """A column of numbers in a wide table is an index or a length, and no system."""
    for name, cells in part.frame.to_dict(as_series=False).items():
        if name != "id" and cells and None not in map(number_in, cells):
            raise InputError(
                f"{part.name}: column {quoted(name)} holds numbers; expected text: in a wide table "
                "every column beside 'id' holds the replies of one system; drop it, or, if these "
                "are replies, write the long form (system, id, text)"
            )


def _without_empty_cells(part: Part) -> Part:
    """A wide table in which an empty cell is no reply: whether it is an empty one cannot be known."""
    if part.holds != "cells":
        return part
    systems = pl.all().exclude("id")
    empty = part.frame.select((systems == "").sum()).row(0, named=True)
    if any(empty.values()):
        note("empty cells", part.name, systems={name: n for name, n in empty.items() if n})
    return part.with_frame(part.frame.with_columns(systems.replace("", None)))


def _without_contexts(items: pl.DataFrame) -> pl.DataFrame:
    return items.with_columns(pl.Series("context", [[]] * items.height, dtype=CONTEXTS["context"]))


def _nested(part: Part) -> TestSetDraft:
    frame, name = part.frame, part.name
    part.require(("id", "references"), ("context",))
    dtype = frame.schema["references"]
    if not isinstance(dtype, pl.List):
        hint = "; rename it to 'ref1' where it is the text of one reference"
        raise InputError(
            f"{name}: column 'references' holds {dtype}; expected a list per item"
            f"{hint if dtype == pl.String else ''}"
        )
    if "context" not in frame.columns:
        frame = _without_contexts(frame)
    if frame.schema["context"] == pl.String:
        frame = frame.with_columns(pl.concat_list("context"))
    long = frame.select("id", "references", pl.Series("row number", part.numbers))
    long = long.explode("references", empty_as_null=False, keep_nulls=False)
    references = Draft.of(name, long.get_column("row number").to_list(), _unnested(name, long))
    return TestSetDraft(part.with_frame(frame.drop("references")).draft(), references)


def _joined(drafts: Sequence[TestSetDraft]) -> TestSetDraft:
    """The items of several files.

    Raises:
        InputError: An additional column holds text in one file and numbers in another.
    """
    if len(drafts) == 1:
        return drafts[0]
    kinds: dict[str, pl.DataType] = {}
    for contexts, _ in drafts:
        for name, dtype in contexts.frame.schema.items():
            before = kinds.setdefault(name, dtype)
            if dtype != before and not (dtype.is_numeric() and before.is_numeric()):
                raise InputError(
                    f"{contexts.origin.at(0)}: column {quoted(name)} holds {dtype}, above it "
                    f"holds {before}; keep one kind"
                )
    return TestSetDraft(*map(joined, zip(*drafts, strict=True)))


def _unnested(name: str, long: pl.DataFrame) -> pl.DataFrame:
    dtype = long.schema["references"]
    if not isinstance(dtype, pl.Struct):
        return long.select("id", pl.col("references").alias("text"))
    fields = [field.name for field in dtype.fields]
    forbid(fields, [column for column in REFERENCES if column != "id"], f"{name}, references")
    return long.select("id", "references").unnest("references")
