"""Annotations of potato: the folder that 'annotate page' wrote, or potato's exports within it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, suffix_of
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import counted, listed, quoted
from rejoinder.tables.assembly.rating_cells import strict_scores
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.formats.keys_frame import keys_frame
from rejoinder.tables.io.delimited import read_csv, read_tsv
from rejoinder.tables.io.json_lines import convert, read_objects
from rejoinder.tables.origin import Draft, Origin

KEY = "key.jsonl"
"""By the number of an instance its item, system and probability, which potato does not get to see."""
_CONFIG = "config.yaml"
_STATES = "annotation_output/*/user_state.json"
_TEXTS = ("text_box", "free_response")
"""What potato calls the one field of a text, which is no rating."""


class _Known(msgspec.Struct):
    id: str
    item: str
    system: str
    probability: float | None = None


class _Line(msgspec.Struct):
    instance_id: str | int
    user_id: str
    labels: dict[str, Any] = {}


class _State(msgspec.Struct):
    user_id: str
    instance_id_to_label_to_value: dict[str, Any]


@dataclass(frozen=True)
class _Annotation:
    """What one rater chose for one instance: by field and by name of a choice its value."""

    instance: str
    rater: str
    labels: Mapping[str, Any]
    where: str


@dataclass
class _Part:
    """The annotations of one file, with the row of each."""

    name: str
    annotations: list[_Annotation] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


def recognise(path: Path, first: bytes) -> bool:
    """The folder, by its key and configuration; an export by the columns that each begins with."""
    if path.is_dir():
        return (path / KEY).is_file() and (path / _CONFIG).is_file()
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if suffix_of(path) in (".csv", ".tsv"):
        return start.startswith((b"instance_id,user_id,", b"instance_id\tuser_id\t"))
    line = start.split(b"\n", 1)[0]
    return start[:1] == b"{" and all(key in line for key in (b'"instance_id"', b'"user_id"'))


def read(path: Path, asked: Asked) -> Draft:
    """A rating for each field of an annotation: the number that the chosen answer is called.

    Of a folder the state of every annotator is read (``annotation_output/USER/user_state.json``), which
    is complete at any time.
    """
    parts = _states(path) if path.is_dir() else [_export(path)]
    key = _key(path)
    rows: list[tuple[str, str, str, str, float | None]] = []
    cells: list[str] = []
    files_with_rows: list[tuple[str, Sequence[int]]] = []
    texts = 0
    for part in parts:
        numbers = []
        for number, each in zip(part.numbers, part.annotations, strict=True):
            known = key.get(each.instance)
            if known is None:
                raise InputError(
                    f"{each.where}: the instance {quoted(each.instance)} is not in {KEY}; keep the "
                    "annotations in the folder that 'rejoinder annotate page' wrote for them"
                )
            for criterion, labels in each.labels.items():
                cell = _chosen(labels, f"{each.where}: {criterion}")
                if cell is None:
                    texts += _is_text(labels)
                    continue
                rows.append((known.item, known.system, each.rater, criterion, known.probability))
                cells.append(cell)
                numbers.append(number)
        files_with_rows.append((part.name, numbers))
    every = [number for _, numbers in files_with_rows for number in numbers]
    name = files_with_rows[0][0] if len(files_with_rows) == 1 else str(path)
    scores, notes = strict_scores(pl.Series(cells, dtype=pl.String), name, every)
    frame = keys_frame(rows)
    if texts:
        notes = (*notes, f"{counted(texts, 'text')} of raters left out")
    return Draft(frame.with_columns(scores.alias("score")), Origin(tuple(files_with_rows)), notes)


FORMAT = Format(
    "potato",
    "potato: the folder of 'annotate page --platform potato', or its exports (jsonl, csv, tsv) in it",
    recognise,
    {"ratings": read},
)


def _key(path: Path) -> dict[str, _Known]:
    """The items and systems of the nearest folder that has a key."""
    folders = [path, *path.absolute().parents] if path.is_dir() else list(path.absolute().parents)
    file = next((each / KEY for each in folders if (each / KEY).is_file()), None)
    if file is None:
        raise InputError(
            f"{path}: no {KEY} beside it or in a folder above it, so that its items and systems are not "
            "known; leave the export in the folder that 'rejoinder annotate page' wrote"
        )
    key: dict[str, _Known] = {}
    for number, row in read_objects(file):
        known = convert(row, _Known, f"{file}, row {number}")
        if known.id in key:
            raise InputError(f"{file}, row {number}: duplicate id {quoted(known.id)}; keep one row")
        key[known.id] = known
    return key


def _states(folder: Path) -> list[_Part]:
    """The state of each annotator."""
    files = sorted(folder.glob(_STATES))
    if not files:
        raise InputError(
            f"{folder}: no {_STATES}; expected the annotations of at least one person: start potato in "
            "this folder, or name potato's export"
        )
    parts = []
    for file in files:
        try:
            state = msgspec.convert(strict_json(read_text(file)), _State)
        except (ValueError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            why = quoted(str(error))[1:-1]
            raise InputError(
                f"{file}: no state of an annotator: {why}; name potato's export instead"
            ) from None
        part = _Part(str(file))
        answers = state.instance_id_to_label_to_value.items()
        for number, (instance, labels) in enumerate(answers, start=1):
            where = f"{file}, instance {instance}"
            part.annotations.append(
                _Annotation(instance, state.user_id, _by_field(labels, where), where)
            )
            part.numbers.append(number)
        parts.append(part)
    return parts


def _by_field(labels: Any, where: str) -> dict[str, dict[str, Any]]:
    """The labels of an instance by field: a state has them as pairs of a label and its value."""
    if isinstance(labels, dict):
        return labels
    fields: dict[str, dict[str, Any]] = {}
    for pair in labels if isinstance(labels, list) else [labels]:
        match pair:
            case [{"schema": str(schema), "name": str(name)}, value]:
                fields.setdefault(schema, {})[name] = value
            case _:
                raise InputError(
                    f"{where}: got {quoted(pair)}; expected a label with its value; name potato's export "
                    "instead"
                )
    return fields


def _export(path: Path) -> _Part:
    """The annotations of a file that ``python -m potato.export`` wrote."""
    part = _Part(str(path))
    rows = _table(path) if suffix_of(path) in (".csv", ".tsv") else _lines(path)
    for number, each in rows:
        part.annotations.append(each)
        part.numbers.append(number)
    return part


def _lines(path: Path) -> Iterator[tuple[int, _Annotation]]:
    for number, row in read_objects(path):
        where = f"{path}, row {number}"
        line = convert(row, _Line, where)
        yield number, _Annotation(str(line.instance_id), line.user_id, line.labels, where)


def _table(path: Path) -> Iterator[tuple[int, _Annotation]]:
    """The rows of an export as a table: a column ``field.choice`` for each choice, most cells empty."""
    table = read_csv(path) if suffix_of(path) == ".csv" else read_tsv(path)
    require(("instance_id", "user_id"), table.header, table.name)
    answers = [
        (*name.partition("."), cells)
        for name, cells in zip(table.header, table.columns, strict=True)
        if name not in ("instance_id", "user_id") and not name.endswith("._spans")
    ]
    for row, number in enumerate(table.numbers):
        labels: dict[str, dict[str, Any]] = {}
        for criterion, _, choice, cells in answers:
            labels.setdefault(criterion, {})[choice] = cells[row]
        where = f"{path}, row {number}"
        yield number, _Annotation(table["instance_id"][row], table["user_id"][row], labels, where)


def _chosen(labels: Any, where: str) -> str | None:
    """The score that was chosen, as a cell; None where there is none, or a text.

    A choice is called by its number; a slider or a field for a number has the number as its value.
    """
    if not isinstance(labels, dict):
        raise InputError(f"{where}: got {quoted(labels)}; expected the choices with their values")
    chosen = {
        name: value for name, value in labels.items() if name not in _TEXTS and not _is_empty(value)
    }
    if len(chosen) > 1:
        raise InputError(
            f"{where}: {counted(len(chosen), 'choice')} ({listed(chosen)}), expected one; a field with "
            "several choices is no rating: use annotation_type radio or likert, and 'potato "
            "repair-annotations' where a version of potato stored two"
        )
    for name, value in chosen.items():
        return name if _is_number(name) or isinstance(value, bool) else str(value)
    return None


def _is_empty(value: Any) -> bool:
    """Whether a choice was not made. The 0 of a slider is a value, although 0 equals False."""
    return value is None or value is False or value in ("", "false")


def _is_text(labels: Any) -> bool:
    return any(name in _TEXTS and value for name, value in labels.items())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
