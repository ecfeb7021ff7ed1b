"""Label Studio's export as JSON: a list of tasks with their annotations."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.messages import Place, counted, quoted
from rejoinder.tables.assembly.column_roles import key_renames
from rejoinder.tables.assembly.comparisons import preferences_of_table
from rejoinder.tables.assembly.gathered import RatingRows, reply_of
from rejoinder.tables.assembly.json_rows import part_of_rows, typed
from rejoinder.tables.assembly.long_or_wide import drawn_ratings
from rejoinder.tables.assembly.mapped_parts import part_of_judgements
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.formats.own_tables import CSV, JSON_TABLE, TSV
from rejoinder.tables.io.json_lines import records
from rejoinder.tables.io.json_table import read_list
from rejoinder.tables.notes import left_out
from rejoinder.tables.parts import Draft

_SCORED = ("rating", "number", "choices")


class _Result(msgspec.Struct):
    type: str
    from_name: str | None = None
    value: dict[str, Any] = {}


class _Annotation(msgspec.Struct):
    result: list[_Result]
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False


class _Task(msgspec.Struct):
    data: dict[str, Any]
    annotations: list[_Annotation]
    id: str | int | None = None


def read(path: Path, asked: Asked) -> Draft:
    """One rating per result of an annotation that was not cancelled; the field is the criterion."""
    rows = RatingRows(path)
    for place, task in records(path, enumerate(read_list(path), start=1), _Task):
        reply = reply_of(task.data, task.id, place, "data")
        for annotation in task.annotations:
            if annotation.was_cancelled:
                rows.leave_out("cancelled annotation")
                continue
            rater = _rater(annotation, place)
            for result in annotation.result:
                if result.type not in _SCORED or result.from_name is None:
                    rows.leave_out("result", f"of the type {quoted(result.type)}")
                    continue
                rows.add(place, reply, rater, result.from_name, _cell(result, place))
    return rows.draft(asked.columns.values if asked.columns else None)


def read_rankings(path: Path, asked: Asked) -> Draft:
    """A comparison for each pair of a ranking (``Ranker``), or for each ``Pairwise``.

    The items of a ranking are systems. A pair's are ``a`` and ``b`` (or ``model_a`` and ``model_b``) of the
    data, the left one and the right one.

    Raises:
        InputError: There is no ranking, or its data name no systems.
    """
    rows, others = [], 0
    for place, task in records(path, enumerate(read_list(path), start=1), _Task):
        renames = key_renames(list(task.data), ("id", "a", "b"), str(place))
        data = {renames.get(name, name): value for name, value in task.data.items()}
        for annotation in task.annotations:
            for result in [] if annotation.was_cancelled else annotation.result:
                pairs = _pairs(result, data, place)
                others += not pairs
                rows += [
                    (place.row, {
                        "id": str(data.get("id", task.id)), "a": a, "b": b, "winner": winner,
                        "rater": _rater(annotation, place), "criterion": result.from_name,
                    })
                    for a, b, winner in pairs
                ]  # fmt: skip
    if not rows:
        raise InputError(f"{path}: no result of the type 'ranker' or 'pairwise'; expected one")
    left_out(path, others, "result", "without a ranking")
    return preferences_of_table(typed(part_of_rows(str(path), rows)), asked.keep)


def _pairs(result: _Result, data: dict[str, Any], place: Place) -> list[tuple[str, str, str]]:
    """Two systems and the better one, for each pair of a result that ranks."""
    value = result.value.get(result.type)
    if result.type == "ranker" and isinstance(value, dict):
        ranked = [list(map(str, each)) for each in value.values() if isinstance(each, list)]
        return [(a, b, a) for each in ranked for a, b in itertools.combinations(each, 2)]
    if result.type == "pairwise":
        selected = result.value.get("selected")
        if selected not in ("left", "right") or not {"a", "b"} <= data.keys():
            raise InputError(
                f"{place}: a pairwise result without 'selected', or data without 'a' and 'b'; expected "
                "left or right, and the two systems in the data"
            )
        a, b = str(data["a"]), str(data["b"])
        return [(a, b, a if selected == "left" else b)]
    return []


def read_flat(path: Path, asked: Asked) -> Draft:
    """The flat exports (JSON-MIN, CSV, TSV): a row for each annotation, a column for each field."""
    table = _FLAT.get(FileHead.of(path).container, JSON_TABLE).part
    assert table is not None
    part = part_of_judgements(table(path), None, "ratings", ("id", "system", "rater"))
    require(("id", "system", "rater"), part.frame.columns, part.name)
    criteria = part.frame.drop(_BOOKKEEPING, strict=False)
    return drawn_ratings(replace(part, frame=criteria))


_FLAT = {"csv": CSV, "tsv": TSV}
_BOOKKEEPING = ("annotation_id", "lead_time", "created_at", "updated_at", "inner_id")


def _is_task(head: FileHead) -> bool:
    """Whether the first object has data; annotations alone are also in runs of experiments."""
    return not isinstance(head.row, dict) or "data" in head.row


FORMATS = (
    Format(
        "label-studio",
        "Label Studio's JSON export: data.id, data.system, results named after the criteria",
        [Shape("json list", (each,), _is_task) for each in ('"annotations"', '"completed_by"')],
        {"ratings": read, "preferences": read_rankings},
    ),
    Format(
        "label-studio-min",
        "Label Studio's flat exports (JSON-MIN, CSV, TSV): id, system, annotator, a column per field",
        [Shape(each, ("annotation_id", "lead_time")) for each in ("csv", "tsv", "json list")],
        {"ratings": read_flat},
    ),
)


def _rater(annotation: _Annotation, place: Place) -> str:
    by = annotation.completed_by
    if isinstance(by, dict):
        by = by.get("id", by.get("email"))
    if by is None or isinstance(by, (dict, list)):
        raise InputError(
            f"{place}: an annotation without completed_by; expected who made it (export as JSON, "
            "not JSON-MIN)"
        )
    return str(by)


def _cell(result: _Result, place: Place) -> str:
    """The value as text, which is read as the cell of any table is."""
    value = result.value.get(result.type)
    if isinstance(value, list):
        if len(value) != 1:
            raise InputError(
                f"{place}: {result.from_name}: {counted(len(value), 'choice')}, expected one; is "
                'the field set to choice="single"?'
            )
        (value,) = value
    if value is None or isinstance(value, (bool, dict, list)):
        raise InputError(
            f"{place}: {result.from_name}: no {result.type} in the value {quoted(result.value)}; "
            "expected a number"
        )
    return str(value)
