"""The language of a text by its script, and its tag on the pages."""

import json
import re

import pytest

pytest.importorskip("jinja2")

import studies
from rejoinder.annotation.languages import languages
from rejoinder.annotation.new_study import make_study
from rejoinder.annotation.questions import make_questions
from rejoinder.annotation.standalone.page import make_page
from rejoinder.annotation.study import Study
from rejoinder.annotation.task import Task
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
    return Study(path)


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
    assert '<span class="text" dir="auto" lang="zh">你今天过得怎么样？</span>' in html
    assert '<span class="text" dir="auto">ann says 1</span>' in html
    assert html.startswith('<!doctype html>\n<html lang="en">')
