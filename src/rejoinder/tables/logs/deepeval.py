"""DeepEval: a test run as JSON (``test_run_<date>.json``, ``.latest_test_run.json``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, stem_of
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.logs.samples import (
    Log,
    Sample,
    expected_keys,
    number_of,
    text_of,
    texts_of,
    turns_of,
)

_EXPECTED = "expected a test run of DeepEval, whole"
_CASES = ("testCases", "test_cases")
_CONVERSATIONS = ("conversationalTestCases", "conversational_test_cases")


def recognise(path: Path, first: bytes) -> bool:
    """A JSON object with test cases of one turn, or of whole conversations."""
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    cases = any(f'"{name}"'.encode() in first for name in (*_CASES, *_CONVERSATIONS))
    return not path.is_dir() and start[:1] == b"{" and cases


def read(path: Path) -> list[Sample]:
    """A sample for each test case, with the score of each of its metrics.

    A case is called by its name where all names differ, else by its place. The system is the
    ``model`` of the run's hyperparameters where it names one, else the file. A conversation is an
    item: the last turn of the assistant is the reply, and what stands before it the context. It has
    no reference: an expected outcome says what should happen, not what should be said.
    """
    content = json_value(read_text(path), str(path), _EXPECTED)
    run = content.get("testRunData", content) if isinstance(content, dict) else content
    given = [_get(run, *names) for names in (_CASES, _CONVERSATIONS)]
    if not any(isinstance(each, list) for each in given):
        raise InputError(f"{path}: no list of test cases; {_EXPECTED}")
    cases, conversations = (each if isinstance(each, list) else [] for each in given)
    for number, case in enumerate([*cases, *conversations], start=1):
        expected_keys(
            f"{path}, row {number}", ("input" if number <= len(cases) else "turns",), case
        )
    names = [str(case.get("name") or "") for case in [*cases, *conversations]]
    named = all(names) and len(set(names)) == len(names)
    settings = _get(run, "hyperparameters")
    model = str((settings.get("model") if isinstance(settings, dict) else None) or stem_of(path))
    return [
        Sample(
            names[place] if named else str(place),
            model,
            place + 1,
            *(_of_one_turn(case) if place < len(cases) else _of_conversation(case)),
            scores={
                str(metric.get("name")): number_of(metric.get("score"))
                for metric in _objects(_get(case, "metricsData", "metrics_data"))
            },
        )
        for place, case in enumerate([*cases, *conversations])
    ]


def _of_one_turn(case: dict[str, Any]) -> tuple[str | None, list[str], list[str]]:
    """The reply, the context and the references."""
    return (
        _get(case, "actualOutput", "actual_output"),
        texts_of(case["input"]),
        texts_of(_get(case, "expectedOutput", "expected_output")),
    )


def _of_conversation(case: dict[str, Any]) -> tuple[str | None, list[str], list[str]]:
    """The last turn of the assistant, the turns before it, and no reference."""
    turns = _objects(case["turns"])
    last = max((i for i, turn in enumerate(turns) if turn.get("role") == "assistant"), default=None)
    if last is None:
        return None, turns_of(turns), []
    return text_of(turns[last].get("content")), turns_of(turns[:last]), []


LOG = Log(
    "deepeval",
    "DeepEval: a test run as JSON with inputs, expected and actual outputs, and scores",
    recognise,
    read,
)


def _get(row: Any, *names: str) -> Any:
    """The first of these values that there is; DeepEval writes names in two ways."""
    values = (row[name] for name in names if isinstance(row, dict) and row.get(name) is not None)
    return next(values, None)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
