"""Arrays in the files of a folder: whole or not at all, and never a damaged one."""

import errno
import hashlib
import json
import os

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.files.arrays import RECORD, is_free, new_folder, read_folder
from rejoinder.files.checksums import with_checksum


def written(folder):
    with new_folder(folder) as arrays:
        arrays.append("a", np.arange(5, dtype=np.uint16))
        arrays.append("a", np.arange(2, dtype=np.uint16))
        arrays.allocate("b", 3, np.int64)[:] = 7
        arrays.append("empty", np.zeros(0, dtype=np.float64))
        arrays.append("gone", np.zeros(1))
        arrays.remove("gone")
        assert arrays.complete("a").tolist() == [0, 1, 2, 3, 4, 0, 1]
        arrays.finish({"kind": "test"})
    return folder


def test_what_is_written_is_read(tmp_path):
    arrays, record = read_folder(written(tmp_path / "new" / "f"))
    assert record == {"kind": "test"}
    assert {name: each.tolist() for name, each in arrays.items()} == {
        "a": [0, 1, 2, 3, 4, 0, 1],
        "b": [7, 7, 7],
        "empty": [],
    }
    assert arrays["a"].dtype == np.uint16
    assert sorted(each.name for each in (tmp_path / "new" / "f").iterdir()) == [
        "a",
        "b",
        "empty",
        RECORD,
    ]


def fail_after_writing(folder):
    with new_folder(folder) as arrays:
        arrays.append("a", np.arange(5))
        raise ZeroDivisionError


def test_a_failure_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        fail_after_writing(tmp_path / "f")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_message(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"No space left on device; choose another place"):
        written(tmp_path / "f")
    assert list(tmp_path.iterdir()) == []


def test_of_two_that_write_one_folder_the_first_to_finish_has_written_it(tmp_path):
    with new_folder(tmp_path / "f") as arrays:
        arrays.append("a", np.arange(5))
        written(tmp_path / "f")
        arrays.finish({"kind": "second"})
    assert read_folder(tmp_path / "f")[1] == {"kind": "test"}
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize("name", ["a", "b", RECORD])
def test_every_damaged_byte_is_found(tmp_path, name):
    folder = written(tmp_path / "f")
    whole = (folder / name).read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        (folder / name).write_bytes(bytes(damaged))
        with pytest.raises(InputError, match=r"damaged|cannot be read"):
            read_folder(folder)
    (folder / name).write_bytes(whole[:-2])  # of the record more than its line end
    with pytest.raises(InputError, match=r"damaged"):
        read_folder(folder)
    (folder / name).unlink()
    with pytest.raises(InputError, match=r"cannot be read: No such file or directory; remove the"):
        read_folder(folder)


def test_what_is_free(tmp_path):
    assert is_free(tmp_path / "new")
    assert is_free(tmp_path)
    assert not is_free(written(tmp_path / "f"))
    with pytest.raises(InputError, match="a folder with other things in it"):
        is_free(tmp_path)
    with pytest.raises(InputError, match="is a file; expected a folder"):
        is_free(tmp_path / "f" / "a")


DIGEST = hashlib.sha256(b"12345").hexdigest()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (None, "lists no arrays"),
        ([], "lists no arrays"),
        ({"a": 7}, "the array 'a' lacks"),
        ({"a": {}}, "the array 'a' lacks"),
        ({"a": {"dtype": "|u1"}}, "the array 'a' lacks"),
        ({"a": {"dtype": "|u1", "sha256": 7}}, "the array 'a' lacks"),
        ({"a": {"dtype": 7, "sha256": DIGEST}}, "the array 'a' lacks"),
        ({"a": {"dtype": "|O8", "sha256": DIGEST}}, "the array 'a' lacks"),
        ({"a": {"dtype": "<u3", "sha256": DIGEST}}, "the array 'a' lacks"),
        ({"": {"dtype": "|u1", "sha256": DIGEST}}, "the array '' lacks"),
        ({"../a": {"dtype": "|u1", "sha256": DIGEST}}, "the array '../a' lacks"),
        ({"/a": {"dtype": "|u1", "sha256": DIGEST}}, "the array '/a' lacks"),
        ({"a\0": {"dtype": "|u1", "sha256": DIGEST}}, "lacks a file name"),
        ({"a": {"dtype": "<u2", "sha256": DIGEST}}, "5 bytes hold no whole uint16s"),
    ],
)
def test_a_record_that_describes_no_arrays_is_one_message(tmp_path, arrays, message):
    """Written by somebody whose checksum is right."""
    for folder in (tmp_path, tmp_path / "f"):
        folder.mkdir(exist_ok=True)
        (folder / "a").write_bytes(b"12345")
    record = with_checksum({"kind": "test", "arrays": arrays})
    (tmp_path / "f" / RECORD).write_text(json.dumps(record))
    with pytest.raises(InputError, match=rf"damaged \(.*{message}.*; remove the folder"):
        read_folder(tmp_path / "f")
