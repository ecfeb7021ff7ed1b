"""GRADE's mean scores (Huang et al. 2020): a ``human_score.txt`` for each system, a mean on each line."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted, quoted
from rejoinder.tables.assembly.grade_items import PUBLISHED, item_names
from rejoinder.tables.assembly.long_or_wide import MEAN, OVERALL
from rejoinder.tables.io.text_lines import read_lines
from rejoinder.tables.origin import Draft, Origin
from rejoinder.tables.schemas import RATINGS

SCORES, CONTEXTS = "human_score.txt", "human_ctx.txt"
PUBLISHED_SCORES = "human_score"
"""The folder that holds the folders of mean scores of all data sets, as they were published."""

_NOTE = (
    "each score is the mean of several people, whose single ratings are not known (rater 'mean'): there "
    "is no agreement between raters, and their part of the variance is unknown"
)


def has_means(path: Path) -> bool:
    """Whether a folder is that of a data set, or of several, with a file of mean scores per system."""
    return bool(_data_sets(path))


def read_means(path: Path) -> Draft:
    """The mean scores of a folder; the items are called as in the folders of texts (``grade_items``).

    Raises:
        InputError: Which contexts the lines belong to is unknown, or a line holds no number.
    """
    rows, row_numbers = [], []
    folders = _data_sets(path)
    for folder in folders:
        names = _names(folder, len(folders) > 1)
        for system, file in _systems(folder).items():
            scores = [_score(line, file, row) for row, line in enumerate(read_lines(file), start=1)]
            if system in names and len(names[system]) != len(scores):
                raise InputError(
                    f"{file}: {counted(len(scores), 'line')}, and the contexts of {quoted(system)} have "
                    f"{len(names[system])}; expected the same number"
                )
            items = names.get(system) or [str(row) for row in range(1, len(scores) + 1)]
            rows += [(i, system, MEAN, OVERALL, s) for i, s in zip(items, scores, strict=True)]
            row_numbers.append((str(file), range(1, len(scores) + 1)))
    frame = pl.DataFrame(rows, schema=RATINGS, orient="row")
    return Draft(frame, Origin(tuple(row_numbers)), (_NOTE,))


def _data_sets(path: Path) -> list[Path]:
    """The folders of data sets at a folder: itself, those in it, or those in its ``human_score``."""
    if _systems(path):
        return [path]
    below = path / PUBLISHED_SCORES
    folders = below if below.is_dir() else path
    return [each for each in _folders(folders) if _systems(each)]


def _systems(folder: Path) -> dict[str, Path]:
    """By system its file."""
    files = {each.name: each / SCORES for each in _folders(folder)}
    return {system: file for system, file in files.items() if file.is_file()}


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(each for each in path.iterdir() if each.is_dir())
    except OSError:
        return []


def _names(folder: Path, several: bool) -> dict[str, list[str]]:
    """By system the items of its lines; empty where the only system's items are its lines.

    Raises:
        InputError: Several systems, and no contexts beside the scores or in ``eval_data``.
    """
    place = folder.absolute()
    published = place.parent.parent / PUBLISHED / place.name
    for texts in (published, place):
        files = {each.name: each / CONTEXTS for each in _folders(texts)}
        contexts = {name: read_lines(file) for name, file in files.items() if file.is_file()}
        if _systems(folder).keys() <= contexts.keys():
            return item_names(contexts, place.name if several or texts == published else "")
    if len(_systems(folder)) > 1 or several:
        raise InputError(
            f"{folder}: mean scores without their contexts ({CONTEXTS}), so that it is not known which "
            f"lines of two systems are of one item; expected the folder {PUBLISHED} beside "
            f"{PUBLISHED_SCORES}, as published, or human_judgement.json, which holds every single rating"
        )
    return {}


def _score(line: str, file: Path, row: int) -> float:
    try:
        return float(line)
    except ValueError:
        raise InputError(
            f"{file}, row {row}: got {quoted(line)}; expected the mean score of a reply, such as 3.4"
        ) from None
