"""How much a process imports before it does anything: counted in modules, since seconds differ."""

import json
import os
import subprocess
import sys

import pytest

from command_line import commands
from shared_data import SYSTEMS, TESTSET

HEAVY = {
    "asyncio", "jinja2", "llvmlite", "matplotlib", "numba", "numpy", "polars", "pyarrow", "sacrebleu",
    "scipy", "sklearn", "starlette", "torch", "transformers",
}  # fmt: skip


def modules(program):
    """The modules that a program imports in a process of its own; some come with Python itself."""
    code = f"{program}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def empty():
    return modules("pass")


def test_the_package_imports_next_to_nothing(empty):
    loaded = modules("import rejoinder") - empty
    assert not HEAVY & loaded
    assert {name for name in loaded if name.startswith("rejoinder")} == {
        "rejoinder",
        "rejoinder._version",
    }
    assert len(loaded) <= 20


EACH_VERB = """
import io, json, os, sys
from rejoinder.cli.app import run
shown = os.dup(1)
for verb in {verbs}:
    child = os.fork()
    if child == 0:
        sys.stdout = io.StringIO()
        assert run([*verb.split(), "--help"]) == 0
        os.write(shown, (json.dumps([verb, sorted(sys.modules)]) + chr(10)).encode())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_help_of_every_verb_imports_little(empty):
    code = EACH_VERB.replace("{verbs}", repr(["", *commands()]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {
        verb: set(names) - empty for verb, names in map(json.loads, done.stdout.splitlines())
    }
    assert set(imported) == {"", *commands()}
    assert not {verb: names & HEAVY for verb, names in imported.items() if names & HEAVY}
    assert {verb: len(names) for verb, names in imported.items() if len(names) > 150} == {}


def test_a_verb_imports_its_own_file_alone(empty):
    loaded = modules("from rejoinder.cli.app import run; run(['score', '--help'])") - empty
    verbs = {name for name in loaded if name.startswith("rejoinder.cli.verbs.")}
    assert verbs == {"rejoinder.cli.verbs.score"}
    assert len(loaded) <= 110


def test_scoring_wakes_neither_compiler_nor_pyarrow_nor_pictures(empty):
    words = ["score", TESTSET, *SYSTEMS, "-m", "bleu", "--json", "--resamples", "0"]
    program = f"from rejoinder.cli.app import run; assert run({words}) == 0"
    modules(program)  # compiles the kernels where this machine has none yet
    loaded = modules(program) - empty
    unwanted = {
        "matplotlib",
        "numba",
        "numpy.ma",
        "pandas",
        "pyarrow",
        "rich",
        "sacrebleu",
        "scipy",
        "sqlite3",
    }
    assert not unwanted & loaded
    assert len({name for name in loaded if name.startswith("rejoinder")}) <= 225
    assert len(loaded) <= 800


@pytest.fixture
def plain(tmp_path):
    """A file of references and one of replies."""
    files = tmp_path / "references.txt", tmp_path / "bot.txt"
    for file in files:
        file.write_text("at nine\nno idea\n" * 300)
    return [str(file) for file in files]


def test_numbers_of_plain_text_need_no_tables(empty, plain):
    words = ["score", *plain, "-m", "bleu", "--json"]
    program = f"from rejoinder.cli.app import run; assert run({words}) == 0"
    modules(program)  # compiles the kernels where this machine has none yet
    loaded = modules(program) - empty
    assert not {"polars", "numba", "pyarrow", "rich", "importlib.metadata", "zipfile"} & loaded
    assert len({name for name in loaded if name.startswith("rejoinder")}) <= 100
    assert len(loaded) <= 350


def test_a_metric_by_itself_needs_no_tables(empty):
    program = "from rejoinder.metrics import BLEU; BLEU().corpus(['at nine'], [['at nine']])"
    modules(program)
    loaded = modules(program) - empty
    assert not {"polars", "numba", "pyarrow", "msgspec", "click"} & loaded
    assert len({name for name in loaded if name.startswith("rejoinder")}) <= 60


@pytest.mark.parametrize(
    ("before", "metric", "after"),
    [("", "bleu:order=4", "1"), ("3", "bleu", "3"), ("", "greedy:vectors=none", "")],
)
def test_counting_starts_no_threads_for_linear_algebra(plain, before, metric, after):
    words = ["score", *plain, "-m", metric, "--json"]
    code = f"""
import os
from rejoinder.cli.app import run
run({words})
print(os.environ.get("OPENBLAS_NUM_THREADS", ""))
"""
    others = {name: value for name, value in os.environ.items() if "_NUM_THREADS" not in name}
    environment = others | ({"OPENBLAS_NUM_THREADS": before} if before else {})
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout.split("\n")[-2] == after
