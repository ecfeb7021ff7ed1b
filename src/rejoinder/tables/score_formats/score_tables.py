"""Tables of scores: CSV, TSV, JSON Lines and Parquet, long or wide."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.long_or_wide_scores import scores_of_part
from rejoinder.tables.origin import ScoresDraft
from rejoinder.tables.rating_formats import judgement_tables
from rejoinder.tables.score_formats.format import ScoreFormat


def _read(path: Path, columns: ColumnMapping | None, name: str) -> ScoresDraft:
    names = ("id", "system", "rater", "name")
    return scores_of_part(judgement_tables.judgements(path, name, columns, "scores", names))


FORMATS = tuple(
    ScoreFormat(
        each.name,
        f"{each.name}: system, id, name, value; or one column per metric",
        each.recognise,
        partial(_read, name=each.name),
    )
    for each in judgement_tables.FORMATS
)
