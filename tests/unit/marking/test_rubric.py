"""The rubric: its file, its templates, and the questions that they make."""

import json

import pytest

from rejoinder.annotation.task import Criterion
from rejoinder.errors import InputError, ParameterError
from rejoinder.marking.rubric import Rubric, read_rubric
from shared_data import EXAMPLES

WHOLE = """
instructions = "Read."
pointwise = "{context} / {reply} / {references} / {question} / {scale} / {answers}"
pairwise = "{context} / {first} / {second} / {question} / {answers}"
ties = false
again = "Once more: {answers}."

[[criterion]]
name = "fit"
question = "Does it fit?"
lowest = 0
highest = 2
words = ["no", "", "yes"]
"""


def test_every_setting_is_read_from_toml_and_json(tmp_path):
    (tmp_path / "a.toml").write_text(WHOLE)
    rubric = read_rubric(tmp_path / "a.toml")
    criterion = {"name": "fit", "question": "Does it fit?", "lowest": 0, "highest": 2,
                 "words": ["no", "", "yes"]}  # fmt: skip
    as_json = {
        "instructions": "Read.",
        "pointwise": rubric.pointwise,
        "pairwise": rubric.pairwise,
        "ties": False,
        "again": "Once more: {answers}.",
        "criterion": [criterion],
    }
    (tmp_path / "a.json").write_text(json.dumps(as_json))
    assert read_rubric(tmp_path / "a.json") == rubric
    assert rubric.criteria == (Criterion("fit", "Does it fit?", 0, 2, ("no", "", "yes")),)
    assert rubric.choices() == ("1", "2")
    assert rubric.hash == read_rubric(tmp_path / "a.json").hash != Rubric().hash


def test_a_question_has_its_places_filled_once(tmp_path):
    (tmp_path / "a.toml").write_text(WHOLE)
    rubric = read_rubric(tmp_path / "a.toml")
    texts = {"context": "A: {reply}", "reply": "Say {question} {other}", "references": "R"}
    asked = rubric.question("pointwise", rubric.criteria[0], ["0", "1", "2"], texts)
    scale = "0: no\n1\n2: yes"
    assert asked == (
        f"Read.\n\nA: {{reply}} / Say {{question}} {{other}} / R / Does it fit? / {scale} / 0, 1 or 2"
    )
    assert rubric.repeated(asked, ["1", "2"]) == f"{asked}\n\nOnce more: 1 or 2."


def test_the_example_is_a_rubric():
    rubric = read_rubric(EXAMPLES / "rubric.toml")
    assert [each.name for each in rubric.criteria] == ["relevance"]
    assert rubric.ties


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[[criterion]]\nname = 'fit'\nlowst = 1", "criterion 1: no setting 'lowst' .meant 'lowest'"),
        ("tie = true", "no setting 'tie' .meant 'ties'"),
        ("ties = 1", "expected `bool`, got `int`"),
        ("[[criterion]]\nname = 'fit'\nlowest = 5", "a scale from 5 to 5; expected 2 to 21 points"),
        ("[[criterion]]\nname = 'fit'\nwords = ['a']", "1 words for 5 points"),
        ("[[criterion]]\nname = ''", "expected a name"),
        ("[[criterion]]\nname = 'a'\n[[criterion]]\nname = 'a'", "given twice"),
        ("criterion = []", "none given"),
        ("ties = true", r"no \[\[criterion\]\]; expected one or more"),
        ("# Nothing.", r"no \[\[criterion\]\]; expected one or more"),
        ("[criterion]\nname = 'a'", r"write \[\[criterion\]\]"),
        ("pointwise = 'Mark it.'", "lacks the place {reply}"),
        ("pairwise = '{first}'", "lacks the place {second}"),
        ("pointwise = '{reply} {contxt}'", "no place '{contxt}' .meant {context}"),
        ("again = '{reply}'", "no place '{reply}'"),
        ("pointwise = '{reply}'\n[[criterion]]\nname = 'a'\n[[criterion]]\nname = 'b'",
         "lacks the place {question}"),
        ("x =", "not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_rubric_is_one_message(tmp_path, content, told):
    path = tmp_path / "a.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=told) as error:
        read_rubric(path)
    assert "a.toml" in str(error.value)


@pytest.mark.parametrize(("content", "told"), [("{", "not JSON"), ("[]", "no object"),
                                               ('{"ties": true, "ties": true}', "duplicate key"),
                                               ("[" * 100_000, "nested too deeply")])  # fmt: skip
def test_wrong_json_is_one_message(tmp_path, content, told):
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(InputError, match=told):
        read_rubric(path)


def test_a_rubric_of_python_is_checked():
    with pytest.raises(ParameterError, match=r"lacks the place \{first\}"):
        Rubric(pairwise="{second}")


@pytest.mark.parametrize("kind", ["pointwise", "pairwise"])
def test_a_criterion_has_a_question_where_its_template_asks_one(kind):
    rubric = Rubric((Criterion("fit"),))
    with pytest.raises(ParameterError, match="criterion 'fit' has no question; write one"):
        rubric.check_questions(kind)
    Rubric((Criterion("fit", "Does it fit?"),)).check_questions(kind)
    Rubric(
        (Criterion("fit"),), pointwise="Mark {reply}.", pairwise="{first} or {second}?"
    ).check_questions(kind)
