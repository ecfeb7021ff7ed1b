"""Rows of our own are ours, whatever words stand in their texts."""

import json

import pytest

from rejoinder import read_testset
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
