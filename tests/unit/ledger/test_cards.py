"""A judge's card is of one model and one rubric, until a date; what decides is refused without it."""

import json
from pathlib import Path

import pytest

import chat_server
import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.ledger.cards import Card
from rejoinder.ledger.registrations import date_of
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = EXAMPLES / "ratings.csv"


@pytest.fixture
def marked(tmp_path, monkeypatch, command):
    """Marks of a model, and the command that makes them."""
    monkeypatch.chdir(tmp_path)
    Path("rubric.toml").write_text((EXAMPLES / "rubric.toml").read_text())
    model = chat_server.process()
    words = ["mark", TESTSET, *SYSTEMS, "--model", model, "--rubric", "rubric.toml", "-o"]
    assert command(*words, "marks.csv")[0] == 0
    return words


JUDGE = [
    "judge",
    "--scores",
    "marks.csv",
    "--ratings",
    RATINGS,
    "--criterion",
    "relevance",
    "--missing",
]
JUDGE += ["pairwise", "--claim"]
SCORE = ["score", "--missing", "pairwise", "--scores"]


def test_another_model_and_another_rubric_are_refused(marked, command):
    assert command(*JUDGE, "card.json")[0] == 0
    (given,) = [
        each
        for each in json.loads(Path("card.json").read_text())["predicate"]["inputs"]
        if each["as"] == "--scores"
    ]
    assert "|rubric:" in given["made_by"]
    status, _, err = command(*SCORE, "marks.csv", "--card", "card.json")
    assert (status, "followed people's ratings with r within" in err) == (0, True)

    other = [f"{each}#other" if str(each).startswith("http") else each for each in marked]
    status, _, err = command(*other, "other.csv", "--card", "card.json")
    assert (status, "model is other, and" in err) == (2, True)
    rubric = Path("rubric.toml").read_text()
    Path("rubric.toml").write_text(rubric.replace("How well", "How badly"))
    status, _, err = command(*marked, "other.csv", "--card", "card.json")
    assert (status, "so that the card card.json is not of this judge" in err) == (2, True)
    assert not Path("other.csv").exists()
    # Marks that were made without a look at the card are refused where they are used.
    assert command(*marked, "other.csv")[0] == 0
    status, _, err = command(*SCORE, "other.csv", "--card", "card.json")
    assert (status, "other.csv: rubric is" in err) == (2, True)


def test_a_card_out_of_date_is_noted_and_refused_under_a_gate(marked, command):
    assert command(*JUDGE, "card.json", "--expires", "2020-01-01")[0] == 0
    status, _, err = command(*SCORE, "marks.csv", "--card", "card.json")
    assert (status, "out of date since 2020-01-01" in err) == (0, True)
    gate = [
        "compare",
        "--missing",
        "pairwise",
        "--scores",
        "marks.csv",
        "-b",
        "generic",
        "--fail-if-worse",
    ]
    status, _, err = command(*gate, "0.5", "--card", "card.json")
    assert (status, "out of date since 2020-01-01" in err) == (2, True)
    assert command(*JUDGE, "late.json", "--expires", "9999-12-31")[0] == 0
    assert command(*gate, "0.5", "--card", "late.json")[0] in (0, 1)


def test_a_card_that_was_edited_or_is_none_is_refused(marked, command):
    assert command(*JUDGE, "card.json")[0] == 0
    Path("edited.json").write_bytes(
        Path("card.json").read_bytes().replace(b'"value":0', b'"value":1', 1)
    )
    with pytest.raises(InputError, match="does not agree with its own rows"):
        rejoinder.read_card("edited.json")
    assert command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--claim", "score.json")[0] == 0
    with pytest.raises(InputError, match="not of a judge"):
        rejoinder.read_card("score.json")
    judge = ["score", "--scores", EXAMPLES / "judge.csv"]
    status, _, err = command(*judge, "--card", "card.json")
    assert (status, "not of" in err) == (2, True)


def test_runs_of_another_rubric_are_not_compared(marked, command):
    score = [*SCORE, "marks.csv", "--ledger", "runs.sqlite"]
    assert command(*score)[0] == 0
    assert command("runs", "runs.sqlite", "--freeze", "first")[0] == 0
    Path("rubric.toml").write_text(Path("rubric.toml").read_text().replace("How well", "How badly"))
    Path("marks.csv").unlink()
    Path("marks.csv.provenance.json").unlink()
    assert command(*marked, "marks.csv")[0] == 0
    assert command(*score)[0] == 0
    status, out, err = command(
        "runs", "runs.sqlite", "--baseline", "first", "--fail-if-worse", "0.1"
    )
    assert status == 2
    assert "rubric of the marks" in out + err


def card(value=0.5, low=0.2, high=0.7, marks=()):
    within = {"value": value, "low": low, "high": high}
    return Card("card.json", "2026-01-01", None, {"good": within}, {}, list(marks))


def test_a_date_is_kept_as_it_is_compared():
    for given in ("2026-11-01", "20261101", "2026-W44-7"):
        assert date_of(given) == "2026-11-01"
    with pytest.raises(ParameterError, match="expected a date such as 2027-06-30"):
        date_of("soon")
    judged = rejoinder.judge(
        rejoinder.read_scores(EXAMPLES / "judge.csv"), rejoinder.read_ratings(RATINGS)
    )
    with pytest.raises(ParameterError, match="expected a date"):
        rejoinder.write_claim(judged, "never", expires="2026-11-01T00:00")


def test_a_date_of_any_spelling_lapses(marked, command):
    for given in ("20200101", "2020-W01-3"):
        assert command(*JUDGE, "card.json", "--expires", given)[0] == 0
        assert (
            "out of date since 2020-01-01" in command(*SCORE, "marks.csv", "--card", "card.json")[2]
        )


def test_a_judge_that_the_card_does_not_know_is_noted_and_refused_under_a_gate():
    (_, said) = card().check_judges(["good", "bad"], gate=False)
    assert said == "the card card.json says nothing of 'bad'"
    with pytest.raises(InputError, match="is of 'good', not of 'bad'"):
        card().check_judges(["good", "bad"], gate=True)


def test_marks_of_which_nothing_is_known_are_noted_and_refused_under_a_gate():
    known = {"model": "a", "rubric": "b"}
    for signature, one in (("mark|model:a|rubric:b", card()), (None, card(marks=[known]))):
        (said,) = one.check_marks(signature, "marks.csv", gate=False)
        assert "no record says which model and rubric made the marks" in said
        with pytest.raises(InputError, match="so that they decide nothing"):
            one.check_marks(signature, "marks.csv", gate=True)


@pytest.mark.parametrize(
    ("r", "saved"),
    [
        ((0.5, 0.2, 0.7), "25% [4%, 49%] of ratings"),
        ((-0.5, -0.7, -0.2), "25% [4%, 49%] of ratings though its marks run against people's"),
        ((0.1, -0.3, 0.2), "1% [0%, 9%] of ratings"),
    ],
)
def test_what_a_judge_saves_is_the_square_of_r(r, saved):
    assert f"saves at most {saved}" in card(*r).check_judges(["good"], gate=True)[0]
