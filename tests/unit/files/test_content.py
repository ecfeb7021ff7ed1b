"""Hashes of folders: names and contents in a fixed order, which kept records and models hold."""

import hashlib

import pytest

from rejoinder.errors import InputError
from rejoinder.files.content import content_hash, folder_hash
from rejoinder.files.provenance import content_of


def digest(*files: tuple[str, bytes]) -> str:
    total = hashlib.sha256()
    for name, content in files:
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\0".encode())
    return total.hexdigest()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("a/b", "a.txt", ".hidden", ".git/head", "a.txt.provenance.json"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_a_model_is_hashed_in_the_order_of_names(folder):
    record = "a.txt.provenance.json"
    expected = digest(("a.txt", b"a.txt"), (record, record.encode()), ("a/b", b"a/b"))
    assert folder_hash(folder) == content_hash(folder) == expected[:8]


def test_a_record_hashes_files_in_the_order_of_paths_and_leaves_records_out(folder):
    assert content_of(folder) == digest(("a/b", b"a/b"), ("a.txt", b"a.txt"))
    assert content_of(folder, ["a.txt", "a/b"]) == digest(("a.txt", b"a.txt"), ("a/b", b"a/b"))


def test_a_folder_without_files_is_no_model(tmp_path):
    (tmp_path / ".hidden").write_text("")
    with pytest.raises(InputError, match="no folder with a model in it"):
        folder_hash(tmp_path)
    assert content_of(tmp_path) == digest()
