"""The questions of a study as tasks of Label Studio."""

from __future__ import annotations

import json
from typing import Any

from rejoinder.annotation.platforms.questions import probability_of, shuffled, with_probability
from rejoinder.annotation.speakers import turns
from rejoinder.annotation.study import Study


def files(study: Study) -> dict[str, str]:
    """The tasks as one JSON list."""
    return {"": "[\n" + ",\n".join(map(json.dumps, tasks(study))) + "\n]\n"}


def tasks(study: Study) -> list[dict[str, Any]]:
    """Tasks of Label Studio: ``id``, ``system``, ``dialogue`` (for its tag Paragraphs) and ``reply``.

    Where items were drawn, ``probability`` is that of the item.
    """
    questions = shuffled(study)
    drawn = with_probability(questions)
    return [
        {
            "data": {
                "id": each.item,
                "system": each.systems[0],
                "dialogue": [{"author": who, "text": text} for who, text in turns(each.context)],
                "reply": each.replies[0],
                **probability_of(each, drawn),
            }
        }
        for each in questions
    ]
