"""The record of what a file was made of."""

import itertools
import json
import os
from pathlib import Path

import pytest

from rejoinder.errors import InputError
from rejoinder.files.checksums import with_checksum
from rejoinder.files.provenance import (
    FORMAT,
    content_of,
    is_record,
    read_record,
    record_path,
    relative_path,
    without_secrets,
    write_record,
)
from rejoinder.files.provenance_chain import provenance


def record(*inputs, content=None, **more):
    inputs = [{"as": "IN", "name": n, "path": p, "content": c} for n, p, c in inputs]
    usual = {"command": ["rejoinder"], "notes": [], "signatures": {}}
    return {**usual, "content": content, "inputs": inputs, **more}


def made(path, *inputs, text="made"):
    """A file with the record of these inputs, each as it is now."""
    path.write_text(text)
    known = [(each.name, os.path.relpath(each, path.parent), content_of(each)) for each in inputs]
    write_record(path, record(*known, content=content_of(path)))
    return path


def test_the_chain_leads_back_to_files_without_a_record(tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("hello")
    folder = tmp_path / "work"
    folder.mkdir()
    first = made(folder / "first.jsonl", corpus)
    last = made(tmp_path / "last.parquet", first, corpus)
    chain = provenance(last)
    assert [(each.name, each.state) for each in chain.steps()] == [
        ("last.parquet", "unchanged"),
        ("work/first.jsonl", "unchanged"),
        ("../corpus.txt", "unchanged"),
        ("corpus.txt", "unchanged"),
    ]
    assert chain.inputs[0].record is not None
    assert chain.inputs[1].record is None
    assert provenance(record_path(last)).as_json() == chain.as_json()


def test_what_has_changed_and_what_is_missing(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1")
    two.write_text("2")
    was = content_of(one)
    path = made(tmp_path / "out", one, two)
    one.write_text("another")
    two.unlink()
    path.write_text("edited")
    chain = provenance(path)
    assert [each.state for each in chain.steps()] == ["changed", "changed", "missing"]
    assert (chain.inputs[0].content, chain.inputs[0].now) == (was, content_of(one))
    path.unlink()
    assert provenance(path).state == "missing"


def test_a_record_of_other_content_tells_nothing_of_an_input(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.write_text("c")
    middle = made(tmp_path / "middle", corpus)
    out = made(tmp_path / "out", middle)
    made(middle, corpus, text="made anew")
    (step,) = provenance(out).inputs
    assert (step.state, step.record) == ("changed", None)


def test_a_file_made_of_itself_ends(tmp_path):
    path = tmp_path / "a"
    path.write_text("a")
    write_record(path, record(("a", "a", content_of(path)), content=content_of(path)))
    (step,) = provenance(path).inputs
    assert (step.repeated, step.inputs) == (True, ())


def test_a_chain_of_a_thousand_steps_ends(tmp_path):
    paths = [tmp_path / f"f{i}" for i in range(1000)]
    paths[0].write_text("0")
    for before, path in itertools.pairwise(paths):
        made(path, before, text=path.name)
    assert 90 < len(provenance(paths[-1]).steps()) < 110


def test_a_folder_counts_by_its_files(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "a").write_text("a")
    before = content_of(folder)
    (folder / ".hidden").write_text("x")
    made(folder / "b", folder / "a")
    (folder / "b").unlink()
    assert content_of(folder) == before  # neither hidden files nor records count
    (folder / "a").rename(folder / "c")
    assert content_of(folder) != before
    assert content_of(folder, ["c"]) == content_of(folder)


def test_a_damaged_record_is_one_message(tmp_path):
    path = made(tmp_path / "out")
    place = record_path(path)
    sound = place.read_bytes()
    for damaged in (
        sound[:40],
        b"",
        b"[]",
        b"{}",
        sound.replace(b"made", b"Made").replace(b"rejoinder", b"Rejoinder"),
        b"[" * 10000,
        b"\xff\xfe",
        json.dumps(with_checksum({FORMAT: 1})).encode(),
        json.dumps(with_checksum({FORMAT: 1, **record(("a", "a", 3))})).encode(),
        json.dumps(with_checksum({FORMAT: 1, **record(), "files": 3})).encode(),
    ):
        place.write_bytes(damaged)
        with pytest.raises(InputError, match="the record is damaged"):
            read_record(path)
    place.write_text(json.dumps(with_checksum({FORMAT: 2, **record()})))
    with pytest.raises(InputError, match="a record of version 2; expected 1"):
        provenance(path)


WRONG = (None, 1, True, "x", [], ["x"], [1], {}, {"x": 1})


def test_a_record_without_a_key_or_of_other_types_is_one_message_or_read(tmp_path):
    first = made(tmp_path / "first")
    path = made(tmp_path / "out", first)
    sound = read_record(path)
    changed = []
    for given, parent in (
        (sound, lambda new: new),
        (sound["inputs"][0], lambda new: {**sound, "inputs": [new]}),
    ):
        for key in given:
            rest = {name: value for name, value in given.items() if name != key}
            changed += [parent(each) for each in (rest, *({**rest, key: wrong} for wrong in WRONG))]
    refused = 0
    for each in changed:
        if FORMAT in each:
            record_path(path).write_text(json.dumps(with_checksum(each)))
            try:
                json.dumps(provenance(path).as_json())
            except InputError:
                refused += 1
    assert len(changed) > refused > 20


def test_the_damaged_record_of_an_input_is_said_in_its_line(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.write_text("c")
    middle = made(tmp_path / "middle", corpus)
    out = made(tmp_path / "out", middle)
    record_path(middle).write_text("{")
    (step,) = provenance(out).inputs
    assert "the record is damaged" in step.fault
    assert step.state == "unchanged"


def test_no_record_and_no_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        provenance(tmp_path / "absent")
    (tmp_path / "plain").write_text("x")
    with pytest.raises(InputError, match=r"there is no plain\.provenance\.json beside it"):
        provenance(tmp_path / "plain")


def test_another_file_in_the_place_of_a_record_stays(tmp_path):
    place = tmp_path / "out.provenance.json"
    place.write_text('{"mine": 1}')
    with pytest.raises(InputError, match="a file of other content stands where the record"):
        write_record(tmp_path / "out", record())
    assert place.read_text() == '{"mine": 1}'
    place.unlink()
    place.mkdir()
    with pytest.raises(InputError, match="is a folder"):
        write_record(tmp_path / "out", record())


def test_long_names_have_a_record_too(tmp_path):
    path = tmp_path / ("x" * 240 + ".jsonl")
    assert provenance(made(path)).state == "unchanged"
    assert is_record(record_path(path))


def test_a_path_that_would_name_the_home_is_left_out(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    assert relative_path("/home/ann/data/x", "/home/ann/out") == "../data/x"
    assert relative_path("/home/ann/x", "/home/ann") == "x"
    assert relative_path("/home/ann/x", "/tmp/out") is None
    assert relative_path("/data/x", "/home/ann/out") == "../../../data/x"
    assert relative_path("/home/annabel/x", "/home") == "annabel/x"


def test_no_secret_of_an_address(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    assert without_secrets("http://u:p@h:8000/v1?api_key=s#m") == "http://h:8000/v1#m"
    assert without_secrets("/home/ann/x: 3 rows, /home/annabel") == "~/x: 3 rows, /home/annabel"
    assert without_secrets("is it 3?") == "is it 3?"
    assert without_secrets("https://ann:p@ss@h/v1") == "https://h/v1"
    assert without_secrets("http://h/v1#m@2 ann@h") == "http://h/v1#m@2 ann@h"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://h/v1#api_key=abc", "http://h/v1#api_key=***"),
        ("http://h/v1;token=abc;a=1#m", "http://h/v1;token=***;a=1#m"),
        ("http://h/v1#m&Access-Token=a/b", "http://h/v1#m&Access-Token=***"),
        ("--api-key=abc", "--api-key=***"),
        ("Authorization: Bearer sk-abc.def", "Authorization: Bearer ***"),
        ("the key sk-0123456789abcdef0 is wrong", "the key sk-*** is wrong"),
        ("tokenizer=13a, max_token=3, sk-learn", "tokenizer=13a, max_token=3, sk-learn"),
    ],
)
def test_no_key_of_a_server(text, expected):
    assert without_secrets(text) == expected
