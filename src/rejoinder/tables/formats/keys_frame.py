"""The keys of ratings that a reader collected row by row."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.tables.schemas import PROBABILITY, RATINGS

_SCHEMA = {name: kind for name, kind in RATINGS.items() if name != "score"}


def keys_frame(rows: Sequence[tuple[str, str, str, str, float | None]]) -> pl.DataFrame:
    """The columns of ``schemas.RATINGS`` but ``score``, and ``probability`` where a row has one.

    Args:
        rows: Of each rating the item, system, rater, criterion and probability of the draw.

    >>> keys_frame([("1", "bot", "ann", "fluency", None)]).columns
    ['id', 'system', 'rater', 'criterion']
    """
    frame = pl.DataFrame(rows, schema={**_SCHEMA, PROBABILITY: pl.Float64}, orient="row")
    nothing = frame.get_column(PROBABILITY).null_count() == frame.height
    return frame.drop(PROBABILITY) if nothing else frame
