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
    Sample,
    expected_keys,
    log_format,
    name_of,
    number_of,
    objects_of,
    texts_of,
    turns_of,
    value_of,
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
    ids = _ids(rows, path)
    repeats: Counter[tuple[str, str]] = Counter()
    samples = []
    for number, (row, id) in enumerate(zip(rows, ids, strict=True), start=1):
        where = f"{path}, row {number}"
        system = _provider(row, where)
        if len(prompts) > 1:
            system += f" with {_label(row)}"
        repeats[system, id] += 1
        values = value_of(row, "vars", dict, where) or {}
        context = _context(row, values, len(prompts) == 1, where)
        references = [*_variables(values, REFERENCE), *_expected(row, where)]
        samples.append(
            Sample(
                id,
                system,
                number,
                _reply(row),
                context,
                list(dict.fromkeys(references)),
                _scores(row, where),
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


FORMAT = log_format(
    "promptfoo",
    "promptfoo: results.json, .jsonl or .csv with variables, expected values, outputs and scores",
    recognise,
    read,
)


def _ids(rows: list[dict[str, Any]], path: Path) -> list[str]:
    """By row its test: its place where the results name it, else the order of its variables."""
    places = [value_of(r, "testIdx", int, f"{path}, row {n}") for n, r in enumerate(rows, start=1)]
    if None not in places:
        return [str(place) for place in places]
    if any(place is not None for place in places):
        where = f"{path}, row {places.index(None) + 1}"
        raise InputError(f"{where}: no testIdx, which other rows have; {_EXPECTED}")
    numbers: dict[bytes, str] = {}
    keys = [msgspec.json.encode(row.get("vars") or {}, order="sorted") for row in rows]
    return [numbers.setdefault(key, str(len(numbers))) for key in keys]


def _provider(row: dict[str, Any], where: str) -> str:
    provider = row["provider"]
    if isinstance(provider, dict):
        return name_of(provider, "label", where) or name_of(provider, "id", where)
    return name_of(row, "provider", where)


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


def _variables(values: dict[str, Any], role: str) -> list[str]:
    """The values of the variables that are called like a role."""
    names = (role, *ALIASES[role])
    return [
        text for name, value in values.items() if folded(name) in names for text in texts_of(value)
    ]


def _context(
    row: dict[str, Any], variables: dict[str, Any], one_prompt: bool, where: str
) -> list[str]:
    named = _variables(variables, "context")
    if len(named) == 1:
        return named
    prompt = row.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if one_prompt and isinstance(raw, str):
        return _turns(raw, where)
    expected = set(_variables(variables, REFERENCE))
    values = [text for value in variables.values() for text in texts_of(value)]
    return ["\n".join(text for text in values if text not in expected)] if values else []


def _turns(prompt: str, where: str) -> list[str]:
    """A prompt is a text, or messages as JSON."""
    try:
        messages = msgspec.json.decode(prompt)
    except (msgspec.DecodeError, RecursionError):
        return [prompt]
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        return [prompt]
    return turns_of(messages, where) or [prompt]


def _expected(row: dict[str, Any], where: str) -> list[str]:
    test = value_of(row, "testCase", dict, where) or {}
    return [
        text
        for each in objects_of(test, "assert", where)
        if each.get("type") in _COMPARING
        for text in texts_of(each.get("value"))
        if "{{" not in text
    ]


def _scores(row: dict[str, Any], where: str) -> dict[str, float | None]:
    named = value_of(row, "namedScores", dict, where) or {}
    scores = {name: number_of(value) for name, value in named.items()}
    return scores | {name: number_of(row[name]) for name in ("score", "success") if name in row}
