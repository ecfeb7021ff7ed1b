"""Rows of our own are ours, whatever words stand in their texts, and whatever columns some rows lack."""

import json

import pytest

from rejoinder import read_responses, read_testset
from rejoinder.errors import InputError
from rejoinder.tables.formats.format_choice import choose


@pytest.mark.parametrize(
    "texts",
    [
        ["results", "provider"], ["positive_responses"], ["test_cases"], ["testCases"],
        ["custom_id", "result"],
        ["status", "eval", "run_id"], ["responses", "dialogue"], ["doc_id", "filtered_resps"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson"])
def test_words_of_other_formats_may_be_references(tmp_path, texts, suffix):
    path = tmp_path / f"testset{suffix}"
    rows = [{"id": str(k), "references": texts} for k in range(3)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert choose([path], None, "test set").name == "jsonl"
    assert read_testset(path).references.height == 3 * len(texts)


ROW = {
    "id": "1",
    "prompt": "When?",
    "reference": "At nine.",
    "bot": "Not now.",
    "cat": "Soon, I think.",
}


@pytest.fixture
def write(tmp_path):
    def written(*rows, name="all.jsonl"):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return tmp_path / name

    return written


def without(*names):
    return {name: value for name, value in ROW.items() if name not in names}


@pytest.mark.parametrize("read", [read_testset, read_responses])
@pytest.mark.parametrize("rows", [(without("id"), ROW), (ROW, without("id"))])
def test_ids_are_made_where_no_row_has_one_and_not_in_the_place_of_some(write, read, rows):
    row = [*map(len, rows)].index(4) + 1
    with pytest.raises(InputError, match=f"row {row}: no column 'id'; got prompt, reference, bot"):
        read(write(*rows))
    assert read(write(without("id"), without("id"))) is not None


def test_a_system_that_is_silent_in_the_first_row_is_read(write):
    replies = read_responses(write(without("cat"), ROW | {"id": "2"}))
    assert replies.rows() == [
        ("bot", "1", "Not now."), ("bot", "2", "Not now."), ("cat", "2", "Soon, I think."),
    ]  # fmt: skip


def test_an_empty_table_is_an_error(write):
    path = write({"id": [], "references": []}, name="empty.json")
    with pytest.raises(InputError, match=r"empty[.]json: no rows; expected at least one"):
        read_testset(path)
