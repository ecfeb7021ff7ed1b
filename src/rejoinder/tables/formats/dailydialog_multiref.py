"""DailyDialog's test split with five references per turn (Gupta et al. 2019), and rated replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import suffix_of
from rejoinder.messages import quoted
from rejoinder.tables.assembly.items import Items, spoken
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.io.delimited import Grid, read_csv
from rejoinder.tables.io.json_lines import convert, read_objects
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import RESPONSES

_DIALOGUE = re.compile(rb'"dialogue"\s*:\s*\[\s*\{')
_TURN = re.compile(r"\d+_\d+")
"""The id of an item: the dialogue and the turn in it."""

_CSV_COLUMNS = ("model", "context_id", "response", "prevgt", "all_references", "context")


class _Turn(msgspec.Struct):
    text: str
    responses: list[str] = []


class _Dialogue(msgspec.Struct):
    dialogue: list[_Turn]
    topic: str | None = None


def recognise(path: Path, first: bytes) -> bool:
    """The JSON, the CSV of rated replies, or the folder that holds the JSON."""
    if path.is_dir():
        return (path / "multireftest.json").is_file()
    if suffix_of(path) == ".csv":
        header = first.split(b"\n", 1)[0]
        return b"context_id" in header and b"all_references" in header
    return _DIALOGUE.search(first) is not None and b'"responses"' in first


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """The JSON's items ``<dialogue>_<turn>``, or the items of the CSV of rated replies."""
    if len(paths) > 1:
        raise InputError(f"{paths[1]}: a second file; expected the JSON or the CSV alone")
    path = paths[0] / "multireftest.json" if paths[0].is_dir() else paths[0]
    return _of_ratings(_ratings(path)) if suffix_of(path) == ".csv" else _of_json(path)


def read_responses(path: Path, asked: Asked) -> Draft:
    """The replies of all systems of the CSV, people (``human``) among them."""
    if suffix_of(path) != ".csv":
        raise InputError(
            f"{path}: this is a test set, expected responses; the rated replies stand in the CSV, "
            "those of hredf.txt are plain text (--format text)"
        )
    table = _ratings(path)
    columns = dict(
        zip(RESPONSES, (table["model"], table["context_id"], table["response"]), strict=True)
    )
    frame = pl.DataFrame(columns, schema=RESPONSES)
    return Draft(frame, Origin(((table.name, table.numbers),)))


FORMAT = Format(
    "dailydialog-multiref",
    "DailyDialog with five references per turn (json), or its rated replies (csv)",
    recognise,
    {"test set": read_testset, "responses": read_responses},
    holds_all=lambda path: suffix_of(path) == ".csv",
)


def _of_json(path: Path) -> TestSetDraft:
    items = Items()
    topics = []
    for index, (number, row) in enumerate(read_objects(path)):
        where = f"{path}, row {number}"
        dialogue = convert(row, _Dialogue, where)
        turns = [turn.text for turn in dialogue.dialogue]
        for place, turn in enumerate(dialogue.dialogue):
            if not turn.responses:
                continue  # the last turn of a dialogue has no answer
            first, *others = turn.responses
            references = spoken([first], "original") + spoken(others, "collected")
            name, where = f"{index}_{place}", (str(path), number)
            items.add(name, turns[: place + 1], references, where, str(index))
            topics.append(dialogue.topic)
    return items.draft([pl.Series("topic", topics, dtype=pl.String)])


def _of_ratings(table: Grid) -> TestSetDraft:
    items = Items()
    seen: dict[str, tuple[str, str, str]] = {}
    columns = (table[name] for name in ("context_id", "prevgt", "all_references", "context"))
    for number, name, original, joined, context in zip(table.numbers, *columns, strict=True):
        item = (original, joined, context)
        if name in seen:
            if seen[name] != item:
                raise InputError(
                    f"{table.name}, row {number}: context_id {quoted(name)} has another context or other "
                    "references than in its first row; expected the same for every model"
                )
            continue
        seen[name] = item
        others = [text for text in joined.split("\t") if text != original]
        references = spoken([original], "original") + spoken(others, "collected")
        dialogue = name.rpartition("_")[0] if _TURN.fullmatch(name) else None
        items.add(name, context.split("||||"), references, (table.name, number), dialogue)
    return items.draft()


def _ratings(path: Path) -> Grid:
    table = read_csv(path)
    require(_CSV_COLUMNS, table.header, str(path), renamed=False)
    return table
