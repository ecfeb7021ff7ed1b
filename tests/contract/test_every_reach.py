"""How many files of the library a command goes through: whoever follows it has to read them."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """
import sys, threading
from pathlib import Path
import rejoinder
from rejoinder.cli.app import run

root, reached = str(Path(rejoinder.__file__).parent), set()

def note(frame, event, argument):
    place = frame.f_code.co_filename
    if event != "call" or not place.startswith(root) or place in reached:
        return
    below = frame  # what runs while a module is imported is not counted
    while below is not None:
        if below.f_code.co_name == "<module>" and below.f_code.co_filename.startswith(root):
            return
        below = below.f_back
    reached.add(place)

threading.setprofile(note)
sys.setprofile(note)
status = run(sys.argv[1:])
sys.setprofile(None)
assert status == 0
print(*sorted(Path(place).relative_to(root).as_posix() for place in reached), sep="\\n")
"""
TEXTS = ["testset.jsonl", "responses/tuned.jsonl"]
JUDGED = ["--ratings", "some-ratings.csv", "--scores", "judge.csv"]
MOST = {
    "score": (["score", *TEXTS], 98),
    "compare": (["compare", *JUDGED], 108),
}
"""By verb a command, and of how many files it may call functions. The numbers only fall."""

FORMATS = {"tables/formats/format_choice.py", "tables/formats/registry.py"}


@pytest.fixture(scope="module")
def reached():
    """By verb the files whose functions it calls."""

    def files(arguments):
        call = [sys.executable, "-c", PROGRAM, *arguments]
        done = subprocess.run(call, cwd=EXAMPLES, capture_output=True, text=True, check=True)
        names = done.stdout.split("\n")
        return {name for name in names if name.endswith(".py") and " " not in name}

    def few(arguments, most):  # in a first run kernels may be compiled
        found = files(arguments)
        return found if len(found) <= most else files(arguments)

    return {verb: few(*each) for verb, each in MOST.items()}


@pytest.mark.parametrize("verb", MOST)
def test_a_command_calls_functions_of_few_files(reached, verb):
    assert len(reached[verb]) <= MOST[verb][1], sorted(reached[verb])


@pytest.mark.parametrize("verb", MOST)
def test_no_format_of_others_is_asked_about_our_own_tables(reached, verb):
    others = {each for each in reached[verb] if each.startswith(("tables/formats", "tables/logs"))}
    assert others <= FORMATS | {"tables/formats/own_tables.py"}
