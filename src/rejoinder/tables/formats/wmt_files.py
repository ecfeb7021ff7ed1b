"""WMT's files of scores (mt-metrics-eval): people's as ratings, and any by itself as scores.

People's are called ``human-scores/<pair>.<name>.<level>.score``.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.tables.assembly.long_or_wide import MEAN
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.logs import wmt
from rejoinder.tables.logs.wmt_scores import is_human, is_score_file, read_scores, score_file
from rejoinder.tables.origin import Draft, Origin
from rejoinder.tables.schemas import RATINGS

_FOLDER = "human-scores"


def _recognise_ratings(path: Path, first: bytes) -> bool:
    """The folder of a test set, or one file of its human scores."""
    return wmt.recognise(path, first) or is_human(path)


def _ratings(path: Path, asked: Asked) -> Draft:
    """A rating for each segment that was scored; the method (``mqm``) is the criterion.

    Who rated is not in the file, so the rater is ``mean``. A file by itself may hold scores of
    documents, domains or whole systems too; of a folder those of segments are read.
    """
    if path.is_dir():
        root, pair = wmt.place_of(path)
        files = sorted((root / _FOLDER).glob(f"{pair}.*.seg.score"))
        if not files:
            raise InputError(
                f"{path}: no file {_FOLDER}/{pair}.*.seg.score; expected human scores of segments, or "
                "name a file of them"
            )
    else:
        files = [path]
    rows, numbers, absent = [], [], 0
    for place in files:
        file = score_file(place)
        for each in read_scores(file):
            if each.value is None:
                absent += 1
                continue
            rows.append((each.item, each.system, MEAN, file.name, each.value))
            numbers.append(each.number)
    what = "segment" if path.is_dir() or score_file(path).level == "seg" else "item"
    notes = (f"{counted(absent, what)} without a score left out",) if absent else ()
    frame = pl.DataFrame(rows, schema=RATINGS, orient="row")
    return Draft(frame, Origin(((str(path), numbers),)), notes)


RATED = Format(
    "wmt",
    "WMT's human scores (mt-metrics-eval): the folder, or human-scores/<pair>.<name>.<level>.score",
    _recognise_ratings,
    {"ratings": _ratings},
)


def _scores(path: Path, asked: Asked) -> Draft:
    """A score for each system and item; the level stands in the name, but for that of segments."""
    file = score_file(path)
    scores = read_scores(file)
    name = file.name if file.level == "seg" else f"{file.name}.{file.level}"
    rows = [(each.system, each.item, name, each.value) for each in scores]
    schema = dict.fromkeys(("system", "id", "name"), pl.String) | {"value": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Draft(frame, Origin(((str(path), [each.number for each in scores]),)))


SCORED = Format(
    "wmt-scores",
    "a file of scores of WMT (mt-metrics-eval): <name>.seg.score, .doc.score, .domain.score, .sys.score",
    lambda path, first: is_score_file(path),
    {"scores": _scores},
)
