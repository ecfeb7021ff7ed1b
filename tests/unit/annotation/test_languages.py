"""The language of a text by its script, and its tag on the pages."""

import json
import re

import pytest

import studies
from rejoinder.annotation.languages import languages, own_languages
from rejoinder.annotation.new_study import make_study
from rejoinder.annotation.questions import make_questions
from rejoinder.annotation.standalone.page import make_page
from rejoinder.annotation.task import Criterion, Task
from rejoinder.tables.testset import TestSet


@pytest.mark.parametrize(
    ("texts", "tags"),
    [
        (["你今天过得怎么样？", "很好，谢谢。"], ["zh", "zh"]),
        (["今日はいい天気ですね。", "東京駅", "OK"], ["ja", "ja", ""]),
        (["東京駅"], [""]),  # three characters alone may be Japanese or Chinese
        (["我最喜欢的是“の”这个字，真的。", "好"], ["", ""]),  # a quotation
        (["안녕하세요", "漢字"], ["ko", ""]),
        (["สวัสดีครับ", "ສະບາຍດີ", "សួស្តី"], ["th", "lo", "km"]),
        (["გამარჯობა", "Բարեւ", "Καλημέρα"], ["ka", "hy", "el"]),
        (["Привет", "مرحبا", "नमस्ते", "שלום", "Hello"], [""] * 5),  # scripts of several languages
        (["Das Wort 你好世界 und so weiter heißt hallo"], [""]),
        (["", "  ", "😀 123"], [""] * 3),
        (["constructor", "__proto__"], ["", ""]),
    ],
)
def test_a_tag_where_the_script_is_that_of_one_language(texts, tags):
    told = languages(texts)
    assert [told[text] for text in texts] == tags


def test_the_language_of_the_study_comes_first():
    assert languages(["你今天过得怎么样？", "Hi"], "zh-TW") == {
        "你今天过得怎么样？": "zh-TW",
        "Hi": "zh-TW",
    }


def chinese(tmp_path, task):
    testset = TestSet.from_lists([["很好。"]], contexts=[["你今天过得怎么样？"]])
    path = tmp_path / "zh.sqlite"
    make_study(path, task, make_questions(testset, studies.responses(testset, 1), task))
    return studies.opened(path)


def test_a_page_tells_the_language_of_each_text(tmp_path):
    html, _, _ = make_page(chinese(tmp_path, Task(raters_per_question=1)))
    (data,) = re.findall(r'<script type="application/json" id="study">(.*?)</script>', html, re.S)
    (question,) = json.loads(data)["questions"]
    assert question["languages"] == {"你今天过得怎么样？": "zh"}


def test_the_served_page_tells_it_too(tmp_path):
    pytest.importorskip("starlette")
    from rejoinder.annotation.server.pages import Pages

    study = chinese(tmp_path, Task(raters_per_question=1))
    rater = study.add_rater()
    study.consent(rater)
    shown = study.current(rater)
    html = Pages(study).question(rater, shown).body.decode()
    assert '<div class="text" dir="auto" lang="zh">你今天过得怎么样？</div>' in html
    assert '<div class="text" dir="auto">ann says 1</div>' in html
    assert html.startswith('<!doctype html>\n<html lang="en" dir="ltr">')


OWN = Task(
    title="评价聊天机器人的回复",
    instructions="请阅读对话，然后评价最后一个回复。\n\n谢谢您的参与。",
    consent="I take part of my own will.",
    criteria=(
        Criterion("relevance", "回复与对话有关吗？", 1, 2, ("无关", "有关")),
        Criterion("fluency"),
    ),
    raters_per_question=1,
)


def test_what_the_author_wrote_has_a_language_of_its_own():
    # English names are of no language that a script tells; few Chinese characters are Chinese here.
    told = {text: tag for text, tag in own_languages(OWN).items() if tag}
    chinese = (OWN.title, OWN.instructions, "回复与对话有关吗？", "无关", "有关")
    assert told == dict.fromkeys(chinese, "zh")


def test_the_pages_tag_what_the_author_wrote(tmp_path):
    pytest.importorskip("starlette")
    from rejoinder.annotation.server.pages import Pages

    study = chinese(tmp_path, OWN)
    start = Pages(study).start(study.add_rater()).body.decode()
    assert '<h1 dir="auto" lang="zh">评价聊天机器人的回复</h1>' in start
    assert start.count('<p class="lines" dir="auto" lang="zh">') == 2
    assert '<p class="lines" dir="auto">I take part' in start
    html, _, _ = make_page(study)
    (data,) = re.findall(r'<script type="application/json" id="study">(.*?)</script>', html, re.S)
    assert json.loads(data)["languages"][OWN.instructions] == "zh"
