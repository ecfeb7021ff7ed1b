"""The questions of a study as tasks of other platforms, whose results our readers of ratings take."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from rejoinder.annotation.questions import Question
from rejoinder.annotation.speakers import turns
from rejoinder.annotation.study import Study
from rejoinder.errors import ParameterError


def tasks(study: Study, suffix: str) -> tuple[str, int]:
    """The questions as a file, and their number.

    Args:
        study: The study.
        suffix: ``.csv`` for Mechanical Turk, ``.json`` for Label Studio.

    Raises:
        ParameterError: The study is not pointwise.
    """
    if suffix == ".csv":
        table = mturk_table(study)
        return table.write_csv(), table.height
    whole = label_studio_tasks(study)
    return "[\n" + ",\n".join(map(json.dumps, whole)) + "\n]\n", len(whole)


def mturk_table(study: Study) -> pl.DataFrame:
    """The input file of a batch of Mechanical Turk: ``id, system, context, reply``.

    Mechanical Turk puts the cells into the HTML of the requester's form as they are, so their texts are
    escaped, and turns are parted by ``<br>``. The form must show ``${context}`` and ``${reply}`` alone,
    and name its fields after the criteria. The rows stand in a random order.

    Raises:
        ParameterError: The study is not pointwise.
    """
    rows = [
        (
            each.item,
            each.systems[0],
            "<br>".join(f"{who}: {_escaped(text)}" for who, text in turns(each.context)),
            _escaped(each.replies[0]),
        )
        for each in _shuffled(study)
    ]
    names = ("id", "system", "context", "reply")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def label_studio_tasks(study: Study) -> list[dict[str, Any]]:
    """Tasks of Label Studio: ``id``, ``system``, ``dialogue`` (for its tag Paragraphs) and ``reply``.

    Raises:
        ParameterError: The study is not pointwise.
    """
    return [
        {
            "data": {
                "id": each.item,
                "system": each.systems[0],
                "dialogue": [{"author": who, "text": text} for who, text in turns(each.context)],
                "reply": each.replies[0],
            }
        }
        for each in _shuffled(study)
    ]


def _shuffled(study: Study) -> Iterator[Question]:
    """The questions to be rated, in a random order of the study's seed."""
    if study.task.kind != "pointwise":
        raise ParameterError(
            f"a {study.task.kind} study has no tasks for other platforms, whose results would not be read; "
            "write an .html page, or make the study pointwise"
        )
    with study.database.transaction() as db:
        rows = db.execute(
            "SELECT item, content, systems, probability FROM question "
            "JOIN block ON block.id = question.block WHERE kind = 'rated' ORDER BY question.id"
        ).fetchall()
    for place in np.random.default_rng([study.task.seed, 5]).permutation(len(rows)):
        item, content, systems, probability = rows[int(place)]
        text = json.loads(content)
        yield Question(
            item,
            tuple(text["context"]),
            tuple(json.loads(systems)),
            tuple(text["replies"]),
            probability,
        )


def _escaped(text: str) -> str:
    r"""A text without markup and in one line.

    >>> _escaped("<b>\n")
    '&lt;b&gt;<br>'
    """
    return "<br>".join(html.escape(text).replace("${", "$&#123;").split("\n"))
