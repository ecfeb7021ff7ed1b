"""The questions of a study as the input of a batch of Mechanical Turk."""

from __future__ import annotations

import html

import polars as pl

from rejoinder.annotation.platforms.questions import shuffled
from rejoinder.annotation.study import Study


def files(study: Study) -> dict[str, str]:
    """The table as CSV."""
    return {"": table(study).write_csv()}


def table(study: Study) -> pl.DataFrame:
    """The input file of a batch: ``id, system, context, reply``, and ``probability`` where items were drawn.

    Mechanical Turk puts the cells into the HTML of the requester's form as they are, so their texts are
    escaped, and turns are parted by ``<br>``. The form must show ``${context}`` and ``${reply}`` alone,
    and name its fields after the criteria. The rows stand in a random order.
    """
    return pl.DataFrame(
        {
            "id": each.item,
            "system": each.system,
            "context": "<br>".join(f"{who}: {_escaped(text)}" for who, text in each.turns),
            "reply": _escaped(each.reply),
            **each.drawn,
        }
        for each in shuffled(study)
    )


def _escaped(text: str) -> str:
    r"""A text without markup and in one line.

    >>> _escaped("<b>\n")
    '&lt;b&gt;<br>'
    """
    return "<br>".join(html.escape(text).replace("${", "$&#123;").split("\n"))
