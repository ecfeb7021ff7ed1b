"""Output of batch jobs: OpenAI's (and its imitators'), and Anthropic's; one row for each request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.files.reading import stem_of
from rejoinder.messages import Place
from rejoinder.tables.format import Shape
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.logs.samples import (
    Sample,
    log_format,
    name_of,
    objects_of,
    text_of,
    value_of,
    with_keys,
)


def read(path: Path) -> list[Sample]:
    """A sample for each choice of each request; the ``custom_id`` is the item, the model the system.

    A request that failed has no reply.
    """
    samples = []
    for place, row in with_keys(path, read_objects(path), ("custom_id",)):
        body = _body(row, place)
        id, system = name_of(row, "custom_id", place), name_of(body, "model", place)
        replies = _replies(body, place) or [None]
        samples += [
            Sample(id, system or stem_of(path), place, reply, repeat=repeat)
            for repeat, reply in enumerate(replies, start=1)
        ]
    return _with_one_system(samples)


FORMAT = log_format(
    "batch-output",
    "output of batch jobs (OpenAI, Anthropic): custom_id and the reply; responses alone",
    [Shape("json object", ('"custom_id"', each)) for each in ('"response"', '"result"')],
    read,
    has_items=False,
    has_scores=False,
)


def _body(row: dict[str, Any], where: Place) -> dict[str, Any]:
    """What the model answered: the body of a response, or the message of a result."""
    if (response := value_of(row, "response", dict, where)) is not None:
        sound = response.get("status_code", 200) == 200 and not row.get("error")
        return (value_of(response, "body", dict, where) if sound else None) or {}
    return value_of(value_of(row, "result", dict, where) or {}, "message", dict, where) or {}


def _replies(body: dict[str, Any], where: Place) -> list[str]:
    """The texts of a chat, of a completion, of OpenAI's responses, or of Anthropic's message."""
    if "choices" in body:
        texts = [_text(choice, where) for choice in objects_of(body, "choices", where)]
        return [text for text in texts if text is not None]
    if "output" in body:
        said = [each for each in objects_of(body, "output", where) if "content" in each]
        return ["".join(text_of(each["content"], where) for each in said)] if said else []
    return [text_of(body["content"], where)] if "content" in body else []


def _text(choice: dict[str, Any], where: Place) -> str | None:
    """The text of a choice; None where it has none."""
    if (text := value_of(choice, "text", str, where)) is not None:
        return text
    content = (value_of(choice, "message", dict, where) or {}).get("content")
    return None if content is None else text_of(content, where)


def _with_one_system(samples: list[Sample]) -> list[Sample]:
    """Failed requests name no model: they are of the one that the others name."""
    named = {each.system for each in samples if each.reply is not None}
    if len(named) != 1:
        return samples
    (system,) = named
    return [
        each if each.reply is not None else Sample(each.id, system, each.place) for each in samples
    ]
