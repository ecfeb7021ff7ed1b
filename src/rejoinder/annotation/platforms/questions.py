"""The questions of a study in the order in which a platform gets them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from rejoinder.annotation.speakers import turns
from rejoinder.annotation.study import Study
from rejoinder.tables.schemas import PROBABILITY

EMPTY = "(an empty reply)"
"""What a platform shows in the place of a reply without text, which it may refuse."""


@dataclass(frozen=True)
class PlatformQuestion:
    """A reply to be rated on a platform.

    Attributes:
        number: Its place in the random order, from 1 on.
        item: The item.
        system: The system.
        turns: The turns of the conversation with their speakers.
        reply: The reply.
        drawn: ``probability`` with which it was drawn, where a question of the study could have been
            left out: without it, ratings that come back would be taken as those of items drawn alike.
    """

    number: int
    item: str
    system: str
    turns: list[tuple[str, str]]
    reply: str
    drawn: dict[str, float]

    @property
    def key(self) -> dict[str, Any]:
        """What it is about, which no rater is to see."""
        return {"item": self.item, "system": self.system, **self.drawn}

    @property
    def shown(self) -> str:
        """The reply; words in its place where it is empty."""
        return self.reply if self.reply.strip() else EMPTY


def shuffled(study: Study) -> list[PlatformQuestion]:
    """The questions to be rated, in a random order of the study's seed."""
    with study.database.transaction() as db:
        rows = db.execute(
            "SELECT item, content, systems, probability FROM question "
            "JOIN block ON block.id = question.block WHERE kind = 'rated' ORDER BY question.id"
        ).fetchall()
    drawn = any(probability < 1 for *_, probability in rows)
    questions = []
    order = np.random.default_rng([study.task.seed, 5]).permutation(len(rows))
    for number, place in enumerate(order.tolist(), start=1):
        item, content, systems, probability = rows[place]
        text = json.loads(content)
        shares = {PROBABILITY: probability} if drawn else {}
        questions.append(
            PlatformQuestion(
                number,
                item,
                json.loads(systems)[0],
                turns(text["context"]),
                text["replies"][0],
                shares,
            )
        )
    return questions
