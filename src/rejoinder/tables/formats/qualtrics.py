"""Qualtrics: the export of a survey as CSV, with three rows of headers."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted, listed
from rejoinder.tables.assembly.column_roles import key_renames
from rejoinder.tables.assembly.long_or_wide import ratings_of_table, wide_ratings
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.delimited import read_csv
from rejoinder.tables.notes import left_out, note
from rejoinder.tables.parts import Draft, Part

_SURVEY_COLUMNS = {
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished",
    "recordeddate", "responseid", "recipientlastname", "recipientfirstname", "recipientemail",
    "externalreference", "locationlatitude", "locationlongitude", "distributionchannel",
    "userlanguage", "q_recaptchascore", "q_totalduration", "consent",
}  # fmt: skip
"""The columns that Qualtrics adds, in lower case."""

_NOT_RESPONSES = re.compile(r"(survey )?(preview|test)|spam|1|2|8|9|12", re.IGNORECASE)
_LOOPED = re.compile(r"\d+_(.+)")
_REPLY = re.compile(r"(?:^|.*[\s:(])([^\s|(]+?)(?:\s?\|\s?|__)([^\s|)]+)[).?]?", re.DOTALL)
_STATEMENT = re.compile(r"(.*[?:.])\s+(\S+) - (\S+)", re.DOTALL)
"""A question that ends with the item, whose statement is the system."""
_SEPARATOR = re.compile(r"\s*\|\s*|__")


def read(path: Path, asked: Asked) -> Draft:
    """The answers of every finished response that is no preview, test or spam.

    Which reply a question rates stands in one of these places:

    - in the name or the text of the question, as ``<id>|<system>|<criterion>`` or
      ``<id>__<system>__<criterion>`` (the criterion may be left out);
    - at the end of the texts of a block that is looped (``1_Q5``, ``2_Q5``), as ``... <id>|<system>``: the
      criterion is the name of the question;
    - in the embedded data ``id`` and ``system`` of the response: each other question with numbers is a
      criterion;
    - in the texts of most questions, as ``<question>? <id> - <system>``, a question with a statement for each
      system.

    Raises:
        InputError: Neither is there, or no response is left.
    """
    table, labels = _without_headers(read_csv(path))
    if "ResponseId" not in table.frame.columns:
        raise InputError(
            f"{path}: no column 'ResponseId'; got {listed(table.frame.columns)}; it says who answered: "
            "export the responses again, with all columns"
        )
    kept = [_counts(table, row) for row in range(len(table.numbers))]
    if not any(kept):
        previews = f" ({counted(len(kept), 'response')} not finished, or a preview)" if kept else ""
        raise InputError(f"{path}: no finished response{previews}; expected one")
    left_out(path, kept.count(False), "response", "not finished, or a preview,")
    table = table.filter(kept)
    questions = [name for name in table.frame.columns if name.lower() not in _SURVEY_COLUMNS]
    placed = _looped(questions, labels)
    placed |= {
        name: parts
        for name in questions
        if name not in placed and (parts := _placed(name, labels[name]))
    }
    renames = key_renames(questions, ("id", "system"), table.name)
    embedded = {"id", "system"} <= {renames.get(name, name) for name in questions}
    if not placed and not embedded:
        placed = _stated(questions, labels)
    if placed and len(placed) < len(questions):
        note("columns not read", path, columns=[name for name in questions if name not in placed])
    return _question_ratings(table, placed) if placed else _embedded_ratings(table, questions)


FORMAT = Format(
    "qualtrics",
    "Qualtrics (csv): questions called <id>|<system>|<criterion>, or embedded data id and system",
    [
        Shape(each, ("ResponseId", date))
        for each in ("csv", "tsv")
        for date in ("RecordedDate", "EndDate")
    ],
    {"ratings": read},
)


def _without_headers(table: Part) -> tuple[Part, dict[str, str]]:
    """The responses, and the text of each question: rows 2 and 3 hold texts and import ids."""
    skipped = 0
    labels = dict.fromkeys(table.frame.columns, "")
    if table.frame.height > 1 and any("ImportId" in cell for cell in table.frame.row(1)):
        skipped = 2
        labels = table.frame.row(0, named=True)
    return Part(table.name, table.frame[skipped:], table.numbers[skipped:], table.holds), labels


def _counts(table: Part, row: int) -> bool:
    """Whether a response is finished and real."""
    cells = table.frame.row(row, named=True)
    finished, status = cells.get("Finished", "").strip().lower(), cells.get("Status", "").strip()
    return finished in ("true", "1", "") and _NOT_RESPONSES.fullmatch(status) is None


def _placed(name: str, label: str) -> tuple[str, str, str] | None:
    """The item, the system and the criterion of a question."""
    for text in (name, label):
        parts = _SEPARATOR.split(text.strip())
        if len(parts) in (2, 3) and all(parts):
            return parts[0], parts[1], parts[2] if len(parts) == 3 else "overall"
    return None


def _looped(questions: list[str], labels: dict[str, str]) -> dict[str, tuple[str, str, str]]:
    """The same of a block that is looped, whose texts end with the reply that the loop fills in."""
    looped = {name: match[1] for name in questions if (match := _LOOPED.fullmatch(name))}
    return {
        name: (reply[1], reply[2], criterion)
        for name, criterion in looped.items()
        if (reply := _REPLY.fullmatch(labels[name].strip()))
    }


def _stated(questions: list[str], labels: dict[str, str]) -> dict[str, tuple[str, str, str]]:
    """The same where most questions end with their item, and the statement is the system."""
    found = [_STATEMENT.fullmatch(labels[name].strip()) for name in questions]
    if sum(map(bool, found)) <= len(found) / 2:
        return {}
    criteria = {match[1] for match in found if match}
    return {
        name: (match[2], match[3], match[1] if len(criteria) > 1 else "overall")
        for name, match in zip(questions, found, strict=True)
        if match
    }


def _question_ratings(table: Part, placed: dict[str, tuple[str, str, str]]) -> Draft:
    frames = [
        table.frame.select(
            pl.lit(item).alias("id"),
            pl.lit(system).alias("system"),
            pl.col("ResponseId").alias("rater"),
            pl.lit(criterion).alias("criterion"),
            pl.col(name).alias("score"),
        )
        for name, (item, system, criterion) in placed.items()
    ]
    numbers = list(table.numbers) * len(frames)
    return ratings_of_table(Part(table.name, pl.concat(frames), numbers))


def _embedded_ratings(table: Part, questions: list[str]) -> Draft:
    frame = table.frame.select(pl.col("ResponseId").alias("rater"), *questions)
    frame = frame.rename(key_renames(questions, ("id", "system"), table.name))
    if not {"id", "system"} <= {*frame.columns}:
        raise InputError(
            f"{table.name}: no question is called <id>|<system>|<criterion>, and there is no embedded "
            f"data 'id' and 'system'; got {listed(questions)}; say in one of these ways which reply was "
            "rated"
        )
    return wide_ratings(table.with_frame(frame))
