"""promptfoo: ``promptfoo eval -o results.json``, ``results.jsonl`` or ``results.csv``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, suffix_of
from rejoinder.messages import Place, counted, listed, quoted
from rejoinder.tables.assembly.column_roles import folded
from rejoinder.tables.assembly.rating_cells import number_in
from rejoinder.tables.format import Shape
from rejoinder.tables.io.delimited import csv_rows
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.logs.said import turns_of_prompt
from rejoinder.tables.logs.samples import (
    Sample,
    log_format,
    name_of,
    number_of,
    objects_of,
    texts_of,
    value_of,
    with_keys,
)
from rejoinder.tables.notes import note
from rejoinder.tables.schemas import ALIASES, FALLBACKS, REFERENCE

_EXPECTED = "expected what 'promptfoo eval -o results.json' (or .jsonl, .csv) writes"
_COMPARING = ("equals", "similar", "factuality", "rouge-n", "bleu", "gleu", "meteor", "levenshtein")
"""The assertions whose value is an expected reply."""

_EXPECTED_CSV = "expected the CSV that 'promptfoo eval -o results.csv' writes"
_OUTPUT_COLUMNS = ("Status", "Score", "Named Scores")
_MARKS = (",Status,Score,Named Scores", ",[PASS]", ',"[PASS]', ",[FAIL]", ',"[FAIL]')
"""What tells a table of results from others: columns behind an output, or its cells."""
_CELL = re.compile(
    r"\[(PASS|FAIL|ERROR)\](?: \(([^)]*)\))?\s?(.*?)(?:\n\n(?:Pass|Fail) Reason: .*)?", re.DOTALL
)
"""An output of earlier versions: its status, its scores, the reply, and why it passed or failed."""


def read(path: Path) -> list[Sample]:
    """A sample for each test, prompt and provider.

    A test is an item, called by its place, ``testIdx``. Its context is the variable that is called
    like one (``question``, ``input``), else the prompt where there is one alone, else all variables.
    Its references are the variables that are called like one, and the values of assertions that
    compare with a text (``equals``, ``similar``, ``factuality``). The system is the provider, and
    the prompt's label where there are several. Scores are the named ones, ``score``, and ``success``.
    """
    rows = list(with_keys(path, enumerate(_rows(path), start=1), ("provider",)))
    prompts = {_label(row) for _, row in rows}
    ids = _ids(rows)
    repeats: Counter[tuple[str, str]] = Counter()
    samples = []
    for (where, row), id in zip(rows, ids, strict=True):
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
                where,
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
        return _rows_of_csv(path)
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
    (
        Shape("json object", ('"results"', '"evalId"')),
        Shape("json object", ('"results"', '"provider"')),
        Shape("json object", ('"promptIdx"', '"testIdx"')),
        Shape("json object", ('"promptIdx"', '"results"')),
        *(Shape("csv", (mark,)) for mark in _MARKS),
    ),
    read,
)


def _ids(rows: list[tuple[Place, dict[str, Any]]]) -> list[str]:
    """By row its test: its place where the results name it, else the order of its variables.

    With ``--repeat`` each repetition has a place of its own; tests that are alike are one item, called by
    the place of the first.
    """
    places = [value_of(row, "testIdx", int, where) for where, row in rows]
    named = None not in places
    if not named and any(place is not None for place in places):
        where, _ = rows[places.index(None)]
        raise InputError(f"{where}: no testIdx, which other rows have; {_EXPECTED}")
    keys = [_content(row, place, where) for (where, row), place in zip(rows, places, strict=True)]
    first: dict[bytes, str] = {}
    for key, place in zip(keys, places, strict=True):
        first.setdefault(key, str(place) if named else str(len(first)))
    if named and (repeats := len(set(places)) - len(set(first.values()))):
        note("same tests", rows[0][0].file, tests=repeats)
    return [first[key] for key in keys]


def _content(row: dict[str, Any], place: int | None, where: Place) -> bytes:
    """What tells a test from others: its variables and assertions; without variables also its place."""
    test = value_of(row, "testCase", dict, where) or {}
    values = row.get("vars") or {}
    content = [values, test.get("assert"), test.get("description"), None if values else place]
    return msgspec.json.encode(content, order="sorted")


def _provider(row: dict[str, Any], where: Place) -> str:
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
    names = (role, *ALIASES[role], *FALLBACKS[role])
    return [
        text for name, value in values.items() if folded(name) in names for text in texts_of(value)
    ]


def _context(
    row: dict[str, Any], variables: dict[str, Any], one_prompt: bool, where: Place
) -> list[str]:
    named = _variables(variables, "context")
    if len(named) == 1:
        return named
    prompt = row.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if one_prompt and isinstance(raw, str):
        return turns_of_prompt(raw, where) or [raw]
    expected = set(_variables(variables, REFERENCE))
    values = [text for value in variables.values() for text in texts_of(value)]
    return ["\n".join(text for text in values if text not in expected)] if values else []


def _expected(row: dict[str, Any], where: Place) -> list[str]:
    test = value_of(row, "testCase", dict, where) or {}
    return [
        text
        for each in objects_of(test, "assert", where)
        if each.get("type") in _COMPARING
        for text in texts_of(each.get("value"))
        if "{{" not in text
    ]


def _scores(row: dict[str, Any], where: Place) -> dict[str, float | None]:
    named = value_of(row, "namedScores", dict, where) or {}
    scores = {name: number_of(value) for name, value in named.items()}
    return scores | {name: number_of(row[name]) for name in ("score", "success") if name in row}


@dataclass(frozen=True)
class _Output:
    """The columns of one prompt and provider.

    Attributes:
        place: The column of the reply.
        provider: The provider.
        label: The label of the prompt.
        in_columns: Whether status and scores stand in columns of their own, behind the reply.
    """

    place: int
    provider: str
    label: str
    in_columns: bool


def _rows_of_csv(path: Path) -> list[dict[str, Any]]:
    """A row for each test and output, with the keys of promptfoo's JSON.

    Tests are counted from 0 in the order of the rows, as in ``testIdx``. Scores are rounded to two
    decimals in the file. An error has no reply.

    Raises:
        InputError: A row has another number of cells than the header, or there is no output.
    """
    (_, header), *lines = csv_rows(path)
    outputs = _outputs(header, [cells for _, cells in lines])
    if not outputs:
        raise InputError(f"{path}: no column of outputs; got {listed(header)}; {_EXPECTED_CSV}")
    variables = [name for name in header[: outputs[0].place] if name != "Description"]
    first = outputs[0].place - len(variables)
    rows = []
    for test, (number, cells) in enumerate(lines):
        if len(cells) != len(header):
            raise InputError(
                f"{path}, row {number}: {counted(len(cells), 'cell')}, expected {len(header)}; "
                f"{_EXPECTED_CSV}"
            )
        values = dict(zip(variables, map(_unescaped, cells[first:]), strict=False))
        for output in outputs:
            result = _result(output, cells, Place(str(path), number))
            if result is not None:
                prompt = {"label": output.label}
                rows.append(
                    {"testIdx": test, "provider": output.provider, "prompt": prompt, "vars": values}
                    | result
                )
    return rows


def _outputs(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[_Output]:
    """The outputs: what stands before ``Status, Score, Named Scores``, or columns of ``[PASS]``."""
    size = len(_OUTPUT_COLUMNS)
    places = [
        place
        for place in range(len(header))
        if tuple(header[place + 1 : place + 1 + size]) == _OUTPUT_COLUMNS
    ]
    in_columns = bool(places)
    if not places:
        places = [
            place
            for place in range(len(header))
            if lines and all(place < len(row) and _CELL.fullmatch(row[place]) for row in lines)
        ]
    return [_Output(place, *_provider_and_label(header[place]), in_columns) for place in places]


def _provider_and_label(name: str) -> tuple[str, str]:
    """The parts of ``[provider] label``; a label alone is both.

    >>> _provider_and_label("[openai:gpt-x] Say: {{question}}")
    ('openai:gpt-x', 'Say: {{question}}')
    """
    parts = re.fullmatch(r"\[([^\]]+)\] (.*)", name, re.DOTALL)
    return (parts[1], parts[2]) if parts else (name, name)


def _result(output: _Output, cells: Sequence[str], where: Place) -> dict[str, Any] | None:
    """The reply with its scores; None where this output has no result of the test."""
    if not output.in_columns:
        parts = _CELL.fullmatch(cells[output.place])
        assert parts is not None  # columns of other cells are none of outputs
        status, scores, reply = parts.groups()
        score, *named = (scores or "").split(", ")
        pairs = (each.rpartition(": ") for each in named)
        return _scored(status, reply.strip("\n"), score, {name: value for name, _, value in pairs})
    reply, status, score, named = cells[output.place : output.place + 1 + len(_OUTPUT_COLUMNS)]
    if not status.strip() and not reply.strip():
        return None
    if status not in ("PASS", "FAIL", "ERROR"):
        raise InputError(f"{where}: got the status {quoted(status)}; expected PASS, FAIL or ERROR")
    try:
        values = msgspec.json.decode(_unescaped(named) or "{}", type=dict[str, float])
    except (msgspec.DecodeError, RecursionError):
        raise InputError(
            f"{where}: Named Scores are no JSON object of numbers; {_EXPECTED_CSV}"
        ) from None
    return _scored(status, _unescaped(reply), score, values)


def _scored(status: str, reply: str, score: str, named: dict[str, Any]) -> dict[str, Any]:
    failed = status == "ERROR"
    return {
        "response": None if failed else {"output": reply},
        "success": status == "PASS",
        "score": number_in(score),
        "namedScores": {name: number_in(value) for name, value in named.items()},
    }


def _unescaped(cell: str) -> str:
    """A cell without the quote that keeps a spreadsheet from taking it for a formula.

    >>> _unescaped("'=1+1"), _unescaped("'tis so"), _unescaped("-1")
    ('=1+1', "'tis so", '-1')
    """
    start = cell[1:].lstrip(" \t\n\r\u200b\u200c\u200d")[:1]
    return cell[1:] if cell[:1] == "'" and start and start in "=@+-" else cell
