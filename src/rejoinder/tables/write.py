"""Writing tables, each whole or not at all."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.replacing import check_target, replacing
from rejoinder.messages import quoted
from rejoinder.rendering.comma_separated import without_formulas
from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.schemas import (
    AGAINST,
    CANDIDATES,
    CONTEXTS,
    DETAILS,
    DRAWN,
    PREFERENCES,
    RATINGS,
    REFERENCES,
    RESPONSES,
    SAMPLE,
    SCORE_KIND,
    SCORES,
)
from rejoinder.tables.testset import TestSet, TestSetLike


def write_testset(testset: TestSetLike, path: str | os.PathLike[str]) -> None:
    """Writes a test set as ``.jsonl`` or ``.parquet``, by the path's suffix.

    Raises:
        InputError: The suffix is none of these, or the path cannot be written.
    """
    _write(TestSet.of(testset), path, {".jsonl": _testset_jsonl, ".parquet": _testset_parquet})


def write_responses(responses: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes responses as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by the path's suffix.

    A column ``sample`` and the numbers of n-best lists are written where they are.

    Raises:
        InputError: The suffix is none of these, the path cannot be written, or a text holds a tab
            or a line end where TSV has no way to say so.
    """
    more = [SAMPLE] if SAMPLE in responses.columns else []
    more += [name for name, dtype in responses.schema.items() if dtype == pl.Float64]
    _write_rows(responses.select(*RESPONSES, *more), path)


def write_ratings(ratings: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes ratings as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by the path's suffix.

    The columns ``against`` and ``conversation``, and those of ``DETAILS``, are written where they are.

    Raises:
        InputError: As with ``write_responses``.
    """
    optional = [name for name in (AGAINST, *DETAILS, CONVERSATION) if name in ratings.columns]
    _write_rows(ratings.select(*RATINGS, *optional), path)


def write_preferences(preferences: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes comparisons as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by the path's suffix.

    The columns of ``DETAILS``, and ``conversation``, are written where they are.

    Raises:
        InputError: As with ``write_responses``.
    """
    optional = [name for name in (*DETAILS, CONVERSATION) if name in preferences.columns]
    _write_rows(preferences.select(*PREFERENCES, *optional), path)


def write_scores(scores: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes scores as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by the path's suffix.

    The optional columns of ``SCORES`` are written where they are.

    Raises:
        InputError: As with ``write_responses``.
    """
    columns = [name for name in (*SCORES, SCORE_KIND) if name in scores.columns]
    _write_rows(scores.select(columns), path)


def write_candidates(candidates: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes mined candidates as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by the path's suffix.

    In CSV and TSV the turns of ``mined_context`` are a list of JSON in one cell.

    Raises:
        InputError: As with ``write_responses``.
    """
    table = candidates.select(*CANDIDATES)
    if Path(path).suffix.lower() in (".csv", ".tsv"):
        cells = [
            None if turns is None else msgspec.json.encode(turns).decode()
            for turns in table.get_column("mined_context").to_list()
        ]
        table = table.with_columns(pl.Series("mined_context", cells, dtype=pl.String))
    _write_rows(table, path)


def write_drawn(items: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes drawn items as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by the path's suffix.

    Raises:
        InputError: As with ``write_responses``.
    """
    _write_rows(items.select(*DRAWN), path)


def write_table(table: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes a table of results as ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, by its suffix.

    An undefined number is ``NaN`` in CSV, TSV and Parquet, and null in JSON lines. In CSV and TSV,
    which people open in a spreadsheet, a text that would begin a formula has an apostrophe before
    it (see `comma_separated.without_formulas`).

    Raises:
        InputError: The suffix is none of these, or the path cannot be written.
    """
    writers = {
        ".jsonl": _jsonl,
        ".csv": lambda frame, place: _separated(frame, place, ","),
        ".tsv": lambda frame, place: _separated(frame, place, "\t"),
        ".parquet": write_parquet,
    }
    _write(table, path, writers)


def write_parquet(table: pl.DataFrame, path: Path, metadata: dict[str, str] | None = None) -> None:
    """Writes a Parquet file, for the body of ``replacing``.

    Polars writes it into memory, and Python onto the disk: of a full disk Polars tells now this and
    now that ("Invalid thrift: transport error"), and Python always the system's reason.

    Args:
        table: The table.
        path: The file.
        metadata: Texts by key that the file keeps beside the table; None: there are none.

    Raises:
        OSError: The file cannot be written.
    """
    path.write_bytes(parquet_of(table, metadata))


def parquet_of(table: pl.DataFrame, metadata: dict[str, str] | None = None) -> bytes:
    """The content of a Parquet file; see ``write_parquet``."""
    content = io.BytesIO()
    table.write_parquet(content, metadata=metadata)
    return content.getvalue()


def _separated(table: pl.DataFrame, path: Path, separator: str) -> None:
    path.write_bytes(without_formulas(table).write_csv(separator=separator).encode())


def _write(
    table: Any, path: str | os.PathLike[str], writers: dict[str, Callable[[Any, Path], None]]
) -> None:
    """Writes a table whole or not at all, by the suffix of the path."""
    check_target(path, writers)
    with replacing(path) as temporary:
        writers[Path(path).suffix.lower()](table, temporary)


def _testset_jsonl(testset: TestSet, path: Path) -> None:
    lists: dict[str, list[str | dict[str, Any]]] = {name: [] for name in testset.ids}
    for name, text, weight, source in testset.references.iter_rows():
        full = {"text": text, "weight": weight, "source": source}
        values = {key: value for key, value in full.items() if value is not None}
        lists[name].append(values if len(values) > 1 else text)
    rows = testset.contexts.iter_rows(named=True)
    _lines(path, ({**row, "references": lists[row["id"]]} for row in rows))


def _testset_parquet(testset: TestSet, path: Path) -> None:
    fields = [name for name in REFERENCES if name != "id"]
    nested = testset.references.group_by("id", maintain_order=True).agg(
        pl.struct(fields).alias("references")
    )
    dtype = pl.List(pl.Struct({name: REFERENCES[name] for name in fields}))
    joined = testset.contexts.join(nested, on="id", how="left")
    # A join makes no promise about order in all versions: the items' own order is restored.
    order = testset.contexts.select("id").with_row_index("place of item")
    table = joined.join(order, on="id").sort("place of item").drop("place of item")
    empty = pl.lit([], dtype=dtype)
    table = table.with_columns(pl.col("references").cast(dtype).fill_null(empty))
    further = [name for name in testset.contexts.columns if name not in CONTEXTS]
    write_parquet(table.select(*CONTEXTS, "references", *further), path)


def _write_rows(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    writers = {".jsonl": _jsonl, ".csv": _csv, ".tsv": _tsv, ".parquet": write_parquet}
    _write(frame, path, writers)


def _jsonl(frame: pl.DataFrame, path: Path) -> None:
    _lines(path, frame.iter_rows(named=True))


def _csv(frame: pl.DataFrame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(frame.columns)
        writer.writerows(frame.iter_rows())


def _tsv(frame: pl.DataFrame, path: Path) -> None:
    frame = frame.with_columns(pl.col(pl.String).fill_null(""))
    for row in frame.select(pl.col(pl.String)).iter_rows():
        if any("\t" in cell or "\n" in cell or "\r" in cell for cell in row):
            raise InputError(
                f"{path.name}: the row of {quoted(row[0])} and {quoted(row[1])} holds a tab or a "
                "line end, which TSV cannot; write .jsonl, .csv or .parquet"
            )
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\t".join(frame.columns) + "\n")
        file.writelines("\t".join(map(_cell, row)) + "\n" for row in frame.iter_rows())


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as file:
        file.writelines(encode(row) + b"\n" for row in rows)
