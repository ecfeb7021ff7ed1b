"""An afternoon of rating in a real Chromium: languages, a server that stops, and a clock that jumps."""

import json
import os
import threading
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

import studies
from chromium import MARKS, WCAG, axe, launched, opened
from rejoinder.annotation.page_words import own_words
from rejoinder.studies.judgements import judgements
from study_server import Server

pytestmark = MARKS
TEXTS = {
    "ar": ("متى يغادر الحافلة؟", "**الساعة** 9:30، والعودة:\n\n1. 17:00\n2. 19:00"),
    "de": ("Wann fährt der Bus?", "**Um 9:30**, und zurück:\n\n1. 17 Uhr\n2. 19 Uhr"),
    "es": ("¿Cuándo sale el autobús?", "**A las 9:30**, y de vuelta:\n\n1. 17:00\n2. 19:00"),
    "ja": ("バスはいつ出ますか。", "**9時30分**です。帰りは次のとおりです。\n\n1. 17時\n2. 19時"),
    "zh": ("公共汽车什么时候开？", "**9:30**，回程：\n\n```\n17:00\n19:00\n```"),
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def browser():
    with launched() as chromium:
        yield chromium


@contextmanager
def served(folder, *more, language="en", turns=1, items=6):
    said, replied = TEXTS.get(language, ("When does the bus leave?", "At *half* past nine."))
    rows = [{"id": str(k), "context": [said] * turns, "references": ["x"]} for k in range(items)]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    texts = [{"id": str(k), "text": replied} for k in range(items)]
    (folder / "bot.jsonl").write_text("".join(json.dumps(row) + "\n" for row in texts))
    words = ["--criterion", "relevance", "--criterion", "fluency", "--set", "raters_per_question=2"]
    language_of_page = ["--set", f"page_language={language}"]
    server = Server(
        folder / "s.sqlite", folder / "t.jsonl", folder / "bot.jsonl", *words, *language_of_page, *more
    )  # fmt: skip
    try:
        yield server
    finally:
        server.stop()


def begun(page, link):
    page.goto(link)
    with page.expect_navigation():
        page.locator("button[type=submit]").click()
    page.locator(".keys:not([hidden])").wait_for(state="attached")


def shot(page, name):
    if folder := os.environ.get("REJOINDER_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("language", TEXTS)
def test_two_raters_by_keyboard_and_by_touch_after_sixty_turns(browser, tmp_path, language, dark):
    scheme = {"color_scheme": "dark" if dark else "light"}
    looks = [{"viewport": {"width": 1100, "height": 800}}, PHONE]
    words, findings = own_words(language), []
    with served(tmp_path, language=language, turns=60, items=2) as server:
        for place, look in enumerate(looks):
            page, complaints = opened(browser, bypass_csp=True, **look, **scheme)
            begun(page, server.links["raters"][place]["link"])
            root = page.locator("html")
            assert root.get_attribute("lang") == language
            assert root.get_attribute("dir") == words["direction"]
            assert page.locator(".reply strong, .reply pre").count() >= 1
            shot(page, f"{language}-{'dark' if dark else 'light'}-{place}")
            if axe():
                page.evaluate(axe())
                result = page.evaluate("tags => axe.run({ runOnly: tags })", WCAG)
                findings += [(language, each["id"], each["help"]) for each in result["violations"]]
            for _ in range(2):
                page.locator(".keys:not([hidden])").wait_for(state="attached")
                width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                assert width[0] <= width[1]
                button = page.locator("#answer button[type=submit]").bounding_box()
                assert 0 <= button["y"] <= look["viewport"]["height"] - button["height"]
                if place == 0:
                    for _ in range(6):
                        page.keyboard.press("4")
                        if page.locator("input[type=radio]:checked").count() == 2:
                            break
                    with page.expect_navigation():
                        page.keyboard.press("Enter")
                else:
                    for group in page.locator("fieldset").all():
                        group.locator(".option").nth(1).tap()
                    with page.expect_navigation():
                        page.locator("#answer button[type=submit]").tap()
            assert page.get_by_text(words["all_saved"]).is_visible()
            assert complaints == []
    assert findings == []
    rated = judgements(studies.opened(server.db).database)
    assert [each.choices for each in rated] == (
        [{"relevance": 4, "fluency": 4}] * 2 + [{"relevance": 2, "fluency": 2}] * 2
    )


def test_a_server_that_stops_is_said_and_found_again_and_nothing_is_lost(browser, tmp_path):
    with served(tmp_path, "--set", "break_every=2") as server:
        page, _ = opened(browser)
        begun(page, server.links["raters"][0]["link"])
        page.keyboard.press("4")
        server.kill()
        page.wait_for_selector("#server:not([hidden])", timeout=15000)  # before anything is sent
        shot(page, "away")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.locator("#server", has_text="is kept").wait_for()
        assert page.locator("input[type=radio]:checked").count() == 2
        with page.expect_navigation(timeout=20000):  # it is sent by itself
            server.start()
        assert page.get_by_text("1 answer saved").is_visible()

        page.keyboard.press("5")  # a page that was closed while the server was away
        server.kill()
        page.keyboard.press("3")
        page.goto("about:blank")
        server.start()
        page.goto(server.links["raters"][0]["link"])
        chosen = [each.get_attribute("value") for each in page.locator("input:checked").all()][:2]
        assert chosen == ["5", "3"]
        page.keyboard.press("Enter")
        page.get_by_text("Time for a break?").wait_for()
        server.kill()
        page.keyboard.press("Enter")  # a link waits for the server too
        page.wait_for_selector("#server:not([hidden])")
        threading.Timer(1.5, server.start).start()
        page.locator("#answer").wait_for(timeout=20000)
        assert page.get_by_text("2 answers saved").is_visible()
    rated = judgements(studies.opened(server.db).database)
    assert [each.choices for each in rated] == [
        {"relevance": 4, "fluency": 2},
        {"relevance": 5, "fluency": 3},
    ]


def test_a_clock_that_jumps_in_the_browser_changes_nothing(browser, tmp_path):
    with served(tmp_path, items=3) as server:
        page, complaints = opened(browser)
        page.clock.install(time=time.time())
        begun(page, server.links["raters"][0]["link"])
        for jump in (-86400, 3600, 0):
            page.clock.set_system_time((time.time() + jump) * 1000)
            page.keyboard.press("4")
            page.keyboard.press("4")
            with page.expect_navigation():
                page.keyboard.press("Enter")
            page.wait_for_load_state()
        assert page.get_by_text("All of your answers are saved").is_visible()
        assert complaints == []
    rated = judgements(studies.opened(server.db).database)
    assert len(rated) == 3
    assert all(0 <= each.seconds < 60 for each in rated)
