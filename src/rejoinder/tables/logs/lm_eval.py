"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one row for each document and filter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, stem_of
from rejoinder.messages import Place
from rejoinder.tables.format import Shape, has_keys
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.logs.samples import (
    Sample,
    log_format,
    name_of,
    number_of,
    texts_of,
    value_of,
    with_keys,
)

_KEYS = ("doc_id", "resps", "filtered_resps")
_NO_SCORES = {*_KEYS, "doc", "target", "arguments", "filter", "metrics"}


def read(path: Path) -> list[Sample]:
    """A sample for each reply of a document; several filters of one document score one reply.

    The reply is the text as it was generated, before the filter took an answer out of it. A task
    that compares likelihoods has scores and no replies. Where there are several filters, a score is
    called ``<metric>,<filter>``, as in the harness's own table.
    """
    rows = []
    for place, row in with_keys(path, read_objects(path), _KEYS):
        filtered_by = name_of(row, "filter", place) or "none"
        rows.append((place, row, name_of(row, "doc_id", place), filtered_by))
    filters = {filtered_by for *_, filtered_by in rows}
    system = _system(path)
    scores: dict[str, dict[str, float | None]] = {}
    first: dict[str, str] = {}
    for place, row, id, filtered_by in rows:
        after = f",{filtered_by}" if len(filters) > 1 else ""
        scores.setdefault(id, {}).update(
            {f"{name}{after}": number_of(row.get(name)) for name in _metrics(row, place)}
        )
        first.setdefault(id, filtered_by)
    samples = []
    for place, row, id, filtered_by in rows:
        if filtered_by != first[id]:
            continue
        replies = _replies(row["resps"]) or [None]
        prompt, target = _prompt(row), texts_of(row.get("target"))
        for repeat, reply in enumerate(replies, start=1):
            given = scores[id] if repeat == 1 else {}
            samples.append(Sample(id, system, place, reply, prompt, target, given, repeat))
    return samples


FORMAT = log_format(
    "lm-eval",
    "lm-evaluation-harness: samples_*.jsonl with prompts, targets, replies and scores",
    [Shape("json object", ('"doc_id"',), has_keys(*_KEYS))],
    read,
)


def _metrics(row: dict[str, Any], where: Place) -> list[str]:
    if (names := value_of(row, "metrics", list, where)) is not None:
        return [name_of({"metrics": name}, "metrics", where) for name in names]
    return [
        name
        for name in row
        if name not in _NO_SCORES
        and not isinstance(row[name], str)
        and number_of(row[name]) is not None
    ]


def _replies(responses: Any) -> list[str]:
    """The generated texts of the first request; a likelihood is a pair of numbers and no text."""
    first = responses[0] if isinstance(responses, list) and responses else responses
    texts = first if isinstance(first, list) else [first]
    return [text for text in texts if isinstance(text, str)]


def _prompt(row: dict[str, Any]) -> list[str]:
    """The prompt of the first request."""
    arguments = row.get("arguments")
    if isinstance(arguments, dict):
        arguments = list(arguments.values())
    first = arguments[0] if isinstance(arguments, list) and arguments else None
    if isinstance(first, dict):
        first = list(first.values())
    prompt = first[0] if isinstance(first, list) and first else None
    return [prompt] if isinstance(prompt, str) and prompt else []


def _system(path: Path) -> str:
    """The model's name in the results beside the file, or the folder called after it."""
    try:
        results = sorted(path.absolute().parent.glob("results_*.json"))
        content = msgspec.json.decode(read_text(results[-1])) if results else None
    except (OSError, InputError, msgspec.DecodeError, RecursionError):
        content = None
    if isinstance(content, dict) and isinstance(content.get("model_name"), str):
        return content["model_name"] or stem_of(path)
    return stem_of(path)
