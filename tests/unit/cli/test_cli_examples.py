"""The example files come with Rejoinder, in a checkout and in a wheel."""

import subprocess
import sys
import zipfile

import pytest

from shared_data import EXAMPLES


def files(folder):
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}


def test_the_examples_are_copied_and_what_is_printed_runs(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = command("--example-files", "examples")
    assert (status, err) == (0, "")
    assert files(tmp_path / "examples") == files(EXAMPLES)
    words = out.splitlines()[-1].split()[1:-1]
    responses = sorted((tmp_path / "examples" / "responses").iterdir())
    assert command(*words, *responses, "-m", "length", "-q")[0] == 0
    status, _, err = command("--example-files", "examples")
    assert (status, "is there already; name a new folder" in err) == (2, True)


@pytest.mark.slow
def test_the_wheel_holds_them(tmp_path):
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=EXAMPLES.parent, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"rejoinder/examples/{each}" for each in files(EXAMPLES)} <= names
