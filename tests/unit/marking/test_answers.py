"""From what a model answered to a mark: worked by hand."""

import math
import random

import numpy as np
import pytest

from rejoinder.marking import answers
from rejoinder.marking.answers import (
    CUT,
    EMPTY,
    EQUAL,
    EXPECTED,
    OTHER,
    READ,
    of_likelihoods,
    read_answer,
)
from rejoinder.marking.questions import CHOICES, MarkQuestion
from rejoinder.models.chat.endpoint import ChatAnswer, read_chat
from rejoinder.models.likelihood.backend import TOO_LONG, Likelihood
from rejoinder.models.server import AnswerError

FIVE = {str(grade): float(grade) for grade in range(1, 6)}
QUESTION = MarkQuestion("c1", "fit", "How?", FIVE, True)
PAIR = MarkQuestion("c1", "fit", "Which?", CHOICES, False)


def answer(text, first=None, **more):
    return ChatAnswer(text, first=first, token=text.split()[0] if first else "", **more)


def test_a_mark_is_the_expectation_over_the_scale():
    # (4 * .5 + 5 * .3) / .8 = 4.375; "four" is no point of the scale, " 5" is the point 5.
    got = read_answer(QUESTION, answer("4", {"4": 0.5, "5": 0.2, " 5": 0.1, "four": 0.2}))
    assert (got.value, got.how, got.fault) == (pytest.approx(4.375), EXPECTED, "")
    assert got.share == pytest.approx(0.8)


@pytest.mark.parametrize(("share", "how"), [(answers.SHARE, EXPECTED), (0.499, READ)])
def test_the_scale_needs_half_of_the_probability(share, how):
    got = read_answer(QUESTION, answer("4", {"4": share / 2, "2": share / 2}))
    assert (got.value, got.how) == (pytest.approx(3.0 if how == EXPECTED else 4.0), how)


@pytest.mark.parametrize(("lowest", "highest"), [(1, 10), (8, 12), (-1, 1), (0, 10)])
def test_points_that_may_be_several_tokens_are_read_from_the_answer(lowest, highest):
    # The first token of -1 may be "-", and that of 10 may be "1": of them no point is told.
    marks = {str(n): float(n) for n in range(lowest, highest + 1)}
    got = read_answer(
        MarkQuestion("c1", "fit", "How?", marks, True),
        answer(str(highest), {str(highest): 0.6, str(lowest): 0.3}),
    )
    assert (got.value, got.how) == (highest, READ)


def test_first_tokens_that_are_not_those_of_the_text_do_not_count():
    # A model that thinks first, or a server that mixes up answers.
    got = read_answer(QUESTION, ChatAnswer("4", first={"2": 1.0}, token="2"))
    assert (got.value, got.how) == (4.0, READ)


@pytest.mark.parametrize(
    ("text", "value"),
    [("4", 4), (" 4\n", 4), ("**4**", 4), ("[[4]]", 4), ('"4".', 4), ("4 of 5", None), ("4/5", None),
     ("I'd say 4", None), ("-4", None), ("4.0", None), ("6", None), ("0", None), ("٤", None),
     ("4 4", None), ('{"mark": 4}', None), ("四", None)],
)  # fmt: skip
def test_an_answer_is_read_strictly(text, value):
    got = read_answer(QUESTION, answer(text))
    assert (got.value, got.fault) == (value, "" if value else OTHER)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("2.", 2), ("tie", 0), ("Tie", 0), ("TIE.", 0), ("3", None), ("reply 1", None)],
)
def test_a_comparison_is_read_strictly(text, value):
    assert read_answer(PAIR, answer(text)).value == value


def test_a_tie_is_no_answer_where_there_are_none():
    pair = MarkQuestion("c1", "fit", "Which?", {"1": 1.0, "2": 2.0}, False)
    assert read_answer(pair, answer("tie")).fault == OTHER


def test_an_answer_that_is_empty_or_cut_is_no_mark():
    assert read_answer(QUESTION, answer(" ")).fault == EMPTY
    # "1" may have become "10": what is cut is not known.
    assert read_answer(QUESTION, answer("1", cut=True)).fault == CUT
    # The first token is whole, whatever follows it.
    assert read_answer(QUESTION, answer("1 because", {"1": 0.9}, cut=True)).how == EXPECTED


def test_a_long_answer_is_kept_in_part():
    assert read_answer(QUESTION, answer("x" * 1000)).answer == "x" * 200


def likely(*probabilities):
    return [Likelihood.of([math.log(each)]) for each in probabilities]


def test_a_model_on_this_machine_gives_an_expectation():
    # (1 * .1 + 2 * .1 + 3 * .1 + 4 * .2 + 5 * .3) / .8 = 2.9 / .8 = 3.625
    got = of_likelihoods(QUESTION, likely(0.1, 0.1, 0.1, 0.2, 0.3))
    assert (got.value, got.share) == (pytest.approx(3.625), pytest.approx(0.8))
    assert (got.how, got.calls) == (EXPECTED, 0)


def test_very_small_probabilities_have_an_expectation_too():
    replies = [Likelihood.of([-1000.0]), *[Likelihood.of([-2000.0])] * 4]
    assert of_likelihoods(QUESTION, replies).value == pytest.approx(1.0)


def test_a_model_on_this_machine_compares():
    assert of_likelihoods(PAIR, likely(0.2, 0.3, 0.1)).value == 2.0
    assert of_likelihoods(PAIR, likely(0.3, 0.3, 0.1)).value == 0.0  # equally likely: a tie
    both = MarkQuestion("c1", "fit", "Which?", {"1": 1.0, "2": 2.0}, False)
    assert of_likelihoods(both, likely(0.3, 0.3)).fault == EQUAL


def test_an_answer_without_a_likelihood_leaves_the_question_without_a_mark():
    replies = [*likely(0.1, 0.1, 0.1, 0.1), Likelihood.none(TOO_LONG)]
    got = of_likelihoods(QUESTION, replies)
    assert (got.value, got.fault) == (None, TOO_LONG)


def chat(text="4", **choice):
    return {"choices": [{"message": {"content": text}, **choice}], "usage": {"total_tokens": 9}}


def test_what_an_answer_holds():
    rows = [{"token": "4", "logprob": math.log(0.5)}, {"token": "4", "logprob": math.log(0.25)}]
    logprobs = {"content": [{"token": "4", "top_logprobs": rows}]}
    got = read_chat(chat(finish_reason="length", logprobs=logprobs), "here", True)
    assert (got.text, got.cut, got.tokens, got.token) == ("4", True, 9, "4")
    assert got.first == {"4": pytest.approx(0.75)}  # two tokens of one text
    assert read_chat(chat(None), "here").text == ""
    assert read_chat({**chat(), "usage": None}, "here").tokens is None


@pytest.mark.parametrize("total", [True, -1, 1.5, "9", None, {}])
def test_what_is_no_count_of_tokens_counts_none(total):
    assert read_chat({**chat(), "usage": {"total_tokens": total}}, "here").tokens is None


def first(*rows, token="4"):
    return chat(logprobs={"content": [{"token": token, "top_logprobs": list(rows)}]})


def row(logprob, token="4"):
    return {"token": token, "logprob": logprob}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "no choices"), ([], "no choices"), ({"choices": {}}, "no choices"),
        ({"choices": []}, "0 choices"), ({"choices": [1, 2]}, "2 choices"),
        ({"choices": ["4"]}, "no message"), ({"choices": [{"text": "4"}]}, "no message"),
        (chat(4), "no message"), (chat(["4"]), "no message"),
        (chat(), "no log-probabilities"), (chat(logprobs={"content": []}), "no log-probabilities"),
        (first(), "are empty"), (first(row(-0.1), token=4), "are empty"),
        (first(row(float("nan"))), "log-probability nan"), (first(row(0.5)), "log-probability 0.5"),
        (first(row(10**400)), "log-probability 1000"), (first(row(True)), "another type"),
        (first(row("-1")), "another type"), (first(row(-1, 4)), "another type"),
        (first(row(-0.1), row(-0.1, "5")), "sum to 1.8"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_used(value, told):
    with pytest.raises(AnswerError, match=told):
        read_chat(value, "here", True)


WORDS = ("choices", "message", "content", "logprobs", "top_logprobs", "token", "logprob", "usage")


def anything(draw, depth):
    """A random value of JSON, in words that answers have."""
    kind = draw.randrange(8 if depth else 6)
    if kind < 6:
        numbers = (0, -1, 1.5, True, float("nan"), float("inf"), 10**400, -(10**400))
        return draw.choice([None, "", "4", draw.choice(numbers), draw.choice(WORDS), -0.5])
    several = [anything(draw, depth - 1) for _ in range(draw.randrange(4))]
    return several if kind == 6 else {draw.choice(WORDS): each for each in several}


def broken(draw, value):
    """An answer of which one part is something else."""
    if draw.random() < 0.25 or not isinstance(value, list | dict) or not value:
        return anything(draw, 2)
    if isinstance(value, list):
        place = draw.randrange(len(value))
        return [broken(draw, each) if i == place else each for i, each in enumerate(value)]
    name = draw.choice(list(value))
    rest = {key: each for key, each in value.items() if key != name}
    return rest if draw.random() < 0.2 else {**rest, name: broken(draw, value[name])}


def test_two_thousand_broken_answers_are_marks_or_one_message():
    draw, read, refused = random.Random(7), 0, 0
    for _ in range(2000):
        try:
            got = read_chat(broken(draw, first(row(-0.5), row(-2.0, "5"))), "here", True)
        except AnswerError:
            refused += 1
            continue
        marked = read_answer(QUESTION, got)
        assert marked.value is None or 1 <= marked.value <= 5
        read += 1
    assert min(read, refused) > 100


def test_an_impossible_token_has_no_probability():
    got = read_chat(first(row(-0.5), row(float("-inf"), "5"), row(-(10**400), "3")), "here", True)
    assert list(got.first.values()) == [pytest.approx(math.exp(-0.5)), 0.0, 0.0]
    assert np.isfinite(list(got.first.values())).all()
