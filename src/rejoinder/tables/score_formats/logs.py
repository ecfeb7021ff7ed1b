"""The numbers in logs of evaluation tools."""

from __future__ import annotations

from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.logs.registry import LOGS
from rejoinder.tables.logs.samples import Log, scores_of
from rejoinder.tables.origin import Origin, ScoresDraft
from rejoinder.tables.score_formats.format import ScoreFormat


def _format(log: Log) -> ScoreFormat:
    def read(path: Path, _: ColumnMapping | None) -> ScoresDraft:
        frame, numbers = scores_of(log, path)
        return ScoresDraft(frame, Origin(((str(path), numbers),)))

    return ScoreFormat(log.name, log.description, log.recognise, read)


FORMATS = tuple(_format(log) for log in LOGS if log.has_scores)
