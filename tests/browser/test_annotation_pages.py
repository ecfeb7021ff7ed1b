"""The page of a study in a real Chromium: keyboard alone, kills meanwhile, and accessibility.

Without playwright and a Chromium (REJOINDER_CHROMIUM, or one on the path) these tests skip; those of
accessibility need the file axe.min.js of the npm package axe-core besides (REJOINDER_AXE).
"""

import json
import os
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright import sync_api

import studies
from chromium import AXE, CHROMIUM, MARKS, WCAG, launched, opened
from rejoinder.cli.app import run
from rejoinder.studies.judgements import judgements
from shared_data import SYSTEMS, TESTSET
from study_server import Server

pytestmark = MARKS
LOOKS = {
    "desktop": {"viewport": {"width": 1100, "height": 900}},
    "phone": {"viewport": {"width": 375, "height": 740}, "has_touch": True},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
}
REST = """
instructions = "Read the conversation, then judge."
consent = "I agree to take part."
comments = true
language = "en"
attention_every = 10
[[attention]]
context = ["Choose the first answer."]
"""
TASKS = {
    "pointwise": f"""{REST}replies = ["Choose 1."]
answers = {{ relevance = 1 }}
[[training]]
context = ["Do you have a pen?"]
replies = ["The sea is blue."]
answers = {{ relevance = 1 }}
explanation = "It is about something else."
[[criterion]]
name = "relevance"
question = "How relevant is the reply?"
words = ["not at all", "a little", "partly", "mostly", "fully"]
[[criterion]]
name = "fluency"
""",
    "head-to-head": f"""kind = "head-to-head"{REST}replies = ["1", "2"]
answers = {{ overall = 1 }}
[[criterion]]
name = "overall"
question = "Which reply is better?"
""",
    "best-worst": f"""kind = "best-worst"\nshown = 3{REST}replies = ["1", "2", "3"]
answers = {{ overall = {{ best = 1, worst = 2 }} }}
[[criterion]]
name = "overall"
""",
}  # fmt: skip
KEYS = {"pointwise": "24", "head-to-head": "0", "best-worst": "31"}


@pytest.fixture(scope="module")
def browser():
    with launched() as chromium:
        yield chromium


def served(folder, kind, *more):
    task = folder / f"{kind}.toml"
    task.write_text(TASKS[kind])
    return Server(folder / f"{kind}.sqlite", TESTSET, *SYSTEMS, "--task", task, *more)


def keyed(page, text):
    """Presses keys until each has answered, and waits for the page that Enter leads to."""
    answered(page, text)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def answered(page, text):
    """Presses keys until each has answered: a digit shows first what is below the window."""
    for key in text:
        value = {"0": "tie"}.get(key, key)
        for _ in range(4):
            page.keyboard.press(key)
            if page.evaluate("document.activeElement.value") == value:
                break
        else:
            raise AssertionError(f"the key {key} answers nothing")


def begun(page, link):
    """Goes from the link to the first question by the keyboard alone."""
    page.goto(link)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # the consent
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("look", LOOKS)
def test_no_page_has_a_finding_of_wcag_2_2_aa(browser, tmp_path, kind, look):
    if not Path(AXE).is_file():
        pytest.skip("no axe-core; name its axe.min.js in REJOINDER_AXE")
    axe = Path(AXE).read_text("utf-8")
    server = served(tmp_path, kind)
    try:
        page, complaints = opened(browser, bypass_csp=True, **LOOKS[look])
        findings = []

        def check(name):
            page.evaluate(axe)
            result = page.evaluate("tags => axe.run({ runOnly: tags })", WCAG)
            findings.extend((name, each["id"], each["help"]) for each in result["violations"])
            shots = os.environ.get("REJOINDER_SHOTS")
            if shots:
                page.screenshot(path=f"{shots}/{kind}-{look}-{name}.png", full_page=True)

        link = server.links["raters"][0]["link"]
        page.goto(link)
        check("start")
        begun(page, link)
        check("question")
        if kind == "pointwise":
            keyed(page, "53")
            check("explanation")
            with page.expect_navigation():
                page.get_by_role("link", name="Continue").click()
        page.evaluate("document.getElementById('answer').noValidate = true")
        with page.expect_navigation():
            page.get_by_role("button", name="Save and continue").click()
        assert page.get_by_role("alert").is_visible()
        check("error")
        keyed(page, KEYS[kind])
        with page.expect_navigation():
            page.get_by_role("button", name="Change the previous answer").click()
        check("undo")
        page.goto(server.links["admin"])
        check("admin")
        page.goto(server.links["join"])
        check("join")
        page.goto(link + "x")
        check("nothing")
        assert findings == []
        errors = [each for each in complaints if "404" not in each and "422" not in each]
        assert errors == []
    finally:
        server.stop()


@pytest.mark.parametrize("kind", TASKS)
def test_a_whole_session_by_the_keyboard_alone(browser, tmp_path, kind):
    server = served(tmp_path, kind, "--sample", 4, "--set", "raters_per_question=1")
    try:
        page, complaints = opened(browser)
        begun(page, server.links["raters"][0]["link"])
        for _ in range(100):
            if page.get_by_text("All done").count():
                break
            if page.get_by_role("link", name="Continue").count():
                keyed(page, "")
                continue
            page.locator(".keys:not([hidden])").wait_for(state="attached")
            keyed(page, KEYS[kind])
        assert page.get_by_text("All of your answers are saved").is_visible()
        assert complaints == []
    finally:
        server.stop()
    study = studies.opened(server.db)
    wanted = {
        "pointwise": {"relevance": 2, "fluency": 4},
        "head-to-head": {"overall": "tie"},
    }
    rated = [each for each in judgements(study.database) if each.kind == "rated"]
    assert len(rated) == {"pointwise": 12, "head-to-head": 12, "best-worst": 4}[kind]
    for each in rated:
        expected = wanted.get(
            kind,
            {"overall": {"best": each.arrangement[2], "worst": each.arrangement[0]}}
            if kind == "best-worst"
            else {},
        )
        assert each.choices == expected


def test_keys_can_be_turned_off_and_tab_arrows_and_space_are_enough(browser, tmp_path):
    server = served(tmp_path, "head-to-head", "--sample", 1)
    try:
        page, _ = opened(browser)
        begun(page, server.links["raters"][0]["link"])
        page.locator(".keys:not([hidden])").wait_for(state="attached")
        page.locator("#keys").focus()
        page.keyboard.press("Space")
        page.reload()
        assert not page.locator("#keys").is_checked()
        page.keyboard.press("1")
        assert page.locator("input[type=radio]:checked").count() == 0
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Go to the answer"
        page.locator("input[type=radio]").first.focus()
        page.keyboard.press("ArrowDown")
        assert page.locator("input[type=radio]:checked").get_attribute("value") == "tie"
        page.keyboard.press("Tab")  # the comment
        page.keyboard.type("1, fine")
        page.keyboard.press("Tab")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.get_by_text("1 answer saved").is_visible()
    finally:
        server.stop()


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("look", LOOKS)
def test_a_page_without_a_server_from_the_file_to_the_ratings(browser, tmp_path, kind, look):
    task = tmp_path / f"{kind}.toml"
    task.write_text(TASKS[kind])
    db, html = tmp_path / "s.sqlite", tmp_path / "page.html"
    words = [TESTSET, *SYSTEMS, "--task", task, "--sample", 2, "--db", db, "-o", html]
    assert run(["annotate", "page", *map(str, words)]) == 0
    axe = Path(AXE).read_text("utf-8") if Path(AXE).is_file() else ""
    page, complaints = opened(browser, **LOOKS[look])
    requests, findings = [], []
    page.on("request", lambda request: requests.append(request.url))

    def check(name):
        if axe:
            page.evaluate(axe)
            result = page.evaluate("tags => axe.run({ runOnly: tags })", WCAG)
            findings.extend((name, each["id"], each["help"]) for each in result["violations"])
        if shots := os.environ.get("REJOINDER_SHOTS"):
            page.screenshot(path=f"{shots}/{kind}-{look}-page-{name}.png", full_page=True)

    page.goto(html.as_uri())
    check("start")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for place in range(100):
        if page.get_by_role("button", name="Download answers").count():
            break
        if page.get_by_role("button", name="Continue", exact=True).count():
            check("explanation")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            continue
        if place == 2:
            check("question")
            page.reload()  # what was answered is still there
        for number, group in enumerate(page.locator("fieldset").all()):
            group.locator("input").nth(number).focus()
            page.keyboard.press("Space")
        page.keyboard.press("Enter")
    check("done")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download answers").click()
    answers = tmp_path / "answers.json"
    download.value.save_as(answers)
    ratings = tmp_path / "r.csv"
    assert run(["annotate", "export", str(db), str(answers), "-o", str(ratings)]) == 0
    study = studies.opened(db)
    rated = [each for each in judgements(study.database) if each.kind == "rated"]
    assert len(rated) == {"pointwise": 6, "head-to-head": 6, "best-worst": 2}[kind]
    for each in rated:
        shown = each.arrangement
        assert (
            each.choices
            == {
                "pointwise": {"relevance": 1, "fluency": 2},
                "head-to-head": {"overall": shown[0]},
                "best-worst": {
                    "overall": {"best": shown[0], "worst": shown[min(1, len(shown) - 1)]}
                },
            }[kind]
        )
    assert findings == []
    assert complaints == []
    assert all(each.startswith(("file://", "blob:")) for each in requests)


WINDOWS = {"desktop": (1100, 800), "phone": (390, 844), "small": (360, 640)}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("offline", [False, True])
def test_reply_and_scale_are_in_view_after_sixty_turns(browser, tmp_path, window, offline):
    """The conversation scrolls by itself and begins at its end."""
    turns = [f"Turn {number}: the bus to the harbour is late again." for number in range(1, 61)]
    testset = tmp_path / "long.jsonl"
    rows = [{"id": str(k), "context": turns, "references": ["Yes."]} for k in range(3)]
    testset.write_text("".join(json.dumps(row) + "\n" for row in rows))
    replies = tmp_path / "bot.jsonl"
    replies.write_text(
        "".join(json.dumps({"id": str(k), "text": "Then we walk."}) + "\n" for k in range(3))
    )
    db = tmp_path / "long.sqlite"
    given = [str(testset), str(replies), "--scale", "1", "5"]
    width, height = WINDOWS[window]
    page, complaints = opened(browser, viewport={"width": width, "height": height})
    server = None
    try:
        if offline:
            assert (
                run(
                    ["annotate", "page", *given, "--db", str(db), "-o", str(tmp_path / "page.html")]
                )
                == 0
            )
            page.goto((tmp_path / "page.html").as_uri())
            page.get_by_role("button", name="Begin").click()
        else:
            server = Server(db, *given)
            page.goto(server.links["raters"][0]["link"])
            page.get_by_role("button", name="Begin").click()
        page.wait_for_selector("#answer")
        for each in (".turn >> nth=59", ".reply", "fieldset", "button[type=submit] >> nth=0"):
            box = page.locator(each).first.bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= height, each
        assert page.evaluate("document.documentElement.scrollHeight <= window.innerHeight + 1")
        page.keyboard.press("4")
        assert page.locator("input[type=radio]:checked").get_attribute("value") == "4"
        assert complaints == []
    finally:
        if server is not None:
            server.stop()


@pytest.mark.parametrize("kind", TASKS)
def test_a_page_without_a_server_has_the_same_keys(browser, tmp_path, kind):
    task = tmp_path / f"{kind}.toml"
    task.write_text(TASKS[kind])
    db, html = tmp_path / "s.sqlite", tmp_path / "page.html"
    words = [TESTSET, *SYSTEMS, "--task", task, "--sample", 2, "--db", db, "-o", html]
    assert run(["annotate", "page", *map(str, words)]) == 0
    page, complaints = opened(browser)
    page.goto(html.as_uri())
    for key in ("Tab", "Space", "Tab", "Enter"):
        page.keyboard.press(key)
    for _ in range(100):
        if page.get_by_role("button", name="Download answers").count():
            break
        if page.get_by_role("button", name="Continue", exact=True).count():
            page.keyboard.press("Enter")
            continue
        page.locator("#comment").focus()
        page.keyboard.type("1")  # a digit in a text is a text
        page.locator("h1").focus()
        answered(page, KEYS[kind])
        page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download answers").click()
    given = json.loads(Path(download.value.path()).read_text())["answers"]
    wanted = {
        "pointwise": {"c0": "2", "c1": "4"},
        "head-to-head": {"c0": "tie"},
        "best-worst": {"c0-best": "3", "c0-worst": "1"},
    }
    assert len(given) >= 2
    assert {json.dumps(each["fields"]) for each in given} == {
        json.dumps(wanted[kind] | {"comment": "1"})
    }
    page.get_by_role("button", name="Change the previous answer").click()
    page.locator("#keys").focus()
    page.keyboard.press("Space")
    page.reload()
    page.get_by_role("button", name="Change the previous answer").click()
    before = page.locator("input[type=radio]:checked").first.get_attribute("value")
    page.keyboard.press("1" if before != "1" else "2")
    page.keyboard.press("Enter")
    assert page.locator("input[type=radio]:checked").first.get_attribute("value") == before
    assert complaints == []


def test_two_raters_side_by_side_finish_200_items_while_the_server_is_killed_30_times(tmp_path):
    server = served(tmp_path, "head-to-head", "--set", "raters_per_question=2", "--links", 2)
    order = [[], []]
    faults = []

    def rate(place):
        try:
            with sync_api.sync_playwright() as playwright:
                chromium = playwright.chromium.launch(
                    executable_path=CHROMIUM, args=["--no-sandbox"]
                )
                page, _ = opened(chromium)
                link = server.links["raters"][place]["link"]
                wait(lambda: begun(page, link))
                while True:
                    if page.get_by_text("All done").count():
                        return chromium.close()
                    try:
                        page.locator(".keys:not([hidden])").wait_for(state="attached", timeout=3000)
                        number = page.locator("input[name=question]").get_attribute("value")
                        keyed(page, "1")
                        if page.get_by_text("saved").count():
                            order[place].append(int(number))
                    except sync_api.Error:  # no server: open the link again, as a person would
                        wait(lambda: page.goto(link))
        except BaseException as error:
            faults.append(error)
            raise

    threads = [threading.Thread(target=rate, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    kills = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(2.5)
        if kills < 30:
            server.kill()
            server.start()
            kills += 1
    server.kill()
    assert not faults
    assert kills == 30
    study = studies.opened(server.db)
    every = judgements(study.database)
    rated = [each for each in every if each.kind == "rated"]
    assert len(rated) == len({(e.rater, e.item, e.systems) for e in rated}) == 2 * 198
    for place in range(2):
        with study.database.transaction() as db:
            rows = db.execute(
                "SELECT id FROM assignment WHERE rater = ? ORDER BY position", (place + 1,)
            ).fetchall()
        position = {row[0]: k for k, row in enumerate(rows)}
        seen = [position[number] for number in order[place]]
        assert seen == sorted(seen)  # every page was shown in the order that is kept
        mine = [each for each in every if each.rater == f"r00{place + 1}"]
        assert [each.position for each in mine] == list(range(1, len(rows) + 1))
        assert all(each.choices["overall"] == each.arrangement[0] for each in mine)
    first = [each.arrangement[0] for each in rated]
    assert 0.4 < sum(first) / len(first) < 0.6  # which system stood first was drawn
    assert {each.probability for each in rated} == {1.0}


def wait(action):
    """Repeats what fails while no server is there."""
    for _ in range(120):
        try:
            return action()
        except sync_api.Error:
            time.sleep(0.5)
    raise AssertionError("no server for a minute")
