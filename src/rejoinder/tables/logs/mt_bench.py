"""MT-Bench: its questions, and the answers of models to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.files.reading import stem_of
from rejoinder.messages import Place
from rejoinder.tables.format import FileHead, Shape
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.logs.samples import (
    Sample,
    log_format,
    name_of,
    objects_of,
    texts_of,
    value_of,
    with_keys,
)
from rejoinder.tables.notes import left_out


def read(path: Path) -> list[Sample]:
    """The first turn of each question, or of each answer; what follows is counted and left out."""
    samples, later = [], 0
    for place, row in with_keys(path, read_objects(path), ("question_id",)):
        id, category = name_of(row, "question_id", place), name_of(row, "category", place)
        if "choices" not in row:
            later += max(len(_turns(row, place)) - 1, 0)
            about = {"category": category} if category else {}
            samples.append(
                Sample(
                    id,
                    "",
                    place,
                    None,
                    _turns(row, place)[:1],
                    texts_of(row.get("reference"))[:1],
                    about=about,
                )
            )
            continue
        system = name_of(row, "model_id", place) or stem_of(path)
        for repeat, choice in enumerate(objects_of(row, "choices", place), start=1):
            turns = _turns(choice, place)
            later += max(len(turns) - 1, 0)
            samples.append(Sample(id, system, place, turns[0] if turns else None, repeat=repeat))
    left_out(path, later, "later turn", "(the first of each question is read)")
    return samples


def _is_mt_bench(head: FileHead) -> bool:
    row = head.row
    return isinstance(row, dict) and "question_id" in row and _is_turns(row)


def _is_turns(row: dict[str, Any]) -> bool:
    choices = row.get("choices")
    if isinstance(choices, list):
        return all(
            isinstance(each, dict) and isinstance(each.get("turns"), list) for each in choices
        )
    return isinstance(row.get("turns"), list)


FORMAT = log_format(
    "mt-bench",
    "MT-Bench (JSON Lines): questions with turns, or answers with choices; the first turn is read",
    [Shape("json object", ('"question_id"', '"turns"'), _is_mt_bench)],
    read,
    has_scores=False,
)


def _turns(row: dict[str, Any], place: Place) -> list[str]:
    return texts_of(value_of(row, "turns", list, place))
