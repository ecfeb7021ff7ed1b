"""Verbs that take a test set and responses take one table of both."""

import json
import subprocess
import sys

import pytest

TABLE = """item_id,prompt,reference,bot,cat
c1,Any milk?,None left.,No milk left.,Ask the cat.
c2,Any tea?,Some tea is left.,Some is left.,Ask the dog.
c3,Any ham?,Plenty of ham.,Plenty.,There is ham.
c4,Any jam?,No jam at all.,No jam.,Jam is all.
"""
TESTSET = "id,context,ref1\n" + "".join(
    ",".join(line.split(",")[:3]) + "\n" for line in TABLE.splitlines()[1:]
)
RATINGS = "id,system,score\n" + "".join(
    f"c{item},{system},{1 + (item * len(system) + place) % 5}\n"
    for item in (1, 2, 3, 4)
    for place, system in enumerate(("bot", "cat"))
)
VERBS = {
    "score": ["-m", "bleu:order=2", "-m", "length"],
    "compare": ["-m", "bleu:order=2", "--resamples", "100"],
    "correlate": ["-m", "length", "--ratings", "r.csv", "--resamples", "100"],
    "plan": ["-m", "length", "--ratings", "r.csv", "--resamples", "100"],
    "audit": ["-m", "length", "--resamples", "100"],
    "report": ["-m", "length", "--resamples", "0", "-o", "r.md"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_one_table_gives_what_two_files_give(command, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "all.csv").write_text(TABLE)
    (tmp_path / "test.csv").write_text(TESTSET)
    replies = [line.split(",") for line in TABLE.splitlines()[1:]]
    rows = ["id,bot,cat", *(f"{row[0]},{row[3]},{row[4]}" for row in replies)]
    (tmp_path / "bots.csv").write_text("\n".join(rows) + "\n")
    status, one, error = command(verb, "all.csv", *VERBS[verb], "--json")
    assert status == 0, error
    two = json.loads(command(verb, "test.csv", "bots.csv", *VERBS[verb], "--json")[1])
    if verb == "report":  # it says how each file was read
        two["notes"] = json.loads(one)["notes"]
    assert json.loads(one) == two


def test_a_table_of_less_is_a_test_set_alone(command, tmp_path):
    (tmp_path / "t.csv").write_text(TESTSET)
    status, _, said = command("score", str(tmp_path / "t.csv"))
    assert status == 2
    assert "is taken for the test set, and no replies are given" in said


def test_columns_of_one_file_of_several(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.csv").write_text(TABLE)
    (tmp_path / "r.csv").write_text(RATINGS)
    # The ids and the grades of the ratings have other names.
    (tmp_path / "grades.csv").write_text(RATINGS.replace("id,system,score", "nr,system,grade"))
    words = ["correlate", "all.csv", *VERBS["correlate"], "--json"]
    usual = json.loads(command(*words)[1])
    words[words.index("r.csv")] = "grades.csv"
    for columns in (
        ["--columns", "grades.csv:id=nr,score=grade"],
        ["--columns", "grades.csv:id=nr", "--columns", "score=grade"],
    ):
        told = json.loads(command(*words, *columns)[1])
        assert told | {"notes": usual["notes"]} == usual
    status, _, err = command(*words, "--columns", "grade.csv:id=nr,score=grade")
    assert status == 2
    assert "the command reads no file 'grade.csv'; it names grades.csv, all.csv" in err


def test_a_file_that_is_no_test_set_says_so_before_replies_are_missed(command, tmp_path):
    (tmp_path / "t.feather").write_bytes(b"ARROW1\0\0")
    status, _, err = command("score", tmp_path / "t.feather")
    assert status == 2
    assert "is an Arrow (Feather) file" in err
    assert "no replies" not in err


def test_a_note_on_a_file_that_is_read_twice_is_printed_once(tmp_path):
    (tmp_path / "all.csv").write_text(
        "".join(f"{i - 1 if i else ''},{line}\n" for i, line in enumerate(TABLE.splitlines()))
    )
    words = ["score", str(tmp_path / "all.csv"), "-m", "length"]
    code = "import sys; from rejoinder.cli.app import main; main()"
    run = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("the first column counts the rows and is left out") == 1
