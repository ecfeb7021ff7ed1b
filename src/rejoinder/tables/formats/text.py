"""Parallel plain text, sacreBLEU's way: line i of every file belongs to item i."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import stem_of
from rejoinder.messages import Argument, Place, counted
from rejoinder.tables.assembly.gathered import GatheredItems
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.text_lines import read_lines, recognise
from rejoinder.tables.parts import Draft, TestSetDraft
from rejoinder.tables.schemas import RESPONSES


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One file per reference stream; an empty line means that the item has no such reference.

    Raises:
        InputError: Files have different numbers of lines.
    """
    streams = [read_lines(path) for path in paths]
    for path, stream in zip(paths, streams, strict=True):
        if len(stream) != len(streams[0]):
            raise InputError(
                f"{path}: {counted(len(stream), 'line')}, but {paths[0]} has {len(streams[0])}; "
                "expected the same number in every reference stream, an empty line where it has none"
            )
    items, name = GatheredItems(), ", ".join(map(str, paths))
    # By item, then by stream, so that the first stream holds each item's first reference.
    for row, texts in enumerate(zip(*streams, strict=True), start=1):
        items.add(str(row), [], [(text, None, None) for text in texts if text], Place(name, row))
    return items.draft()


def read_responses(path: Path, asked: Asked) -> Draft:
    """One reply per line, line i answering ids[i]; an empty line is an empty reply.

    Raises:
        InputError: There is no test set to take ids from, or the number of lines is another one.
    """
    lines = read_lines(path)
    if asked.ids is None:
        raise InputError(
            f"{path}: plain text has no ids, because line i is the reply to item i of a test set; give the "
            "ids in Python, read_responses(path, ids=testset.ids), or on the command line the test set: "
            f"rejoinder score TESTSET.jsonl {path.name}, or {Argument('testset')} of 'convert'"
        )
    if len(lines) != len(asked.ids):
        raise InputError(
            f"{path}: {counted(len(lines), 'line')}, but the test set has "
            f"{counted(len(asked.ids), 'item')}; expected one line "
            "per item, in the order of the test set"
        )
    columns = {"system": [stem_of(path)] * len(lines), "id": list(asked.ids), "text": lines}
    return Draft.of(path, range(1, len(lines) + 1), pl.DataFrame(columns, schema=RESPONSES))


FORMAT = Format(
    "text",
    "parallel plain text: one file per reference stream or system, line i is item i",
    [
        Shape(each, also=lambda head: recognise(head.path, head.first))
        for each in ("text", "json list", "json object")
    ],
    {"test set": read_testset, "responses": read_responses},
)
