"""WMT's human scores of segments: ``human-scores/<pair>.<name>.seg.score`` (mt-metrics-eval)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.tables.assembly.long_or_wide import MEAN
from rejoinder.tables.logs import wmt
from rejoinder.tables.origin import Origin, RatingsDraft
from rejoinder.tables.rating_formats.format import RatingFormat
from rejoinder.tables.schemas import RATINGS

_SUFFIX = ".seg.score"
_FOLDER = "human-scores"


def recognise(path: Path, first: bytes) -> bool:
    """The folder of a test set, or one file of its human scores."""
    return wmt.recognise(path, first) or (
        path.name.endswith(_SUFFIX) and path.absolute().parent.name == _FOLDER
    )


def read(path: Path) -> RatingsDraft:
    """A rating for each segment that was scored; the method (``mqm``) is the criterion.

    Who rated is not in the file, so the rater is ``mean``.
    """
    if path.is_dir():
        root, pair = wmt.place_of(path)
        files = sorted((root / _FOLDER).glob(f"{pair}.*{_SUFFIX}"))
    else:
        root, pair, files = path.absolute().parent.parent, path.name.partition(".")[0], [path]
    if not files:
        raise InputError(f"{path}: no file {_FOLDER}/{pair}.*{_SUFFIX}; expected human scores")
    count = len(wmt.lines_of(root / "sources" / f"{pair}.txt"))
    rows, numbers, absent = [], [], 0
    for file in files:
        criterion = file.name.removesuffix(_SUFFIX).removeprefix(f"{pair}.")
        place = 0
        for system, values in wmt.segment_scores(file, count).items():
            for segment, value in enumerate(values, start=1):
                place += 1
                if value is None:
                    absent += 1
                    continue
                rows.append((str(segment), system, MEAN, criterion, value))
                numbers.append(place)
    notes = (f"{counted(absent, 'segment')} without a score left out",) if absent else ()
    frame = pl.DataFrame(rows, schema=RATINGS, orient="row")
    return RatingsDraft(frame, Origin(((str(path), numbers),)), notes)


FORMAT = RatingFormat(
    "wmt",
    "WMT's human scores of segments (mt-metrics-eval): human-scores/<pair>.<name>.seg.score",
    recognise,
    read,
)
