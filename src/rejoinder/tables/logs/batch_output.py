"""Output of batch jobs: OpenAI's (and its imitators'), and Anthropic's; one row for each request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.files.reading import stem_of, suffix_of
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.logs.samples import Log, Sample, expected_keys, text_of


def recognise(path: Path, first: bytes) -> bool:
    """JSON Lines with a ``custom_id``, and a ``response`` or a ``result``."""
    return (
        not path.is_dir()
        and suffix_of(path) in (".jsonl", ".json", ".ndjson", "")
        and first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
        and b'"custom_id"' in first
        and (b'"response"' in first or b'"result"' in first)
    )


def read(path: Path) -> list[Sample]:
    """A sample for each choice of each request; the ``custom_id`` is the item, the model the system.

    A request that failed has no reply.
    """
    samples = []
    for number, row in read_objects(path):
        expected_keys(f"{path}, row {number}", ("custom_id",), row)
        body = _body(row)
        system = str(body.get("model") or stem_of(path))
        replies = _replies(body) or [None]
        samples += [
            Sample(str(row["custom_id"]), system, number, reply, repeat=repeat)
            for repeat, reply in enumerate(replies, start=1)
        ]
    return _with_one_system(samples)


LOG = Log(
    "batch-output",
    "output of batch jobs (OpenAI, Anthropic): custom_id and the reply; responses alone",
    recognise,
    read,
    has_items=False,
    has_scores=False,
)


def _body(row: dict[str, Any]) -> dict[str, Any]:
    """What the model answered: the body of a response, or the message of a result."""
    response = row.get("response")
    if isinstance(response, dict):
        body = response.get("body")
        sound = response.get("status_code", 200) == 200 and not row.get("error")
        return body if sound and isinstance(body, dict) else {}
    result = row.get("result")
    message = result.get("message") if isinstance(result, dict) else None
    return message if isinstance(message, dict) else {}


def _replies(body: dict[str, Any]) -> list[str]:
    """The texts of a chat, of a completion, of OpenAI's responses, or of Anthropic's message."""
    if isinstance(body.get("choices"), list):
        choices = [each for each in body["choices"] if isinstance(each, dict)]
        texts = [
            each["text"] if isinstance(each.get("text"), str) else _content(each.get("message"))
            for each in choices
        ]
        return [text for text in texts if text is not None]
    if isinstance(body.get("output"), list):
        said = [each for each in body["output"] if isinstance(each, dict) and "content" in each]
        return ["".join(text_of(each["content"]) for each in said)] if said else []
    return [text_of(body["content"])] if "content" in body else []


def _content(message: Any) -> str | None:
    content = message.get("content") if isinstance(message, dict) else None
    return None if content is None else text_of(content)


def _with_one_system(samples: list[Sample]) -> list[Sample]:
    """Failed requests name no model: they are of the one that the others name."""
    named = {each.system for each in samples if each.reply is not None}
    if len(named) != 1:
        return samples
    (system,) = named
    return [
        each if each.reply is not None else Sample(each.id, system, each.number) for each in samples
    ]
