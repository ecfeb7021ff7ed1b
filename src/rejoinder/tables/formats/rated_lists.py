"""Replies with their grades beside them: USR and FED, whose raters stand in lists, and Gradio's likes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rejoinder.messages import Place
from rejoinder.tables.format import FileHead, Shape, has_keys
from rejoinder.tables.formats.own_tables import recast
from rejoinder.tables.io.json_table import read_json_rows
from rejoinder.tables.logs.role_messages import text_of
from rejoinder.tables.logs.samples import name_of, objects_of, value_of, with_keys
from rejoinder.tables.notes import left_out

_SPEAKER = re.compile(r"^(User|System): ")
_REPLY_COLUMNS = ("response", "model", "system")
_LIKED = ("index", "value", "liked")


def rated(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The replies of USR (``responses`` to a context) and of FED (one, with ``annotations``).

    Equal contexts are one item, which is called by the number of its first row. A context is one text
    with a line for each turn; FED's ``User:`` and ``System:`` are taken off.
    """
    no_grades, whole, most = 0, 0, 0
    rows: list[tuple[int, dict[str, Any], dict[str, list[Any]]]] = []
    times: Counter[tuple[str, str]] = Counter()
    ids: dict[tuple[str, int], str] = {}
    for number, (place, row) in enumerate(
        with_keys(path, read_json_rows(path), ("context",)), start=1
    ):
        context = text_of(row["context"], place)
        turns = [_SPEAKER.sub("", turn, count=1) for turn in context.split("\n") if turn.strip()]
        for reply in objects_of(row, "responses", place) or [row]:
            if reply.get("response") is None:
                whole += 1
                continue
            given = value_of(reply, "annotations", dict, place)
            if given is None:
                given = {k: v for k, v in reply.items() if k not in _REPLY_COLUMNS}
            grades = {name: cells for name, cells in given.items() if isinstance(cells, list)}
            no_grades += sum(not _is_grade(each) for cells in grades.values() for each in cells)
            text = _SPEAKER.sub("", text_of(reply["response"], place), count=1)
            system = name_of(reply, "model", place) or name_of(reply, "system", place)
            times[context, system] += 1
            id = ids.setdefault((context, times[context, system]), str(number))
            most = max([most, *map(len, grades.values())])
            rows.append(
                (place.row, {"id": id, "system": system, "context": turns, "text": text}, grades)
            )
    left_out(path, no_grades, "grade", "without a number")
    left_out(path, whole, "dialogue", "rated as a whole")
    for number, row, grades in rows:
        yield number, row | {name: _padded(cells, most) for name, cells in grades.items()}


def liked(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of Gradio's ``like``: the reply, and whether it was liked."""
    for place, row in with_keys(path, read_json_rows(path), _LIKED):
        yield (
            place.row,
            {"id": _id(row, place), "text": text_of(row["value"], place), "score": row["liked"]},
        )


def _id(row: dict[str, Any], place: Place) -> str:
    """The conversation and the place in it; the row where no conversation is named."""
    conversation = name_of(row, "conversation_id", place)
    index = row["index"] if isinstance(row["index"], list) else [row["index"]]
    return ".".join(map(str, (conversation, *index))) if conversation else str(place.row)


def _padded(cells: list[Any], most: int) -> list[Any]:
    """The grades of each rater, null where there is none."""
    return [each if _is_grade(each) else None for each in cells] + [None] * (most - len(cells))


def _is_grade(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_rated(head: FileHead) -> bool:
    row = head.row
    if not isinstance(row, dict) or not isinstance(row.get("context"), str):
        return False
    if "id" in row or "reference" in row:  # a table of ours
        return False
    replies = row.get("responses")
    if isinstance(replies, list):
        return any(isinstance(each, dict) and "response" in each for each in replies)
    return isinstance(row.get("annotations"), dict)


FORMATS = (
    recast(
        "usr",
        "USR and FED (JSON): contexts, replies, and for each criterion the list of its raters' grades",
        [Shape(each, ('"context"',), _is_rated) for each in ("json list", "json object")],
        rated,
        ("test set", "responses", "ratings"),
    ),
    recast(
        "gradio-likes",
        "events of Gradio's like (JSON): index, value and liked, perhaps conversation_id",
        [Shape(each, ('"liked"',), has_keys(*_LIKED)) for each in ("json list", "json object")],
        liked,
        ("responses", "ratings"),
    ),
)
