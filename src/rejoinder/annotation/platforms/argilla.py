"""The questions of a study as a dataset of Argilla (github.com/argilla-io/argilla): a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from rejoinder.annotation.platforms.questions import PlatformQuestion, shuffled
from rejoinder.annotation.study import Study
from rejoinder.annotation.task import Criterion, Task

RECORDS = "records.json"
SETTINGS = ".argilla/settings.json"
DATASET = ".argilla/dataset.json"


def files(study: Study) -> dict[str, str]:
    """The folder that ``argilla.Dataset.from_disk`` reads: the dataset, its settings and its records.

    Annotators see the dialogue, the reply and the criteria. Records have numbers, in a random order;
    ``item``, ``system`` and ``probability`` are metadata that only owners and admins see.
    """
    questions = shuffled(study)
    records = [_record(each) for each in questions]
    dataset = {"name": f"rejoinder-{study.identity[:8]}", "status": "draft"}
    return {
        RECORDS: "[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n",
        SETTINGS: json.dumps(settings(study.task, questions[0].drawn), indent=1) + "\n",
        DATASET: json.dumps(dataset, indent=1) + "\n",
    }


def _record(question: PlatformQuestion) -> dict[str, Any]:
    dialogue = [{"role": who, "content": text} for who, text in question.turns]
    return {
        "id": str(question.number),
        "fields": {**({"dialogue": dialogue} if dialogue else {}), "reply": question.shown},
        "metadata": question.key,
        "suggestions": {},
        "responses": {},
        "vectors": {},
    }


def settings(task: Task, drawn: Iterable[str] = ()) -> dict[str, Any]:
    """The settings of the dataset: its fields, a question for each criterion, and metadata.

    The points of a scale are labels, because Argilla's ratings go from 0 to 10 and have no words.

    Args:
        task: The settings of the study.
        drawn: The numbers that records have beside their items and systems: the probability of a draw.
    """
    comment = {
        "name": "comment",
        "type": "text",
        "title": "Comment",
        "required": False,
        "settings": {"type": "text", "use_markdown": False},
    }
    return {
        "guidelines": task.instructions or None,
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": task.raters_per_question},
        "fields": [
            _field("dialogue", "Conversation", "chat", required=False),
            _field("reply", "Reply", "text", required=True),
        ],
        "questions": [*map(_question, task.criteria), *([comment] if task.comments else [])],
        "metadata": [
            _metadata("item", {"type": "terms", "values": None}),
            _metadata("system", {"type": "terms", "values": None}),
            *(_metadata(name, {"type": "float", "min": None, "max": None}) for name in drawn),
        ],
        "vectors": [],
    }


def _field(name: str, title: str, kind: str, required: bool) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "title": title,
        "required": required,
        "settings": {"type": kind, "use_markdown": False},
    }


def _question(criterion: Criterion) -> dict[str, Any]:
    options = [{"value": grade, "text": text} for grade, text in criterion.labels]
    return {
        "name": criterion.name,
        "type": "label_selection",
        "title": criterion.asked,
        "required": True,
        "settings": {"type": "label_selection", "options": options, "visible_options": None},
    }


def _metadata(name: str, kind: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "title": name,
        "settings": {**kind, "visible_for_annotators": False},
        "visible_for_annotators": False,
    }
