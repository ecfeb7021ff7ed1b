"""A study that follows a design, served by a real process: it ends by itself, whoever leaves."""

import dataclasses
import json
import random
import re
import threading
import time

import pytest

pytest.importorskip("segno")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import studies
from chromium import MARKS, launched, opened
from rejoinder import follow_design, plan_design
from rejoinder.annotation.followed_design import FollowedDesign, check_design
from rejoinder.annotation.task import Criterion, Task
from rejoinder.cli.app import run
from rejoinder.errors import InputError, ParameterError
from rejoinder.studies.judgements import judgements
from rejoinder.tables.formats.study import table_of
from rejoinder.tables.types import Ratings
from study_server import Browser, Server


def files_of(folder, items, effect):
    """A test set, replies of two systems, and a design."""
    words = {"t": {"context": ["hello"]}, "ann": {"text": "ann"}, "bot": {"text": "bot"}}
    for name, more in words.items():
        rows = [json.dumps({"id": f"i{place}", **more}) for place in range(items)]
        (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    design = plan_design(effect, reliability=0.6, spread=1.5).design
    design.save(folder / "d.json")
    return design


def rate(link, apart, seed, until, reading):
    """Grades, ann's replies so much better in the mean, until there is no question."""
    draw, browser = random.Random(seed), Browser(link)
    page = browser.begin()
    for _ in range(until):
        if "question" not in browser.fields(page):
            break
        time.sleep(draw.uniform(0, 2 * reading))  # a link has 10 requests in a second
        mean = 3 + (apart / 2 if re.search(r">\s*ann\s*<", page) else -apart / 2)
        page = browser.answer(page, {"c0": str(min(5, max(1, round(draw.gauss(mean, 1)))))})
    browser.close()


def rate_in_browser(link, apart, seed):
    """The same by the keys of a Chromium, whose page finds a server again that was away.

    Where it goes away between an answer and the next page, the rater sees the browser's own page of an error,
    and loads the link again.
    """
    from playwright.sync_api import Error

    draw, failed = random.Random(seed), 0

    def load():
        for tried in range(6):
            try:
                page.goto(link)
                return
            except Error:  # the server may be away, or starting
                if tried == 5:
                    raise
                time.sleep(3)

    with launched() as chromium:
        page = opened(chromium)[0]
        load()
        page.locator("button[type=submit]").click()
        while True:
            page.locator("html:not(:has(#answer)), .keys:not([hidden])").first.wait_for(
                state="attached"
            )
            if not page.locator("#answer").count():
                return
            shown = page.content()
            mean = 3 + (apart / 2 if re.search(r">\s*ann\s*<", shown) else -apart / 2)
            page.keyboard.press(str(min(5, max(1, round(draw.gauss(mean, 1))))))
            try:
                with page.expect_navigation(timeout=60000):
                    page.keyboard.press("Enter")
            except Error as error:
                failed += 1
                if "net::ERR_" not in str(error) or failed > 5:  # of some 150 pages and 30 kills
                    raise
                time.sleep(3)
                load()


@pytest.mark.parametrize(
    ("items", "effect", "kills", "in_browser"),
    [
        (60, 0.9, 0, False),
        pytest.param(300, 0.4, 30, False, marks=pytest.mark.slow),
        pytest.param(300, 0.4, 30, True, marks=MARKS),
    ],
)
def test_a_served_study_ends_by_itself(tmp_path, items, effect, kills, in_browser):
    if in_browser:
        pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    design = files_of(tmp_path, items, effect)
    texts = [tmp_path / f"{name}.jsonl" for name in ("t", "ann", "bot")]
    db = tmp_path / "s.sqlite"
    server = Server(db, *texts, "--design", tmp_path / "d.json", "--links", 3)
    server.more = ()
    links = [each["link"] for each in server.links["raters"]]
    until = 10**6, 10**6, items // 6 * 2 + 1  # who leaves has begun an item
    threads = [
        threading.Thread(target=rate_in_browser, args=(link, effect, seed))
        if in_browser and not seed
        else threading.Thread(target=rate, args=(link, effect, seed, last, 0.3 if kills else 0.0))
        for seed, (link, last) in enumerate(zip(links, until, strict=True))
    ]
    for thread in threads:
        thread.start()
    draw = random.Random(kills)
    for _ in range(kills):
        time.sleep(draw.uniform(0.1, 0.5) * (4 if in_browser else 1))
        server.kill()
        server.start()
    for thread in threads:
        thread.join(600)
    assert not any(thread.is_alive() for thread in threads)
    browser = Browser(server.links["admin"])
    admin = browser.get()
    browser.close()
    assert "The study has ended: raters get no new item" in admin
    assert "False alarms spent" in admin
    server.kill()
    study = studies.opened(db)
    following = FollowedDesign.of(study)
    assert following is not None
    state = following.state().as_json()
    assert (state["ended"], state["left"], state["most"]) == (True, 0, design.most)
    assert state["looks"][-1]["says"] in ("better", "futile", "undecided")
    assert state["looks"][-1]["rated"] in design.looks
    assert 0 <= state["rated"] - state["looks"][-1]["rated"] <= 3  # begun before the end
    by_item = {}
    for each in judgements(study.database):
        by_item.setdefault(each.item, []).append((each.rater, each.systems))
    assert all(len({rater for rater, _ in each}) == 1 for each in by_item.values())
    whole = [each for each in by_item.values() if len(each) == 2]
    assert len(whole) == state["rated"]
    assert len({each[0][1] for each in by_item.values()}) == 2  # which comes first differs
    given = Ratings.of(table_of("pointwise", judgements(study.database)))
    progress = follow_design(given, design)
    assert progress.looks.get_column("rated").to_list() == [
        each["rated"] for each in state["looks"]
    ]
    assert progress.pairs["late"][0] == state["rated"] - state["looks"][-1]["rated"]


def answered(study, rater, number, draw, apart=1.0):
    """So many questions of a rater answered; ann better by so much."""
    for _ in range(number):
        shown = study.current(rater)
        if shown is None:
            return
        mean = 3 + (apart / 2 if shown.replies == ("ann",) else -apart / 2)
        study.answer(
            rater, shown.assignment, {"c0": str(min(5, max(1, round(draw.gauss(mean, 1)))))}
        )


def test_a_rater_taken_out_opens_a_study_that_had_ended(tmp_path, capsys):
    files_of(tmp_path, 60, 0.9)
    texts = [str(tmp_path / f"{name}.jsonl") for name in ("t", "ann", "bot")]
    words = ["annotate", "serve", *texts, "--db", str(tmp_path / "s.sqlite"), "--prepare"]
    assert run([*words, "--design", str(tmp_path / "d.json"), "--links", "2"]) == 0
    assert "0 of at most" in capsys.readouterr().out
    study = studies.opened(tmp_path / "s.sqlite")
    following = FollowedDesign.of(study)
    assert following is not None
    one, other = study.raters()
    draw = random.Random(1)
    answered(study, one, 38, draw, 2.0)
    following.look()
    answered(study, other, 1, draw, 2.0)  # an item begun
    answered(study, one, 2, draw, 2.0)
    following.look()
    assert following.state().ended
    assert study.current(one) is None
    answered(study, other, 9, draw, 2.0)  # the rest of that item, and no other
    assert following.state().rated == 21
    assert study.current(other) is None
    study.set_standing(one.id, "out")
    assert not following.state().ended
    assert following.state().rated == 1
    assert study.current(other) is not None
    # the file is named again, or another one
    assert run([*words, "--design", str(tmp_path / "d.json")]) == 0
    plan_design(0.8, reliability=0.6, spread=1.5).design.save(tmp_path / "e.json")
    assert run([*words, "--design", str(tmp_path / "e.json")]) == 2
    assert "follows another design" in capsys.readouterr().err


def test_studies_that_cannot_follow_a_design():
    design = plan_design(0.9, reliability=0.6, spread=1.5).design
    one = Task(raters_per_question=1)
    check_design(design, one, 60)
    with pytest.raises(InputError, match="the study has 10 items"):
        check_design(design, one, 10)
    two = Task(raters_per_question=1, criteria=(Criterion("a", "?"), Criterion("b", "?")))
    for task in (Task(), two, Task(kind="head-to-head", raters_per_question=1)):
        with pytest.raises(ParameterError, match="a study that follows a design"):
            check_design(design, task, 60)
    with pytest.raises(ParameterError, match="corrects ratings by a judge"):
        check_design(dataclasses.replace(design, judge=True), one, 600)
