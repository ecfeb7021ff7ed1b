"""Queries in the place of files: read only, one statement, any kind of table."""

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal

import pytest

import rejoinder
from rejoinder.cli.app import run
from rejoinder.errors import InputError, RejoinderError

ROWS = [("c1", "Hi", "Hello", "Ho"), ("c2", "Any milk?", "None", "A \"little\"; 'look' // there")]


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "chats.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE p (id TEXT, prompt TEXT, reference TEXT, reply TEXT)")
        connection.executemany("INSERT INTO p VALUES (?, ?, ?, ?)", ROWS)
        connection.execute("CREATE TABLE h (id, system, rater, score REAL, raw BLOB, seen)")
        connection.executemany(
            "INSERT INTO h VALUES (?, 'bot', ?, ?, x'00', 1)",
            [("c1", "ann", 4), ("c1", "ben", 2.5), ("c2", "ann", None), ("c2", "ben", 1)],
        )
    connection.close()
    return path


def test_every_kind_comes_from_a_query(database):
    whole = f"sqlite:{database}?SELECT id, prompt, reference, reply AS response FROM p"
    testset, responses = rejoinder.read_testset(whole), rejoinder.read_responses(whole)
    assert testset.contexts.rows() == [("c1", ["Hi"]), ("c2", ["Any milk?"])]
    assert responses.rows() == [("chats", "c1", "Ho"), ("chats", "c2", ROWS[1][3])]
    ratings = rejoinder.read_ratings(
        f"sqlite:{database}?SELECT id, system, rater, score FROM h WHERE score NOT NULL ORDER BY 1, 3"
    )
    assert ratings.select("id", "rater", "score").rows() == [
        ("c1", "ann", 4.0),
        ("c1", "ben", 2.5),
        ("c2", "ben", 1.0),
    ]


def test_a_text_with_two_slashes_stays_as_it_is(database, capsys):
    query = f"sqlite:{database}?SELECT id, prompt, reference, reply AS response FROM p"
    query += " WHERE reply LIKE '%// there'"
    assert run(["look", query, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["path"] == query
    assert shown["readings"][0]["counts"]["items"] == 1
    assert shlex.split(shown["examples"][0])[:3] == ["rejoinder", "score", query]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DELETE FROM p", "reads alone"),
        ("SELECT 1 AS id; DELETE FROM p", "one statement"),
        ("ATTACH 'other.sqlite' AS o", "reads alone"),
        ("PRAGMA writable_schema = 1", "reads alone"),
        ("CREATE TABLE q (id)", "reads alone"),
        ("SELECT load_extension('x')", "reads alone"),
        ("SELECT id, raw FROM h", "'raw' holds bytes"),
        ("SELECT id, id FROM p", "two columns of one name"),
        ("SELECT id FROM p WHERE 0", "no rows"),
        ("SELECT absent FROM p", "no such column: absent"),
        ("", "no query; write sqlite:FILE"),
    ],
)
def test_what_is_no_reading_query_is_refused(database, statement, message):
    before = database.read_bytes()
    with pytest.raises(InputError, match=message):
        rejoinder.read_responses(f"sqlite:{database}?{statement}")
    assert database.read_bytes() == before
    assert not (database.parent / "other.sqlite").exists()


def test_a_database_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        rejoinder.read_testset(f"sqlite:{tmp_path}/absent.sqlite?SELECT 1")
    assert not (tmp_path / "absent.sqlite").exists()


def test_a_database_by_itself_and_an_address_say_the_way(database):
    with pytest.raises(
        InputError, match=r"sqlite:.*chats.sqlite\?SELECT \* FROM h' \(its tables are h, p\)"
    ):
        rejoinder.read_testset(database)
    with pytest.raises(RejoinderError, match="download it first"):
        rejoinder.read_testset("https://example.org/testset.jsonl")


def test_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "chats.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE h (id TEXT, system TEXT, rater TEXT, score DECIMAL(4, 2))")
        connection.execute("INSERT INTO h VALUES ('c1', 'bot', 'ann', 2.25)")
    table = rejoinder.read_ratings(f"duckdb:{path}?SELECT * FROM h")
    assert table.get_column("score").to_list() == [float(Decimal("2.25"))]
    for statement in (
        "DELETE FROM h",
        "SELECT 1; SELECT 2",
        f"SELECT * FROM read_text('{__file__}')",
    ):
        with pytest.raises(InputError):
            rejoinder.read_ratings(f"duckdb:{path}?{statement}")


def test_duckdb_where_it_is_not_installed_says_so(tmp_path, monkeypatch):
    (tmp_path / "chats.duckdb").write_bytes(b"x")
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(InputError, match="pip install duckdb"):
        rejoinder.read_ratings(f"duckdb:{tmp_path}/chats.duckdb?SELECT 1")


def test_nothing_names_the_file_of_the_rows(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    query = f"sqlite:{database}?SELECT prompt, reply AS response FROM p"
    assert run(["convert", query, "--as", "testset", "-o", "out.jsonl"]) == 0
    record = json.loads((tmp_path / "out.jsonl.provenance.json").read_text())
    assert [each["path"] for each in record["inputs"]] == [query]
    assert record["notes"]
    assert all(note.startswith(query) for note in record["notes"])


def test_a_command_that_is_ended_leaves_no_rows(database):
    program = (
        "import os, signal, sys, rejoinder\n"
        "print(len(rejoinder.read_responses(sys.argv[1])), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
    )
    query = f"sqlite:{database}?SELECT id, reply AS text, 'a' AS system FROM p"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", program, query],
            env={**os.environ, "TMPDIR": folder}, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == -signal.SIGTERM, done.stderr
        assert not os.listdir(folder)
