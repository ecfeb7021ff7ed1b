"""Scores of other tools as a long table, or as a wide one with a column per metric."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files import pipes
from rejoinder.messages import Argument, Placeholder, listed, more, quoted
from rejoinder.tables.assembly.rating_cells import scores_of, strict_scores
from rejoinder.tables.checks.validation import is_first
from rejoinder.tables.columns import OtherTableError, require
from rejoinder.tables.notes import Note, note, pass_on
from rejoinder.tables.origin import Draft
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import SCORES

KEYS = ("system", "id", "sample", "rater")
"""The columns that say what a score is of."""

_NO_METRICS = {
    *SCORES, "", "context", "text", "references", "reference", "weight", "source", "index",
    "unnamed: 0", "__index_level_0__", "row", "turn", "seed", "conversation", "criterion",
}  # fmt: skip
"""Columns of a wide table that are no metrics though they may hold numbers."""

_OF_RUNS = {
    "cost", "costs", "duration", "elapsed", "latency", "milliseconds", "ms", "position", "price", "runtime",
    "seconds", "secs", "time", "timestamp", "tokens", "tstamp",
}  # fmt: skip
"""Last words of columns that say how a reply or a rating was made: metrics only where they are named."""

_UNITS = {"in", "ms", "s", "sec", "secs", "seconds", "milliseconds", "spent", "taken", "usd"}


def is_of_run(name: str) -> bool:
    """Whether a column says when, how long or at what cost something was made, and not how good it is.

    >>> [is_of_run(each) for each in ("execution_time", "latencyMs", "elapsed (s)", "timeliness")]
    [True, True, True, False]
    """
    words = [each.lower() for each in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    return bool(words) and words[-1] in _OF_RUNS


def scores_of_part(part: Part) -> Draft:
    """The scores of a table with a column ``value``, else of one with a column per metric.

    Where no column names the system, or the metric of a long table, the name of the file does.

    Raises:
        InputError: A column is absent or misspelt, or a cell of a score holds no number.
    """
    frame, place = part.frame, Path(part.name)
    stem = pipes.name_of(place) or place.name.partition(".")[0]
    unnamed = "system" not in frame.columns
    if unnamed and {"a", "b", "winner"} <= set(frame.columns):
        raise InputError(
            f"{part.name}: holds comparisons of two systems (columns a, b and winner), and no scores; "
            "summarise them with 'rejoinder preferences'"
        )
    if unnamed:
        frame = frame.with_columns(pl.lit(stem).alias("system"))
    if "value" not in frame.columns and {"name", "score"} <= set(frame.columns):
        frame = frame.rename({"score": "value"})
    frame = _long(frame, part, stem) if "value" in frame.columns else _wide(frame, part, stem)
    if unnamed:
        _refuse_several_systems(frame, part, stem)
    rows = list(part.numbers)
    return Draft.of(part.name, rows * (frame.height // len(rows)), frame)


def _refuse_several_systems(frame: pl.DataFrame, part: Part, stem: str) -> None:
    """Raises where a table without systems has several scores of one reply: it has several systems.

    Raises:
        InputError: Names the id, and the column that is absent.
    """
    keys = frame.select(name for name in ("name", *KEYS) if name in frame.columns)
    if again := keys.filter(~is_first(keys)).get_column("id").to_list():
        raise InputError(
            f"{part.name}: no column 'system', and id {quoted(again[0])} has several scores"
            f"{more(len(again), 'score')}; got {listed(part.frame.columns)}; add the column 'system', name "
            f"it with {Argument('columns', {'system': Placeholder('COLUMN')})}, or write a file for each "
            f"system (this one is taken for that of {quoted(stem)})"
        )


def _long(frame: pl.DataFrame, part: Part, stem: str) -> pl.DataFrame:
    require(
        ("system", "id", "value"),
        frame.columns,
        part.name,
        ("name", "sample", "rater", "probability"),
    )
    if "name" not in frame.columns:
        frame = frame.with_columns(pl.lit(stem).alias("name"))
    values = _numbers(frame.get_column("value"), part, "value")
    frame = frame.with_columns(values.alias("value"), *_probability(frame, part))
    return frame.select(name for name in SCORES if name in frame.columns)


def _wide(frame: pl.DataFrame, part: Part, stem: str) -> pl.DataFrame:
    require(("system", "id"), frame.columns, part.name)
    metrics: dict[str, pl.Series] = {}
    text, of_runs = [], []
    for name in frame.columns:
        if name.strip().lower() in _NO_METRICS:
            continue
        cells = frame.get_column(name)
        if cells.dtype == pl.Boolean:
            cells = cells.cast(pl.Float64)
        scores = scores_of(cells)
        numbers = (scores.values.is_not_null() & ~scores.labels).sum()
        if numbers <= scores.wrong.sum():  # also where every cell is empty
            text.append(name)
        elif is_of_run(name):
            of_runs.append(name)
        else:
            metrics[name] = _numbers(cells, part, f"column '{name}':")
    beside = [Note("of runs", part.name, {"columns": of_runs})] if of_runs else []
    if not metrics:
        raise OtherTableError(
            f"{part.name}: no column of numbers{' that is a metric' * bool(beside)}; got "
            f"{listed(part.frame.columns)}; expected the columns system, id, name and value, or a column of "
            + "; ".join(["numbers for each metric", *(each.text for each in beside)])
        )
    if list(metrics) == ["score"]:
        metrics = {stem: metrics["score"]}
    system = None if "system" in part.frame.columns else stem
    note("metrics", part.name, columns=list(metrics), system=system)
    for each in beside:
        pass_on(each)
    if text:
        note("no numbers", part.name, columns=text)
    keys = [name for name in (*KEYS, "probability") if name in frame.columns]
    frame = frame.with_columns(_probability(frame, part)).select(keys)
    tables = [
        frame.with_columns(pl.lit(name).alias("name"), values.alias("value"))
        for name, values in metrics.items()
    ]
    return pl.concat(tables)


def _numbers(cells: pl.Series, part: Part, what: str) -> pl.Series:
    """The numbers of a column, null where a cell is empty or NaN."""
    return strict_scores(cells, part.name, part.numbers, what).fill_nan(None)


def _probability(frame: pl.DataFrame, part: Part) -> list[pl.Series]:
    if "probability" not in frame.columns:
        return []
    return [_numbers(frame.get_column("probability"), part, "probability").alias("probability")]
