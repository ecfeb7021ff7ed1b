"""``--tables FILE``: what it may replace, and what stands in the cells of a CSV file."""

import csv
import json
import re
from pathlib import Path

import pytest

from shared_data import EXAMPLES, SYSTEMS, TESTSET

QUICK = ["-m", "bleu", "--resamples", "0", "-q"]


def test_a_table_replaces_its_own_file_and_no_other_file_of_the_same_command(
    command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    audit = ["audit", TESTSET, *SYSTEMS, "-m", "bleu", "-q"]
    assert command(*audit, "--save-replies", "replies.csv", "--tables", "tables.csv")[0] == 0
    kept = (tmp_path / "replies.csv").read_bytes()
    status, _, err = command("score", TESTSET, *SYSTEMS, *QUICK, "--tables", "replies.csv")
    assert status == 2
    assert "is not replaced; name another file" in err
    assert (tmp_path / "replies.csv").read_bytes() == kept
    for words in (["--tables", "tables.csv"], ["--tables=tables.csv"], ["--tables=./tables.csv"]):
        assert command("score", TESTSET, *SYSTEMS, *QUICK, *words)[0] == 0, words


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_a_table_does_not_replace_a_report(command, tmp_path, suffix):
    page = tmp_path / f"page.{suffix}"
    report = ["report", TESTSET, SYSTEMS[0], *QUICK, "-o", page]
    assert command(*report)[0] == 0
    kept = page.read_bytes()
    status, _, err = command("score", TESTSET, *SYSTEMS, *QUICK, "--tables", page)
    assert (status, "is not replaced; name another file" in err) == (2, True)
    assert page.read_bytes() == kept
    assert command(*report)[0] == 0
    table = tmp_path / f"table.{suffix}"
    assert command("score", TESTSET, *SYSTEMS, *QUICK, "--tables", table)[0] == 0
    assert command(*report[:-1], table)[0] == 2


def test_names_that_look_like_intervals_are_names(command, tmp_path):
    rows = map(json.loads, Path(SYSTEMS[0]).read_text("utf-8").splitlines())
    replies = tmp_path / "replies.jsonl"
    with replies.open("w", encoding="utf-8") as file:
        for row in rows:
            for system in ("[x, y]", "plain"):
                file.write(json.dumps({**row, "system": system}) + "\n")
    table = tmp_path / "table.csv"
    assert command("score", TESTSET, replies, "-m", "bleu", "-q", "--tables", table)[0] == 0
    with table.open(encoding="utf-8", newline="") as file:
        head, *lines = list(csv.reader(file))[:3]
    assert head == ["metric", "system", "value", "low", "high", "n"]
    assert [line[1] for line in lines] == ["[x, y]", "plain"]


def test_further_tables_stand_beside_and_are_replaced_by_their_own_command_alone(command, tmp_path):
    path, leads = tmp_path / "t.csv", tmp_path / "t-leads.csv"
    words = ["score", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "100", "--tables", path]
    status, _, err = command(*words)
    assert (status, f"Wrote {path}.\nWrote {leads}.\n" in err) == (0, True)
    status, _, err = command(*words)
    assert (status, f"{leads}: tables of results beside t.csv of an earlier run" in err) == (
        0,
        True,
    )
    leads.write_text("mine\n")
    status, out, err = command(*words)
    assert (status, leads.read_text(), "BLEU-2" in out) == (2, "mine\n", True)
    assert f"{leads}: a file stands there that holds no tables of results" in err


def test_further_tables_of_an_earlier_run_go_where_there_is_none_now(command, tmp_path):
    path = tmp_path / "t.csv"
    words = ["score", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "100", "--tables"]
    assert command(*words, path)[0] == 0
    assert command(*words, tmp_path / "t-mine.csv")[0] == 0  # named by a command: stays
    (tmp_path / "t-old.csv").write_text("system\n")  # without a record: stays
    before = {each.name for each in tmp_path.iterdir()}
    status, _, err = command("score", TESTSET, SYSTEMS[0], "-m", "bleu", "--tables", path)
    assert (status, f"{tmp_path / 't-leads.csv'}: removed, a table of an earlier run" in err) == (
        0,
        True,
    )
    after = {each.name for each in tmp_path.iterdir()}
    assert before - after == {"t-leads.csv", "t-leads.csv.provenance.json"}


def test_a_further_table_that_was_changed_since_stays(command, tmp_path):
    path, leads = tmp_path / "t.csv", tmp_path / "t-leads.csv"
    words = ["-m", "bleu", "--resamples", "100", "--tables", path]
    assert command("score", TESTSET, *SYSTEMS, *words)[0] == 0
    leads.write_text("mine\n")
    assert command("score", TESTSET, SYSTEMS[0], *words)[0] == 0
    assert leads.read_text() == "mine\n"


def test_a_caption_in_latex_says_what_the_table_holds(command, tmp_path):
    assert (
        command(
            "ratings", EXAMPLES / "ratings.csv", "--resamples", "0", "--tables", tmp_path / "r.tex"
        )[0]
        == 0
    )
    captions = re.findall(r"caption\{(.*)\.\}", (tmp_path / "r.tex").read_text("utf-8"))
    assert captions == [
        "Agreement among raters",
        "Correlation of one rater with the others",
        "The raters",
        "Ratings of the systems",
    ]
