"""A ledger loses nothing: under several writers, kills, a full disk, later versions and altered rows."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

import rejoinder
from full_disk import called, limited
from rejoinder.errors import InputError
from rejoinder.files.checked_tables import add_checksum
from rejoinder.ledger.ledger import LEDGER, append, contents
from rejoinder.ledger.numbers import Number, numbers_of
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RUN = {
    "verb": "score", "version": "1.0.0", "seed": 1, "command": ["rejoinder", "score"], "settings": {},
    "signatures": {"BLEU-2": "bleu|order:2"}, "lower": [], "inputs": [], "notes": [],
}  # fmt: skip
NUMBERS = [Number("", "value", name, "BLEU-2", "", 0.25, 0.125, 0.5) for name in ("a", "b")]
SCORE = ["score", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "0"]
APPENDING = """
import json, sys
from rejoinder.ledger.ledger import append
path, count, run, numbers = sys.argv[1], *map(json.loads, sys.argv[2:])
for seed in range(count):
    print(append(path, {**run, "seed": seed}, numbers), flush=True)
"""


def appending(path, count):
    """A process that appends so many runs, and prints the number of each when it is there."""
    given = [json.dumps(each) for each in (count, RUN, NUMBERS)]
    return subprocess.Popen(
        [sys.executable, "-c", APPENDING, str(path), *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_command_appends_its_numbers_and_what_made_them(command, tmp_path):
    path = tmp_path / "runs.sqlite"
    status, out, err = command(*SCORE, "--ledger", path)
    assert (status, out) == (0, command(*SCORE)[1])
    assert f"Recorded run 1 in {path} (6 numbers)." in err
    assert command("ratings", EXAMPLES / "ratings.csv", "--ledger", path, "--json")[0] == 0
    run, second = contents(path)["run"]
    assert (run["verb"], run["settings"]["metrics"], second["verb"]) == ("score", "bleu", "ratings")
    assert run["signatures"]["BLEU-2"].startswith("bleu|order:2|")
    assert [each["as"] for each in run["inputs"]] == ["TESTSET", *["RESPONSES"] * 3]
    assert all(len(each["content"]) == 64 for each in run["inputs"])
    rows = json.loads(command(*SCORE, "--json")[1])["systems"]
    values = {each["system"]: each["value"] for each in rows}
    there = [
        each for each in contents(path)["number"] if each["run"] == 1 and each["name"] == "value"
    ]
    assert {each["system"]: each["value"] for each in there} == values
    assert {each["metric"] for each in there} == {"BLEU-2"}


def test_a_secret_is_not_recorded(command, tmp_path):
    path = tmp_path / "runs.sqlite"
    words = [*SCORE, "--only", "id=password=hunter2", "--only", "id=c001"]
    assert command(*words, "--ledger", path)[0] == 0
    assert b"hunter2" not in path.read_bytes()


def test_what_has_no_numbers_of_systems_is_refused(command, tmp_path):
    for words in (["--segments"], ["--explain", "c001"]):
        status, _, err = command(*SCORE[:-2], *words, "--ledger", tmp_path / "runs.sqlite")
        assert status == 2
        assert "--ledger" in err


def test_a_file_of_defaults_names_a_ledger_below_it(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rejoinder.toml").write_text('ledger = "runs.sqlite"\n')
    for words in (SCORE, [*SCORE[:3], "--json", "-m", "bleu"]):  # lines alone are read otherwise
        assert command(*words)[0] == 0
    assert len(contents("runs.sqlite")["run"]) == 2
    assert command(*SCORE[:-2], "--segments")[0] == 0  # it has no use there
    for path in ("../runs.sqlite", "/tmp/runs.sqlite", ""):
        (tmp_path / "rejoinder.toml").write_text(f'ledger = "{path}"\n')
        status, _, err = command(*SCORE)
        assert (status, "the path of a file in this folder or below it" in err) == (2, True)


def test_two_writers_at_once_lose_nothing(tmp_path):
    path = tmp_path / "runs.sqlite"
    ends = [each.communicate() for each in [appending(path, 10) for _ in range(2)]]
    numbers = sorted(int(line) for out, _ in ends for line in out.split())
    assert numbers == list(range(1, 21)), ends
    assert len(contents(path)["run"]) == 20
    assert len(contents(path)["number"]) == 40
    assert [each.name for each in tmp_path.iterdir()] == ["runs.sqlite"]


@pytest.mark.slow
def test_what_was_recorded_before_a_kill_is_there_and_whole(tmp_path):
    path, draw, recorded = tmp_path / "runs.sqlite", random.Random(5), 0
    for _ in range(20):
        process = appending(path, 100_000)
        process.stdout.readline()
        time.sleep(draw.random() * 0.2)
        process.send_signal(signal.SIGKILL)
        with process, process.stdout:  # which may have read more than one line ahead
            rest = process.stdout.read().split("\n")
        recorded += len(rest)  # the first line was read; the last is empty
        runs = contents(path)["run"]
        assert recorded <= len(runs) <= recorded + 1
        recorded = len(runs)
        assert len(contents(path)["number"]) == 2 * recorded


@pytest.mark.parametrize("room", [100, 60_000])
def test_on_a_full_disk_the_result_is_printed_and_what_was_there_stays(tmp_path, room):
    path = tmp_path / "runs.sqlite"
    append(path, RUN, NUMBERS)
    usual = called(SCORE)[1]
    for _ in range(3):
        status, out, err = limited([*SCORE, "--ledger", path], room)
        assert out == usual
        assert status == 2 or room > 100
        assert ("the ledger cannot be" in err) == (status == 2)
        assert len(err.splitlines()) == 1
    runs = contents(path)["run"]
    assert runs[0]["version"] == "1.0.0"
    numbers = contents(path)["number"]
    assert len(numbers) == 2 + 6 * (len(runs) - 1)


def test_a_file_of_a_later_version_or_of_another_program_is_refused_before_the_work(
    command, tmp_path
):
    path, other = tmp_path / "runs.sqlite", tmp_path / "other"
    append(path, RUN, NUMBERS)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 2")
    before = path.read_bytes()
    status, out, err = command("score", "absent.jsonl", "--ledger", path)
    assert (status, out) == (2, "")
    assert "a ledger of format 2; expected 1; it was written by a later version of Rejoinder" in err
    other.write_text("mine")
    status, _, err = command("score", "absent.jsonl", "--ledger", other)
    assert (status, "no database of a ledger" in err) == (2, True)
    status, _, err = command("score", "absent.jsonl", "--ledger", tmp_path / "no" / "runs")
    assert (status, "there is no folder" in err) == (2, True)
    status, _, err = command(*SCORE, "--ledger", TESTSET)
    assert (status, "that is an input" in err) == (2, True)
    assert (path.read_bytes(), other.read_text()) == (before, "mine")


def test_every_altered_or_lost_row_is_noticed(tmp_path):
    path = tmp_path / "runs.sqlite"
    append(path, RUN, NUMBERS)
    whole = path.read_bytes()
    assert len(contents(path)["number"]) == 2
    with closing(sqlite3.connect(path)) as db:
        cells = [
            (name, column, row)
            for name, (columns, _) in LEDGER.columns.items()
            for row in range(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
            for column in (*columns, "checksum")
        ]
    assert len(cells) > 30
    for name, column, row in [*cells, ("run", "", 0), ("number", "", 1)]:
        path.write_bytes(whole)
        (key, *_) = LEDGER.columns[name][1]
        change = f"UPDATE {name} SET {column} = 77" if column else f"DELETE FROM {name}"
        with closing(
            sqlite3.connect(path)
        ) as db:  # by someone who takes the rules out, and puts them back
            add_checksum(db)
            db.execute("PRAGMA synchronous = OFF")
            (of,) = db.execute(f"SELECT {key} FROM {name} LIMIT 1 OFFSET {row}").fetchone()
            db.execute("BEGIN")
            for trigger, _ in TRIGGERS:
                db.execute(f"DROP TRIGGER {trigger}")
            db.execute(f"{change} WHERE {key} = ?", (of,))
            for _, sql in TRIGGERS:
                db.execute(sql)
            db.commit()
        with pytest.raises(InputError, match=r"the ledger is damaged: .* restore a copy of it"):
            contents(path)["run"]


def test_bytes_that_are_no_text_are_a_message_wherever_they_stand(tmp_path):
    path = tmp_path / "runs.sqlite"
    append(path, RUN, NUMBERS)
    whole, before, refused = path.read_bytes(), contents(path), 0
    for place in [place for place, byte in enumerate(whole) if chr(byte).isalpha()][::11]:
        path.write_bytes(whole[:place] + b"\xdf" + whole[place + 1 :])
        try:
            assert contents(path) == before, place
        except InputError:
            refused += 1
    assert refused > 50


def _triggers():
    with closing(sqlite3.connect(":memory:")) as db:
        add_checksum(db)
        LEDGER.make(db)
        return db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()


TRIGGERS = _triggers()


def test_no_two_numbers_of_a_result_have_the_same_names():
    document = rejoinder.ratings(rejoinder.read_ratings(EXAMPLES / "ratings.csv")).document()
    numbers = numbers_of(document)
    assert len(numbers) == len({each[:5] for each in numbers}) > 50
