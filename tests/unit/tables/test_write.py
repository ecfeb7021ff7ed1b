"""Files are replaced whole or not at all, whatever stands in their place and whoever else writes."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.tables.write import failure, replacing


def write(path, text):
    with replacing(path) as temporary:
        temporary.write_text(text)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    for text in ("new", "replaced"):  # a link to nothing yet, then to a file
        write(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert names(tmp_path / "there") == ["a.txt"]


def test_a_link_to_itself_or_to_no_folder(tmp_path):
    (tmp_path / "nowhere").symlink_to(tmp_path / "no" / "a.txt")
    with pytest.raises(InputError, match="there is no folder 'no'"):
        write(tmp_path / "nowhere", "x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    write(tmp_path / "loop", "x")
    assert (tmp_path / "loop").read_text() == "x"
    assert names(tmp_path) == ["loop", "nowhere"]


def test_of_two_that_write_at_once_the_last_wins_and_both_are_whole(tmp_path):
    path = tmp_path / "a.txt"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            assert second != first
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, InputError])
def test_what_was_there_stays_where_the_writing_fails(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def broken():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise error("x")

    with pytest.raises(error):
        broken()
    assert path.read_text() == "before"
    assert names(tmp_path) == ["a.txt"]


def test_a_name_as_long_as_a_file_system_takes(tmp_path):
    path = tmp_path / f"{'a' * 251}.txt"
    write(path, "x")
    assert path.read_text() == "x"


def test_an_error_of_polars_that_is_no_disk_s_is_not_taken_for_one(tmp_path):
    def broken():
        with replacing(tmp_path / "a.csv") as temporary:
            pl.DataFrame({"a": [[1]]}).write_csv(temporary)

    with pytest.raises(pl.exceptions.ComputeError):
        broken()
    assert names(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_every_writer_s_error_has_the_system_s_words():
    frame = pl.DataFrame({"a": range(9)})
    for each in (frame.write_parquet, frame.write_csv, lambda path: path.write_bytes(b"x" * 9999)):
        with pytest.raises((OSError, pl.exceptions.ComputeError)) as told:
            each(Path("/dev/full"))
        assert failure(told.value) == "No space left on device"


NOBODY = """
    import os, sys
    from pathlib import Path
    from rejoinder.errors import InputError
    from rejoinder.tables.write import check_folder_target, check_target, replacing
    folder = Path(sys.argv[1])
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    for check in (lambda: check_target(folder / "a.txt"), lambda: check_folder_target(folder / "m"),
                  lambda: replacing(folder / "a.txt").__enter__()):
        try:
            check()
        except InputError as error:
            print(error)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may")
def test_a_folder_without_rights_is_told_before_the_work():
    with tempfile.TemporaryDirectory() as name:  # those of pytest are closed to others
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "a.txt").write_text("before")
        (folder / "a.txt").chmod(0o666)  # the file may be written to, and its folder may not
        command = [sys.executable, "-c", textwrap.dedent(NOBODY), name]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        assert told.stderr == ""
        lines = told.stdout.splitlines()
        assert len(lines) == 3
        assert all(line.endswith("cannot be written to; choose another place") for line in lines)
        assert names(folder) == ["a.txt"]
        assert (folder / "a.txt").read_text() == "before"
