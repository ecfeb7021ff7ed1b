"""The questions of a study as tasks of Label Studio."""

from __future__ import annotations

import json
from typing import Any

from rejoinder.annotation.platforms.questions import shuffled
from rejoinder.annotation.study import Study


def files(study: Study) -> dict[str, str]:
    """The tasks as one JSON list."""
    return {"": "[\n" + ",\n".join(map(json.dumps, tasks(study))) + "\n]\n"}


def tasks(study: Study) -> list[dict[str, Any]]:
    """Tasks of Label Studio: ``id``, ``system``, ``dialogue`` (for its tag Paragraphs) and ``reply``.

    Where items were drawn, ``probability`` is that of the item.
    """
    return [
        {
            "data": {
                "id": each.item,
                "system": each.system,
                "dialogue": [{"author": who, "text": text} for who, text in each.turns],
                "reply": each.reply,
                **each.drawn,
            }
        }
        for each in shuffled(study)
    ]
