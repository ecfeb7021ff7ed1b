"""Every Eval Ever: the scores of replies as instances of that schema, which other tools read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.files.reading import stem_of
from rejoinder.files.replacing import check_target, replacing
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.external_scores import SegmentScores
from rejoinder.tables.format import FormatName
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.notes import left_out
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.tables.types import Responses

VERSION = "0.3.0"
"""The version of the schema."""


def instances_of(
    path: str | os.PathLike[str], *, format: FormatName = None, columns: Columns = None
) -> list[dict[str, Any]]:
    """An instance for each score of each reply in a file that holds items, replies and scores.

    The schema asks of a reply whether it is correct: it is where its score is 1. Missing scores, and
    those of no reply, are left out with a note.

    Args:
        path: The file.
        format: The name of the format; None: it is recognised.
        columns: By our names those of the file.

    Raises:
        InputError: The file does not hold all three.
    """
    testset = read_testset(path, format=format, columns=columns)
    replies = read_as(Responses, [path], format=format, columns=columns).frame
    scores = read_as(SegmentScores, [path], format=format, columns=columns).frame
    if "sample" not in replies.columns:
        replies = replies.with_columns(sample=pl.lit("1"))
    keys = replies.select("system", "id", pl.col("sample").fill_null("1")).iter_rows()
    texts = dict(zip(keys, replies.get_column("text"), strict=True))
    items = _items(testset)
    instances = []
    for system, id, name, value, sample in scores.select(
        "system", "id", "name", "value", "sample"
    ).iter_rows():
        reply = texts.get((system, id, sample or "1"))
        if value is not None and reply is not None and id in items:
            run = f"{stem_of(Path(path))}/{system}"
            instances.append(_instance(run, system, id, name, value, reply, *items[id]))
    left_out(path, len(scores) - len(instances), "score", "that is missing or of no reply")
    return instances


def write_instances(instances: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Writes instances as JSON Lines.

    Raises:
        InputError: The suffix is another one, or the path cannot be written.
    """
    check_target(path, (".jsonl",))
    with replacing(path) as temporary:
        temporary.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in instances))


def _items(testset: TestSet) -> dict[str, tuple[list[str], list[str]]]:
    """By id the turns and the references of an item."""
    references: dict[str, list[str]] = {}
    for id, text in testset.references.select("id", "text").iter_rows():
        references.setdefault(id, []).append(text)
    contexts = testset.contexts.select("id", "context").iter_rows()
    return {id: (list(turns), references.get(id, [])) for id, turns in contexts}


def _instance(
    run: str, system: str, id: str, name: str, value: float, reply: str,
    turns: list[str], references: list[str],
) -> dict[str, Any]:  # fmt: skip
    raw = turns[-1] if turns else ""
    talk = [*turns, reply]
    several = len(turns) > 1
    content = msgspec.json.encode([raw, references])
    last = len(talk) - 1 if several else 0
    return {
        "schema_version": VERSION,
        "evaluation_id": run,
        "model_id": system,
        "evaluation_name": name,
        "sample_id": id,
        "sample_hash": hashlib.sha256(content).hexdigest(),
        "interaction_type": "multi_turn" if several else "single_turn",
        "input": {"raw": raw, "reference": references},
        "output": None if several else {"raw": [reply]},
        "messages": [
            {"turn_idx": n, "role": ("assistant", "user")[(last - n) % 2], "content": text}
            for n, text in enumerate(talk)
        ]
        if several
        else None,
        "answer_attribution": [
            {
                "turn_idx": last,
                "source": f"messages[{last}].content" if several else "output.raw",
                "extracted_value": reply,
                "extraction_method": "none",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": value, "is_correct": value == 1},
    }
