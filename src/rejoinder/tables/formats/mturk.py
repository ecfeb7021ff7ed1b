"""Batch results of Amazon Mechanical Turk: one row per assignment, in CSV."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import listed, quoted
from rejoinder.tables.assembly.long_or_wide import drawn_ratings
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.delimited import read_csv
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.notes import LEFT_OUT, Note, pass_on
from rejoinder.tables.parts import Draft, Part
from rejoinder.tables.schemas import PROBABILITY

_KEPT = {"approved", "submitted"}
_OPTION = re.compile(r"(.+)\.(-?\d+)")


def read(path: Path, asked: Asked) -> Draft:
    """The answers of the assignments that were not rejected, one criterion per Answer column.

    Raises:
        InputError: No column is an answer, no assignment counts, or a criterion occurs twice.
    """
    table = read_csv(path)
    require(("WorkerId",), table.frame.columns, table.name, renamed=False)
    inputs = _named(table, "Input.")
    require(("id", "system"), inputs, f"{table.name}, columns Input.*", renamed=False)
    answers = _radio_buttons(_crowd_form_rows(_named(table, "Answer."), table))
    if not answers:
        raise InputError(
            f"{table.name}: no column Answer.<criterion>; got {listed(table.frame.columns)}; name the "
            "fields of the form after the criteria"
        )
    shown = [name for name in ("id", "system", PROBABILITY) if name in inputs]
    for taken in (*shown, "rater", "criterion"):
        if taken in answers:
            raise InputError(
                f"{table.name}: the criterion {quoted(taken)} is called like a column of ratings; "
                f"rename Answer.{taken}"
            )
    stated = "AssignmentStatus" in table.frame.columns
    given = table.values("AssignmentStatus") if stated else ["Submitted"] * table.frame.height
    statuses = [status.strip().lower() for status in given]
    kept = [status in _KEPT for status in statuses]
    dropped = Counter(status for status in statuses if status not in _KEPT)
    notes = [
        Note(
            LEFT_OUT,
            table.name,
            {"count": count, "noun": "assignment", "why": f": {status or 'no status'}"},
        )
        for status, count in sorted(dropped.items())
    ]
    if not any(kept):
        why = "; ".join(each.text for each in notes) or "no rows"
        raise InputError(
            f"{table.name}: no assignment is Approved or Submitted ({why}); expected at least one"
        )
    for each in notes:
        pass_on(each)
    columns = {**{name: inputs[name] for name in shown}, "rater": table.values("WorkerId")}
    schema = dict.fromkeys([*columns, *answers], pl.String)
    answered = table.with_frame(pl.DataFrame(columns | answers, schema=schema)).filter(kept)
    return drawn_ratings(answered)


FORMAT = Format(
    "mturk",
    "Mechanical Turk batch results (csv): WorkerId, Input.id, Input.system, Answer.<criterion>",
    [Shape("csv", ("WorkerId", each)) for each in ("AssignmentStatus", "Answer.taskAnswers")],
    {"ratings": read},
)


def _named(table: Part, prefix: str) -> dict[str, list[str]]:
    """The columns of a prefix, by what follows it."""
    return {
        name.removeprefix(prefix): cells
        for name, cells in table.frame.to_dict(as_series=False).items()
        if name.startswith(prefix)
    }


def _crowd_form_rows(answers: dict[str, list[str]], table: Part) -> dict[str, list[str]]:
    """Makes a column for each field of a form of crowd HTML, whose answers are JSON in one cell."""
    cells = answers.pop("taskAnswers", None)
    for row, cell in enumerate(cells or ()):
        where = f"{table.name}, row {table.numbers[row]}: Answer.taskAnswers"
        value = json_value(cell or "{}", where, "expected a list of one object, or the object")
        fields = value[0] if isinstance(value, list) and len(value) == 1 else value
        if not isinstance(fields, dict):
            raise InputError(f"{where}: got {quoted(value)}; expected one object")
        for name, given in fields.items():
            pressed = [k for k, v in given.items() if v] if isinstance(given, dict) else [given]
            into = answers.setdefault(name, [""] * len(table.numbers))
            into[row] = "|".join("" if each is None else str(each) for each in pressed)
    return answers


def _radio_buttons(answers: dict[str, list[str]]) -> dict[str, list[str]]:
    """Merges the columns ``relevance.1`` ... ``relevance.5`` of true and false into one."""
    merged: dict[str, list[str]] = {}
    for name, cells in answers.items():
        match = _OPTION.fullmatch(name)
        lowered = [cell.strip().lower() for cell in cells]
        if match is None or not set(lowered) <= {"true", "false", ""}:
            merged[name] = cells
            continue
        into = merged.setdefault(match[1], [""] * len(cells))
        for row, cell in enumerate(lowered):
            if cell == "true":
                # Two buttons pressed are no number, and are refused as such with their row.
                into[row] = f"{into[row]}|{match[2]}" if into[row] else match[2]
    return merged
