"""The GitHub action of claims: its step verifies as the command line does."""

import json
import os
import subprocess
import sys

import pytest
import yaml

from shared_data import ROOT, SYSTEMS, TESTSET

ACTION = yaml.safe_load((ROOT / "verify" / "action.yml").read_text(encoding="utf-8"))
STEP = ACTION["runs"]["steps"][1]


def test_inputs_reach_the_shell_by_its_environment_alone():
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    passed = {value.strip("${} ") for value in STEP["env"].values()}
    assert passed == {f"inputs.{name}" for name in ACTION["inputs"]} - {"inputs.install"}
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in ACTION["inputs"])


def step(folder, claim, data="", badge=""):
    """The step as it ran in a folder, which has its ``summary`` and its ``outputs``."""
    program = folder / "rejoinder"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rejoinder "$@"\n')
    program.chmod(0o755)
    given = {"CLAIM": claim, "DATA": data, "REGISTERED": "", "BADGE": badge}
    environment = {
        **os.environ, "PATH": os.pathsep.join([str(folder), os.environ["PATH"]]),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"), "GITHUB_OUTPUT": str(folder / "outputs"),
        **{name: str(value) for name, value in given.items()},
    }  # fmt: skip
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP["run"]]
    return subprocess.run(words, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("edited", [False, True])
def test_the_step_passes_and_fails_as_the_command_does(command, tmp_path, edited):
    claim = tmp_path / "a claim.json"
    assert command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--claim", claim)[0] == 0
    if edited:
        claim.write_bytes(claim.read_bytes().replace(b'"value":0.', b'"value":0.9', 1))
    summary, outputs, badge = (tmp_path / name for name in ("summary", "outputs", "badge.svg"))
    done = step(tmp_path, claim, f"{TESTSET}\n{SYSTEMS[0]}\n", badge)
    assert done.returncode == edited, done.stderr
    assert outputs.read_text() == f"verdict={'failed' if edited else 'passed'}\n"
    digest = json.loads(claim.read_bytes())["predicate"]["sha256"]
    assert digest in summary.read_text()
    assert f"{'does not agree' if edited else 'recomputed'} {digest[:8]}" in badge.read_text()


def test_the_step_fails_of_a_file_that_is_no_claim(command, tmp_path):
    kept = tmp_path / "kept.parquet"
    assert command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", kept)[0] == 0
    assert command("verify", kept)[0] == 0  # its record is in order, and no number was computed
    done = step(tmp_path, kept)
    assert (done.returncode, "a claim as FILE" in done.stderr) == (2, True)
    assert not (tmp_path / "outputs").exists()
