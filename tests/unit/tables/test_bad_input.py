"""Every kind of bad input is one error, with the message that docs/errors.md promises."""

import re
from pathlib import Path

import pytest

from bad_input_cases import CASES, row
from bad_outputs import OUTPUT_CASES
from bad_python import PYTHON_CASES
from bad_ratings import RATING_CASES
from rejoinder.cli.app import app

ERRORS = (Path(__file__).parents[3] / "docs" / "errors.md").read_text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_bad_file_is_one_error_that_names_it(case, tmp_path):
    if case.skipped:
        pytest.skip("the superuser may read everything")
    message = case.message(tmp_path)
    assert re.search(case.expected, message), message
    assert "\n" not in message
    assert "; " in message, f"no remedy: {message}"
    assert row(case.id, case.wrong, message) in ERRORS, "run: python tests/bad_input_cases.py"


@pytest.mark.parametrize("case", RATING_CASES, ids=lambda case: case.id)
def test_bad_ratings_are_one_error(case, tmp_path):
    message = case.message(tmp_path)
    assert re.search(case.expected, message), message
    assert "\n" not in message
    assert "; " in message, f"no remedy: {message}"
    assert row(case.id, case.wrong, message) in ERRORS, "run: python tests/bad_input_cases.py"


@pytest.mark.parametrize("case", PYTHON_CASES, ids=lambda case: case.id)
def test_a_bad_call_is_one_error(case):
    message = case.message()
    assert re.search(case.expected, message), message
    assert "; " in message, f"no remedy: {message}"
    assert row(case.id, case.wrong, message) in ERRORS, "run: python tests/bad_input_cases.py"


@pytest.mark.parametrize("case", OUTPUT_CASES, ids=lambda case: case.id)
def test_an_output_that_takes_nothing_is_one_error(case, tmp_path):
    if case.skipped:
        pytest.skip("no /dev/full on this system")
    message = case.message(tmp_path)
    assert re.search(case.expected, message), message
    assert row(case.id, case.wrong, message) in ERRORS, "run: python tests/bad_input_cases.py"


def test_the_page_lists_these_cases_and_no_others():
    tried = [case.id for case in (*CASES, *RATING_CASES, *PYTHON_CASES, *OUTPUT_CASES)]
    assert len(tried) == len(set(tried))
    assert len(tried) >= 40
    listed = re.findall(r"^\| `([a-z0-9-]+)`", ERRORS, re.MULTILINE)
    assert [
        each for each in listed if each not in app.commands
    ] == tried  # a verb begins its own cases


def test_the_files_of_the_cases_are_good_but_for_what_is_wrong(tmp_path):
    good = next(case for case in CASES if case.id == "missing-file")
    paths, _ = good.build(tmp_path)
    (tmp_path / "test.jsonl").rename(paths[0])
    type(good)("good", "nothing", "", testset={}, testset_paths=(paths[0].name,)).read(tmp_path)
