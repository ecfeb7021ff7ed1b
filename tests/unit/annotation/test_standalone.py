"""The page without a server: what it holds, and how its answers come into the study."""

import errno
import json
import os
import random
import re
from unittest.mock import patch

import pytest

import studies
from rejoinder.annotation.answers import taken_in
from rejoinder.annotation.export import export
from rejoinder.annotation.standalone.page import make_page
from rejoinder.annotation.task import Criterion, Example, Task
from rejoinder.errors import InputError
from rejoinder.studies.judgements import judgements
from rejoinder.tables.ratings import read_ratings
from shared_data import SYSTEMS, TESTSET


def content_of(html):
    (data,) = re.findall(r'<script type="application/json" id="study">(.*?)</script>', html, re.S)
    return json.loads(data)


def answers(content, grade="3", **more):
    given = [
        {"question": each["question"], "fields": {"c0": grade}, "seconds": 2.5}
        for each in content["questions"]
    ]
    names = ("answers_of", "format", "study", "rater")
    return {name: content[name] for name in names} | {"answers": given} | more


def test_the_answers_of_pages_are_judgements_like_others(tmp_path, command):
    study = studies.study(tmp_path, Task(raters_per_question=2), items=5)
    for grade in "24":
        html, rater, number = make_page(study)
        content = content_of(html)
        assert number == len(content["questions"]) == 10
        path = tmp_path / f"{rater.name}.json"
        path.write_text(json.dumps(answers(content, grade)))
    with pytest.raises(InputError, match="every question has its raters already"):
        make_page(study)
    assert [each.name for each in study.raters()] == ["r001", "r002"]
    db = study.database.path
    study.close()
    words = [db, tmp_path / "r001.json", tmp_path / "r002.json", "-o", tmp_path / "r.csv"]
    for _ in range(2):  # a file that is given again adds nothing
        status, out, _ = command("annotate", "export", *words, "--json")
        assert (status, json.loads(out)["rows"]) == (0, 20)
    ratings = read_ratings(tmp_path / "r.csv")
    assert set(ratings.select("rater", "score").rows()) == {("r001", 2.0), ("r002", 4.0)}
    assert set(export(studies.opened(db, reading=True)).table["seconds"]) == {2.5}


def test_a_page_hides_whose_the_replies_are_and_what_attention_wants(tmp_path):
    check = Example(("Choose 1.",), ("Read.",), {"overall": 1}, "not shown")
    training = Example(("Hi",), ("Ho",), {"overall": 5}, "A greeting.")
    task = Task(training=(training,), attention=(check,) * 3, attention_every=3)
    study = studies.study(tmp_path, task, items=6)
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = replace(content, 'ann says', 'I say')")
        db.execute("UPDATE question SET content = replace(content, 'bot says', 'I say')")
    html, _, number = make_page(study)
    assert number == 1 + 12 + 3
    text = json.dumps(content_of(html)["questions"])
    assert "ann" not in text
    assert "bot" not in text
    assert "not shown" not in text
    known = [each for each in content_of(html)["questions"] if "known" in each]
    assert known[0]["known"] == {"answers": {"overall": "5"}, "explanation": "A greeting."}
    assert len(known) == 1


def test_nothing_of_the_study_is_markup(tmp_path):
    evil = "</script><script>alert(1)</script><!--"
    criterion = Criterion("a", evil, 1, 2, (evil, evil))
    study = studies.study(tmp_path, Task(criteria=(criterion,), title=evil, instructions=evil))
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = json_set(content, '$.replies[0]', ?)", (evil,))
    html, _, _ = make_page(study)
    assert html.count("<script") == html.count("</script>") == 2
    assert "<!--" not in html
    assert content_of(html)["questions"][0]["replies"] == [evil]
    assert "default-src &#39;none&#39;" in html
    assert not re.search(r"(src|href)=", html.split("<script", 1)[0])


FAULTS = [
    (lambda given: [], "no file of answers"),
    (lambda given: {**given, "format": 2}, "no file of answers"),
    (lambda given: {**given, "answers": [{"question": "x"}]}, "no file of answers"),
    (lambda given: {**given, "study": "0" * 64}, "answers to another study"),
    (lambda given: {**given, "rater": "x"}, "no page of this study has these answers"),
    (
        lambda given: {**given, "answers": [{"question": 999, "fields": {}}]},
        "answer 1: This question is",
    ),
    (
        lambda given: {**given, "answers": [{**given["answers"][0], "fields": {"c0": "9"}}]},
        "answer 1: Choose one of the points of the scale: overall; ask the rater",
    ),
]


@pytest.mark.parametrize(("change", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_files_that_no_page_gave_are_refused(tmp_path, change, message):
    study = studies.study(tmp_path)
    html, _, _ = make_page(study)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(change(answers(content_of(html)))))
    with pytest.raises(InputError, match=message) as raised:
        taken_in(study, path)
    assert str(raised.value).startswith(f"{path}: ")
    assert judgements(study.database) == []


def test_a_link_is_no_page(tmp_path):
    study = studies.study(tmp_path)
    html, _, _ = make_page(study)
    other = study.add_rater()
    path = tmp_path / "a.json"
    path.write_text(json.dumps(answers(content_of(html), rater=other.token)))
    with pytest.raises(InputError, match="no page of this study"):
        taken_in(study, path)


def test_what_was_left_out_is_said(tmp_path):
    study = studies.study(tmp_path, items=5)
    html, _, _ = make_page(study)
    given = answers(content_of(html))
    given["answers"] = random.Random(1).sample(given["answers"], 4)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(given))
    assert taken_in(study, path) == ["a.json: r001 left out 6 questions"]


def test_half_a_surrogate_pair_in_a_comment_is_replaced_and_said(tmp_path):
    study = studies.study(tmp_path, Task(comments=True), items=5)
    given = answers(content_of(make_page(study)[0]))
    given["answers"][0]["fields"]["comment"] = "Good \ud83d"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(given))
    assert taken_in(study, path) == [
        "a.json: 1 comment of r001 with the character U+FFFD, which replaces a broken one"
    ]
    assert export(study).table["comment"].drop_nulls().to_list() == ["Good \ufffd"]


def test_on_a_full_disk_the_questions_are_given_back(tmp_path, command):
    db, path = tmp_path / "s.sqlite", tmp_path / "p.html"
    words = ["annotate", "page", TESTSET, *SYSTEMS, "--db", db, "--sample", 3, "-o", path]
    assert command("annotate", "serve", *words[2:-2], "--prepare")[0] == 0
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with patch("os.fsync", side_effect=full):
        status, out, err = command(*words)
    assert (status, path.exists()) == (2, False)
    assert "9 questions" in out
    assert "No space left on device; choose another place" in err
    with studies.opened(db).database.transaction() as connection:
        assert connection.execute("SELECT max(given) FROM block").fetchone() == (0,)


def files_of(folder, content, grades):
    """A file of answers for each grade, given in this order."""
    for at, grade in enumerate(grades, start=1000):
        given = answers(content, grade)
        given["answers"] = [{**each, "at": float(at)} for each in given["answers"]]
        (folder / f"{grade}.json").write_text(json.dumps(given))
    return [folder / f"{grade}.json" for grade in grades]


def test_the_newest_answer_counts_in_whatever_order_files_come(tmp_path):
    study = studies.study(tmp_path, items=2)
    older, newer = files_of(tmp_path, content_of(make_page(study)[0]), "15")
    for path in (newer, older, newer, older):
        taken_in(study, path)
    assert {each.choices["overall"] for each in judgements(study.database)} == {5}
    with study.database.transaction() as db:
        assert db.execute("SELECT max(revision) FROM answer").fetchone() == (1,)


def test_a_newer_answer_takes_the_place_of_an_older_one(tmp_path):
    study = studies.study(tmp_path, items=2)
    for path in files_of(tmp_path, content_of(make_page(study)[0]), "15"):
        taken_in(study, path)
    assert {each.choices["overall"] for each in judgements(study.database)} == {5}


def test_answers_without_a_time_are_stored_once(tmp_path):
    study = studies.study(tmp_path, items=2)
    content = content_of(make_page(study)[0])
    for grade in "1515":
        (tmp_path / "a.json").write_text(json.dumps(answers(content, grade)))
        taken_in(study, tmp_path / "a.json")
    with study.database.transaction() as db:
        assert db.execute("SELECT max(revision) FROM answer").fetchone() == (2,)


def test_of_a_file_with_one_wrong_answer_nothing_is_stored(tmp_path):
    study = studies.study(tmp_path)
    given = answers(content_of(make_page(study)[0]))
    for number in (1 << 63, -1, 10**30):
        given["answers"][-1] = {"question": number, "fields": {"c0": "3"}}
        (tmp_path / "a.json").write_text(json.dumps(given))
        with pytest.raises(InputError, match="not one of yours"):
            taken_in(study, tmp_path / "a.json")
    assert judgements(study.database) == []
    assert study.raters()[0].consented is None


def test_an_unknown_time_of_answering_is_no_time(tmp_path):
    study = studies.study(tmp_path)
    given = answers(content_of(make_page(study)[0]))
    for each, seconds in zip(given["answers"], [None, -1, 1e7, 2.5], strict=False):
        each["seconds"] = seconds
    (tmp_path / "a.json").write_text(json.dumps(given))
    taken_in(study, tmp_path / "a.json")
    assert export(study).table["seconds"][:4].to_list() == [None, None, None, 2.5]


def test_the_page_is_to_be_sent_without_its_record(tmp_path, command):
    path = tmp_path / "page.html"
    words = ["annotate", "page", TESTSET, *SYSTEMS, "--db", tmp_path / "s.sqlite"]
    status, out, _ = command(*words, "-o", path)
    note = "send page.html alone: page.html.provenance.json beside it is your record"
    assert status == 0
    assert f"note: {note}" in " ".join(out.split())
    # What the note is about: the page names no system, and the record does.
    names = [os.path.basename(each) for each in SYSTEMS]
    record = (tmp_path / "page.html.provenance.json").read_text()
    assert all(name in record and name not in path.read_text() for name in names)
    told = json.loads(command(*words[:2], *words[-2:], "-o", path, "--json")[1])
    assert any(each.startswith(note) for each in told["notes"])
    tasks = json.loads(command(*words[:2], *words[-2:], "-o", tmp_path / "t.csv", "--json")[1])
    assert not any("send " in each for each in tasks["notes"])
