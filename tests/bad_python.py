"""Bad input given as lists and tables from Python."""

# One case per line reads best.
# ruff: noqa: E501

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import RejoinderError
from rejoinder.responders.phrase.language_model import read_arpa
from rejoinder.tables.responses import check_responses, read_responses
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.text.lists import check_orientation


@dataclass(frozen=True)
class PythonCase:
    """A call that must raise, and what must be said."""

    id: str
    wrong: str
    expected: str
    call: Callable[[], Any]

    def message(self):
        try:
            self.call()
        except RejoinderError as error:
            return str(error)
        raise AssertionError(f"{self.id}: nothing was raised")


def testset(**more):
    return TestSet.from_lists([["Hi"], ["Ho", "Hey"]], **more)


def tables(references=None, contexts=None):
    return TestSet(
        pl.DataFrame(contexts or {"id": ["a"], "context": [["Hi"]]}),
        pl.DataFrame(references or {"id": ["a"], "text": ["Ho"]}),
    )


def arpa(text):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("lm.arpa").write_text("\\data\\\nngram 1=1\n\n\\1-grams:\n" + text, "utf-8")
        return read_arpa("lm.arpa")


THREE = ["a", "b", "c"]
HALF = "\ud83d"

PYTHON_CASES = [
    PythonCase("orientation", "references one list per stream", r"list\(zip\(\*references\)\)", lambda: check_orientation(THREE, [THREE, THREE])),
    PythonCase("lengths-differ", "other numbers of hypotheses and lists", r"2 lists for 3 hypotheses", lambda: check_orientation(THREE, [["x"], ["y", "z"]])),
    PythonCase("hypotheses-string", "one string as the hypotheses", r"hypotheses: a string; expected a list", lambda: check_orientation("Hi", [["Ho"]])),
    PythonCase("references-flat", "a list of strings as the references", r"references\[0\]: a string.*\[\[r\] for r in references\]", lambda: check_orientation(THREE, THREE)),
    PythonCase("hypothesis-none", "None as a hypothesis", r"hypotheses\[1\]: None", lambda: check_orientation(["a", None], [["x"], ["y"]])),
    PythonCase("reference-none", "None as a reference", r"references\[1\]\[0\]: None", lambda: check_orientation(["a", "b"], [["x"], [None]])),
    PythonCase("hypothesis-number", "a number as a hypothesis", r"hypotheses\[0\]: float", lambda: check_orientation([float("nan")], [["x"]])),
    PythonCase("hypothesis-surrogate", "half a surrogate pair in a hypothesis", r"hypotheses\[1\]: a lone surrogate .* position 2", lambda: check_orientation(["a", "b " + HALF], [["x"], ["y"]])),
    PythonCase("reference-surrogate", "half a surrogate pair in a reference", r"references\[0\]\[1\]: a lone surrogate", lambda: check_orientation(["a"], [["x", HALF]])),
    PythonCase("references-dict", "a dictionary of references", r"references: dict; expected a list", lambda: TestSet.from_lists({"a": ["x"]})),  # pyright: ignore
    PythonCase("weights-shape", "weights of another shape", r"weights\[1\]: got 1; expected 2", lambda: testset(weights=[[1.0], [0.5]])),
    PythonCase("weights-count", "weights for other items", r"weights: 1 for 2 lists", lambda: testset(weights=[[1.0]])),
    PythonCase("weights-type", "a weight that is no number", r"weights\[1\]\[1\]: got str", lambda: testset(weights=[[1.0], [0.5, "1"]])),
    PythonCase("weights-outside", "ratings given as weights", r"row 2: weight 4 outside .*\(and 1 more row like it\)", lambda: testset(weights=[[1], [4, 5]])),
    PythonCase("ids-count", "ids for other items", r"ids: 1 for 2 lists of references", lambda: testset(ids=["a"])),
    PythonCase("contexts-surrogate", "half a surrogate pair in a context", r"contexts\[1\]\[0\]: a lone surrogate", lambda: testset(contexts=["Hi", HALF])),
    PythonCase("ids-twice", "an id twice", r"contexts, row 2: duplicate id 'a'", lambda: testset(ids=["a", "a"])),
    PythonCase("frame-column", "a table without a column", r"contexts: no column 'context'", lambda: tables(contexts={"id": ["a"]})),
    PythonCase("frame-unknown", "an additional column of the references", r"unknown column 'rating'", lambda: tables({"id": ["a"], "text": ["Ho"], "rating": [5]})),
    PythonCase("frame-null", "a null text in a table", r"references, row 1: the text of a reference of id 'a' is null", lambda: tables({"id": ["a"], "text": [None]})),
    PythonCase("frame-infinite", "an infinite weight in a table", r"weight inf at id 'a'", lambda: tables({"id": ["a"], "text": ["Ho"], "weight": [float("inf")]})),
    PythonCase("select-unknown", "an unknown id selected", r"no item has the id 'z'", lambda: testset().select(["1", "z"])),
    PythonCase("paths-list", "a list of paths in place of paths", r"unpack a list with a star", lambda: read_testset(["a.jsonl"])),  # pyright: ignore
    PythonCase("no-paths", "no path", r"no path given", lambda: read_responses()),
    PythonCase("testset-lists", "lists as the tables of a test set", r"contexts is list, expected a frame .*TestSet\.from_lists", lambda: TestSet([["Hi"]], [["Ho"]])),  # pyright: ignore
    PythonCase("testset-split", "tables and paths together", r"tables and paths together; give either", lambda: read_testset("a.csv", pl.DataFrame({"id": ["a"]}))),
    PythonCase("testset-frame", "a frame that is no test set", r"test set: no column 'ref1' or 'text'|no column", lambda: read_testset(pl.DataFrame({"id": ["a"]}))),
    PythonCase("responses-frame", "a frame that is no responses", r"responses: no column 'text'", lambda: read_responses(pl.DataFrame({"id": ["a"]}))),
    PythonCase("arpa-row", "an ARPA file with a probability above 1", r"lm\.arpa, row 5: got '0\.5 a'; expected a logarithm of 0 or less", lambda: arpa("0.5 a\n")),
    PythonCase("arpa-cut", "an ARPA file that was cut", r"lm\.arpa: got \[1\] n-grams by order; expected an ARPA file with \[1\], .*; it may be cut", lambda: arpa("-1 a\n")),
    PythonCase("missing-value", "an unknown rule for missing replies", r"missing: got 'skip'; expected 'error', 'drop', 'empty' or 'pairwise'", lambda: check_responses(pl.DataFrame(), testset(), "skip")),  # pyright: ignore
    PythonCase("missing-pairwise", "systems on items of their own, where all need the same ones", r"missing='pairwise': needs numbers of each system", lambda: check_responses(pl.DataFrame(), testset(), "pairwise")),  # pyright: ignore
]  # fmt: skip
