"""What a model answered to a question: a mark, or the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from rejoinder.annotation.task import TIE
from rejoinder.marking.questions import MarkQuestion
from rejoinder.models.chat.endpoint import ChatAnswer
from rejoinder.models.likelihood.backend import Likelihood

EXPECTED, READ = "expected", "read"
"""How a mark came about: an expectation over the scale's points, or read from the answer."""

EMPTY = "the answer is empty"
CUT = "the answer is longer than the maximum number of tokens"
OTHER = "the answer is none of those asked for"
UNUSABLE = "what the server answers is no chat completion"
REFUSED = "the server refuses the question"
EQUAL = "two answers are equally likely"

SHARE = 0.5
"""Least probability of the scale's points as first tokens for an expectation over them."""

_LONGEST = 200  # characters of an answer that are kept
_AROUND = "*\"'`“”‘’()[]. \t\r\n"
"""What may stand around an answer: emphasis, quotes, brackets, a full stop."""


class Answered(msgspec.Struct, frozen=True):
    """A line of the file of answers.

    Attributes:
        question: Identifies the question.
        id: The item's.
        criterion: The criterion's name.
        value: The mark; None: there is none.
        how: ``EXPECTED`` or ``READ``; empty where there is no mark.
        answer: The beginning of the last answer.
        fault: Why there is no mark; empty where there is one.
        calls: How often the server answered.
        tokens: How many tokens it counted in all.
        share: The probability of the scale's points as first tokens; None: unknown.
    """

    question: str
    id: str
    criterion: str
    value: float | None
    how: str
    answer: str
    fault: str
    calls: int = 1
    tokens: int = 0
    share: float | None = None


def read_answer(question: MarkQuestion, answer: ChatAnswer) -> Answered:
    """The mark of an answer.

    With the probabilities of first tokens the mark is the expectation of the scale's points over them,
    where they have at least half of the probability; else the answer itself is read: it must be one
    of those asked for, with nothing but quotes, brackets, emphasis or a full stop around it.
    """
    share = None
    if question.graded and answer.first is not None and _is_beginning(answer):
        value, share = _expectation(question.marks, answer.first)
        if share >= SHARE:
            return _marked(question, value, EXPECTED, answer.text, share)
    if not answer.text.strip():
        return unmarked(question, EMPTY)
    if answer.cut:
        return unmarked(question, CUT, answer.text)
    read = _read(answer.text, question.marks)
    if read is None:
        return unmarked(question, OTHER, answer.text)
    return _marked(question, read, READ, answer.text, share)


def unmarked(question: MarkQuestion, fault: str, answer: str = "") -> Answered:
    """No mark, for this reason.

    Args:
        question: The question.
        fault: The reason.
        answer: The answer of the model; may be empty.
    """
    return Answered(
        question.key, question.id, question.criterion, None, "", answer[:_LONGEST], fault
    )


def of_likelihoods(question: MarkQuestion, replies: Sequence[Likelihood]) -> Answered:
    """The mark of a model on this machine: from the log-probability of every possible answer."""
    for each in replies:
        if each.dropped:
            return _local(unmarked(question, each.dropped))
    totals = np.array([each.total for each in replies])
    likely = np.exp(totals - totals.max())
    share = float(np.exp(totals).sum())
    values = np.array(list(question.marks.values()))
    if question.graded:
        return _local(_marked(question, float(likely @ values / likely.sum()), EXPECTED, "", share))
    best = np.flatnonzero(totals == totals.max())
    if best.size > 1:
        if TIE not in question.marks:
            return _local(unmarked(question, EQUAL))
        return _local(_marked(question, question.marks[TIE], READ, TIE, share))
    answer = list(question.marks)[int(best[0])]
    return _local(_marked(question, question.marks[answer], READ, answer, share))


def _local(answered: Answered) -> Answered:
    return msgspec.structs.replace(answered, calls=0)


def _marked(
    question: MarkQuestion, value: float, how: str, answer: str, share: float | None
) -> Answered:
    return Answered(
        question.key,
        question.id,
        question.criterion,
        value,
        how,
        answer[:_LONGEST],
        "",
        share=share,
    )


def _is_beginning(answer: ChatAnswer) -> bool:
    """Whether the first token is that of the text: not of a thought before it, or of another answer."""
    token = answer.token.strip()
    return bool(token) and answer.text.lstrip().startswith(token)


def _expectation(marks: Mapping[str, float], first: Mapping[str, float]) -> tuple[float, float]:
    """The expectation of the points over the first tokens, and their probability in all.

    It is undefined (NaN, and a probability of 0) where a point may be several tokens (10, -1): the
    first of them does not tell which point is meant.
    """
    if not single_characters(marks):
        return float("nan"), 0.0
    shares: dict[str, float] = {}
    for token, probability in first.items():
        if (point := token.strip()) in marks:
            shares[point] = shares.get(point, 0.0) + probability
    share = sum(shares.values())
    if not share:
        return float("nan"), 0.0
    return sum(marks[point] * each for point, each in shares.items()) / share, share


def single_characters(marks: Mapping[str, float]) -> bool:
    """Whether every answer is one character, and so one token of any tokenizer."""
    return all(len(each) == 1 for each in marks)


def overlapping(marks: Mapping[str, float]) -> bool:
    """Whether one answer begins with another.

    >>> overlapping({"1": 1.0, "2": 2.0}), overlapping({"1": 1.0, "10": 10.0})
    (False, True)
    """
    return any(a != b and b.startswith(a) for a in marks for b in marks)


def _read(text: str, marks: Mapping[str, float]) -> float | None:
    """The number of an answer that is one of those asked for; None where it is another.

    >>> [_read(text, {"4": 4.0, "tie": 0.0}) for text in ("**4**", "Tie.", "4 of 5", "-4", "4.0")]
    [4.0, 0.0, None, None, None]
    """
    plain = re.sub(r"\s+", " ", text).strip(_AROUND)
    return marks.get(plain, marks.get(plain.casefold()))
