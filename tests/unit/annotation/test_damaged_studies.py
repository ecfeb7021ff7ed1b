"""A damaged study is exported as it was, or not at all; what is whole of it can be salvaged."""

import random
import re
import shutil
from dataclasses import replace

import pytest

import damaged_studies
import studies
from rejoinder import read_ratings
from rejoinder.annotation.export import export
from rejoinder.annotation.salvage import salvaged
from rejoinder.errors import InputError
from rejoinder.studies.tables import STUDY

DEFAULT, SLOW = 10, 100  # damaged copies of each kind


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A study with answers, its log at some moments, and what it exports."""
    path, moments = damaged_studies.answered(tmp_path_factory.mktemp("answered"))
    studies.OPENED.pop()
    return path, moments, exported(path)


def exported(path):
    study = studies.opened(path, reading=True)
    try:
        return export(study)
    finally:
        study.close()


def salvaged_or_refused(path):
    def export_of_salvaged(path):
        with salvaged(path) as (study, notes):
            return replace(export(study), notes=tuple(notes))

    got, said = refused_or(export_of_salvaged, path)
    return got, said or str(got.notes)


def refused_or(call, path):
    """What a function gives for a file, or the message by which the file is refused."""
    try:
        return call(path), ""
    except InputError as error:
        return None, str(error)


def test_bytes_that_are_no_text_are_a_message_wherever_they_stand(answered, tmp_path):
    path, _, whole = answered
    raw, copy, refused = path.read_bytes(), tmp_path / "study.sqlite", 0
    schema = raw[: raw.rindex(b"CREATE ")]
    for place in [place for place, byte in enumerate(schema) if chr(byte).isalpha()][::199]:
        copy.write_bytes(raw[:place] + b"\xdf" + raw[place + 1 :])
        read, message = refused_or(exported, copy)
        assert message or read.table.equals(whole.table), place
        refused += bool(message)
        assert salvaged_or_refused(copy)[1], place
    assert refused > 20


@pytest.mark.parametrize("kind", damaged_studies.KINDS)
@pytest.mark.parametrize("count", [DEFAULT, pytest.param(SLOW, marks=pytest.mark.slow)])
def test_a_damaged_study_is_exported_as_it_was_or_not_at_all(answered, tmp_path, kind, count):
    path, moments, whole = answered
    rows, refused, kept = set(whole.table.rows()), 0, []
    for what, copy in damaged_studies.damaged(path, moments, kind, count, tmp_path):
        before = copy.read_bytes()
        got, said = salvaged_or_refused(copy)
        assert set(() if got is None else got.table.rows()) <= rows, what
        assert ("lost: " if got is not None else "restore a copy") in said, what
        assert copy.read_bytes() == before, what
        kept.append(0 if got is None else got.table.height)
        got, said = refused_or(exported, copy)
        if got is None:
            assert "\n" not in said, what
            refused += 1
        else:
            same = got.table.equals(whole.table) and got.attention.equals(whole.attention)
            assert same or any("the last answers are missing" in each for each in got.notes), what
    assert refused >= {"flipped": 0.2, "zeroed": 0.5, "other": 0.8}[kind] * count
    least = {"flipped": 0.98, "zeroed": 0.6, "other": 0.4}[kind]
    assert sum(kept) >= least * count * whole.table.height


def test_a_damaged_study_is_not_served_and_a_closed_one_is(answered, tmp_path):
    path, moments, _ = answered
    copies = damaged_studies.damaged(path, moments, "zeroed", DEFAULT, tmp_path)
    for what, copy in copies:
        study, said = refused_or(studies.opened, copy)
        assert "\n" not in said, what
        if study is not None:
            for rater in study.raters():
                study.current(rater)
            study.close()


def test_every_row_that_is_written_has_its_checksum_and_is_counted(tmp_path):
    study = studies.study(tmp_path, items=2)
    rater = study.add_rater()
    study.consent(rater)
    while (shown := study.current(rater)) is not None:
        study.answer(rater, shown.assignment, {"c0": "2"})
    study.undo(rater)
    with study.database.transaction() as db:
        assert STUDY.fault_of(db) == ""
        db.execute("DELETE FROM answer WHERE assignment = 1")
        assert STUDY.fault_of(db) == "the table 'answer' has 3 rows; expected 4"
    with pytest.raises(InputError, match="export what is whole with 'export with salvage=True"):
        export(study)


def test_what_is_damaged_while_it_is_served_is_one_message(tmp_path):
    study = studies.study(tmp_path, items=1, systems=1)
    rater = study.add_rater()
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = '{'")
    with pytest.raises(InputError, match="the study cannot be read or written"):
        study.current(rater)


def test_a_later_answer_that_is_lost_does_not_bring_back_the_one_before(tmp_path):
    study = studies.study(tmp_path, items=1, systems=1)
    rater = study.add_rater()
    number = study.current(rater).assignment
    for grade in "15":
        study.answer(rater, number, {"c0": grade})
    with study.database.transaction() as db:
        db.execute("DELETE FROM answer WHERE revision = 2")
    study.close()
    with pytest.raises(InputError, match=r"no answer is whole .* lost: 1 of 2 answers"):
        salvaged(study.database.path).__enter__()


def test_salvaging_a_whole_study_exports_it_and_says_so(answered, tmp_path, command):
    path, _, whole = answered
    copy = tmp_path / "s.sqlite"
    shutil.copy(path, copy)
    with salvaged(copy) as (study, notes):
        assert export(study).table.equals(whole.table)
    assert notes == ["the study is whole; lost: nothing"]
    words = ["annotate", "export", copy, "-o", tmp_path / "r.csv", "--salvage"]
    status, out, _ = command(*words)
    assert (status, "the study is whole; lost: nothing" in out) == (0, True)
    status, _, err = command(*words[:3], tmp_path / "a.json", *words[3:])
    assert (status, "leave the files of answers out" in err) == (2, True)
    status, _, err = command(*words[:2], tmp_path / "none.sqlite", *words[3:])
    assert (status, "there is no such study" in err) == (2, True)


def test_a_study_without_checksums_says_which_version_reads_it(tmp_path):
    study = studies.study(tmp_path)
    with study.database.transaction() as db:
        db.execute("PRAGMA user_version = 1")
    study.close()
    with pytest.raises(InputError, match="format 1; expected 2, whose rows have checksums"):
        studies.opened(study.database.path)


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        ("UPDATE assignment SET rater = 99 WHERE id = 1", 1),
        ("UPDATE assignment SET question = question + 90 WHERE id < 3", 2),
        ("UPDATE answer SET assignment = 99 WHERE assignment = 1", 1),
    ],
)
def test_answers_without_their_rater_or_question_are_counted(tmp_path, caplog, edit, left):
    study = studies.study(tmp_path, items=2)
    studies.answer_all(study, [study.add_rater()], random.Random(1))
    every = export(study).table.height
    study.database._connection.execute("PRAGMA foreign_keys = OFF")
    with study.database.transaction() as db:
        db.execute(edit)
    words = f"{left} answers? left out: the rater, the question or the assignment is missing"
    got = export(study)
    assert got.table.height == every - left
    assert re.search(words, "; ".join(got.notes))
    study.close()
    assert read_ratings(study.database.path).height == every - left
    assert re.search(words, caplog.text)


def test_an_edit_with_right_checksums_is_one_message(tmp_path):
    study = studies.study(tmp_path, items=1, systems=1)
    studies.answer_all(study, [study.add_rater()], random.Random(1))
    with study.database.transaction() as db:
        db.execute("UPDATE answer SET choices = '{\"overall\": null}'")
    study.close()
    with pytest.raises(InputError, match="an answer or its question is not as annotate writes it"):
        read_ratings(study.database.path)
