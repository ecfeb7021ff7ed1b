"""Bad input: every case is a pair of test set and responses, and what must be said about it.

The same cases are tried on the readers and on the command line, and are the table of
docs/errors.md, which ``python tests/bad_input_cases.py`` writes again after a change.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import bad_files
import bad_tables
from bad_outputs import INTRODUCTION as OUTPUT
from bad_outputs import OUTPUT_CASES
from bad_python import PYTHON_CASES
from bad_ratings import RATING_CASES
from bad_verbs import VERB_CASES
from command_line import running
from rejoinder.errors import RejoinderError

ITEMS = "".join(
    json.dumps({"id": f"c{i}", "context": [f"Where is bus {i}?"], "references": [f"Line {i}."]})
    + "\n"
    for i in range(1, 4)
)
REPLIES = "".join(json.dumps({"id": f"c{i}", "text": f"At stop {i}."}) + "\n" for i in range(1, 4))


@dataclass(frozen=True)
class Case:
    """One kind of bad input.

    ``testset`` and ``responses`` map file names to contents; the keys are the paths given, unless
    ``testset_paths`` or ``responses_paths`` name others. ``prepare`` works on the folder afterwards.
    """

    id: str
    wrong: str
    expected: str
    testset: dict[str, str | bytes] = field(default_factory=lambda: {"test.jsonl": ITEMS})
    responses: dict[str, str | bytes] = field(default_factory=lambda: {"bot.jsonl": REPLIES})
    testset_paths: tuple[str, ...] | None = None
    responses_paths: tuple[str, ...] | None = None
    testset_format: str | None = None
    missing: str = "error"
    needs_user: bool = False  # cannot be tried by the superuser
    prepare: Callable[[Path], None] = lambda folder: None

    def build(self, folder):
        """Writes the files; returns the paths of the test set and of the responses."""
        for name, content in {**self.testset, **self.responses}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.prepare(folder)
        testset = self.testset if self.testset_paths is None else self.testset_paths
        responses = self.responses if self.responses_paths is None else self.responses_paths
        return [folder / name for name in testset], [folder / name for name in responses]

    def arguments(self, folder):
        """The arguments of ``rejoinder score`` for this case."""
        (testset, *further), responses = self.build(folder)
        options = [argument for path in further for argument in ("--reference", str(path))]
        for option, value in (
            ("--format", self.testset_format and f"{testset.name}:{self.testset_format}"),
            ("--missing", None if self.missing == "error" else self.missing),
        ):
            options += [option, value] if value else []
        return [str(testset), *map(str, responses), *options]

    def read(self, folder):
        """Reads and joins the tables as ``rejoinder score`` does."""
        from rejoinder.tables.responses import check_responses, read_responses
        from rejoinder.tables.testset import read_testset

        testset, responses = self.build(folder)
        items = read_testset(*testset, format=self.testset_format)
        replies = read_responses(*responses, ids=items.ids)
        check_responses(replies, items, self.missing)

    def message(self, folder):
        """The message that reading raises, without the folder."""
        try:
            with running("score"):
                self.read(folder)
        except RejoinderError as error:
            return str(error).replace(f"{folder}{os.sep}", "").replace(str(folder), ".")
        raise AssertionError(f"{self.id}: nothing was raised")

    @property
    def skipped(self):
        return self.needs_user and os.geteuid() == 0


CASES = [Case(**case) for case in (*bad_files.CASES, *bad_tables.CASES)]

INTRODUCTION = """# Errors

Every mistake in the input ends in one message (and, on the command line, in exit status 2), which
says where it is, what is wrong, and what to do. The first offence is reported, with the number of
others like it where that is cheap to know. A row is a line of a text file, counted from 1; in CSV
and TSV the header is row 1. The messages are those of the command line, which name options; in Python
they name the argument of the call: `columns={'text': 'output'}` for `--columns text=output`.

Each line of these tables is tried by a test; `python tests/bad_input_cases.py` writes this page.
"""


OPTIONS = """`...` stands for `test.jsonl bot.jsonl cat.jsonl -m bleu`, a test set and two systems; where no
ratings are named, `correlate` and `recipe` were given good ones.
"""


def row(case_id, wrong, message):
    """One line of a table: the message is cut where its remedy begins."""
    says, _, remedy = message.partition("; ")
    cells = [f"`{case_id}`", wrong, says, remedy]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def verb_row(case, message):
    """The same for a command."""
    return row(case.cell, case.wrong, message)


def page(known=""):
    """The text of docs/errors.md; rows that cannot be tried here are taken from ``known``."""
    head = "| case | what is wrong | what Rejoinder says | remedy |\n|---|---|---|---|\n"
    rows = []
    for case in CASES:
        if case.skipped:
            rows += re.findall(rf"^\| `{case.id}` .*$", known, re.MULTILINE)
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row(case.id, case.wrong, case.message(Path(folder))))
    ratings = []
    for case in RATING_CASES:
        with tempfile.TemporaryDirectory() as folder:
            ratings.append(row(case.id, case.wrong, case.message(Path(folder))))
    python = [row(case.id, case.wrong, case.message()) for case in PYTHON_CASES]
    verbs = []
    for case in VERB_CASES:
        with tempfile.TemporaryDirectory() as folder:
            verbs.append(verb_row(case, case.message(Path(folder))))
    outputs = []
    for case in OUTPUT_CASES:
        if case.skipped:
            outputs += re.findall(rf"^\| `{case.id}` .*$", known, re.MULTILINE)
            continue
        with tempfile.TemporaryDirectory() as folder:
            outputs.append(row(case.id, case.wrong, case.message(Path(folder))))
    return (
        f"{INTRODUCTION}\n## Files\n\n{head}"
        + "\n".join(rows)
        + f"\n\n## Ratings and comparisons\n\n{head}"
        + "\n".join(ratings)
        + f"\n\n## Lists and tables from Python\n\n{head}"
        + "\n".join(python)
        + f"\n\n## Options\n\n{OPTIONS}\n{head.replace('case', 'command', 1)}"
        + "\n".join(verbs)
        + f"\n\n## Output\n\n{OUTPUT}\n{head}"
        + "\n".join(outputs)
        + "\n"
    )


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "docs" / "errors.md"
    target.write_text(page(target.read_text() if target.exists() else ""))
    every = (CASES, RATING_CASES, PYTHON_CASES, VERB_CASES, OUTPUT_CASES)
    sys.stdout.write(f"{sum(map(len, every))} cases\n")
