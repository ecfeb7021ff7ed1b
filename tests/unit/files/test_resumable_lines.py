"""Resumable files: interrupted at any byte, damaged, of another run."""

import re
from operator import attrgetter

import msgspec
import pytest

from rejoinder.errors import InputError
from rejoinder.files.resumable_lines import ResumableLines, damaged_line

KEYS = [["a", "b"], ["c", "d"], ["e"]]


class Row(msgspec.Struct):
    id: str
    square: int


def run(path, header=None, keys=KEYS):
    """The squares of all batches, and the positions of the batches that were computed."""
    computed = []

    def compute(position):
        computed.append(position)
        return [Row(id, ord(id) ** 2) for id in keys[position]]

    header = {"rejoinder": "squares", "run": 1, **(header or {})}
    file = ResumableLines(path, header, Row, attrgetter("id"))
    return [[row.square for row in rows] for rows in file.batches(keys, compute)], computed


def test_a_run_interrupted_at_any_byte_writes_the_same_file(tmp_path):
    path = tmp_path / "new" / "squares.jsonl"
    expected, computed = run(path)
    assert computed == [0, 1, 2]
    whole = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        found, computed = run(path)
        complete = sum(size >= ends[last] for last in (2, 4, 5))  # the last line of each batch
        assert (found, computed) == (expected, [0, 1, 2][complete:])
        assert path.read_bytes() == whole


def test_every_flipped_bit_is_found_or_changes_nothing(tmp_path):
    path = tmp_path / "squares.jsonl"
    expected, _ = run(path)
    whole = path.read_bytes()
    refused = 0
    for place in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            assert run(path)[0] == expected
        except InputError as error:
            refused += "remove the file" in str(error)
    assert refused >= 8 * (len(whole) - 1)  # all but those of the last line end


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        ({}, {"run": 2}, "squares of another run: run was"),
        ({}, {"rejoinder": "cubes"}, "is not a file of cubes that Rejoinder wrote"),
    ],
)
def test_a_file_of_another_run_is_refused_and_kept(tmp_path, before, now, message):
    path = tmp_path / "squares.jsonl"
    run(path, before)
    whole = path.read_bytes()
    with pytest.raises(InputError, match=re.escape(message)):
        run(path, now)
    assert path.read_bytes() == whole


def test_rows_of_other_keys_are_refused(tmp_path):
    run(tmp_path / "squares.jsonl")
    with pytest.raises(InputError, match="lines out of order"):
        run(tmp_path / "squares.jsonl", keys=[["b", "a"], ["c", "d"], ["e"]])


def test_the_damaged_line_is_named(tmp_path):
    path = tmp_path / "squares.jsonl"
    run(path)
    whole = path.read_bytes()
    assert damaged_line(whole) is None
    assert damaged_line(whole.replace(b'"b"', b'"B"')) == 3
    path.write_bytes(whole.replace(b'"b"', b'"B"'))
    with pytest.raises(InputError, match="line 3: damaged or altered"):
        run(path)


def test_one_run_at_a_time(tmp_path):
    keys = [["a"]]

    def compute(position):
        with pytest.raises(InputError, match="another run writes to this file now"):
            run(tmp_path / "squares.jsonl")
        return [Row("a", 1)]

    header = {"rejoinder": "squares", "run": 1}
    file = ResumableLines(tmp_path / "squares.jsonl", header, Row, attrgetter("id"))
    assert len(list(file.batches(keys, compute))) == 1


def run_in_any_order(path, order, keys="abcde"):
    """Adds what the file lacks in this order; returns the squares, and the places that were added."""
    added = []
    file = ResumableLines(path, {"rejoinder": "squares", "run": 1}, Row, attrgetter("id"))
    with file.in_any_order(list(keys)) as saved:
        for place in order:
            if place not in saved.rows:
                added.append(place)
                saved.add(place, Row(keys[place], ord(keys[place]) ** 2))
    return [saved.rows[place].square for place in range(len(keys))], added


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 2, 0, 3, 1)])
def test_rows_in_any_order_interrupted_at_any_byte_become_the_same_file(tmp_path, order):
    expected, _ = run(tmp_path / "ordered.jsonl", keys=[[each] for each in "abcde"])
    ordered = (tmp_path / "ordered.jsonl").read_bytes()
    path = tmp_path / "new" / "any.jsonl"
    with pytest.raises(IndexError):  # the run ends before its last row of six
        run_in_any_order(path, (*order, 5), "abcdef"[:5])
    as_added = path.read_bytes()
    assert [each["id"] for each in map(msgspec.json.decode, as_added.splitlines()[1:])] == [
        "abcde"[place] for place in order
    ]
    for size in range(len(as_added) + 1):
        path.write_bytes(as_added[:size])
        squares, added = run_in_any_order(path, (1, 3, 0, 2, 4))
        assert [[each] for each in squares] == expected
        complete = max(as_added[:size].count(b"\n") - 1, 0)
        assert set(added) == set(order[complete:])
        assert path.read_bytes() == ordered
        assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_rows_of_other_inputs_and_rows_that_are_there_twice_are_refused(tmp_path):
    path = tmp_path / "squares.jsonl"
    run(path, keys=[["a"], ["z"]])
    with pytest.raises(InputError, match="lines of other inputs, or twice"):
        run_in_any_order(path, ())
    path.unlink()
    run(path, keys=[["a"], ["a"]])
    with pytest.raises(InputError, match="lines of other inputs, or twice"):
        run_in_any_order(path, ())
