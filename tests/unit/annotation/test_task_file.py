"""The TOML file of a study: every setting, and every error with its remedy."""

import pytest

from rejoinder.annotation.task import Criterion, Example, Task, read_task, task_json, task_of_json
from rejoinder.errors import RejoinderError

WHOLE = """
kind = "head-to-head"
title = "Chats"
instructions = "Read."
consent = "I agree."
raters_per_question = 5
per_rater = 40
ties = false
pairs = [["a", "b"]]
comments = true
dialogues = "conversation"
sample = 20
attention_every = 8
reserved_minutes = 30
completion_code = "C1"
return_address = "https://crowd.example/?c={code}"
language = "en"
seed = 7

[[criterion]]
name = "fluency"
question = "Which is more fluent?"

[[training]]
context = ["Hi"]
replies = ["Ho", "Hey"]
answers = { fluency = 2 }
explanation = "It is."

[[attention]]
context = ["Choose reply 1."]
replies = ["1", "2"]
answers = { fluency = 1 }
"""


def test_every_setting_is_read(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text(WHOLE)
    task = read_task(path)
    assert task == Task(
        "head-to-head", (Criterion("fluency", "Which is more fluent?"),), "Chats", "Read.", "I agree.",
        5, 40, ties=False, pairs=(("a", "b"),), comments=True, dialogues="conversation", sample=20,
        training=(Example(("Hi",), ("Ho", "Hey"), {"fluency": 2}, "It is."),),
        attention=(Example(("Choose reply 1.",), ("1", "2"), {"fluency": 1}),), attention_every=8,
        reserved_minutes=30, completion_code="C1", return_address="https://crowd.example/?c={code}",
        language="en", seed=7,
    )  # fmt: skip
    assert task_of_json(task_json(task)) == task
    assert read_task(path, seed=8).seed == 8


EXAMPLE = '[[training]]\ncontext = ["a"]\nreplies = ["b"]\n'
FAULTS = [
    ('kind = "x"', r"kind: got 'x'; expected 'pointwise', 'head-to-head' or 'best-worst'"),
    ('titel = "x"', r"no setting 'titel' \(meant 'title'\?\); expected 'kind'"),
    ('seed = "a"', r"expected `int`, got `str` - at `seed`; correct this setting"),
    ("ties = 1", r"expected `bool`, got `int` - at `ties`"),
    ("a =", r"not TOML"),
    ("seed = -1", r"seed: got -1; expected 0 or more"),
    ("raters_per_question = 0", r"raters_per_question: got 0; expected 1 or more"),
    ("shown = 2", r"shown: got 2; expected 3 to 8"),
    ('pairs = [["a", "b"]]', r"pairs: only head-to-head questions have pairs"),
    ('sample = 2\nprobability = "p"', r"items are drawn by one of them"),
    ('completion_code = "a b"', r"completion_code: got 'a b'; expected 1 to 64 letters"),
    ('return_address = "javascript:alert(1)"', r"expected an address that begins with https://"),
    ('return_address = "https://[x"', r"expected an address that begins with https://"),
    ('return_address = "https://:80"', r"expected an address that begins with https://"),
    ('return_address = "https://a.example:70000"', r"expected an address that begins with https://"),
    ('language = "<b>"', r"expected a tag such as 'en'"),
    ("criterion = []", r"criteria: none given"),
    ('[criterion]\nname = "a"', r"\[criterion\] is one table; write \[\[criterion\]\]"),
    ("[[criterion]]\nlowest = 1", r"criterion 1: object missing required field `name`"),
    ('[[criterion]]\nname = "a"\nlowest = 1.5', r"criterion 1: expected `int`, got `float` - at `lowest`"),
    ('[[criterion]]\nname = " "', r"expected a name without white space"),
    ('[[criterion]]\nname = "a"\n[[criterion]]\nname = "a"', r"criterion 'a': given twice"),
    ('[[criterion]]\nname = "a"\nscale = 5', r"criterion 1: no setting 'scale'"),
    ('[[criterion]]\nname = "a"\nlowest = 5\nhighest = 1', r"a scale from 5 to 1; expected 2 to 21 points"),
    ('[[criterion]]\nname = "a"\nwords = ["bad", "good"]', r"2 words for 5 points; give one for each"),
    (f"{EXAMPLE}answers = {{ overall = 9 }}", r"training 1: answers: overall: got '9'; expected a grade"),
    (f"{EXAMPLE}answers = {{ overal = 3 }}", r"no criterion 'overal' \(meant 'overall'\?\)"),
    (f'kind = "head-to-head"\n{EXAMPLE}answers = {{}}', r"1 replies; a head-to-head question has 2"),
    (EXAMPLE, r"training 1: object missing required field `answers`"),
    ('[[attention]]\ncontext = "a"\nreplies = ["b"]\nanswers = {}', r"attention 1: expected `array`"),
    ("criterion = [3]", r"criterion 1: expected `object`, got `int`"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), FAULTS)
def test_a_fault_says_where_and_what_to_do(tmp_path, content, expected):
    path = tmp_path / "task.toml"
    path.write_text(content)
    with pytest.raises(RejoinderError, match=expected) as raised:
        read_task(path)
    assert str(raised.value).startswith(f"{path}: ")
