"""A study as a source of ratings: the same table as that of its export, and everything that reads it."""

import random
import shutil

import pytest
from polars.testing import assert_frame_equal

import studies
from rejoinder import read_preferences, read_ratings
from rejoinder.annotation.export import export
from rejoinder.annotation.task import Criterion, Example, Task
from rejoinder.cli.app import run
from rejoinder.errors import InputError


def answered(folder, task=studies.TASK, raters=3, **more):
    """A study that so many raters have answered."""
    study = studies.study(folder, task, **more)
    studies.answer_all(study, [study.add_rater() for _ in range(raters)], random.Random(1))
    return study


@pytest.mark.parametrize("kind", ["pointwise", "best-worst"])
def test_ratings_are_those_of_the_export(tmp_path, kind):
    study = answered(tmp_path, Task(kind), systems=3)
    exported = export(study).table
    frame = read_ratings(study.database.path)
    assert {"id", "system", "rater", "criterion", "score", "probability"} <= set(frame.columns)
    assert_frame_equal(frame, exported.select(frame.columns), check_row_order=False)


def test_preferences_are_those_of_the_export(tmp_path):
    study = answered(tmp_path, Task("head-to-head"))
    exported = export(study).table
    frame = read_preferences(study.database.path)
    shared = [each for each in frame.columns if each in exported.columns]
    assert {"id", "a", "b", "winner", "rater"} <= set(shared)
    assert_frame_equal(frame.select(shared), exported.select(shared), check_row_order=False)


def test_every_verb_that_takes_ratings(tmp_path, capsys):
    study = answered(tmp_path, items=12)
    table = tmp_path / "ratings.csv"
    assert run(["annotate", "export", str(study.database.path), "-o", str(table)]) == 0
    capsys.readouterr()
    for verb in (["ratings"], ["compare", "--ratings"], ["plan", "--ratings"]):
        printed = []
        for path in (table, study.database.path):
            # The table names no scale, and the study does.
            scale = ["--scale", "1", "5"] if path == table else []
            status = run([*verb, str(path), *scale])
            printed.append((status, capsys.readouterr().out.replace(path.name, "FILE")))
        assert printed[0] == printed[1]


@pytest.mark.parametrize("verb", [["ratings"], ["compare", "--ratings"]])
def test_the_scale_is_that_of_the_study_unless_one_is_named(tmp_path, command, verb):
    task = Task(criteria=(Criterion("overall", lowest=0, highest=9),))
    path = str(answered(tmp_path, task, items=12).database.path)
    status, _, err = command(*verb, path)
    assert (status, f"note: {path}: the grades of the study go from 0 to 9" in err) == (0, True)
    status, _, err = command(*verb, path, "--scale", "4", "5")
    assert "off the scale from 4 to 5" in err
    assert "go from" not in err


def test_one_verdict_and_one_scale_in_every_verb(tmp_path, command, monkeypatch):
    """The report takes the study's scale too, and all three name the same best system with the same means."""
    task = Task(criteria=(Criterion("overall", lowest=0, highest=9),))
    path = str(answered(tmp_path, task, items=12).database.path)
    monkeypatch.setenv("COLUMNS", "400")
    outs = [
        command(*verb, path, *more)
        for verb, more in (
            (["ratings"], []),
            (["compare", "--ratings"], []),
            (["report", "--ratings"], ["-o", str(tmp_path / "page.html")]),
        )
    ]
    (sentence,) = [line for line in outs[1][1].splitlines() if " by people: " in line]
    assert all(sentence in out for _, out, _ in outs)
    assert all("the grades of the study go from 0 to 9" in err for *_, err in outs)


def test_answers_to_attention_questions_are_left_out_and_counted(tmp_path, caplog):
    known = Example(("Hello",), ("fine",), {"overall": 3})
    task = Task(attention=(known,), attention_every=2)
    study = answered(tmp_path, task)
    assert export(study).attention.height
    assert read_ratings(study.database.path).height == export(study).table.height
    assert "3 answers to attention questions left out" in caplog.text


def test_a_study_without_answers_says_so(tmp_path):
    study = studies.study(tmp_path)
    with pytest.raises(InputError, match="no judgements yet"):
        read_ratings(study.database.path)


def test_a_damaged_study_is_refused(tmp_path):
    path = answered(tmp_path).database.path
    studies.OPENED.pop().close()
    data = bytearray(path.read_bytes())
    place = data.index(b"overall", len(data) // 2)
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        read_ratings(path)


def test_look_names_the_study_and_its_ratings(tmp_path, capsys):
    path = answered(tmp_path).database.path
    assert run(["look", str(path)]) == 0
    out = capsys.readouterr().out
    assert all(each in out for each in ("study", "ratings", "annotate export"))


def test_reading_leaves_the_study_of_a_killed_server_as_it_is(tmp_path):
    """The log has answers that the file does not have yet: both are read, and neither is written."""
    served = answered(tmp_path).database.path
    killed, log = tmp_path / "killed.sqlite", tmp_path / "killed.sqlite-wal"
    for suffix in ("", "-wal"):
        shutil.copy(f"{served}{suffix}", f"{killed}{suffix}")
    before = killed.read_bytes(), log.read_bytes()
    for _ in range(2):
        assert read_ratings(killed).get_column("rater").n_unique() == 3
        assert run(["look", str(killed)]) == 0
        assert (killed.read_bytes(), log.read_bytes()) == before


def test_reading_while_it_is_served(tmp_path):
    """Answers in the log of the open database count too."""
    study = answered(tmp_path)
    assert (tmp_path / (study.database.path.name + "-wal")).exists()
    assert read_ratings(study.database.path).get_column("rater").n_unique() == 3
