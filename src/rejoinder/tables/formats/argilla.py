"""Argilla's records as JSON: a list of records with the responses of users."""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted, quoted
from rejoinder.tables.assembly.column_roles import key_renames
from rejoinder.tables.assembly.rating_cells import scores_of, strict_scores
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.formats.keys_frame import keys_frame
from rejoinder.tables.io.json_lines import convert
from rejoinder.tables.io.json_table import read_list
from rejoinder.tables.origin import Draft, Origin

_FIELDS = re.compile(rb'"fields"\s*:\s*\{')
_COMMENT = "comment"
"""The question for comments of a study's own tasks. Its answers are texts, even where one is a number."""


class _Response(msgspec.Struct):
    user_id: str
    value: Any = None


class _Record(msgspec.Struct):
    metadata: dict[str, Any]
    responses: dict[str, list[_Response]] | None = None
    id: str | int | None = None


class _Data(msgspec.Struct):
    system: str
    id: str | int | None = None
    probability: float | None = None


def recognise(path: Path, first: bytes) -> bool:
    """A JSON list whose first record has an id and an object of fields.

    The fields hold the texts, which may be longer than the bytes that are looked at, so what comes after
    them is not asked for.
    """
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] == b"[" and b'"id"' in start and _FIELDS.search(start) is not None


def read(path: Path, asked: Asked) -> Draft:
    """One rating per response to a question of labels or of ratings; the question is the criterion.

    Rankings and several labels are no ratings, and neither are texts: those of the question ``comment``
    and those of a question none of whose responses holds a number, where another question has ratings.
    They are left out, and counted.
    """
    rows: list[tuple[str, str, str, str, float | None]] = []
    cells: list[str] = []
    numbers: list[int] = []
    others: Counter[str] = Counter()
    for number, row in enumerate(read_list(path), start=1):
        where = f"{path}, row {number}"
        record = convert(row, _Record, where)
        item, data = _reply(record, where)
        for question, responses in (record.responses or {}).items():
            for each in responses:
                if _is_no_rating(question, each.value):
                    others[question] += 1
                    continue
                rows.append((item, data.system, each.user_id, question, data.probability))
                cells.append(str(each.value))
                numbers.append(number)
    frame = keys_frame(rows).with_columns(pl.Series("score", cells, dtype=pl.String))
    texts = _texts(frame)
    others.update(frame.get_column("criterion").filter(texts).to_list())
    frame, numbers = frame.filter(~texts), list(compress(numbers, ~texts))
    scores, notes = strict_scores(frame.get_column("score"), str(path), numbers)
    for question, count in sorted(others.items()):
        notes = (
            *notes, f"{counted(count, 'response')} to the question {quoted(question)} left out"
        )  # fmt: skip
    return Draft(frame.with_columns(scores.alias("score")), Origin(((str(path), numbers),)), notes)


FORMAT = Format(
    "argilla",
    "Argilla's records as JSON: metadata item and system, responses named after the criteria",
    recognise,
    {"ratings": read},
)


def _is_no_rating(question: str, value: Any) -> bool:
    """Whether the value of a response is absent, a ranking, several labels or a comment."""
    return (
        value is None
        or isinstance(value, dict | list)
        or (question == _COMMENT and isinstance(value, str))
    )


def _texts(frame: pl.DataFrame) -> pl.Series:
    """By response whether its question is one of texts: none of its responses holds a number.

    Where no question has a number all are taken as ratings, so that the first is refused with its row.
    """
    values = scores_of(frame.get_column("score")).values
    has = frame.select("criterion", pl.Series("number", values.is_not_null()))
    texts = has.select(~pl.col("number").any().over("criterion")).to_series()
    return texts & (not texts.all())


def _reply(record: _Record, where: str) -> tuple[str, _Data]:
    """The item that a record is about, and what its metadata says of the reply."""
    renames = key_renames(list(record.metadata), ("id", "system"), where)
    fields = {renames.get(name, name): value for name, value in record.metadata.items()}
    require(("system",), fields, f"{where}: metadata", renamed=False)
    data = convert(fields, _Data, f"{where}: metadata")
    item = data.id if data.id is not None else record.id
    if item is None:
        raise InputError(
            f"{where}: no 'item' in metadata, and no id of the record; expected the item's"
        )
    return str(item), data
