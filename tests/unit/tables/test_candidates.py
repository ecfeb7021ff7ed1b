"""Candidates are read by their source, each file with its own names of columns."""

import json

from rejoinder.tables.candidates import read_candidates, read_sources

MINED = [("1", "yo"), ("2", "good")]


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_a_file_may_have_its_own_names_of_columns(tmp_path):
    mined = [{"nr": id, "text": text, "source": "s1"} for id, text in MINED]
    given = [{"id": "1", "system": "bot", "text": "yes"}]
    files = [written(tmp_path / "m.jsonl", mined), written(tmp_path / "r.jsonl", given)]
    expected = [("s1", id, text) for id, text in MINED]
    for columns in ("m.jsonl:id=nr", {"m.jsonl": {"id": "nr"}, "r.jsonl": {"system": "system"}}):
        assert read_sources(files[0], columns=columns).rows() == expected
        alone = read_candidates(files[0], columns=columns)
        assert (alone.columns, alone.rows()) == (["source", "id", "text"], expected)
        both = read_candidates(*files, columns=columns)
        assert (both.columns[0], both.rows()) == ("system", [*expected, ("bot", "1", "yes")])


def test_a_file_whose_column_is_called_system_has_replies_of_systems(tmp_path):
    rows = [{"id": id, "text": text, "source": "s1", "bot": "b"} for id, text in MINED]
    file = written(tmp_path / "m.jsonl", rows)
    table = read_candidates(file, columns="m.jsonl:system=bot")
    assert table.select("system", "id").rows() == [("b", "1"), ("b", "2")]
