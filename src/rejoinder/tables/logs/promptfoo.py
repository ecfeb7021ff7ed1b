"""promptfoo: ``promptfoo eval -o results.json``, ``results.jsonl`` or ``results.csv``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, suffix_of
from rejoinder.tables.assembly.column_roles import ALIASES, REFERENCE, folded
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.logs import promptfoo_csv
from rejoinder.tables.logs.samples import (
    Log,
    Sample,
    expected_keys,
    number_of,
    texts_of,
    turns_of,
)

_EXPECTED = "expected what 'promptfoo eval -o results.json' (or .jsonl, .csv) writes"
_COMPARING = ("equals", "similar", "factuality", "rouge-n", "bleu", "gleu", "meteor", "levenshtein")
"""The assertions whose value is an expected reply."""


def recognise(path: Path, first: bytes) -> bool:
    """A JSON object with ``results`` of a prompt and a provider; lines of them; or a CSV of them."""
    if promptfoo_csv.recognise(path, first):
        return True
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    whole = b'"results"' in first and any(key in first for key in (b'"evalId"', b'"provider"'))
    result = b'"promptIdx"' in first and (b'"testIdx"' in first or b'"results"' in first)
    return not path.is_dir() and start[:1] == b"{" and (whole or result)


def read(path: Path) -> list[Sample]:
    """A sample for each test, prompt and provider.

    A test is an item, called by its place, ``testIdx``. Its context is the variable that is called
    like one (``question``, ``input``), else the prompt where there is one alone, else all variables.
    Its references are the variables that are called like one, and the values of assertions that
    compare with a text (``equals``, ``similar``, ``factuality``). The system is the provider, and
    the prompt's label where there are several. Scores are the named ones, ``score``, and ``success``.
    """
    rows = _rows(path)
    for number, row in enumerate(rows, start=1):
        expected_keys(f"{path}, row {number}", ("provider",), row)
    prompts = {_label(row) for row in rows}
    ids = _ids(rows)
    repeats: Counter[tuple[str, str]] = Counter()
    samples = []
    for number, (row, id) in enumerate(zip(rows, ids, strict=True), start=1):
        system = _provider(row["provider"])
        if len(prompts) > 1:
            system += f" with {_label(row)}"
        repeats[system, id] += 1
        context = _context(row, len(prompts) == 1)
        references = list(dict.fromkeys([*_variables(row, REFERENCE), *_expected(row)]))
        samples.append(
            Sample(
                id,
                system,
                number,
                _reply(row),
                context,
                references,
                _scores(row),
                repeats[system, id],
            )
        )
    return samples


def _rows(path: Path) -> list[Any]:
    """The results, of a CSV, of JSON Lines or of one JSON object."""
    if suffix_of(path) == ".csv":
        return promptfoo_csv.rows_of(path)
    text = read_text(path)
    if _is_result(text.lstrip().partition("\n")[0]):
        return [row for _, row in read_objects(path)]
    content = json_value(text, str(path), _EXPECTED)
    rows = content.get("results") if isinstance(content, dict) else None
    rows = rows.get("results") if isinstance(rows, dict) else rows
    if not isinstance(rows, list):
        raise InputError(f"{path}: no list in results; {_EXPECTED}")
    return rows


def _is_result(line: str) -> bool:
    """Whether a line is a result by itself."""
    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(row, dict) and "provider" in row and "promptIdx" in row


LOG = Log(
    "promptfoo",
    "promptfoo: results.json, .jsonl or .csv with variables, expected values, outputs and scores",
    recognise,
    read,
)


def _ids(rows: list[dict[str, Any]]) -> list[str]:
    """By row its test: its place where the results name it, else the order of its variables."""
    numbers: dict[bytes, str] = {}
    ids = []
    for row in rows:
        if isinstance(row.get("testIdx"), int):
            ids.append(str(row["testIdx"]))
        else:
            key = msgspec.json.encode(row.get("vars") or {}, order="sorted")
            ids.append(numbers.setdefault(key, str(len(numbers))))
    return ids


def _provider(provider: Any) -> str:
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider)


def _label(row: dict[str, Any]) -> str:
    prompt = row.get("prompt")
    if isinstance(prompt, dict) and prompt.get("label"):
        return str(prompt["label"])[:80]
    return f"prompt {row.get('promptIdx', 0)}"


def _reply(row: dict[str, Any]) -> str | None:
    response = row.get("response")
    output = response.get("output") if isinstance(response, dict) else response
    if output is None or (row.get("error") and not output):
        return None
    return output if isinstance(output, str) else msgspec.json.encode(output).decode()


def _variables(row: dict[str, Any], role: str) -> list[str]:
    """The values of the variables that are called like a role."""
    names = (role, *ALIASES[role])
    values = row.get("vars") or {}
    return [
        text for name, value in values.items() if folded(name) in names for text in texts_of(value)
    ]


def _context(row: dict[str, Any], one_prompt: bool) -> list[str]:
    named = _variables(row, "context")
    if len(named) == 1:
        return named
    prompt = row.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if one_prompt and isinstance(raw, str):
        return _turns(raw)
    expected = {text for role in (REFERENCE,) for text in _variables(row, role)}
    values = [text for value in (row.get("vars") or {}).values() for text in texts_of(value)]
    return ["\n".join(text for text in values if text not in expected)] if values else []


def _turns(prompt: str) -> list[str]:
    """A prompt is a text, or messages as JSON."""
    if prompt.lstrip().startswith("["):
        try:
            return turns_of(msgspec.json.decode(prompt)) or [prompt]
        except (msgspec.DecodeError, RecursionError):
            pass
    return [prompt]


def _expected(row: dict[str, Any]) -> list[str]:
    test = row.get("testCase")
    assertions = test.get("assert") if isinstance(test, dict) else None
    return [
        text
        for each in assertions or []
        if isinstance(each, dict) and each.get("type") in _COMPARING
        for text in texts_of(each.get("value"))
        if "{{" not in text
    ]


def _scores(row: dict[str, Any]) -> dict[str, float | None]:
    named = row.get("namedScores")
    scores = {name: number_of(value) for name, value in named.items()} if named else {}
    return scores | {name: number_of(row[name]) for name in ("score", "success") if name in row}
