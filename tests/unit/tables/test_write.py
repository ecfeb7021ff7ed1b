"""Files are replaced whole or not at all, whatever stands in their place and whoever else writes."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.files.replacing import replacing
from rejoinder.tables import write as write_module
from rejoinder.tables.write import write_parquet


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


def test_a_table_that_parquet_cannot_hold_is_no_full_disk(tmp_path):
    def broken():
        with replacing(tmp_path / "a.parquet") as temporary:
            write_parquet(pl.DataFrame({"a": [object()]}), temporary)

    with pytest.raises(pl.exceptions.PolarsError):
        broken()
    assert names(tmp_path) == []


def test_one_function_writes_parquet():
    """Polars on a full disk tells now this and now that, so nothing else may write with it."""
    source = Path(write_module.__file__).parent.parent
    found = [
        (path.name, ast.unparse(node))
        for path in source.rglob("*.py")
        if re.search("(write|sink)_", text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and re.fullmatch("(write|sink)_(parquet|csv|ipc|ndjson|json)", node.func.attr)
        and node.args  # without a path write_csv gives a text
    ]
    assert found == [("write.py", "table.write_parquet(content, metadata=metadata)")]


FILLS = """
    import resource, sys
    from pathlib import Path
    import polars as pl
    from rejoinder import TestSet
    from rejoinder.errors import InputError
    from rejoinder.tables.write import write_ratings, write_responses, write_table, write_testset
    folder = Path(sys.argv[1])
    texts = [f"text {i}" for i in range(50)]
    replies = pl.DataFrame({"system": "s", "id": texts, "text": texts})
    testset = TestSet.from_lists([[text] for text in texts])
    rows = [(write_table, replies), (write_responses, replies)]
    writers = [(*each, suffix) for each in rows for suffix in (".csv", ".tsv", ".jsonl", ".parquet")]
    writers += [(write_testset, testset, suffix) for suffix in (".jsonl", ".parquet")]
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    for write, content, suffix in writers:
        path = folder / f"a{suffix}"
        write(content, path)
        whole = path.read_bytes()
        for room in range(0, len(whole), max(1, len(whole) // 60)):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
            try:
                write(content, path)
            except InputError as error:
                assert str(error) == f"{path}: cannot be written: File too large; choose another place"
            else:
                raise AssertionError((write, suffix, room))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            assert path.read_bytes() == whole
            assert list(folder.iterdir()) == [path]
        path.unlink()
    print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
def test_wherever_the_disk_is_full_the_reason_is_the_system_s(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(FILLS), str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (told.stdout, told.stderr) == ("done\n", "")


NOBODY = """
    import os, sys
    from pathlib import Path
    from rejoinder.errors import InputError
    from rejoinder.files.replacing import check_folder_target, check_target, replacing
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
