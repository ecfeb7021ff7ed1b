"""What a rater chose: from the fields of a form to what is stored, and back.

A form numbers the replies by the place in which they were shown; what is stored numbers them from 0 in
the question's own order, which ``arrangement`` maps: the reply shown in place i is reply
``arrangement[i]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rejoinder.annotation.page_words import RaterError
from rejoinder.annotation.task import TIE, Task

Choices = dict[str, Any]
"""By criterion: a grade; the number of the better reply, or ``tie``; or ``{"best": i, "worst": j}``."""

LONGEST_COMMENT = 2000

_ENDS = "best", "worst"


def choices_of(task: Task, form: Mapping[str, str], arrangement: Sequence[int]) -> Choices:
    """What the fields of a form say.

    Args:
        task: The settings of the study.
        form: The fields by name.
        arrangement: Which reply was shown in which place.

    Raises:
        RaterError: A criterion has no answer, or one that the form does not offer.
    """
    chosen: Choices = {}
    for place, criterion in enumerate(task.criteria):
        if task.kind == "best-worst":
            ends = [(form.get(f"c{place}-{end}"), task.sentences[f"{end}_reply"]) for end in _ENDS]
            best, worst = (
                _reply(given, arrangement, f"{words} {criterion.asked}") for given, words in ends
            )
            if best == worst:
                raise RaterError("choose_different")
            chosen[criterion.name] = {"best": best, "worst": worst}
            continue
        given = form.get(f"c{place}")
        if task.kind == "pointwise":
            grades = {str(grade): grade for grade, _ in criterion.points}
            if given not in grades:
                raise RaterError("choose_point", asked=criterion.asked)
            chosen[criterion.name] = grades[given]
        elif given == TIE and task.ties:
            chosen[criterion.name] = TIE
        else:
            chosen[criterion.name] = _reply(given, arrangement, criterion.asked)
    return chosen


def _reply(given: str | None, arrangement: Sequence[int], what: str) -> int:
    """The number of the reply that was shown in a place, which the form numbers from 1."""
    places = {str(place): reply for place, reply in enumerate(arrangement, start=1)}
    if given not in places:
        raise RaterError("choose_reply", asked=what)
    return places[given]


def form_of(task: Task, choices: Choices, arrangement: Sequence[int]) -> dict[str, str]:
    """The fields of the form with what was chosen before.

    Args:
        task: The settings of the study.
        choices: What was chosen, by criterion.
        arrangement: The numbers of the replies in the order in which they are shown.

    >>> task = Task("head-to-head")
    >>> form_of(task, choices_of(task, {"c0": "2"}, [1, 0]), [1, 0])
    {'c0': '2'}
    """
    shown: dict[Any, str] = {reply: str(place) for place, reply in enumerate(arrangement, start=1)}
    form = {}
    for place, criterion in enumerate(task.criteria):
        choice = choices.get(criterion.name)
        if isinstance(choice, dict):
            form |= {f"c{place}-{end}": shown[choice[end]] for end in _ENDS}
        elif choice is not None:
            is_grade = task.kind == "pointwise"
            form[f"c{place}"] = str(choice) if is_grade else shown.get(choice, TIE)
    return form


def comment_of(task: Task, form: Mapping[str, str]) -> str:
    """The comment of a form, at most ``LONGEST_COMMENT`` characters of it."""
    return form.get("comment", "")[:LONGEST_COMMENT].strip() if task.comments else ""


def is_right(task: Task, choices: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    """Whether every known answer of an example was given.

    Args:
        task: The settings of the study.
        choices: What was chosen, by criterion.
        answers: The known answers, by criterion: one, or a list of those that are right.

    >>> is_right(Task(), {"overall": 4}, {"overall": [4, 5]})
    True
    """
    return all(_expected(task, answer, choices.get(name)) for name, answer in answers.items())


def _expected(task: Task, answer: Any, choice: Any) -> bool:
    if task.kind == "pointwise":
        return choice in (answer if isinstance(answer, list | tuple) else [answer])
    if task.kind == "head-to-head":
        return choice == (TIE if answer == TIE else answer - 1)
    return isinstance(choice, dict) and all(choice[end] == answer[end] - 1 for end in _ENDS)
