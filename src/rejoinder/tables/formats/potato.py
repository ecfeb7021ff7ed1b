"""Annotations of potato: the folder that 'annotate page' wrote, or potato's exports within it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, stem_of, suffix_of
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import Place, counted, listed, quoted
from rejoinder.tables.assembly.gathered import RatedReply, RatingRows
from rejoinder.tables.assembly.rating_cells import number_in
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.formats.own_tables import recast
from rejoinder.tables.io.delimited import read_csv, read_quoted_tsv, read_tsv
from rejoinder.tables.io.json_lines import read_objects, records
from rejoinder.tables.notes import left_out
from rejoinder.tables.parts import Draft

KEY = "key.jsonl"
"""By the number of an instance its item, system and probability, which potato does not get to see."""
_CONFIG = "config.yaml"
_STATES = "annotation_output/*/user_state.json"
_PLACED = re.compile(r"(.*\S)\s*(?:__|\|)\s*(.+)")
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


class _Instance(msgspec.Struct):
    id: str | int
    label_annotations: dict[str, Any]
    user: str | None = None


class _State(msgspec.Struct):
    user_id: str
    instance_id_to_label_to_value: dict[str, Any]


@dataclass(frozen=True)
class _Annotation:
    """What one rater chose for one instance: by field and by name of a choice its value."""

    place: Place
    instance: str
    rater: str
    labels: Mapping[str, Any]
    where: str


def read(path: Path, asked: Asked) -> Draft:
    """A rating for each field of an annotation: the number that the chosen answer is called.

    Of a folder the state of every annotator is read (``annotation_output/USER/user_state.json``), which
    is complete at any time.

    Raises:
        InputError: An annotation is of an instance that the study does not have.
    """
    annotations = list(_states(path) if path.is_dir() else _export(path))
    key = _key(path)
    rows = RatingRows(path)
    for each in annotations:
        known = key.get(each.instance)
        if known is None:
            raise InputError(
                f"{each.where}: the instance {quoted(each.instance)} is not in {KEY}; keep the "
                "annotations in the folder that 'rejoinder annotate page' wrote for them"
            )
        for criterion, labels in each.labels.items():
            cell = _chosen(labels, f"{each.where}: {criterion}")
            if cell is not None:
                rows.add(each.place, known, each.rater, criterion, cell)
            elif any(name in _TEXTS and value for name, value in labels.items()):
                rows.leave_out("text", "of raters")
    return rows.draft()


def read_instances(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The annotated instances of potato 1, called ``<id>__<system>``, with a column for each field.

    In JSON Lines the annotator is the folder; a table has ``user`` and columns ``field:::choice``.
    """
    is_table, silent = suffix_of(path) in (".csv", ".tsv"), 0
    for place, instance, rater, fields in _columns(path) if is_table else _instances(path):
        match = _PLACED.fullmatch(instance)
        scores = {
            name: cell
            for name, labels in fields.items()
            if (cell := _chosen(labels, f"{place}: {name}")) is not None
        }
        id, system = match.groups() if match else (instance, stem_of(path))
        silent += not scores
        yield place.row, {"id": id, "system": system, "rater": rater, **scores}
    left_out(path, silent, "instance", "without an answer")


FORMAT = Format(
    "potato",
    "potato: the folder of 'annotate page' for Potato, or its exports (jsonl, csv, tsv) in it",
    (
        Shape("folder", (KEY, _CONFIG)),
        Shape("csv", ("instance_id,user_id,",)),
        Shape("tsv", ("instance_id\tuser_id\t",)),
        Shape("json object", ('"instance_id"', '"user_id"')),
    ),
    {"ratings": read},
)


def _columns(path: Path) -> Iterator[tuple[Place, str, str, dict[str, dict[str, str]]]]:
    table = read_csv(path) if suffix_of(path) == ".csv" else read_quoted_tsv(path)
    require(("user", "instance_id"), table.frame.columns, table.name)
    for number, row in zip(table.numbers, table.frame.iter_rows(named=True), strict=True):
        fields: dict[str, dict[str, str]] = {}
        for name, cell in row.items():
            field, mark, choice = name.partition(":::")
            if mark:
                fields.setdefault(field, {})[choice] = cell
        yield Place(str(path), number), row["instance_id"], row["user"], fields


def _instances(path: Path) -> Iterator[tuple[Place, str, str, dict[str, Any]]]:
    for place, row in records(path, read_objects(path), _Instance):
        yield place, str(row.id), row.user or path.absolute().parent.name, row.label_annotations


INSTANCES = recast(
    "potato-instances",
    "annotated instances of potato 1 (tsv, csv, jsonl), called <id>__<system>",
    (
        Shape("csv", ("user,instance_id,",)),
        Shape("tsv", ("user\tinstance_id\t",)),
        Shape("json object", ('"label_annotations"', '"id"')),
    ),
    read_instances,
    ("ratings",),
)


def _key(path: Path) -> dict[str, RatedReply]:
    """The items and systems of the nearest folder that has a key."""
    folders = [path, *path.absolute().parents] if path.is_dir() else list(path.absolute().parents)
    file = next((each / KEY for each in folders if (each / KEY).is_file()), None)
    if file is None:
        raise InputError(
            f"{path}: no {KEY} beside it or in a folder above it, so that its items and systems are not "
            "known; leave the export in the folder that 'rejoinder annotate page' wrote"
        )
    key: dict[str, RatedReply] = {}
    for place, known in records(file, read_objects(file), _Known):
        if known.id in key:
            raise InputError(f"{place}: duplicate id {quoted(known.id)}; keep one row")
        key[known.id] = RatedReply(known.system, known.item, known.probability)
    return key


def _states(folder: Path) -> Iterator[_Annotation]:
    """The annotations in the states of all annotators."""
    files = sorted(folder.glob(_STATES))
    if not files:
        raise InputError(
            f"{folder}: no {_STATES}; expected the annotations of at least one person: start potato in "
            "this folder, or name potato's export"
        )
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
        answers = state.instance_id_to_label_to_value.items()
        for number, (instance, labels) in enumerate(answers, start=1):
            where = f"{file}, instance {instance}"
            fields = _by_field(labels, where)
            yield _Annotation(Place(str(file), number), instance, state.user_id, fields, where)


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


def _export(path: Path) -> Iterator[_Annotation]:
    """The annotations of a file that ``python -m potato.export`` wrote."""
    if suffix_of(path) in (".csv", ".tsv"):
        yield from _table(path)
        return
    for place, line in records(path, read_objects(path), _Line):
        instance = str(line.instance_id)
        yield _Annotation(place, instance, line.user_id, line.labels, str(place))


def _table(path: Path) -> Iterator[_Annotation]:
    """The rows of an export as a table: a column ``field.choice`` for each choice, most cells empty."""
    table = read_csv(path) if suffix_of(path) == ".csv" else read_tsv(path)
    require(("instance_id", "user_id"), table.frame.columns, table.name)
    answers = [
        (*name.partition("."), cells)
        for name, cells in table.frame.to_dict(as_series=False).items()
        if name not in ("instance_id", "user_id") and not name.endswith("._spans")
    ]
    for row, number in enumerate(table.numbers):
        labels: dict[str, dict[str, Any]] = {}
        for criterion, _, choice, cells in answers:
            labels.setdefault(criterion, {})[choice] = cells[row]
        instance, rater = table.frame.item(row, "instance_id"), table.frame.item(row, "user_id")
        place = Place(str(path), number)
        yield _Annotation(place, instance, rater, labels, str(place))


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
        return name if isinstance(value, bool) or number_in(name) is not None else str(value)
    return None


def _is_empty(value: Any) -> bool:
    """Whether a choice was not made. The 0 of a slider is a value, although 0 equals False."""
    return value is None or value is False or value in ("", "false")
