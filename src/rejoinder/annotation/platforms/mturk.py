"""The questions of a study as the input of a batch of Mechanical Turk."""

from __future__ import annotations

import html

import polars as pl

from rejoinder.annotation.platforms.questions import shuffled, with_probability
from rejoinder.annotation.speakers import turns
from rejoinder.annotation.study import Study
from rejoinder.tables.schemas import PROBABILITY


def files(study: Study) -> dict[str, str]:
    """The table as CSV."""
    return {"": table(study).write_csv()}


def table(study: Study) -> pl.DataFrame:
    """The input file of a batch: ``id, system, context, reply``, and ``probability`` where items were drawn.

    Mechanical Turk puts the cells into the HTML of the requester's form as they are, so their texts are
    escaped, and turns are parted by ``<br>``. The form must show ``${context}`` and ``${reply}`` alone,
    and name its fields after the criteria. The rows stand in a random order.
    """
    questions = shuffled(study)
    rows = [
        (
            each.item,
            each.systems[0],
            "<br>".join(f"{who}: {_escaped(text)}" for who, text in turns(each.context)),
            _escaped(each.replies[0]),
        )
        for each in questions
    ]
    names = ("id", "system", "context", "reply")
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    if not with_probability(questions):
        return table
    shares = [each.probability for each in questions]
    return table.with_columns(pl.Series(PROBABILITY, shares, dtype=pl.Float64))


def _escaped(text: str) -> str:
    r"""A text without markup and in one line.

    >>> _escaped("<b>\n")
    '&lt;b&gt;<br>'
    """
    return "<br>".join(html.escape(text).replace("${", "$&#123;").split("\n"))
