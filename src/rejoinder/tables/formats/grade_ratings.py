"""GRADE's judgements (Huang et al. 2020): for each reply a list of ratings by nameless people."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import quoted
from rejoinder.tables.assembly.grade_items import PUBLISHED, data_set_name, item_names
from rejoinder.tables.assembly.long_or_wide import OVERALL
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.formats.grade_means import SCORES, has_means, read_means
from rejoinder.tables.io.json_lines import convert
from rejoinder.tables.io.json_table import read_list
from rejoinder.tables.io.text_lines import read_lines
from rejoinder.tables.origin import Draft, Origin
from rejoinder.tables.schemas import RATINGS

_NAME = "human_judgement.json"


class _Judged(msgspec.Struct):
    ID: int
    DialogModel: str
    HumanScores: str | list[float]
    Dataset: str | None = None
    Context: str | None = None
    Response: str | None = None


_Row: TypeAlias = tuple[int, _Judged]  # the number of the row, and the row


def recognise(path: Path, first: bytes) -> bool:
    """The JSON by one of its columns, a folder that holds it, or a folder of mean scores."""
    if path.is_dir():
        return _file(path).is_file() or has_means(path)
    return first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[" and b'"HumanScores"' in first


def read(path: Path, asked: Asked) -> Draft:
    """The single ratings; the items are called as in the folders of texts (``grade_items``).

    Where there are none, the mean scores of a folder.
    """
    file = _file(path) if path.is_dir() else path
    if path.is_dir() and not file.is_file():
        above = path.absolute().parent / _NAME
        if above.is_file():
            raise InputError(
                f"{path}: holds mean scores ({SCORES}); name {above}, which holds every single rating"
            )
        return read_means(path)
    judged = _judged(file)
    data_sets = sorted({_data_set(reply) for _, reply in judged})
    published = (file.absolute().parent.parent / PUBLISHED).is_dir()
    rows, numbers = [], []
    for data_set in data_sets:
        named = data_set if len(data_sets) > 1 or published else ""
        systems = _systems(judged, data_set)
        for system, members in systems.items():
            _check_whole(members, file, system, data_set)
        names = _names(systems, named)
        for system, members in systems.items():
            for item, (number, reply) in zip(names[system], members, strict=True):
                # Nobody is named: a rater is a place in the list, and other people for each item.
                for place, score in enumerate(_scores(reply, f"{file}, row {number}"), start=1):
                    rows.append((item, system, str(place), OVERALL, score))
                    numbers.append(number)
    frame = pl.DataFrame(rows, schema=RATINGS, orient="row")
    return Draft(frame, Origin(((str(file), numbers),)))


FORMAT = Format(
    "grade",
    "GRADE's human_judgement.json: for each reply a list of ratings; or its folders of mean scores",
    recognise,
    {"ratings": read},
)


def _file(folder: Path) -> Path:
    """The JSON in a folder, or in its ``human_score``, as published."""
    below = folder / "human_score" / _NAME
    return below if below.is_file() else folder / _NAME


def _data_set(reply: _Judged) -> str:
    return data_set_name(reply.Dataset or "")


def _systems(judged: list[_Row], data_set: str) -> dict[str, list[_Row]]:
    """By system its replies of one data set, in the order of their IDs."""
    systems: dict[str, list[_Row]] = {}
    for row in sorted(judged, key=lambda row: (row[1].DialogModel, row[1].ID)):
        if _data_set(row[1]) == data_set:
            systems.setdefault(row[1].DialogModel, []).append(row)
    return systems


def _names(systems: dict[str, list[_Row]], data_set: str) -> dict[str, list[str]]:
    """By system the items of its replies; without contexts, the place of each reply."""
    contexts = {system: [reply.Context for _, reply in rows] for system, rows in systems.items()}
    known = all(context is not None for lines in contexts.values() for context in lines)
    if known:
        return item_names({s: [c or "" for c in lines] for s, lines in contexts.items()}, data_set)
    return {s: item_names({s: [""] * len(lines)}, data_set)[s] for s, lines in contexts.items()}


def _judged(file: Path) -> list[_Row]:
    return [
        (number, convert(row, _Judged, f"{file}, row {number}"))
        for number, row in enumerate(read_list(file), start=1)
    ]


def _scores(reply: _Judged, where: str) -> list[float]:
    if isinstance(reply.HumanScores, list):
        return reply.HumanScores
    try:
        return msgspec.json.decode(reply.HumanScores, type=list[float])
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise InputError(
            f"{where}: HumanScores: got {quoted(reply.HumanScores)}; expected a list of numbers, "
            "like [4, 5, 3]"
        ) from None


def _check_whole(members: list[_Row], file: Path, system: str, data_set: str) -> None:
    """The place of a reply among its system's is a line of its folder, so that none may be missing.

    Raises:
        InputError: an ID is missing or a duplicate, or the folder of the texts has other replies.
    """
    for (_, before), (number, after) in pairwise(members):
        if after.ID != before.ID + 1:
            raise InputError(
                f"{file}, row {number}: ID {after.ID} of system {quoted(system)} comes after "
                f"{before.ID}; expected no gap, the items are counted; restore the whole file"
            )
    folders = (file.parent, file.absolute().parent.parent / PUBLISHED / data_set)
    found = [folder / system / "human_hyp.txt" for folder in folders]
    replies = next((each for each in found if each.is_file()), None)
    if replies is None:
        return
    lines = [line.strip() for line in read_lines(replies)]
    texts = [reply.Response for _, reply in members]
    differ = [
        index
        for index, text in enumerate(texts)
        if index >= len(lines) or (text is not None and text.strip() != lines[index])
    ]
    if differ or len(lines) != len(texts):
        place = differ[0] if differ else len(texts)
        raise InputError(
            f"{replies}, row {place + 1}: not the reply that {file} rates as item {place + 1} of "
            f"{quoted(system)}; are the two of one release?"
        )
