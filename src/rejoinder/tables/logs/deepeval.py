"""DeepEval: a test run as JSON (``test_run_<date>.json``, ``.deepeval/.latest_test_run.json``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, stem_of
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.logs.samples import Log, Sample, expected_keys, number_of, texts_of

_EXPECTED = "expected a test run of DeepEval, whole"


def recognise(path: Path, first: bytes) -> bool:
    """A JSON object whose test cases have an input and an actual output."""
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    cases = b'"testCases"' in first or b'"test_cases"' in first
    return not path.is_dir() and start[:1] == b"{" and cases


def read(path: Path) -> list[Sample]:
    """A sample for each test case of one turn, with the score of each of its metrics.

    A case is called by its name where all names differ, else by its place. The system is the
    ``model`` of the run's hyperparameters where it names one, else the file. Cases of whole
    conversations are not read.
    """
    content = json_value(read_text(path), str(path), _EXPECTED)
    run = content.get("testRunData", content) if isinstance(content, dict) else content
    cases = _get(run, "testCases", "test_cases")
    if not isinstance(cases, list):
        raise InputError(f"{path}: no list of test cases; {_EXPECTED}")
    for number, case in enumerate(cases, start=1):
        expected_keys(f"{path}, row {number}", ("input",), case)
    names = [str(case.get("name") or "") for case in cases]
    named = all(names) and len(set(names)) == len(names)
    settings = _get(run, "hyperparameters")
    model = settings.get("model") if isinstance(settings, dict) else None
    return [
        Sample(
            names[place] if named else str(place),
            str(model or stem_of(path)),
            place + 1,
            _get(case, "actualOutput", "actual_output"),
            texts_of(case["input"]),
            texts_of(_get(case, "expectedOutput", "expected_output")),
            {
                str(metric.get("name")): number_of(metric.get("score"))
                for metric in _get(case, "metricsData", "metrics_data") or []
                if isinstance(metric, dict)
            },
        )
        for place, case in enumerate(cases)
    ]


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
