"""Scores of other tools as a long table, or as a wide one with a column per metric."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files import pipes
from rejoinder.messages import Argument, Placeholder, counted, listed, more, quoted
from rejoinder.tables.assembly.rating_cells import label_notes, refuse_wrong, scores_of
from rejoinder.tables.checks.validation import is_first
from rejoinder.tables.columns import require
from rejoinder.tables.origin import Draft, Origin
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
    frame, notes = (
        _long(frame, part, stem) if "value" in frame.columns else _wide(frame, part, stem)
    )
    if unnamed:
        _refuse_several_systems(frame, part, stem)
    rows = list(part.numbers)
    return Draft(frame, Origin(((part.name, rows * (frame.height // len(rows))),)), notes)


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


def _long(frame: pl.DataFrame, part: Part, stem: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    require(
        ("system", "id", "value"),
        frame.columns,
        part.name,
        ("name", "sample", "rater", "probability"),
    )
    if "name" not in frame.columns:
        frame = frame.with_columns(pl.lit(stem).alias("name"))
    values, notes = _numbers(frame.get_column("value"), part, "value")
    frame = frame.with_columns(values.alias("value"), *_probability(frame, part))
    return frame.select(name for name in SCORES if name in frame.columns), notes


def _wide(frame: pl.DataFrame, part: Part, stem: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    require(("system", "id"), frame.columns, part.name)
    metrics: dict[str, pl.Series] = {}
    text, of_runs, notes = [], [], []
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
            continue
        if is_of_run(name):
            of_runs.append(name)
            continue
        metrics[name], of_column = _numbers(cells, part, f"column '{name}':")
        notes += of_column
    beside = [
        f"{counted(len(of_runs), 'column')} of positions, times or costs left out: {listed(of_runs)}; "
        f"{Argument('columns', {'value': name})} reads that one as a metric"
        for name in of_runs[:1]
    ]
    if not metrics:
        raise InputError(
            f"{part.name}: no column of numbers{' that is a metric' * bool(beside)}; got "
            f"{listed(part.frame.columns)}; expected the columns system, id, name and value, or a column of "
            + "; ".join(["numbers for each metric", *beside])
        )
    if list(metrics) == ["score"]:
        metrics = {stem: metrics["score"]}
    words = f"each column of numbers is a metric: {listed(list(metrics))}"
    if "system" not in part.frame.columns and len(metrics) > 1:
        words += (
            f"; the system is {quoted(stem)}; where the columns are systems, write a row for each system "
            "and id (system, id, value)"
        )
    notes = [words, *beside, *notes]
    if text:
        notes.append(f"{counted(len(text), 'column')} without numbers left out: {listed(text)}")
    keys = [name for name in (*KEYS, "probability") if name in frame.columns]
    frame = frame.with_columns(_probability(frame, part)).select(keys)
    tables = [
        frame.with_columns(pl.lit(name).alias("name"), values.alias("value"))
        for name, values in metrics.items()
    ]
    return pl.concat(tables), tuple(notes)


def _numbers(cells: pl.Series, part: Part, what: str) -> tuple[pl.Series, tuple[str, ...]]:
    """The numbers of a column, null where a cell is empty or NaN, and notes on labels."""
    scores = scores_of(cells)
    refuse_wrong(scores, cells, part.name, list(part.numbers), what)
    return scores.values.fill_nan(None), label_notes(scores, cells)


def _probability(frame: pl.DataFrame, part: Part) -> list[pl.Series]:
    if "probability" not in frame.columns:
        return []
    return [_numbers(frame.get_column("probability"), part, "probability")[0].alias("probability")]
