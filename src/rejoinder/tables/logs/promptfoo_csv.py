"""promptfoo's table of results (``promptfoo eval -o results.csv``) as the rows of its JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import suffix_of
from rejoinder.messages import counted, listed, quoted
from rejoinder.tables.io.delimited import csv_rows

_OF_OUTPUT = ("Status", "Score", "Named Scores")
_EXPECTED = "expected the CSV that 'promptfoo eval -o results.csv' writes"
_CELL = re.compile(
    r"\[(PASS|FAIL|ERROR)\](?: \(([^)]*)\))?\s?(.*?)(?:\n\n(?:Pass|Fail) Reason: .*)?", re.DOTALL
)
"""An output of earlier versions: its status, its scores, the reply, and why it passed or failed."""


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


def recognise(path: Path, first: bytes) -> bool:
    """A CSV with ``Status, Score, Named Scores`` behind an output, or with ``[PASS]`` in its cells."""
    marks = (b",Status,Score,Named Scores", b",[PASS]", b',"[PASS]', b",[FAIL]", b',"[FAIL]')
    return not path.is_dir() and suffix_of(path) == ".csv" and any(mark in first for mark in marks)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """A row for each test and output, with the keys of promptfoo's JSON.

    Tests are counted from 0 in the order of the rows, as in ``testIdx``. Scores are rounded to two
    decimals in the file. An error has no reply.

    Raises:
        InputError: A row has another number of cells than the header, or there is no output.
    """
    (_, header), *lines = csv_rows(path)
    outputs = _outputs(header, [cells for _, cells in lines])
    if not outputs:
        raise InputError(f"{path}: no column of outputs; got {listed(header)}; {_EXPECTED}")
    variables = [name for name in header[: outputs[0].place] if name != "Description"]
    first = outputs[0].place - len(variables)
    rows = []
    for test, (number, cells) in enumerate(lines):
        if len(cells) != len(header):
            raise InputError(
                f"{path}, row {number}: {counted(len(cells), 'cell')}, expected {len(header)}; "
                f"{_EXPECTED}"
            )
        values = dict(zip(variables, map(_unescaped, cells[first:]), strict=False))
        for output in outputs:
            result = _result(output, cells, f"{path}, row {number}")
            if result is not None:
                prompt = {"label": output.label}
                rows.append(
                    {"testIdx": test, "provider": output.provider, "prompt": prompt, "vars": values}
                    | result
                )
    return rows


def _outputs(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[_Output]:
    """The outputs: what stands before ``Status, Score, Named Scores``, or columns of ``[PASS]``."""
    size = len(_OF_OUTPUT)
    places = [
        place
        for place in range(len(header))
        if tuple(header[place + 1 : place + 1 + size]) == _OF_OUTPUT
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


def _result(output: _Output, cells: Sequence[str], where: str) -> dict[str, Any] | None:
    """The reply with its scores; None where this output has no result of the test."""
    if not output.in_columns:
        parts = _CELL.fullmatch(cells[output.place])
        assert parts is not None  # columns of other cells are none of outputs
        status, scores, reply = parts.groups()
        score, *named = (scores or "").split(", ")
        pairs = (each.rpartition(": ") for each in named)
        return _scored(status, reply.strip("\n"), score, {name: value for name, _, value in pairs})
    reply, status, score, named = cells[output.place : output.place + 1 + len(_OF_OUTPUT)]
    if not status.strip() and not reply.strip():
        return None
    if status not in ("PASS", "FAIL", "ERROR"):
        raise InputError(f"{where}: got the status {quoted(status)}; expected PASS, FAIL or ERROR")
    try:
        values = msgspec.json.decode(_unescaped(named) or "{}", type=dict[str, float])
    except (msgspec.DecodeError, RecursionError):
        raise InputError(
            f"{where}: Named Scores are no JSON object of numbers; {_EXPECTED}"
        ) from None
    return _scored(status, _unescaped(reply), score, values)


def _scored(status: str, reply: str, score: str, named: dict[str, Any]) -> dict[str, Any]:
    failed = status == "ERROR"
    return {
        "response": None if failed else {"output": reply},
        "success": status == "PASS",
        "score": _number(score),
        "namedScores": {name: _number(value) for name, value in named.items()},
    }


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _unescaped(cell: str) -> str:
    """A cell without the quote that keeps a spreadsheet from taking it for a formula.

    >>> _unescaped("'=1+1"), _unescaped("'tis so"), _unescaped("-1")
    ('=1+1', "'tis so", '-1')
    """
    start = cell[1:].lstrip(" \t\n\r\u200b\u200c\u200d")[:1]
    return cell[1:] if cell[:1] == "'" and start and start in "=@+-" else cell
