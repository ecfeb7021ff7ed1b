"""GRADE's judgements (Huang et al. 2020): for each reply a list of ratings by nameless people."""

from __future__ import annotations

from itertools import groupby, pairwise
from pathlib import Path

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.formats.text import read_lines
from rejoinder.tables.json_lines import convert
from rejoinder.tables.origin import Origin, RatingsDraft
from rejoinder.tables.rating_formats.format import RatingFormat
from rejoinder.tables.rating_formats.json_list import read_list
from rejoinder.tables.rating_formats.long_or_wide import OVERALL
from rejoinder.tables.schemas import RATINGS
from rejoinder.tables.wording import quoted

_NAME = "human_judgement.json"


class _Judged(msgspec.Struct):
    ID: int
    DialogModel: str
    HumanScores: str | list[float]
    Dataset: str | None = None
    Context: str | None = None
    Response: str | None = None


def recognise(path: Path, first: bytes) -> bool:
    """The JSON by one of its columns, or the folder that holds it."""
    if path.is_dir():
        return (path / _NAME).is_file()
    return first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[" and b'"HumanScores"' in first


def read(path: Path) -> RatingsDraft:
    """Item "1" of a system is its first ID, and so on: line i of the system's human_hyp.txt."""
    file = path / _NAME if path.is_dir() else path
    judged = sorted(_judged(file), key=lambda each: (each[1].DialogModel, each[1].ID))
    rows, numbers = [], []
    for system, group in groupby(judged, key=lambda each: each[1].DialogModel):
        members = list(group)
        _check_whole(members, file, system)
        for item, (number, reply) in enumerate(members, start=1):
            # Nobody is named: a rater is a place in the list, and other people from item to item.
            for place, score in enumerate(_scores(reply, f"{file}, row {number}"), start=1):
                rows.append((str(item), system, str(place), OVERALL, score))
                numbers.append(number)
    frame = pl.DataFrame(rows, schema=RATINGS, orient="row")
    return RatingsDraft(frame, Origin(((str(file), numbers),)))


FORMAT = RatingFormat(
    "grade",
    "GRADE's human_judgement.json: for each reply a list of ratings",
    recognise,
    read,
)


def _judged(file: Path) -> list[tuple[int, _Judged]]:
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


def _check_whole(members: list[tuple[int, _Judged]], file: Path, system: str) -> None:
    """The place of a reply among its system's is its item, so that none may be missing.

    Raises:
        InputError: an ID is missing or stands twice, or the folder beside has other replies.
    """
    for (_, before), (number, after) in pairwise(members):
        if after.Dataset != before.Dataset:
            raise InputError(
                f"{file}, row {number}: of the data set {quoted(after.Dataset)}, those before it of "
                f"{quoted(before.Dataset)}; expected one, the items are counted; split the file"
            )
        if after.ID != before.ID + 1:
            raise InputError(
                f"{file}, row {number}: ID {after.ID} of system {quoted(system)} comes after "
                f"{before.ID}; expected no gap, the items are counted; restore the whole file"
            )
    replies = file.parent / system / "human_hyp.txt"
    if not replies.is_file():
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
