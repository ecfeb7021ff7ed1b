"""Google Forms: the answers of a form as a table, a column for each question."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import listed
from rejoinder.tables.assembly.column_roles import folded
from rejoinder.tables.assembly.long_or_wide import OVERALL, ratings_of_table
from rejoinder.tables.assembly.rating_cells import graded
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.io.delimited import read_csv
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Draft, Part
from rejoinder.tables.schemas import ALIASES

_TIME = "Timestamp"
_MAIL = ("email", "email address", "username")
_MARK = r"\s*(?:\||__|\s-\s)\s*"
_GRID = re.compile(r"(?:(.*\S)\s*\[)?([^\[\]]+)\]?")
_WORDS = re.compile(r"(?!(?:q|question)?\d+[.:)]*\s)(\S*\d\S*)\s+(\S+)", re.IGNORECASE)


def read(path: Path, asked: Asked) -> Draft:
    """The answers to the questions that name a reply: ``<id> <system>``, or in a grid ``[<id> | <system>]``.

    A third part, or what stands before the bracket of a grid, is the criterion. A person is called by the
    address, where the form asked for it, else by the number of the answer.

    Raises:
        InputError: No question names a reply.
    """
    table = read_csv(path)
    placed = {name: parts for name in table.frame.columns if (parts := _placed(name))}
    if not placed:
        raise InputError(
            f"{path}: no question says which reply it rates; got {listed(table.frame.columns)}; call them "
            "<id> | <system>, or <id> | <system> | <criterion>"
        )
    values = asked.columns.values if asked.columns else None
    mail = next((name for name in table.frame.columns if name.lower() in _MAIL), None)
    others = [each for each in table.frame.columns if each not in (*placed, mail, _TIME)]
    if others:
        note("columns not read", path, columns=others)
    raters = table.frame[mail] if mail else pl.Series(map(str, range(1, table.frame.height + 1)))
    raters = raters.cast(pl.String).alias("rater")
    frames = [
        pl.DataFrame([raters, graded(table.frame[name], path, values).alias("score")]).with_columns(
            id=pl.lit(id), system=pl.lit(system), criterion=pl.lit(criterion)
        )
        for name, (id, system, criterion) in placed.items()
    ]
    return ratings_of_table(Part(table.name, pl.concat(frames), list(table.numbers) * len(frames)))


def _placed(name: str) -> tuple[str, str, str] | None:
    """The item, the system and the criterion of a question.

    A blank parts an id with a digit too, where it is not the number of a question (``Q1 fluency``).
    """
    grid = _GRID.fullmatch(name.strip())
    if grid is None:
        return None
    question, reply = grid.groups()
    parts = re.split(_MARK, reply.strip())
    if len(parts) == 1 and (words := _WORDS.fullmatch(parts[0])):
        parts = list(words.groups())
    if len(parts) not in (2, 3) or not all(parts):
        return None
    return parts[0], parts[1], parts[2] if len(parts) == 3 else question or OVERALL


def _is_form(head: FileHead) -> bool:
    header = head.text.partition("\n")[0].rstrip("\r")
    names = [name.strip('"') for name in header.split(",")]
    columns = set(map(folded, names))
    is_own = all(columns & {key, *ALIASES[key]} for key in ("id", "system"))
    return names[0] == _TIME and not is_own and any(map(_placed, names))


FORMAT = Format(
    "google-forms",
    "Google Forms (csv): Timestamp, then questions called <id> | <system> or [<id> | <system>]",
    [Shape("csv", (_TIME,), also=_is_form)],
    {"ratings": read},
)
