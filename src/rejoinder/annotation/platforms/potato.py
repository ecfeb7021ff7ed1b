"""The questions of a study as a task of potato (github.com/davidjurgens/potato): a folder."""

from __future__ import annotations

import json
import re
from typing import Any

from rejoinder.annotation.platforms.questions import shuffled
from rejoinder.annotation.study import Study
from rejoinder.annotation.task import Task
from rejoinder.tables.formats.potato import KEY

CONFIG = "config.yaml"
ITEMS = "items.jsonl"

_MARKUP = re.compile(r"<(?=/?script|!--)", re.IGNORECASE)
_NOT_PLAIN = re.compile(
    r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def files(study: Study) -> dict[str, str]:
    """The configuration, the items, and the key, which says what each item is about.

    Raters see the dialogue, the reply and the criteria. Items have numbers, in a random order. Their
    ids in the test set, their systems and the probabilities with which they were drawn stand in the key
    alone: potato sends all columns of its items to the browser, shown or not.
    """
    questions = shuffled(study)
    rows = [
        {
            "id": str(each.number),
            "dialogue": [{"speaker": who, "text": _shown(text)} for who, text in each.turns],
            "reply": _shown(each.shown),
        }
        for each in questions
    ]
    key = [{"id": str(each.number), **each.key} for each in questions]
    return {CONFIG: config(study.task), ITEMS: _json_lines(rows), KEY: _json_lines(key)}


def _shown(text: str) -> str:
    r"""A text that ends no script of the page: potato puts items into one as they are.

    What would begin or end a script or a comment of HTML gets a joiner of no width after its first sign.

    >>> _shown("a < b, </script>")
    'a < b, <\u2060/script>'
    """
    return _MARKUP.sub("<\u2060", text)


def _json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def config(task: Task) -> str:
    """The configuration as YAML; every text is quoted as JSON quotes it, which YAML reads alike."""
    lines = [
        "# Start it in this folder: potato start config.yaml",
        f"annotation_task_name: {_quoted(task.title)}",
        "task_dir: .",
        "data_files: [items.jsonl]",
        "item_properties: {id_key: id, text_key: reply}",
        "output_annotation_dir: annotation_output/",
        "user_config: {allow_all_users: true, users: []}",
        "assignment_strategy: random",
        f"random_seed: {task.seed}",
        f"max_annotations_per_item: {task.raters_per_question}",
        *([f"max_annotations_per_user: {task.per_rater}"] if task.per_rater is not None else []),
        "instance_display:",
        "  fields:",
        "    - {key: dialogue, type: dialogue, label: Conversation}",
        "    - {key: reply, type: text, label: Reply}",
        "annotation_schemes:",
    ]
    for each in task.criteria:
        lines += [
            "  - annotation_type: radio",
            f"    name: {_quoted(each.name)}",
            f"    description: {_quoted(each.asked)}",
            "    label_requirement: {required: true}",
            "    labels:",
            *(
                f"      - {{name: {_quoted(name)}, displayed_label: {_quoted(shown)}}}"
                for name, shown in each.labels
            ),
        ]
    if task.comments:
        lines += [
            "  - annotation_type: text",
            "    name: comment",
            "    description: Comment (optional)",
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    r"""A text as a scalar of YAML in one line.

    >>> print(_quoted('a "b"\n\u2028'))
    "a \"b\"\n\u2028"
    """
    plain = json.dumps(text, ensure_ascii=False)
    return _NOT_PLAIN.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)
