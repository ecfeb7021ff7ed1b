"""Scores of other tools as a long table, or as a wide one with a column per metric."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files import pipes
from rejoinder.messages import Argument, Placeholder, listed, more, quoted
from rejoinder.tables.assembly.column_roles import may_be_words, with_samples
from rejoinder.tables.assembly.rating_cells import (
    CellScores,
    columns_of_numbers,
    graded,
    strict_scores,
    with_numbers,
)
from rejoinder.tables.checks.validation import is_first
from rejoinder.tables.columns import OtherTableError, require
from rejoinder.tables.item_clusters import has_text, with_labels
from rejoinder.tables.notes import Note, note, pass_on
from rejoinder.tables.parts import Draft, Part
from rejoinder.tables.schemas import ALIASES, PROBABILITY, RATE, REPEATS, SCORE_KIND, SCORES

KEYS = ("system", "id", "sample", "rater")
"""The columns that say what a score is of."""

_NO_METRICS = {
    *SCORES, *REPEATS, "", "context", "text", "references", "reference", "weight", "source",
    "index", "unnamed: 0", "__index_level_0__", "row", "turn", "seed", "conversation", "criterion", "winner",
}  # fmt: skip
"""Columns of a wide table that are no metrics though they may hold numbers."""

_RUN_COLUMNS = {
    "age", "approvals", "at", "cost", "costs", "date", "duration", "elapsed", "id", "ids", "latency",
    "milliseconds", "ms", "number", "position", "price", "rejections", "runtime", "seconds", "secs", "time",
    "timestamp", "tokens", "tstamp", "year",
}  # fmt: skip
"""Last words of columns that say which reply or rating it is or how it was made: metrics only where they
are named."""

_BEFORE = {
    "at": re.compile(r"\w+ed|begun|done|end|made|run|seen|sent|start|written"),
    "date": re.compile(
        r"\w+ed|birth|creation|end|launch|rating|release|run|start|submission|update"
    ),
    "number": re.compile(
        r"annotation|batch|case|conversation|dialogue|example|item|job|line|order|page|participant|prompt"
        r"|question|rater|row|run|sample|segment|serial|session|step|system|task|trial|turn|version|worker"
    ),
}
"""By last word the words before it: ``recall_at_1``, ``up_to_date`` and ``correct_number`` are metrics."""

_UNITS = {"in", "ms", "s", "sec", "secs", "seconds", "milliseconds", "spent", "taken", "usd"}


def is_of_run(name: str) -> bool:
    """Whether a column says what, when, how long or at what cost something is, and not how good it is.

    >>> [is_of_run(each) for each in ("execution_time", "latencyMs", "ANNOTATION_ID", "timeliness")]
    [True, True, True, False]
    >>> [is_of_run(each) for each in ("created_at", "recall_at_1", "item_number", "correct_number")]
    [True, False, True, False]
    """
    words = [each.lower() for each in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    if len(words) > 1 and words[-1] in _BEFORE:
        at_rank = words[-1] == "at" and re.search(r"\d\s*$", name)
        return not at_rank and bool(_BEFORE[words[-1]].fullmatch(words[-2]))
    return bool(words) and words[-1] in _RUN_COLUMNS


def may_be_metric(name: str) -> bool:
    """Whether a column of a wide table that holds numbers may be a metric."""
    return name.strip().lower() not in _NO_METRICS


def holds_numbers(cells: CellScores) -> bool:
    """Whether a column is one of numbers: more of its cells are numbers than words."""
    return cells.plain > cells.wrong.sum()


def scores_of_part(part: Part, keep: Sequence[str] = ()) -> Draft:
    """The scores of a table with a column ``value``, else of one with a column per metric.

    Where no column names the system, or the metric of a long table, the name of the file does.

    Args:
        part: The table.
        keep: Additional columns to keep, where they are there: none of them is a metric.

    Raises:
        InputError: A column is absent or misspelt, or a cell of a score holds no number.
    """
    frame, place = part.frame, Path(part.name)
    stem, columns = pipes.name_of(place) or place.name.partition(".")[0], frame.columns
    unnamed = "system" not in columns
    if unnamed and _compares_systems(frame):
        raise OtherTableError(
            f"{part.name}: holds comparisons of two systems (a column for each of them), and no scores; "
            "summarise them with 'rejoinder preferences'"
        )
    if unnamed:
        frame = frame.with_columns(pl.lit(stem).alias("system"))
    if "value" not in columns and {"name", "score"} <= set(columns):
        frame = frame.rename({"score": "value"})
    frame = _with_kinds(with_samples(frame, part.name), part.name)
    texts = [each for each in ("sample", "rater") if frame.schema.get(each) == pl.String]
    frame = frame.with_columns(
        pl.when(has_text(each)).then(pl.col(each)).alias(each) for each in texts
    )
    frame, additional = with_labels(frame, keep, (*SCORES, SCORE_KIND))
    words = [
        each
        for each in frame.columns
        if may_be_metric(each) and may_be_words(each) and each not in additional
    ]
    cells = ["value"] if "value" in frame.columns else words
    frame = frame.with_columns(graded(frame[each], part.name) for each in cells)
    part = with_numbers(part.with_frame(frame), PROBABILITY)
    long = "value" in frame.columns
    table = _long(part, stem, additional) if long else _wide(part, stem, columns, additional)
    # None of the additional columns is taken for one of these that is misspelt.
    absent = [
        name
        for name in ("sample", "rater", PROBABILITY)
        if additional and name not in table.columns
    ]
    table = table.with_columns(pl.lit(None, SCORES[name]).alias(name) for name in absent)
    if unnamed:
        keys = table.select(name for name in ("name", *KEYS) if name in table.columns)
        refuse_several_systems(keys, part.name, stem, columns, "score")
    rows = list(part.numbers)
    return Draft.of(part.name, rows * (table.height // max(1, len(rows))), table)


def _compares_systems(frame: pl.DataFrame) -> bool:
    """Whether a table has a column for each of two systems: names, or numbers and a winner."""
    sides = [{side, *ALIASES[side]} & set(frame.columns) for side in "ab"]
    if "winner" in frame.columns or not all(sides):
        return "winner" in frame.columns or all(sides)
    named = frame.select(set.union(*sides))
    return named.cast(pl.Float64, strict=False).null_count().rows() != named.null_count().rows()


def _with_kinds(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The table with ``rate`` or null as kinds; as it is where its column ``kind`` never says ``rate``."""
    if frame.schema.get(SCORE_KIND) != pl.String:
        return frame
    word = pl.col(SCORE_KIND).str.strip_chars()
    is_rate = word.str.to_lowercase() == RATE
    others = frame.filter(~is_rate, word != "", word.cast(pl.Float64, strict=False).is_null())
    if words := others.get_column(SCORE_KIND).unique(maintain_order=True).to_list():
        note("kinds", name, words=words)
    kinds = frame.with_columns(pl.when(is_rate).then(pl.lit(RATE)).alias(SCORE_KIND))
    return kinds if has_kinds(kinds) else frame


def has_kinds(frame: pl.DataFrame) -> bool:
    """Whether the column ``kind`` of a table declares rates, and is no column of the user's."""
    text = frame.schema.get(SCORE_KIND) == pl.String
    return text and bool((frame.get_column(SCORE_KIND) == RATE).any())


def refuse_several_systems(
    keys: pl.DataFrame, name: str, stem: str, columns: Sequence[str], noun: str
) -> None:
    """Raises where a table without systems says the same of one reply twice: it has several systems.

    Args:
        keys: The columns that say what a row is of, among them ``id``.
        name: The file.
        stem: The system that the file was taken for.
        columns: The columns of the file.
        noun: What a row holds.

    Raises:
        InputError: Names the id, and the column that is absent.
    """
    if again := keys.filter(~is_first(keys)).get_column("id").to_list():
        raise InputError(
            f"{name}: no column 'system', and id {quoted(again[0])} has several {noun}s"
            f"{more(len(again), noun)}; got {listed(columns)}; add the column 'system', name "
            f"it with {Argument('columns', {'system': Placeholder('COLUMN')})}, or write a file for each "
            f"system (this one is taken for that of {quoted(stem)}); if all are of one system, keep one of "
            "them"
        )


def _long(part: Part, stem: str, additional: Sequence[str]) -> pl.DataFrame:
    optional = ("name", "sample", "rater", PROBABILITY)
    present = [each for each in part.frame.columns if each not in additional]
    require(("system", "id", "value"), present, part.name, optional)
    frame = with_numbers(part, "value").frame
    if "name" not in frame.columns:
        frame = frame.with_columns(pl.lit(stem).alias("name"))
    kinds = [SCORE_KIND] * has_kinds(frame)
    return frame.select(name for name in (*SCORES, *kinds, *additional) if name in frame.columns)


def _wide(part: Part, stem: str, columns: Sequence[str], additional: Sequence[str]) -> pl.DataFrame:
    require(("system", "id"), part.frame.columns, part.name)
    kinds = [SCORE_KIND] * has_kinds(part.frame)
    names = [name for name in columns if may_be_metric(name) and name not in (*kinds, *additional)]
    # Also where every cell is empty.
    numeric = columns_of_numbers(part, names, lambda cells: not holds_numbers(cells))
    of_runs = [name for name in numeric if is_of_run(name)]
    metrics = [name for name in numeric if name not in of_runs]
    beside = (
        [Note("of runs", part.name, {"columns": of_runs, "column": "value"})] if of_runs else []
    )
    if not metrics:
        raise OtherTableError(
            f"{part.name}: no column of numbers{' that is a metric' * bool(beside)}; got "
            f"{listed(columns)}; expected the columns system, id, name and value, or a column of "
            + "; ".join(["numbers for each metric", *(each.text for each in beside)])
        )
    called = [stem] if metrics == ["score"] else metrics
    system = None if "system" in columns else stem
    note("metrics", part.name, columns=called, system=system)
    for each in beside:
        pass_on(each)
    keys = [
        name for name in (*KEYS, PROBABILITY, *kinds, *additional) if name in part.frame.columns
    ]
    tables = []
    for name, metric in zip(metrics, called, strict=True):
        cells = part.frame.get_column(name)
        values = strict_scores(cells, part.name, part.numbers, f"column '{name}':").fill_nan(None)
        tables.append(part.frame.select(*keys, name=pl.lit(metric), value=values))
    return pl.concat(tables)
