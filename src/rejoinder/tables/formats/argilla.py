"""Argilla's records as JSON: a list of records with the responses of users."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.messages import Place, quoted
from rejoinder.tables.assembly.gathered import RatedReply, RatingRows, reply_of
from rejoinder.tables.assembly.rating_cells import scores_of
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.json_lines import records
from rejoinder.tables.io.json_table import read_list
from rejoinder.tables.parts import Draft

_FIELDS = re.compile(r'"fields"\s*:\s*\{')
_USERS = ".responses.users"
_COMMENT = "comment"
"""The question for comments of a study's own tasks. Its answers are texts, even where one is a number."""


class _Response(msgspec.Struct):
    user_id: str
    value: Any = None
    status: str | None = None


class _Record(msgspec.Struct):
    metadata: dict[str, Any]
    responses: dict[str, list[_Response]] | None = None
    id: str | int | None = None


def read(path: Path, asked: Asked) -> Draft:
    """One rating per response to a question of labels or of ratings; the question is the criterion.

    Rankings and several labels are no ratings, and neither are texts: those of the question ``comment``
    and those of a question none of whose responses holds a number, where another question has ratings.
    They are left out, and counted, as are responses that nobody submitted.
    """
    rows = RatingRows(path)
    given: list[tuple[Place, RatedReply, str, str, str]] = []
    objects = enumerate(map(_nested, read_list(path)), start=1)
    for place, record in records(path, objects, _Record):
        reply = reply_of(record.metadata, record.id, place, "metadata")
        for question, responses in (record.responses or {}).items():
            for each in responses:
                if each.status not in (None, "submitted"):
                    rows.leave_out("response", "not submitted")
                elif _is_no_rating(question, each.value):
                    rows.leave_out("response", f"to the question {quoted(question)}")
                else:
                    given.append((place, reply, each.user_id, question, str(each.value)))
    values = asked.columns.values if asked.columns else None
    texts = _texts([(question, cell) for *_, question, cell in given], values)
    for place, reply, rater, question, cell in given:
        if question in texts:
            rows.leave_out("response", f"to the question {quoted(question)}")
        else:
            rows.add(place, reply, rater, question, cell)
    return rows.draft(values)


FORMAT = Format(
    "argilla",
    "Argilla's records as JSON: metadata item and system, responses named after the criteria",
    [
        Shape("json list", ('"id"',), lambda head: _FIELDS.search(head.text) is not None),
        Shape("json list", (f'{_USERS}"',)),
    ],
    {"ratings": read},
)


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """A record of a flat list (``to_list(flatten=True)``, ``to_datasets``) as those of ``to_json``."""
    questions = [name.removesuffix(_USERS) for name in row if name.endswith(_USERS)]
    if "fields" in row or not questions:
        return row
    responses = {
        question: [
            {"user_id": user, "value": value, "status": status}
            for user, value, status in zip_longest(
                row[f"{question}{_USERS}"] or (),
                row.get(f"{question}.responses") or (),
                row.get(f"{question}.responses.status") or (),
            )
        ]
        for question in questions
    }
    metadata = {name: value for name, value in row.items() if name != "id"}
    return {"id": row.get("id"), "metadata": metadata, "responses": responses}


def _is_no_rating(question: str, value: Any) -> bool:
    """Whether the value of a response is absent, a ranking, several labels or a comment."""
    return (
        value is None
        or isinstance(value, dict | list)
        or (question == _COMMENT and isinstance(value, str))
    )


def _texts(given: list[tuple[str, str]], words: Mapping[str, float] | None) -> set[str]:
    """The questions of texts: none of their responses holds a number.

    Where no question has a number all are taken as ratings, so that the first is refused with its row.
    """
    cells = pl.Series([cell for _, cell in given], dtype=pl.String)
    values = scores_of(cells if words is None else cells.replace(words)).values
    rated = {
        question for (question, _), value in zip(given, values, strict=True) if value is not None
    }
    return {question for question, _ in given} - rated if rated else set()
