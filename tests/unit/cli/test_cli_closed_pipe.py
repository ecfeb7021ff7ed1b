"""A pipe that its reader closes ends a command without a word; a disk that is full does not."""

import errno
import os
import shutil
import signal
import subprocess
import sys

import pytest

from bad_outputs import FULL, WORDS, process
from rejoinder import load_scores
from rejoinder.cli import app
from rejoinder.cli.outputs import Outputs
from rejoinder.errors import InputError


def unread(words):
    """The command, its output a pipe that nobody reads: exit status and standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = process(words, stdout=writing)
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["metrics"],
        ["--help"],
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in (["metrics", "--json"], ["--version"], ["score", "--help"])
        ),
    ],
    ids=" ".join,
)
def test_a_pipe_that_nobody_reads_ends_quietly(words):
    assert unread(words) == (141, "")


@pytest.mark.parametrize(
    "form",
    [
        [],
        *(pytest.param(each, marks=pytest.mark.slow) for each in (["--json"], ["--segments"])),
        ["--segments", "--json"],
    ],
)
def test_what_was_to_be_saved_is_saved(tmp_path, form):
    kept = tmp_path / "kept.parquet"
    assert unread([*WORDS, *form, "--save", kept]) == (141, "")
    assert load_scores(kept).names == ("tuned",)


def test_a_mistake_is_said_where_nobody_reads_the_result():
    status, said = unread(["score", "absent.jsonl", "bot.jsonl"])
    assert status == 2
    assert said.startswith("rejoinder: absent.jsonl: no such file")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_first_line_of_a_long_result(tmp_path, unbuffered):
    """More than a pipe holds, so that the reader goes while the command still writes."""
    testset, bot = tmp_path / "t.jsonl", tmp_path / "bot.jsonl"
    testset.write_text("".join(f'{{"id": {i}, "references": ["a b"]}}\n' for i in range(20_000)))
    bot.write_text("".join(f'{{"id": {i}, "text": "a b c"}}\n' for i in range(20_000)))
    script = '"$@" | head -1; echo "${PIPESTATUS[0]}"'
    words = ["score", testset, bot, "-m", "bleu", "--segments", "--json"]
    command = ["bash", "-c", script, "-", sys.executable, "-m", "rejoinder", *map(str, words)]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.splitlines() == ["{", "141"]
    lines = [each for each in done.stderr.splitlines() if not each.startswith("rejoinder: reading")]
    assert lines == []


@pytest.mark.parametrize(
    ("form", "unbuffered"),
    [
        (["--json"], ""),
        ([], "1"),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((["--json"], "1"), ([], ""))),
    ],
)
def test_a_disk_that_fills_meanwhile_is_an_error(tmp_path, unbuffered, form):
    """It takes a part of what is written; without a buffer Python drops the rest in silence."""
    resource = pytest.importorskip("resource")
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    with (tmp_path / "out").open("wb") as out:
        done = process([*WORDS, "--segments", *form], stdout=out, env=environment, preexec_fn=limit)
    assert (tmp_path / "out").stat().st_size <= 500
    assert done.returncode == 2
    assert done.stderr == "rejoinder: the output cannot be written: File too large\n"


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", [WORDS, [*WORDS, "--json"], ["--help"]])
def test_a_full_disk_is_an_error_with_a_message(words):
    with FULL.open("wb") as full:
        done = process(words, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "rejoinder: the output cannot be written: No space left on device\n"


def ended(folder, end):
    """A command whose file could not be written, and then its output neither."""

    def fails(path):
        raise InputError(f"{path}: cannot be written: No space left on device")

    with Outputs() as outputs:
        assert not outputs.save(folder / "kept", fails)
        raise end


@pytest.mark.parametrize("end", [BrokenPipeError(errno.EPIPE, "Broken pipe"), SystemExit(1)])
def test_a_file_that_failed_is_said_where_nobody_reads(end, tmp_path):
    with pytest.raises(InputError, match=r"kept: cannot be written: No space left on device$"):
        ended(tmp_path, end)


def test_a_file_and_the_output_that_failed_are_one_message(tmp_path):
    expected = r"kept: cannot be .*; the output cannot be written: No space left on device$"
    with pytest.raises(InputError, match=expected):
        ended(tmp_path, OSError(errno.ENOSPC, "No space left on device"))


def test_other_faults_are_not_hidden_by_a_file_that_failed(tmp_path):
    with pytest.raises(KeyError):
        ended(tmp_path, KeyError("defect"))


def test_a_gate_that_is_not_passed_keeps_its_status(monkeypatch):
    """The status of the command counts more than that nobody read what it said."""

    def ended(status):
        class Closed:
            def flush(self):
                raise BrokenPipeError(errno.EPIPE, "Broken pipe")

        monkeypatch.setattr(app, "run", lambda: status)
        monkeypatch.setattr(app.sys, "stdout", Closed())
        monkeypatch.setattr(app.sys, "stderr", sys.__stderr__)
        monkeypatch.setattr(app.atexit, "_run_exitfuncs", lambda: None)
        monkeypatch.setattr(app.signal, "signal", lambda *_: None)
        monkeypatch.setattr(app, "log_as_notes", lambda: None)
        left = []
        monkeypatch.setattr(app.os, "_exit", left.append)
        app.main()
        return left

    assert [ended(0), ended(1), ended(2)] == [[141], [1], [2]]
