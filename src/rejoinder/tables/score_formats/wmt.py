"""WMT's files of scores by themselves (mt-metrics-eval): segments, documents, domains, systems."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.logs.wmt_scores import is_score_file, read_scores, score_file
from rejoinder.tables.origin import Origin, ScoresDraft
from rejoinder.tables.score_formats.format import ScoreFormat


def _recognise(path: Path, first: bytes) -> bool:
    return is_score_file(path)


def _read(path: Path, _: ColumnMapping | None) -> ScoresDraft:
    """A score for each system and item; the level stands in the name, but for that of segments."""
    file = score_file(path)
    scores = read_scores(file)
    name = file.name if file.level == "seg" else f"{file.name}.{file.level}"
    rows = [(each.system, each.item, name, each.value) for each in scores]
    schema = dict.fromkeys(("system", "id", "name"), pl.String) | {"value": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return ScoresDraft(frame, Origin(((str(path), [each.number for each in scores]),)))


FORMAT = ScoreFormat(
    "wmt-scores",
    "a file of scores of WMT (mt-metrics-eval): <name>.seg.score, .doc.score, .domain.score, .sys.score",
    _recognise,
    _read,
)
