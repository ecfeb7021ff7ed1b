"""Files of ``rejoinder ruq`` for a report: kept values, and likelihoods of single tokens."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.figures.ruq import COLUMNS, TOKENS_SAVED
from rejoinder.files.reading import existing
from rejoinder.messages import Call, quoted
from rejoinder.scoring.scores import Scores, load_scores
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.kept_files import holds_scores


def read_quantities(
    paths: Sequence[str | os.PathLike[str]],
) -> tuple[dict[str, Scores], dict[str, pl.DataFrame]]:
    """The values of RUQ and the likelihoods of tokens, each by the name of its file.

    Args:
        paths: Files of ``ruq --save`` and ``ruq --save-tokens``, in any order.

    Raises:
        InputError: A file is not there, or is none of both.
    """
    values: dict[str, Scores] = {}
    tokens: dict[str, pl.DataFrame] = {}
    for path in existing(list(paths), "results of ruq") if paths else ():
        name = _free(path.name, {*values, *tokens})
        if path.is_file() and holds_scores(path):
            values[name] = _values(path)
        else:
            tokens[name] = _tokens(path)
    return values, tokens


def _values(path: Path) -> Scores:
    scores = load_scores(path)
    if any(each.metric.name != "ruq" for each in scores.measured.values()):
        raise InputError(
            f"{path}: holds scores of {quoted(scores.labels[0])}, expected those of RUQ; give a file of "
            f"'{Call('Quantity.scores.save')}'"
        )
    return scores


def _tokens(path: Path) -> pl.DataFrame:
    try:
        with refusing_panics():
            table = pl.read_parquet(path, glob=False) if path.is_file() else pl.DataFrame()
    except (pl.exceptions.PolarsError, OSError):
        table = pl.DataFrame()
    if not set(COLUMNS) <= set(table.columns):
        raise InputError(
            f"{path}: is no result of RUQ; expected a Parquet file of '{Call('Quantity.scores.save')}' or "
            f"'{TOKENS_SAVED}'"
        )
    return table


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
