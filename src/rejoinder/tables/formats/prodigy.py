"""Prodigy: the annotations that ``prodigy db-out`` writes as JSON Lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.messages import Place, counted
from rejoinder.tables.assembly.gathered import RatingRows, reply_of
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.json_lines import read_objects, records
from rejoinder.tables.parts import Draft


class _Task(msgspec.Struct):
    meta: dict[str, Any] = {}
    answer: str = "accept"
    accept: list[int | str] | None = None
    options: list[dict[str, Any]] = []
    label: str = "overall"
    annotator: str | int | None = msgspec.field(name="_annotator_id", default=None)
    session: str | int | None = msgspec.field(name="_session_id", default=None)
    hash: int | None = msgspec.field(name="_input_hash", default=None)


def read(path: Path, asked: Asked) -> Draft:
    """A rating for each task: the option that was chosen, else 1 where the text was accepted, 0 where not.

    The reply is named by ``id`` and ``system`` in ``meta``; ignored tasks are left out.
    """
    rows = RatingRows(path)
    for place, task in records(path, read_objects(path), _Task):
        if task.answer == "ignore" or (task.options and task.answer != "accept"):
            rows.leave_out("task", f"answered with '{task.answer}'")
            continue
        reply = reply_of(task.meta, task.hash, place, "meta")
        rater = task.session if task.annotator is None else task.annotator
        rows.add(place, reply, "1" if rater is None else str(rater), task.label, _cell(task, place))
    return rows.draft()


FORMAT = Format(
    "prodigy",
    "Prodigy's annotations (JSON Lines): meta.id, meta.system, an option or accept and reject",
    [Shape(each, ('"_task_hash"',)) for each in ("json object", "own rows")],
    {"ratings": read},
)


def _cell(task: _Task, place: Place) -> str:
    """What was chosen as text, which is read as the cell of any table is."""
    if not task.options and not task.accept:
        return {"accept": "1", "reject": "0"}.get(task.answer, task.answer)
    chosen = task.accept or []
    if len(chosen) != 1:
        raise InputError(f"{place}: accept: {counted(len(chosen), 'option')}; expected one")
    return str(chosen[0])
