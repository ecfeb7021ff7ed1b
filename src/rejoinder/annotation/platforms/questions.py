"""The questions of a study in the order in which a platform gets them."""

from __future__ import annotations

import json

import numpy as np

from rejoinder.annotation.questions import Question
from rejoinder.annotation.study import Study

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
