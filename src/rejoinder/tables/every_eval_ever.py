"""Every Eval Ever: the scores of replies as instances of that schema, which other tools read."""

from __future__ import annotations

import hashlib
import math
import os
import re
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import stem_of
from rejoinder.files.replacing import check_target, replacing, to_disk
from rejoinder.messages import listed
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.external_scores import SegmentScores
from rejoinder.tables.format import FormatName
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.notes import left_out, note
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.tables.types import Responses

VERSION = "0.3.0"
"""The version of the schema."""
_CANONICAL = re.compile(
    r"\bdata/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl$",
    re.IGNORECASE,
)
_TIME = re.compile(rb'"retrieved_timestamp": "\d+"')


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
    left_out(path, len(scores) - len(instances), "score", "missing or of no reply")
    return instances


def write_instances(instances: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Writes instances as JSON Lines, and beside them the aggregate file that the validator asks for.

    The aggregate is written where the path is the validator's: of one model, and of one uuid. Both
    files are written, or none is. An aggregate that stands there stays, as people complete what no
    file says: one of other content is refused.

    Raises:
        InputError: The suffix is another one, a path cannot be written, another aggregate stands there,
            or it would be of several systems.
    """
    check_target(path, (".jsonl",))
    place = Path(path).absolute()
    canonical = _CANONICAL.search(place.as_posix())
    systems = list(dict.fromkeys(each["model_id"] for each in instances))
    if canonical and len(systems) != 1:
        raise InputError(
            f"{path}: scores of {len(systems)} systems ({listed(systems)}); an aggregate file is of one "
            "model; convert a file of each system"
        )
    with ExitStack() as written:
        if canonical:
            aggregate = place.with_name(place.name.replace("_samples.jsonl", ".json"))
            _put(_whole(aggregate, _aggregate(instances, canonical[0])), aggregate, written)
        else:
            note("no aggregate", path)
        _put(b"".join(msgspec.json.encode(each) + b"\n" for each in instances), place, written)


def _put(content: bytes, path: Path, written: ExitStack) -> None:
    """Writes a file that takes its place when all are on the disk."""
    temporary = written.enter_context(replacing(path))
    temporary.write_bytes(content)
    to_disk(temporary)


def _whole(path: Path, aggregate: dict[str, Any]) -> bytes:
    """The content of an aggregate file: what stands there, where it differs in its time alone."""
    before = path.read_bytes() if path.is_file() else b""
    content = msgspec.json.format(msgspec.json.encode(aggregate)) + b"\n"
    if before and _TIME.sub(b"", before) != _TIME.sub(b"", content):
        raise InputError(
            f"{path}: another aggregate file stands there, which people may have completed, so it is not "
            "replaced; move it, or write to another uuid"
        )
    return before or content


def _aggregate(instances: list[dict[str, Any]], lines: str) -> dict[str, Any]:
    """The aggregate of one system's instances: the mean of each score, and ``unknown`` of what no file says.

    The schema asks whether lower scores are better: higher ones are, where nothing says otherwise.
    """
    values: dict[str, list[float]] = {}
    for each in instances:
        values.setdefault(each["evaluation_name"], []).append(each["evaluation"]["score"])
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    _, collection, developer, *_ = lines.split("/")
    model: dict[str, Any] = {"id": instances[0]["model_id"], "developer": developer}
    model |= {"name": model["id"], "additional_details": unknown}
    return {
        "schema_version": VERSION,
        "evaluation_id": instances[0]["evaluation_id"],
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "unknown", "version": "unknown"},
        "model_info": model,
        "evaluation_results": [
            {
                "evaluation_name": name,
                "source_data": {"dataset_name": collection, "source_type": "other"},
                "metric_config": {"metric_name": name, "lower_is_better": False},
                "score_details": {
                    "score": math.fsum(given) / len(given),
                    "uncertainty": {"num_samples": len(given)},
                },
            }
            for name, given in values.items()
        ],
        "detailed_evaluation_results": {
            "format": "jsonl", "file_path": lines, "total_rows": len(instances),
        },
    }  # fmt: skip


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
