"""The GitHub Action: its file is sound, and its steps compare the examples as the command line does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest
import yaml

from shared_data import EXAMPLES, ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, COMPARE = ACTION["runs"]["steps"]
NEEDED = ["testset", "old", "new"]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the steps run in bash")


def test_inputs_reach_the_shell_by_its_environment_alone():
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        assert "uses" not in step
    passed = {value.strip("${} ") for value in COMPARE["env"].values()}
    named = {f"inputs.{name}" for name in ACTION["inputs"]}
    assert passed == named - {"inputs.install"}
    assert INSTALL["if"] == "inputs.install == 'true'"
    for variable in COMPARE["env"]:
        assert f"${variable}" in COMPARE["run"] or f"${{{variable}" in COMPARE["run"]


def test_inputs_are_described_and_have_a_default_or_are_required():
    for name, each in ACTION["inputs"].items():
        assert each["description"].endswith((".", ")."))
        assert each.get("required", False) == (name in NEEDED)
        assert ("default" in each) != (name in NEEDED)
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert f"`{name}`" in page, name


def compared(folder, **given):
    """The status of the step, what it printed, its summary and its outputs."""
    inputs = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): str(value) for name, value in given.items()}
    tools = folder / "tools"
    tools.mkdir()
    program = tools / "rejoinder"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rejoinder "$@"\n')
    program.chmod(0o755)
    summary, outputs = folder / "summary.md", folder / "outputs"
    summary.touch()
    outputs.touch()
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(tools), os.environ["PATH"]]),
        "RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs),
        **{key: inputs[value.strip("${} ").removeprefix("inputs.")] for key, value in COMPARE["env"].items()},
    }  # fmt: skip
    # As a runner calls bash.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", COMPARE["run"]]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr, summary.read_text(), outputs.read_text()


@pytest.fixture
def files(tmp_path):
    for name in ("tuned", "generic"):
        shutil.copy(EXAMPLES / "responses" / f"{name}.jsonl", tmp_path)
    shutil.copy(EXAMPLES / "testset.jsonl", tmp_path)
    return tmp_path


def test_a_better_system_passes(files):
    status, printed, summary, outputs = compared(
        files, testset="testset.jsonl", old="generic.jsonl", new="tuned.jsonl",
        metrics="bleu:order=1\nchrf", margin="0.01", junit="verdicts.xml",
    )  # fmt: skip
    assert status == 0, printed
    assert outputs == "verdict=passed\n"
    assert "BLEU-1" in summary
    assert "chrF" in summary
    suite = ET.parse(files / "verdicts.xml").getroot()
    cases = list(suite.iter("testcase"))
    assert len(cases) == 2
    assert not list(suite.iter("failure"))


def test_a_worse_system_fails_and_hostile_names_stay_text(files):
    bad = "$(touch ran) `touch ran` ; touch ran #.jsonl"
    Path(files / "generic.jsonl").rename(files / bad)
    status, printed, summary, outputs = compared(
        files, testset="testset.jsonl", old="tuned.jsonl", new=bad,
        metrics="bleu:order=1", junit="verdicts.xml",
    )  # fmt: skip
    assert status == 1, printed
    assert outputs == "verdict=failed\n"
    assert "worse" in summary
    assert len(list(ET.parse(files / "verdicts.xml").getroot().iter("failure"))) == 1
    assert not (files / "ran").exists()


@pytest.mark.parametrize(("unsure", "status"), [("False", 0), ("true", 1)])
def test_a_loss_that_is_not_excluded_fails_if_wanted(files, unsure, status):
    shutil.copy(EXAMPLES / "responses" / "retrieval.jsonl", files / "new.jsonl")
    settings = {"old": "tuned.jsonl", "new": "new.jsonl", "metrics": "sbleu", "margin": "0.1"}
    result = compared(files, testset="testset.jsonl", **settings, fail_if_unsure=unsure)
    assert result[0] == status
    assert "not clear" in result[2]


def test_other_mistakes_end_with_their_own_status(files):
    status, printed, summary, outputs = compared(
        files, testset="testset.jsonl", old="absent.jsonl", new="tuned.jsonl"
    )
    assert status == 2
    assert "absent.jsonl: no such file" in printed
    assert (summary, outputs) == ("", "")


def test_files_of_the_same_name_are_the_old_and_the_new_one(files):
    for folder, name in (("old", "tuned"), ("new", "generic")):
        (files / folder).mkdir()
        (files / f"{name}.jsonl").rename(files / folder / "replies.jsonl")
    status, printed, summary, _ = compared(
        files, testset="testset.jsonl", old="old/replies.jsonl", new="new/replies.jsonl"
    )
    assert status == 1, printed
    assert "new-replies" in summary
    assert "old-replies" in summary


@pytest.mark.parametrize(
    ("unsure", "status"),
    [
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("TRUE", 1), ("False", 0))),
        ("yes", 2),
    ],
)
def test_whether_it_fails_where_it_is_not_sure(files, unsure, status):
    shutil.copy(EXAMPLES / "responses" / "retrieval.jsonl", files)
    given = {"old": "tuned.jsonl", "new": "retrieval.jsonl", "margin": 0.15}
    done, printed, *_ = compared(files, testset="testset.jsonl", fail_if_unsure=unsure, **given)
    assert done == status, printed
    assert (done == 2) == ("'yes' is neither true nor false" in printed)


WHEEL = {
    "rejoinder/__init__.py": "",
    "rejoinder/__main__.py": "def run():\n    print('the installed one')\n",
    "rejoinder-0.dist-info/METADATA": "Metadata-Version: 2.1\nName: rejoinder\nVersion: 0\n",
    "rejoinder-0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "rejoinder-0.dist-info/entry_points.txt": "[console_scripts]\nrejoinder = rejoinder.__main__:run\n",
    "rejoinder-0.dist-info/RECORD": "",
}
"""A package with the command ``rejoinder``, which takes the place of the action's repository."""


def test_no_file_of_the_checkout_is_run(tmp_path):
    checkout, temporary = tmp_path / "checkout", tmp_path / "temporary"
    checkout.mkdir()
    temporary.mkdir()
    for name in (
        "venv",
        "pip",
        "ensurepip",
        "rejoinder",
        "sitecustomize",
        "usercustomize",
        "typing",
    ):
        (checkout / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n"
        )
    (checkout / "pip.conf").write_text("[global]\nindex-url = http://127.0.0.1:9/\n")
    wheel = tmp_path / "rejoinder-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as package:
        for name, content in WHEEL.items():
            package.writestr(name, content)
    path = tmp_path / "path"
    environment = {
        **os.environ, "RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(wheel),
        "GITHUB_PATH": str(path), "PYTHONPATH": str(checkout), "PIP_NO_INDEX": "1",
        "PIP_CONSTRAINT": "",  # as `make` names it, it is of the checkout of these tests
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }  # fmt: skip
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    given = {"cwd": checkout, "check": False, "capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run([*bash, INSTALL["run"]], env=environment, **given)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    # The step after it runs the command, with what the first one put before the path.
    later = environment | {"PATH": f"{path.read_text().strip()}:{environment['PATH']}"}
    del later["PYTHONPATH"]
    done = subprocess.run([*bash, "rejoinder"], env=later, **given)
    assert done.stdout == "the installed one\n", done.stderr
    assert not (tmp_path / "ran").exists()
