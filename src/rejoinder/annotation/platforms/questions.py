"""The questions of a study in the order in which a platform gets them."""

from __future__ import annotations

import json

import numpy as np

from rejoinder.annotation.questions import Question
from rejoinder.annotation.study import Study
from rejoinder.tables.schemas import PROBABILITY

EMPTY = "(an empty reply)"
"""What a platform shows in the place of a reply without text, which it may refuse."""


def shuffled(study: Study) -> list[Question]:
    """The questions to be rated, in a random order of the study's seed."""
    with study.database.transaction() as db:
        rows = db.execute(
            "SELECT item, content, systems, probability FROM question "
            "JOIN block ON block.id = question.block WHERE kind = 'rated' ORDER BY question.id"
        ).fetchall()
    questions = []
    for place in np.random.default_rng([study.task.seed, 5]).permutation(len(rows)):
        item, content, systems, probability = rows[int(place)]
        text = json.loads(content)
        questions.append(
            Question(
                item,
                tuple(text["context"]),
                tuple(json.loads(systems)),
                tuple(text["replies"]),
                probability,
            )
        )
    return questions


def with_probability(questions: list[Question]) -> bool:
    """Whether a platform is given the probability with which each question was drawn.

    It is where a question could have been left out: without it, ratings that come back would be taken
    as those of items drawn alike.
    """
    return any(each.probability < 1 for each in questions)


def probability_of(question: Question, wanted: bool) -> dict[str, float]:
    """The field ``probability`` of a question, if it is wanted."""
    return {PROBABILITY: question.probability} if wanted else {}
