"""Pairs of a chosen and a rejected reply, as preferences are trained on: TRL's, and Anthropic's HH-RLHF."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.messages import Place
from rejoinder.tables.assembly.gathered import Rows
from rejoinder.tables.assembly.long_or_wide import with_defaults
from rejoinder.tables.format import Asked, Shape, has_keys
from rejoinder.tables.io.json_table import read_json_rows
from rejoinder.tables.logs.said import spoken
from rejoinder.tables.logs.samples import Sample, log_format, name_of, with_keys
from rejoinder.tables.parts import Draft
from rejoinder.tables.schemas import PREFERENCES

SIDES = ("chosen", "rejected")


def read(path: Path) -> list[Sample]:
    """Two samples for each pair, of the systems ``chosen`` and ``rejected``; there is no reference.

    Raises:
        InputError: A conversation is not the prompt and a reply to it.
    """
    samples: list[Sample] = []
    for number, (place, row) in enumerate(with_keys(path, read_json_rows(path), SIDES), start=1):
        id = name_of(row, "prompt_id", place) or name_of(row, "id", place) or str(number)
        sides = [_turns(row[side], place) for side in SIDES]
        asked = _turns(row.get("prompt"), place)
        if len(sides[0]) > 1 and not asked:
            asked = sides[0][:-1]
        if any(len(side) > 1 and side[:-1] != asked for side in sides) or not all(sides):
            raise InputError(
                f"{place}: the chosen and the rejected conversation are not the prompt and a reply to it; "
                "expected two replies to one prompt"
            )
        samples += [
            Sample(id, system, place, side[-1], asked)
            for system, side in zip(SIDES, sides, strict=True)
        ]
    return samples


def read_preferences(path: Path, asked: Asked) -> Draft:
    """One comparison for each pair: ``chosen`` is better."""
    rows = Rows({name: PREFERENCES[name] for name in ("id", "a", "b", "winner")})
    for sample in read(path)[::2]:
        rows.add(sample.place, sample.id, *SIDES, "a")
    return with_defaults(rows.draft())


def _turns(turns: Any, place: Place) -> list[str]:
    """A text, or messages; HH-RLHF writes a whole conversation as one text, with a name before each turn."""
    if isinstance(turns, str) and turns.lstrip().startswith("Human:"):
        return [turn.strip() for turn in _SPEAKER.split("\n\n" + turns.lstrip())[1:]]
    if isinstance(turns, str):
        return [turns]
    return [each.text for each in spoken(turns, place) if each.text is not None]


_SPEAKER = re.compile(r"\n\n(?:Human|Assistant):(?:\s|$)")


_LOG = log_format(
    "dpo",
    "pairs of preferences (DPO; TRL, HH-RLHF): prompt, chosen and rejected, as texts or messages",
    [
        Shape(each, ('"chosen"', '"rejected"'), has_keys(*SIDES))
        for each in ("json object", "json list")
    ],
    read,
    has_scores=False,
)
FORMAT = replace(_LOG, reads={**_LOG.reads, "preferences": read_preferences})
