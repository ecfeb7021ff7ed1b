"""Who gets which question, in which order, and what becomes of an answer."""

import os
import random
import re
from collections import Counter

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rejoinder.annotation.export as exporting
import studies
from rejoinder.annotation.export import export
from rejoinder.annotation.new_study import make_study
from rejoinder.annotation.questions import make_questions
from rejoinder.annotation.study import open_study
from rejoinder.annotation.task import Criterion, Example, Task
from rejoinder.errors import InputError
from rejoinder.studies.judgements import judgements

CHECK = Example(("Choose 1.",), ("Choose 1.",), {"overall": 1})


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 1000),
    kind=st.sampled_from(["pointwise", "head-to-head", "best-worst"]),
    items=st.integers(1, 8),
    wanted=st.integers(1, 4),
    more=st.integers(0, 2),
    dialogues=st.booleans(),
)
def test_every_question_has_its_raters_and_no_rater_has_it_twice(
    tmp_path, seed, kind, items, wanted, more, dialogues
):
    task = Task(
        kind,
        seed=seed,
        raters_per_question=wanted,
        shown=3,
        dialogues="conversation" if dialogues else None,
    )
    study = studies.study(tmp_path, task, items, 4, dialogues=max(1, items // 2))
    raters = [study.add_rater() for _ in range(wanted + more)]
    studies.answer_all(study, raters, random.Random(seed), undo=0.1)
    every = judgements(study.database)
    of_question = Counter((each.item, each.systems) for each in every)
    assert set(of_question.values()) == {wanted}
    assert len(of_question) == items * {"pointwise": 4, "head-to-head": 6, "best-worst": 1}[kind]
    of_rater = Counter((each.rater, each.item, each.systems) for each in every)
    assert set(of_rater.values()) == {1}
    for rater in raters:  # the order is kept, without a gap
        positions = [each.position for each in every if each.rater == rater.name]
        assert positions == list(range(1, len(positions) + 1))
    study.close()


def test_the_turns_of_a_dialogue_follow_each_other(tmp_path):
    task = Task(dialogues="conversation", raters_per_question=1)
    study = studies.study(tmp_path, task, items=12, dialogues=3)
    rater = study.add_rater()
    studies.answer_all(study, [rater], random.Random(1))
    order = [(each.systems[0], each.item) for each in judgements(study.database)]
    for start in range(0, 24, 4):  # four turns each, of one system
        system, first = order[start]
        assert order[start : start + 4] == [(system, str(int(first) + turn)) for turn in range(4)]
    assert len({order[start] for start in range(0, 24, 4)}) == 6


def test_orders_differ_between_raters_and_are_the_seeds(tmp_path):
    orders = []
    for seed in (1, 1, 2):
        study = studies.study(tmp_path, Task("head-to-head", seed=seed), items=10)
        raters = [study.add_rater() for _ in range(2)]
        for rater in raters:
            studies.answer_all(study, [rater], random.Random(1))
        orders.append(
            [
                [
                    (j.item, j.arrangement)
                    for j in judgements(study.database)
                    if j.rater == each.name
                ]
                for each in raters
            ]
        )
    assert orders[0] == orders[1] != orders[2]
    assert orders[0][0] != orders[0][1]
    shown_first = {arrangement for _, arrangement in orders[0][0]}
    assert shown_first == {(0, 1), (1, 0)}


def test_an_answer_sent_twice_is_stored_once_and_another_takes_its_place(tmp_path):
    study = studies.study(tmp_path)
    rater = study.add_rater()
    shown = study.current(rater)
    for _ in range(3):
        study.answer(rater, shown.assignment, {"c0": "4"})
    assert [each.choices for each in judgements(study.database)] == [{"overall": 4}]
    study.answer(rater, shown.assignment, {"c0": "2"})
    assert [each.choices for each in judgements(study.database)] == [{"overall": 2}]
    with study.database.transaction() as db:
        assert db.execute("SELECT count(*) FROM answer").fetchone() == (2,)


def test_undo_goes_back_and_what_was_answered_counts_until_then(tmp_path):
    study = studies.study(tmp_path)
    rater = study.add_rater()
    assert not study.undo(rater)
    seen = []
    for grade in "12":
        shown = study.current(rater)
        seen.append(shown.assignment)
        study.answer(rater, shown.assignment, {"c0": grade})
    after = study.current(rater)
    assert study.undo(rater)
    shown = study.current(rater)
    assert (shown.assignment, shown.form, shown.number) == (seen[1], {"c0": "2"}, 2)
    assert [each.choices["overall"] for each in judgements(study.database)] == [1, 2]
    assert study.undo(rater)  # one further back
    assert study.current(rater).assignment == seen[0]
    for grade in "54":
        study.answer(rater, study.current(rater).assignment, {"c0": grade})
    assert study.current(rater).assignment == after.assignment
    assert [each.choices["overall"] for each in judgements(study.database)] == [5, 4]


def test_a_question_left_open_goes_to_somebody_else(tmp_path):
    now = [0.0]
    task = Task(raters_per_question=1, reserved_minutes=10)
    study = studies.study(tmp_path, task, items=1, systems=1)
    path = study.database.path
    study.close()
    study = studies.opened(path, clock=lambda: now[0])
    first, second = study.add_rater(), study.add_rater()
    shown = study.current(first)
    assert study.current(second) is None
    now[0] = 599.0
    assert study.current(second) is None
    now[0] = 601.0
    taken = study.current(second)
    assert taken is not None
    with pytest.raises(InputError, match="given to somebody else"):
        study.answer(first, shown.assignment, {"c0": "1"})
    study.answer(second, taken.assignment, {"c0": "3"})
    assert study.current(first) is None
    assert [(each.rater, each.choices) for each in judgements(study.database)] == [
        ("r002", {"overall": 3})
    ]


def test_the_answers_of_others_cannot_be_given(tmp_path):
    study = studies.study(tmp_path)
    one, other = study.add_rater(), study.add_rater()
    shown = study.current(one)
    with pytest.raises(InputError, match="not one of yours"):
        study.answer(other, shown.assignment, {"c0": "1"})
    for wrong in ({}, {"c0": "6"}, {"c0": "1.0"}, {"c0": ""}, {"c1": "1"}):
        with pytest.raises(InputError, match="Choose one of the points"):
            study.answer(one, shown.assignment, wrong)
    assert judgements(study.database) == []


def test_attention_and_training_are_asked_and_not_exported(tmp_path):
    training = Example(("Hi",), ("Ho",), {"overall": [4, 5]}, "It fits.")
    task = Task(
        training=(training,), attention=(CHECK,) * 5, attention_every=5, raters_per_question=1
    )
    study = studies.study(tmp_path, task, items=10)
    rater = study.add_rater()
    shown = study.current(rater)
    assert (shown.training, shown.replies, shown.counts.total) == (True, ("Ho",), 1 + 20 + 4)
    assert study.answer(rater, shown.assignment, {"c0": "1"})
    feedback = study.feedback(rater, shown.assignment)
    assert (feedback.right, feedback.answers, feedback.explanation) == (
        False,
        {"overall": "4 or 5"},
        "It fits.",
    )
    assert not study.undo(rater)
    study.answer(rater, shown.assignment, {"c0": "5"})  # a training answer stays
    assert not study.feedback(rater, shown.assignment).right
    studies.answer_all(study, [rater], random.Random(3))
    kinds = [each.kind for each in judgements(study.database)]
    assert Counter(kinds) == {"rated": 20, "attention": 4, "training": 1}
    places = [place for place, kind in enumerate(kinds) if kind == "attention"]
    rated_before = [kinds[:place].count("rated") for place in places]
    assert [before // 5 for before in rated_before] == [0, 1, 2, 3]  # one in each stretch of five
    assert export(study).table.height == 20
    assert export(study).attention.row(0)[:2] == ("r001", 4)


def test_who_fails_the_attention_questions_can_be_left_out(tmp_path):
    task = Task(attention=(CHECK,) * 2, attention_every=3)
    study = studies.study(tmp_path, task, items=5)
    for grade in "15":
        rater = study.add_rater()
        while (shown := study.current(rater)) is not None:
            study.answer(rater, shown.assignment, {"c0": grade})
    assert set(export(study).table["rater"]) == {"r001", "r002"}
    strict = export(study, 0.5)
    assert set(strict.table["rater"]) == {"r001"}
    (note,) = strict.notes
    assert strict.signature.startswith("annotate|kind:pointwise|questions:")
    assert strict.signature.endswith("|attention:0.5")
    assert (
        note
        == "1 rater answered less than 50% of the attention questions right: 10 answers left out"
    )


@pytest.mark.parametrize(("right", "raters"), [(7, {"r001", "r002"}), (6, {"r002"})])
def test_exactly_the_share_of_attention_questions_is_enough(tmp_path, monkeypatch, right, raters):
    study = studies.study(tmp_path, items=2)
    for _ in range(2):
        studies.answer_all(study, [study.add_rater()], random.Random(1))
    rows = [("r001", 25, right), ("r002", 25, 25)]
    checks = pl.DataFrame(rows, schema=["rater", "asked", "right"], orient="row")
    monkeypatch.setattr(exporting, "attention_of", lambda *_: checks)
    assert 0.28 * 25 > 7
    assert set(export(study, 0.28).table["rater"]) == raters


def test_the_signature_is_that_of_the_judgements(tmp_path):
    study = studies.study(tmp_path, Task(raters_per_question=1), items=2)
    rater = study.add_rater()
    studies.answer_all(study, [rater], random.Random(1))
    before = export(study).signature
    assert export(study).signature == before
    last = judgements(study.database)[-1]
    study.undo(rater)
    shown = study.current(rater)
    study.answer(rater, shown.assignment, {"c0": str(6 - last.choices["overall"])})
    assert last.choices["overall"] != 3
    assert export(study).signature != before
    part = "judgements:[0-9a-f]{8}"
    assert re.sub(part, "", export(study).signature) == re.sub(part, "", before)


def test_probabilities_are_recorded(tmp_path):
    study = studies.study(tmp_path, Task(sample=3, raters_per_question=1), items=12)
    studies.answer_all(study, [study.add_rater()], random.Random(1))
    table = export(study).table
    assert (table["id"].n_unique(), set(table["probability"])) == (3, {0.25})
    table = studies.items_of(400, chance=0.3)
    blocks = make_questions(table, studies.responses(table), Task(probability="chance")).blocks
    assert {each.probability for block in blocks for each in block} == {0.3}
    assert (
        240 * 0.75 < len(blocks) < 240 * 1.25
    )  # five standard deviations of 2 x binomial(400, 0.3)
    four = Task("best-worst", shown=3)
    (block, *_) = make_questions(table, studies.responses(table, 4), four).blocks
    assert block[0].probability == 3 / 4


def test_best_worst_is_exported_as_one_and_minus_one(tmp_path):
    study = studies.study(tmp_path, Task("best-worst", raters_per_question=1), items=1, systems=3)
    rater = study.add_rater()
    shown = study.current(rater)
    study.answer(rater, shown.assignment, {"c0-best": "1", "c0-worst": "3"})
    scores = {f"{row['system']} says 1": row["score"] for row in export(study).table.to_dicts()}
    assert scores == dict(zip(shown.replies, (1.0, 0.0, -1.0), strict=True))
    with pytest.raises(InputError, match="different replies"):
        study.answer(rater, shown.assignment, {"c0-best": "1", "c0-worst": "1"})


def test_preferences_keep_what_was_shown_first(tmp_path):
    study = studies.study(tmp_path, Task("head-to-head", raters_per_question=1), items=8)
    rater = study.add_rater()
    while (shown := study.current(rater)) is not None:
        study.answer(rater, shown.assignment, {"c0": "1"})
    rows = export(study).table.to_dicts()
    assert {row["winner"] for row in rows} == {row["first"] for row in rows} == {"a"}
    assert {(row["a"], row["b"]) for row in rows} == {("ann", "bot"), ("bot", "ann")}


def test_another_study_is_not_gone_on_with(tmp_path):
    table = studies.items_of(4)
    path = tmp_path / "s.sqlite"
    replies = studies.responses(table)
    task = Task()
    study, there = open_study(path, task, make_questions(table, replies, task))
    assert not there
    study.close()
    study, there = open_study(path, task, make_questions(table, replies, task))
    assert there
    study.close()
    other = Task(criteria=(Criterion("fluency"),))
    with pytest.raises(InputError, match="other questions or settings"):
        open_study(path, other, make_questions(table, replies, other))
    with pytest.raises(InputError, match="a file stands there"):
        make_study(path, task, make_questions(table, replies, task))


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_the_log_of_an_earlier_study_does_not_come_into_a_new_one(tmp_path, suffix):
    path = tmp_path / "s.sqlite"
    (tmp_path / f"s.sqlite{suffix}").write_bytes(b"log")
    table = studies.items_of(2)
    questions = make_questions(table, studies.responses(table), studies.TASK)
    with pytest.raises(InputError, match=f"s.sqlite{suffix} stands beside it.*remove its log"):
        open_study(path, studies.TASK, questions)
    assert [each.name for each in tmp_path.iterdir()] == [f"s.sqlite{suffix}"]


def test_of_two_first_starts_both_open_the_same_study(tmp_path, monkeypatch):
    path = tmp_path / "s.sqlite"
    table = studies.items_of(2)
    questions = make_questions(table, studies.responses(table), studies.TASK)
    link = os.link

    def late(*names):
        monkeypatch.setattr(os, "link", link)
        study, there = open_study(path, studies.TASK, questions)
        assert not there
        study.add_rater()
        study.close()
        link(*names)

    monkeypatch.setattr(os, "link", late)
    study, there = open_study(path, studies.TASK, questions)
    assert there
    assert [each.name for each in study.raters()] == ["r001"]
    study.close()
    assert [each.name for each in tmp_path.iterdir()] == ["s.sqlite"]


def test_files_that_are_no_study_are_refused(tmp_path):
    path = tmp_path / "a.sqlite"
    with pytest.raises(InputError, match="there is no such study"):
        studies.opened(path)
    for content in (b"", b"words", b"SQLite format 3\x00" + b"x" * 5000):
        path.write_bytes(content)
        with pytest.raises(InputError, match="no database of a study"):
            studies.opened(path)


def test_the_file_is_the_owners_alone_and_at_rest_the_only_one(tmp_path):
    study = studies.study(tmp_path)
    rater = study.add_rater()
    study.answer(rater, study.current(rater).assignment, {"c0": "1"})
    assert study.database.path.stat().st_mode & 0o777 == 0o600
    study.close()
    assert [each.name for each in tmp_path.iterdir()] == ["0.sqlite"]
    with_reading = studies.opened(tmp_path / "0.sqlite", reading=True)
    assert len(judgements(with_reading.database)) == 1
    with_reading.close()


def test_two_processes_may_use_a_study(tmp_path):
    one = studies.study(tmp_path, Task(raters_per_question=1), items=3, systems=1)
    other = studies.opened(one.database.path)
    raters = [one.add_rater(), one.add_rater()]
    given = []
    for study, rater in ((one, raters[0]), (other, raters[1]), (one, raters[0])):
        shown = study.current(rater)
        given.append(shown.replies)
        study.answer(rater, shown.assignment, {"c0": "3"})
    assert len(set(given)) == 3
    assert one.current(raters[0]) is other.current(raters[1]) is None


def test_a_full_disk_confirms_nothing(tmp_path):
    study = studies.study(tmp_path)
    rater = study.add_rater()
    shown = study.current(rater)
    with study.database.transaction() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    study.database._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(InputError, match="nothing of this step was saved"):
        [study.add_rater() for _ in range(2000)]
    assert judgements(study.database) == []
    study.database._connection.execute("PRAGMA max_page_count = 1000000")
    study.answer(rater, shown.assignment, {"c0": "1"})
    assert len(judgements(study.database)) == 1


def test_a_clock_that_jumps_gives_no_time(tmp_path):
    now = [1e9]
    path = studies.study(tmp_path, Task(raters_per_question=1), items=4, systems=1).database.path
    study = studies.opened(path, clock=lambda: now[0])
    rater = study.add_rater()
    for jump in (-1e8, 2.5, 1e8, 3.0):
        shown = study.current(rater)
        now[0] += jump
        study.answer(rater, shown.assignment, {"c0": "1"})
    assert export(study).table["seconds"].to_list() == [None, 2.5, None, 3.0]
