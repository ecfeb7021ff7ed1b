"""The library names arguments of Python; options of the command line are named by the command line alone."""

import ast
import re
from pathlib import Path

import rejoinder

SOURCE = Path(rejoinder.__file__).parent

STAY = {
    "files/reading.py": (1, "the command that writes the example files: no call of Python does"),
    "kernels/shared_library.py": (1, "an option of the linker"),
    "planning/next_items_tables.py": (
        1,
        "a command to type; the library has no call that serves a study",
    ),
    "reporting/first_screen.py": (4, "commands to type, each a remedy"),
    "responders/phrase/language_model.py": (1, "an option of lmplz"),
    "text/tokenizers.py": (1, "an option of sacrebleu"),
}
"""By file how many strings name an option, and why."""

LEFT = 0
"""Texts that still name options themselves; this number may only fall."""

OPTION = re.compile(r"(?<![\w-])--[a-z]")


def texts(tree):
    """The strings of a file but for its docstrings, which address people who read the code."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def naming_options():
    """By file of the library how many strings name an option."""
    counts = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        source = path.read_text("utf-8")
        if not place.startswith("cli/") and OPTION.search(source):
            counts[place] = sum(bool(OPTION.search(each)) for each in texts(ast.parse(source)))
    return {place: count for place, count in counts.items() if count}


def test_texts_of_the_library_name_no_option():
    counts = naming_options()
    assert {place: counts.pop(place, 0) for place in STAY} == {
        place: count for place, (count, _) in STAY.items()
    }
    assert sum(counts.values()) <= LEFT, counts


def test_few_may_stay():
    assert sum(count for count, _ in STAY.values()) <= 10
