"""The rated replies beside DailyDialog's multi-reference test set (Gupta et al. 2019)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rejoinder.files.reading import suffix_of
from rejoinder.tables.assembly.long_or_wide import MEAN, OVERALL
from rejoinder.tables.assembly.rating_cells import strict_scores
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.io.delimited import read_csv
from rejoinder.tables.origin import Draft, Origin
from rejoinder.tables.schemas import RATINGS

_NAME = "mturk_rating_processed_output.csv"
_COLUMNS = ("model", "context_id", "human_average_rating")


def recognise(path: Path, first: bytes) -> bool:
    """By the header of the CSV, or the folder that holds it."""
    if path.is_dir():
        return (path / _NAME).is_file()
    header = first.split(b"\n", 1)[0]
    return suffix_of(path) == ".csv" and b"human_average_rating" in header


def read(path: Path, asked: Asked) -> Draft:
    """The mean ratings of the replies of all systems, people (``human``) among them."""
    table = read_csv(path / _NAME if path.is_dir() else path)
    require(_COLUMNS, table.header, table.name, renamed=False)
    scores, notes = strict_scores(
        pl.Series(table["human_average_rating"], dtype=pl.String), table.name, table.numbers
    )
    columns = {
        "id": table["context_id"],
        "system": table["model"],
        "rater": [MEAN] * len(scores),
        "criterion": [OVERALL] * len(scores),
        "score": scores,
    }
    frame = pl.DataFrame(columns, schema=RATINGS)
    return Draft(frame, Origin(((table.name, table.numbers),)), notes)


FORMAT = Format(
    "dailydialog-multiref",
    "mean ratings of replies to DailyDialog (csv: model, context_id, human_average_rating)",
    recognise,
    {"ratings": read},
)
