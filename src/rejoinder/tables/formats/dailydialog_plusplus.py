"""DailyDialog++ (Sai et al. 2020): five good replies per context, five adversarial, five random."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from rejoinder.tables.assembly.items import Items, spoken
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.io.json_lines import convert, read_objects
from rejoinder.tables.origin import TestSetDraft


class _Item(msgspec.Struct):
    id: str | int
    context: list[str]
    positive_responses: list[str]
    adversarial_negative_responses: list[str] = []
    random_negative_responses: list[str] = []


def recognise(path: Path, first: bytes) -> bool:
    """By the name of its column of good replies."""
    return b'"positive_responses"' in first


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """Good replies weigh 1, adversarial and random ones -1; the source says which is which."""
    items = Items()
    for path in paths:
        for number, row in read_objects(path):
            item = convert(row, _Item, f"{path}, row {number}")
            references = [
                *spoken(item.positive_responses, "positive", 1.0),
                *spoken(item.adversarial_negative_responses, "adversarial", -1.0),
                *spoken(item.random_negative_responses, "random", -1.0),
            ]
            items.add(str(item.id), item.context, references, (str(path), number))
    return items.draft()


FORMAT = Format(
    "dailydialog++",
    "DailyDialog++ (jsonl): good replies weigh 1, adversarial and random ones -1",
    recognise,
    {"test set": read_testset},
)
