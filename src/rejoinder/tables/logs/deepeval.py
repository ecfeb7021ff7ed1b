"""DeepEval: a test run as JSON (``test_run_<date>.json``, ``.latest_test_run.json``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, stem_of
from rejoinder.messages import Place
from rejoinder.tables.format import Shape
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.logs.role_messages import last_reply, messages_of, texts_before
from rejoinder.tables.logs.samples import (
    Sample,
    Value,
    log_format,
    name_of,
    number_of,
    objects_of,
    texts_of,
    value_of,
    with_keys,
)

_EXPECTED = "expected a test run of DeepEval, whole"
_CASES = ("testCases", "test_cases")
_CONVERSATIONS = ("conversationalTestCases", "conversational_test_cases")


def read(path: Path) -> list[Sample]:
    """A sample for each test case, with the score of each of its metrics.

    A case is called by its name where all names differ, else by its place. The system is the
    ``model`` of the run's hyperparameters where it names one, else the file. A conversation is an
    item: the last turn of the assistant is the reply, and what stands before it the context. It has
    no reference: an expected outcome says what should happen, not what should be said.

    Raises:
        InputError: The file is no list of test cases.
    """
    content = json_value(read_text(path), str(path), _EXPECTED)
    run = content.get("testRunData", content) if isinstance(content, dict) else content
    if not isinstance(run, dict) or not any(name in run for name in (*_CASES, *_CONVERSATIONS)):
        raise InputError(f"{path}: no list of test cases; {_EXPECTED}")
    given = [_get(run, list, str(path), *names) for names in (_CASES, _CONVERSATIONS)]
    cases, conversations = (each or [] for each in given)
    rows = [*enumerate([*cases, *conversations], start=1)]
    every = [
        *with_keys(path, rows[: len(cases)], ("input",)),
        *with_keys(path, rows[len(cases) :], ("turns",)),
    ]
    names = [name_of(case, "name", where) for where, case in every]
    named = all(names) and len(set(names)) == len(names)
    settings = value_of(run, "hyperparameters", dict, str(path)) or {}
    model = name_of(settings, "model", f"{path}, hyperparameters") or stem_of(path)
    return [
        Sample(
            names[place] if named else str(place),
            model,
            where,
            *(_single_turn(case, where) if place < len(cases) else _last_turn(case, where)),
            scores={
                name_of(metric, "name", where): number_of(metric.get("score"))
                for name in ("metricsData", "metrics_data")
                for metric in objects_of(case, name, where)
            },
        )
        for place, (where, case) in enumerate(every)
    ]


def _single_turn(case: dict[str, Any], where: Place) -> tuple[str | None, list[str], list[str]]:
    """The reply, the context and the references."""
    return (
        _get(case, str, where, "actualOutput", "actual_output"),
        texts_of(case["input"]),
        texts_of(_get(case, str, where, "expectedOutput", "expected_output")),
    )


def _last_turn(case: dict[str, Any], where: Place) -> tuple[str | None, list[str], list[str]]:
    """The last turn of the assistant, the turns before it, and no reference."""
    turns = messages_of(case["turns"], where)
    last = last_reply(turns)
    return None if last is None else turns[last].text, texts_before(turns, last), []


FORMAT = log_format(
    "deepeval",
    "DeepEval: a test run as JSON with inputs, expected and actual outputs, and scores",
    [Shape("json object", (f'"{name}"',)) for name in (*_CASES, *_CONVERSATIONS)],
    read,
)


def _get(row: dict[str, Any], kind: type[Value], where: object, *names: str) -> Value | None:
    """The first of these values that there is; DeepEval writes names in two ways."""
    values = (value_of(row, name, kind, where) for name in names)
    return next((value for value in values if value is not None), None)
