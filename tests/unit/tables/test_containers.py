"""Tables as other programs write them: packed, JSON of several shapes, other marks, workbooks."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import zipfile

import pandas as pd
import polars as pl
import pytest

from rejoinder.errors import InputError, MissingExtraError
from rejoinder.files import reading
from rejoinder.tables.io import workbook
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset

ROWS = [("bot", "c1", 'Say "hi",\tyou'), ("bot", "c2", "two\nlines"), ("cat", "c1", "")]
FRAME = pd.DataFrame(ROWS, columns=["system", "id", "text"])
DUEL = pd.DataFrame([("c1", "bot", "cat", "tie")], columns=["id", "a", "b", "winner"])


def workbook_of(frame, path, **more):
    pytest.importorskip("openpyxl")
    frame.to_excel(path, index=False, **more)


PANDAS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv with its index": lambda frame, path: frame.to_csv(path),
    "csv parted by semicolons": lambda frame, path: frame.to_csv(path, index=False, sep=";"),
    "csv parted by tabs": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "csv with a byte-order mark": lambda frame, path: frame.to_csv(
        path, index=False, encoding="utf-8-sig"
    ),
    "csv all quoted": lambda frame, path: frame.to_csv(
        path, index=False, quoting=csv.QUOTE_ALL, lineterminator="\r\n"
    ),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "tsv all quoted": lambda frame, path: frame.to_csv(
        path, index=False, sep="\t", quoting=csv.QUOTE_ALL
    ),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json of records": lambda frame, path: frame.to_json(path, orient="records"),
    "json of records, indented": lambda frame, path: frame.to_json(
        path, orient="records", indent=2
    ),
    "json of columns": lambda frame, path: frame.to_json(path),
    "json index": lambda frame, path: frame.to_json(path, orient="index"),
    "json split": lambda frame, path: frame.to_json(path, orient="split"),
    "json table": lambda frame, path: frame.to_json(path, orient="table"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "parquet with its index": lambda frame, path: frame.set_index(
        pd.Index(range(7, 7 + len(frame)))
    ).to_parquet(path),
    "xlsx": workbook_of,
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", PANDAS)
def test_pandas_writes_and_we_read(tmp_path, kind, packed):
    path = tmp_path / f"r.{kind.split()[0]}"
    PANDAS[kind](FRAME, path)
    PANDAS[kind](DUEL, duels := tmp_path / f"p.{path.suffix[1:]}")
    if packed:
        for each in (path, duels):
            (tmp_path / f"{each.name}.gz").write_bytes(gzip.compress(each.read_bytes()))
        path, duels = tmp_path / f"{path.name}.gz", tmp_path / f"{duels.name}.gz"
    assert read_responses(path).rows() == ROWS
    assert read_preferences(duels).rows() == [("c1", "bot", "cat", "1", "overall", "tie")]


def test_the_system_of_a_packed_file_is_its_name_unpacked(tmp_path):
    (tmp_path / "bot.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1, "text": "Hi."}\n'))
    assert read_responses(tmp_path / "bot.jsonl.gz").rows() == [("bot", "1", "Hi.")]
    (tmp_path / "refs.txt.gz").write_bytes(gzip.compress(b"Ho.\n"))
    assert read_testset(tmp_path / "refs.txt.gz").references.get_column("text").to_list() == ["Ho."]


def test_a_packed_file_that_unpacks_to_far_more_than_text_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "FREE", 1 << 20)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"id,text\n" + b"1,0\n" * (1 << 20)))
    with pytest.raises(InputError, match="unpacks to more than 1 MiB, over 100 times its size"):
        read_testset(tmp_path / "t.csv.gz")


def test_a_small_packed_file_unpacks_to_little(tmp_path):
    packed = gzip.compress(b"id,text\n" + b"1,0\n" * (10 << 20))
    assert len(packed) < 200_000
    (tmp_path / "t.csv.gz").write_bytes(packed)
    with pytest.raises(InputError, match="unpacks to more than 8 MiB"):
        read_testset(tmp_path / "t.csv.gz")


def test_quotes_are_data_in_a_tsv_that_is_not_quoted(tmp_path):
    (tmp_path / "r.tsv").write_text('system\tid\ttext\nbot\tc1\t"Hi" he said\nbot\tc2\t"Ho"\n')
    assert read_responses(tmp_path / "r.tsv").get_column("text").to_list() == [
        '"Hi" he said',
        '"Ho"',
    ]


def test_json_of_lists_for_columns_and_rows_below_a_name(tmp_path):
    (tmp_path / "t.json").write_text(
        '{"id": ["a", "b"], "question": ["Hi", "Ho"], "references": [["x", "y"], []]}'
    )
    testset = read_testset(tmp_path / "t.json")
    assert testset.contexts.rows() == [("a", ["Hi"]), ("b", ["Ho"])]
    assert testset.references.get_column("text").to_list() == ["x", "y"]
    (tmp_path / "r.json").write_text('{"version": 2, "data": [{"id": "a", "output": "x"}]}')
    assert read_responses(tmp_path / "r.json").rows() == [("r", "a", "x")]
    (tmp_path / "s.json").write_text('[{"id": "a", "system": "r", "annotator": "ann", "score": 3}]')
    assert read_ratings(tmp_path / "s.json").rows() == [("a", "r", "ann", "overall", 3.0)]


def test_a_workbook_has_whole_numbers_dates_and_several_sheets(tmp_path, caplog):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "empty"
    sheet = book.create_sheet("replies")
    for row in (["id", "prompt", "reference", "bot", "day"], [1, "Hi", "Ho", "=1+1", None]):
        sheet.append(row)
    sheet["D2"] = "Hey"
    sheet["E2"] = pd.Timestamp("2026-01-02").to_pydatetime()
    book.create_sheet("notes").append(["nothing"])
    book.save(tmp_path / "t.xlsx")
    testset = read_testset(tmp_path / "t.xlsx")
    assert testset.contexts.get_column("id").to_list() == ["1"]
    assert testset.contexts.get_column("day").to_list() == ["2026-01-02T00:00:00"]
    assert "the sheet 'replies' is read; the other 1 are not" in caplog.text
    (tmp_path / "cut.xlsx").write_bytes((tmp_path / "t.xlsx").read_bytes()[:-30])
    with pytest.raises(InputError, match="workbook"):
        read_testset(tmp_path / "cut.xlsx")


def test_a_workbook_that_unpacks_to_far_more_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    FRAME.to_excel(tmp_path / "t.xlsx")
    monkeypatch.setattr(workbook, "MOST", 1000)
    with pytest.raises(InputError, match="save the sheet as CSV"):
        read_responses(tmp_path / "t.xlsx")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / "u.xlsx").write_bytes(data.getvalue())
    with pytest.raises(InputError, match="not a sound workbook"):
        read_responses(tmp_path / "u.xlsx")


def test_without_openpyxl_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(MissingExtraError, match=r'pip install "rejoinder\[xlsx\]"'):
        read_responses(tmp_path / "t.xlsx")


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no /dev/stdin on this system")
def test_a_dash_is_standard_input():
    code = "import rejoinder; print(rejoinder.read_responses('-').rows())"
    given = '{"system": "bot", "id": 1, "text": "Hi."}\n'
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True)
    assert done.stdout.strip() == "[('bot', '1', 'Hi.')]", done.stderr


def test_a_parquet_of_polars_has_no_index_to_drop(tmp_path):
    pl.DataFrame({"id": ["c1"], "text": ["Hi."]}).write_parquet(tmp_path / "bot.parquet")
    assert read_responses(tmp_path / "bot.parquet").rows() == [("bot", "c1", "Hi.")]


@pytest.mark.filterwarnings("ignore")  # of datasets and its dependencies
def test_a_data_set_saved_to_disk(tmp_path):
    datasets = pytest.importorskip("datasets")
    saved = datasets.Dataset.from_pandas(FRAME)
    saved.save_to_disk(tmp_path / "bots", num_shards=2)
    assert read_responses(tmp_path / "bots").rows() == ROWS
    ratings = FRAME.drop(columns="text").assign(score=[1, 2, 3])
    datasets.Dataset.from_pandas(ratings).save_to_disk(tmp_path / "ratings")
    assert read_ratings(tmp_path / "ratings").get_column("score").to_list() == [1, 2, 3]
    other = saved.select([0])
    datasets.DatasetDict({"train": other, "test": saved}).save_to_disk(tmp_path / "both")
    assert read_responses(tmp_path / "both").rows() == ROWS
    assert read_responses(tmp_path / "both" / "train").rows() == ROWS[:1]
    datasets.DatasetDict({"train": other, "dev": saved}).save_to_disk(tmp_path / "no test")
    with pytest.raises(
        InputError, match="splits train, dev, and none is called 'test'; name the folder"
    ):
        read_responses(tmp_path / "no test")
    arrow = next((tmp_path / "bots").glob("*.arrow"))
    arrow.write_bytes(arrow.read_bytes()[:-200])
    with pytest.raises(
        InputError, match=r"not a sound data set of Arrow files: .*; write it again"
    ):
        read_responses(tmp_path / "bots")
    arrow.unlink()
    with pytest.raises(InputError, match="arrow: "):
        read_responses(tmp_path / "bots")
    (tmp_path / "bots" / "state.json").write_text('{"_data_files": [{"filename": "../x.arrow"}]}')
    with pytest.raises(InputError, match="no list of names in '_data_files'"):
        read_responses(tmp_path / "bots")


def test_objects_of_objects_and_lists_of_lists_name_the_remedy(tmp_path):
    frame = FRAME.drop(columns="id").set_index(pd.Index(["q1", "q2", "q3"]))
    for orient, words in (
        ("columns", "reset_index"),
        ("index", "reset_index"),
        ("values", "orient='records'"),
    ):
        frame.to_json(tmp_path / "t.json", orient=orient)
        with pytest.raises(InputError, match=words):
            read_responses(tmp_path / "t.json")


@pytest.mark.parametrize("pairs", [[["c1", "Hi there"], ["c2", "Yes"]], [["bot", "Hi"]] * 2])
def test_rows_without_names_of_columns_are_no_chat(tmp_path, pairs):
    (tmp_path / "t.json").write_text(json.dumps(pairs))
    with pytest.raises(InputError, match="a list has no names of columns"):
        read_responses(tmp_path / "t.json")
