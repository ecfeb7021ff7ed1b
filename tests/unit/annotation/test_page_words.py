"""The languages of the page, the questions of well-known criteria, and Markdown in replies."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rejoinder.annotation
from rejoinder.annotation.markdown import TAGS, html_of, nodes_of
from rejoinder.annotation.page_words import (
    CRITERIA,
    LANGUAGES,
    check_words,
    own_words,
    read_words,
)
from rejoinder.annotation.task import Criterion, Task, with_usual_questions
from rejoinder.errors import InputError

FOLDER = Path(rejoinder.annotation.__file__).parent
ENGLISH = own_words("en")


def test_every_language_has_every_sentence():
    assert {each.stem for each in (FOLDER / "page_languages").iterdir()} == set(LANGUAGES)
    for tag in LANGUAGES:
        check_words(own_words(tag))
        assert own_words(tag)["tag"] == tag
        assert all(own_words(tag).values())
    assert [tag for tag in LANGUAGES if own_words(tag)["direction"] == "rtl"] == ["ar"]


def test_every_sentence_is_used_and_every_one_that_is_used_is_there():
    files = [each for each in FOLDER.rglob("*") if each.suffix in (".py", ".js", ".html")]
    whole = "".join(each.read_text("utf-8") for each in files)
    given = set(re.findall(r'\b(?:say|sentence|RaterError)\(\s*"(\w+)"', whole))
    given |= set(re.findall(r'(?:RequestRefusedError\(\d+, |message\(|words\.)"?(\w+)"', whole))
    assert given <= set(ENGLISH)
    assert len(given) > 20
    made = {f"{name}{end}" for name in CRITERIA
            for end in ("", "_question", "_better", "_low", "_high")}  # fmt: skip
    for key in set(ENGLISH) - made:
        base = key.removesuffix("_one") if key.removesuffix("_one") in ENGLISH else key
        assert re.search(rf'["\'.]{base}\b', whole) or base in ("best_reply", "worst_reply"), key


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"begin": None}, "no sentence for begin; write a sentence"),
        ({"begn": "x"}, "no such key: begn"),
        ({"saved": "{m} saved"}, "other values in braces than in English: saved"),
        ({"saved": "{n.__class__} saved"}, "other values in braces"),
        ({"saved": "{n:>999999999}"}, "other values in braces"),
        ({"saved": "{n"}, "other values in braces"),
        ({"saved": 3}, "other values in braces"),
        ({"direction": "up"}, "direction: got 'up'; expected 'ltr' or 'rtl'"),
    ],
)
def test_a_language_of_the_users_is_checked(tmp_path, change, message):
    path = tmp_path / "x.json"
    words = {key: text for key, text in (ENGLISH | change).items() if text is not None}
    path.write_text(json.dumps(words))
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        read_words(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_a_language_of_the_users_is_the_pages(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(ENGLISH | {"tag": "eo", "title": "Respondoj"}))
    task = Task(page_language=read_words(path))
    assert (task.heading, task.sentences["tag"]) == ("Respondoj", "eo")
    for text in ("[]", "{", '{"a": 1, "a": 2}'):
        path.write_text(text)
        with pytest.raises(InputError, match=str(path)):
            read_words(path)


def test_well_known_criteria_have_questions_in_the_language_of_the_page():
    criteria = tuple(Criterion(name) for name in (*CRITERIA, "wit"))
    for kind in ("pointwise", "head-to-head", "best-worst"):
        given = with_usual_questions(Task(kind, criteria, page_language="zh")).criteria
        asked = [each.asked for each in given]
        assert len(set(asked)) == 7
        assert asked[-1] == "wit"
        assert all(not each.isascii() for each in asked[:-1])
        assert {len(each.words) for each in given[:-1]} == {5 if kind == "pointwise" else 0}
    own = Criterion("relevance", "Does it fit?")
    assert with_usual_questions(Task(criteria=(own,))).criteria == (own,)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


HOSTILE = [
    "<script>alert(1)</script> **b**",
    "*a* <img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) ![y](http://a.example/p.png) `c`",
    "| a |\n|---|\n| <style>*{}</style> |",
    "```\n</code></pre><script>\n```",
    "1. <b onclick=x>\n2. <http://a.example> http://b.example",
    "*a* &lt;script&gt; &#60;i&#62;",
    '7" onload=x. a\n\n<!-- --> # *h*',
    "[a]: http://a.example\n\n[a] *b*",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_reply_is_markup_that_we_did_not_make(text):
    page = Tags(str(html_of(nodes_of(text))))
    assert {tag for tag, _ in page.found} <= set(TAGS)
    assert all(set(given) <= {"start"} for _, given in page.found)
    marks = str.maketrans("", "", "*`|#-\n 12.~")
    assert page.text.translate(marks) == text.translate(marks)  # nothing is lost


@pytest.mark.parametrize(
    "text",
    ["Hi\n\n  there", "2 * 3 * 4", ">" * 50 + " *a*", "*a* " * 6000, "a_b_c", "", "\\(x\\)",
     "*" * 480 + "a" + "*" * 480, "*" * 600 + "a" + "*" * 600, "**a " * 400 + "b**" * 400,
     ">" * 10 + "*" * 20 + "a" + "*" * 20, "*" * 10**6],
)  # fmt: skip
def test_a_text_without_markdown_is_shown_as_it_is(text):
    assert nodes_of(text) == (text,)
