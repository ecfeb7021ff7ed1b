"""Saving and loading Scores: one Parquet file of rows, without a single text.

The table is ``system``, ``id``, the own columns of the items as ``item:<column>``, and
``<metric>.<statistic>`` for every column of every metric (null where the metric could not score the
item). The metadata of the file hold, under the key ``rejoinder``, a JSON object that says how to
score the rows, and under ``rejoinder.sha256`` the hash of the whole file, which is checked before
anything is read. The rows of a metric whose class is not known where the file is read stay as they
are: ``saved_metrics.py``.
"""

from __future__ import annotations

import io
import os
from copy import copy
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import InputError, RejoinderError, one_of
from rejoinder.files.checksums import PLACEHOLDER, is_undamaged, write_checksum
from rejoinder.files.replacing import replacing
from rejoinder.files.sources import data_of, head_of, keeping_sources
from rejoinder.kernels.arrays import Tokens
from rejoinder.messages import Call
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import Matrix, rows_of
from rejoinder.scoring.measurements import Measured, Measurements, clusters_of
from rejoinder.scoring.saved_metrics import (
    Given,
    KeptMean,
    KeptRows,
    SavedMetric,
    matched,
    note,
    restored,
    saved_metric,
)
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.nested_variance import MOMENTS
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.kept_files import KEY, holds_scores
from rejoinder.tables.write import write_parquet

SEAL = "rejoinder.sha256"
FORMAT = 1

SAVED = Call("Scores.save")
ROUNDING = 1e-9
"""So far a score may lie outside the bounds of its metric."""


class ScoreFileMetadata(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What the metadata of a saved file say."""

    format: int
    version: str
    systems: list[str]
    columns: list[str]
    metrics: dict[str, SavedMetric]
    notes: list[str]
    resamples: int
    seed: int
    references: tuple[int, int]
    blocks: bool
    cluster: str = ""
    exact: bool = False
    pairwise: bool = False
    """Whether systems answered different items; a row without values is then no reply."""


def save(scores: Measurements, path: str | os.PathLike[str]) -> None:
    """Writes the rows to a Parquet file, first under a temporary name.

    A file of scores is replaced; any other file is refused.

    Raises:
        InputError: The path cannot be written, its suffix is not .parquet, or another file is there.
    """
    file = Path(path)
    if file.suffix.lower() != ".parquet":
        raise InputError(f"{path}: scores are kept as Parquet; name a file that ends in .parquet")
    if file.is_file() and file.stat().st_size and not holds_scores(file):
        raise InputError(
            f"{path}: a file stands there that holds no kept scores, so it is not replaced; name "
            "another file, or remove this one"
        )
    n = scores.items.height
    items = scores.items.rename({name: _file_column(name) for name in scores.items.columns})
    table = pl.concat([items] * len(scores.names)).select(
        pl.Series("system", np.repeat(np.array(scores.names, dtype=object), n), dtype=pl.String),
        pl.all(),
    )
    for label, each in scores.measured.items():
        table = table.hstack(_columns(label, each, len(scores.names)))
    for kept_rows in scores.unknown_metrics.values():
        table = table.hstack(kept_rows.rows)
    saved = ScoreFileMetadata(
        FORMAT,
        __version__,
        list(scores.names),
        scores.items.columns,
        _saved_metrics(scores),
        _own_notes(scores),
        scores.resamples,
        scores.seed,
        scores.references,
        scores.blocks,
        scores.cluster,
        scores.exact,
        any(each.answered is not None for each in scores.measured.values()),
    )
    metadata = {KEY: msgspec.json.encode(saved).decode(), SEAL: PLACEHOLDER}
    with replacing(path) as temporary:
        write_parquet(table, temporary, metadata)
        write_checksum(temporary)


def _saved_metrics(scores: Measurements) -> dict[str, SavedMetric]:
    """What is written of every metric, those among them whose class is not known here."""
    served = {
        label: saved_metric(each.metric, each.signature, each.items)
        for label, each in scores.measured.items()
    }
    return served | {
        label: unknown_metrics.saved for label, unknown_metrics in scores.unknown_metrics.items()
    }


def _own_notes(scores: Measurements) -> list[str]:
    """The notes without those that loading adds, which whoever loads the file adds again."""
    added = {
        note(label, unknown_metrics.saved)
        for label, unknown_metrics in scores.unknown_metrics.items()
    }
    for label, each in scores.measured.items():
        if isinstance(each.metric, KeptMean):
            added.add(note(label, each.metric.saved))
    return [each for each in scores.notes if each not in added]


def _file_column(column: str) -> str:
    """What a column of the items is called in the file: no metric's, nor ``system``, is like it."""
    return column if column == "id" else f"item:{column}"


def _columns(label: str, measured: Measured, systems: int) -> list[pl.Series]:
    rows, n = measured.rows, measured.usable.size
    columns = _samples_column(label, measured, systems)
    places = (np.arange(systems)[:, None] * n + np.flatnonzero(measured.usable)).ravel()
    answered = np.ones(places.size, dtype=np.bool_)
    if measured.answered is not None:
        answered = measured.answered.ravel()
    if isinstance(rows, Matrix):
        values = np.full((systems * n, rows.width), np.nan)
        values[places[answered]] = rows.values.reshape(-1, rows.width)[answered]
        return columns + [
            pl.Series(f"{label}.{name}", values[:, k], nan_to_null=True)
            for k, name in enumerate(measured.metric.columns)
        ]
    bags: list[pl.Series | None] = [None] * (systems * n)
    ends = zip(
        places[answered], rows.first.ravel()[answered], rows.last.ravel()[answered], strict=True
    )
    for place, first, last in ends:
        # Sorted: a bag has no order, and that of the words would tell more of the text.
        bags[place] = pl.Series(np.sort(rows.codes[first:last]), dtype=pl.UInt64)
    return [
        *columns,
        pl.Series(f"{label}.{measured.metric.columns[0]}", bags, dtype=pl.List(pl.UInt64)),
    ]


def _samples_column(label: str, measured: Measured, systems: int) -> list[pl.Series]:
    """The moments of each prompt's samples; no column where there is one reply to each."""
    if measured.samples is None:
        return []
    values = np.zeros((systems, measured.usable.size, MOMENTS))
    values[:, measured.usable] = measured.samples.values
    moments = values.reshape(-1, MOMENTS)
    return [pl.Series(_SAMPLES + label, moments, dtype=pl.Array(pl.Float64, MOMENTS))]


_SAMPLES = "samples:"
"""What the name of such a column begins with; rows have names that begin with a metric's label."""


@keeping_sources()
def load(path: str | os.PathLike[str], metrics: Given = ()) -> Measurements:
    """Reads what ``save`` wrote, and believes nothing of it that can be checked.

    The hash over the whole file is compared before anything is parsed; then systems, items, numbers of
    rows, resamples, signatures and the bounds of every score are checked.

    Args:
        path: Of the file.
        metrics: Metrics of the user's own that the file holds, or their classes.

    Raises:
        InputError: The file is not there, is none that ``save`` wrote, is damaged, or holds only
            metrics whose classes are not known here.
        ParameterError: The file does not hold one of ``metrics``.
    """
    file = Path(path)
    if file.exists() and not file.is_file():
        what = "a folder" if file.is_dir() else "a pipe or device"
        raise InputError(
            f"{file}: {what}; kept scores are read from a file that '{SAVED}' wrote, or "
            "name a test set and, behind it, its responses"
        )
    if not file.is_file():
        raise InputError(f"{file}: no such file; name one that '{SAVED}' wrote")
    whole = is_undamaged(file)
    if whole is False:
        raise _altered(file)
    try:
        with refusing_panics():
            text = pl.read_parquet_metadata(io.BytesIO(data_of(file))).get(KEY)
        if text is None:
            raise InputError(
                f"{file}: a Parquet file, but not of scores; name one that '{SAVED}' wrote"
            )
        if not whole:
            raise _altered(file)
        saved = msgspec.json.decode(text, type=ScoreFileMetadata)
        with refusing_panics():
            table = pl.read_parquet(io.BytesIO(data_of(file)))
    except (pl.exceptions.PolarsError, OSError) as error:
        what = (
            "no readable Parquet file: it is damaged or cut short"
            if head_of(file, 4) == b"PAR1"
            else "no readable Parquet file, so no scores"
        )
        raise InputError(
            f"{file}: {what}; name one that '{SAVED}' wrote, or a test set and, "
            "behind it, its responses"
        ) from error
    except msgspec.MsgspecError as error:
        raise InputError(
            f"{file}: scores of another version of Rejoinder ({error}); score again"
        ) from None
    if saved.format != FORMAT:
        raise InputError(f"{file}: format {saved.format}, expected {FORMAT}; score again")
    return _scores(saved, table, file, metrics)


def _altered(file: Path) -> InputError:
    return InputError(
        f"{file}: damaged, or altered by another program: its hash is not that of its content; "
        "score again, or take a copy of it"
    )


def _scores(
    saved: ScoreFileMetadata, table: pl.DataFrame, file: Path, given: Given
) -> Measurements:
    given_metrics = matched(saved.metrics, given)
    try:
        metrics = restored(saved.metrics, given_metrics)
    except (TypeError, ValueError) as error:
        raise _unfit(file, error) from None
    unknown = {label: each for label, each in saved.metrics.items() if label not in metrics}
    if unknown and not metrics:
        raise InputError(
            f"{file}: the class of every metric in it is unknown here ({', '.join(unknown)}); open it "
            "in Python with rejoinder.load_scores(path, metrics=[...]), which takes their classes"
        )
    try:
        _check(saved, table)
        measured = {
            label: _measured(label, metric, table, saved) for label, metric in metrics.items()
        }
        for label, each in measured.items():
            _check_measured(label, each, table.height // len(saved.systems))
        unknown_metrics = {label: _kept_rows(label, each, table) for label, each in unknown.items()}
        items = table.head(table.height // len(saved.systems)).select(
            pl.col(_file_column(name)).alias(name) for name in saved.columns
        )
        measured = {
            label: replace(each, clusters=clusters_of(items, saved.cluster, each.usable))
            for label, each in measured.items()
        }
    except (KeyError, TypeError, ValueError, ZeroDivisionError, pl.exceptions.PolarsError) as error:
        raise _unfit(file, error) from None
    means = [label for label, metric in metrics.items() if isinstance(metric, KeptMean)]
    return Measurements(
        tuple(saved.systems),
        items,
        measured,
        (*saved.notes, *(note(label, saved.metrics[label]) for label in (*means, *unknown))),
        saved.resamples,
        saved.seed,
        saved.references,
        saved.blocks,
        saved.cluster,
        saved.exact,
        unknown_metrics,
    )


def _check(saved: ScoreFileMetadata, table: pl.DataFrame) -> None:
    """Raises an InputError where the table is not that of the systems and items that it names.

    Rows are told apart by their place: system by system, and of each system all items in one order.
    """
    check_draws(saved.resamples, saved.seed)
    systems = len(saved.systems)
    if not systems or len(set(saved.systems)) < systems:
        raise InputError(f"systems {one_of(saved.systems)}: expected one or more, each once")
    n, remainder = divmod(table.height, systems)
    if remainder or not n:
        raise InputError(f"{table.height} rows for {systems} systems")
    names = np.repeat(np.array(saved.systems, dtype=object), n)
    if table.get_column("system").to_list() != names.tolist():
        raise InputError("the rows do not stand system by system")
    items = table.select("id", *(_file_column(name) for name in saved.columns if name != "id"))
    first = items.head(n)
    if first.get_column("id").is_null().any() or first.get_column("id").is_duplicated().any():
        raise InputError("an id is a duplicate, or is missing")
    for s in range(1, systems):
        if not items.slice(s * n, n).equals(first):
            raise InputError(
                f"the items of system '{saved.systems[s]}' are not those of '{saved.systems[0]}', in "
                "the same order"
            )
    fewest, most = saved.references
    if not 0 <= fewest <= most:
        raise InputError(f"from {fewest} to {most} references")


def _check_measured(label: str, measured: Measured, items: int) -> None:
    """Raises an InputError where a metric's rows or signature cannot be those of a measurement."""
    if measured.items is not None and measured.items < measured.height:
        raise InputError(f"{label}: {measured.items} items in {measured.height} rows")
    written, now = _words(measured.signature), _words(_without_sources(measured.metric).signature())
    for word in written.keys() & now.keys() - {"version", "sacrebleu"}:
        if written[word] != now[word]:
            raise InputError(
                f"{label}: the signature says {word}:{written[word]}, the parameters {word}:{now[word]}"
            )
    low, high = measured.metric.bounds
    values = measured.scores()
    outside = (values < low - ROUNDING) | (values > high + ROUNDING)
    if outside.any() or np.isinf(values).any():
        raise InputError(f"{label}: a score of {values[outside][0]}, outside [{low}, {high}]")


def _without_sources(metric: Metric) -> Metric:
    """The metric without its models and vectors, whose files need not be here: rows are kept."""
    bare = copy(metric)
    for name in metric.sources:
        object.__setattr__(bare, name, "")
    return bare


def _words(signature: str) -> dict[str, str]:
    """The words ``key:value`` of a signature."""
    pairs = (word.partition(":") for word in signature.split("|"))
    return {key: value for key, colon, value in pairs if colon}


def _unfit(file: Path, error: Exception) -> InputError:
    why = str(error) if isinstance(error, RejoinderError) else repr(error)
    return InputError(f"{file}: the rows do not fit what the file says ({why})")


def _kept_rows(label: str, saved: SavedMetric, table: pl.DataFrame) -> KeptRows:
    """The columns of a metric."""
    return KeptRows(saved, table.select([f"{label}.{name}" for name in saved.columns]))


def _measured(
    label: str, metric: Metric, table: pl.DataFrame, saved: ScoreFileMetadata
) -> Measured:
    described, systems = saved.metrics[label], len(saved.systems)
    n = table.height // systems
    columns = [table.get_column(f"{label}.{name}") for name in metric.columns]
    answered = columns[0].is_not_null().to_numpy().reshape(systems, n)
    usable = np.logical_or.reduce(answered)
    answered = None if (answered == usable).all() else answered[:, usable]
    if answered is not None and not saved.pairwise:
        raise InputError(f"{label}: the systems are not scored on the same items")
    # Rows stand system by system in the file, item by item in a batch.
    order = np.arange(systems * n).reshape(systems, n)[:, usable].T.ravel()
    samples = None
    if (name := _SAMPLES + label) in table.columns:
        moments = table.get_column(name).to_numpy()
        if moments.shape != (table.height, MOMENTS) or not (moments[:, :3] >= 0).all():
            raise InputError(f"{label}: the numbers of samples cannot be those of a measurement")
        samples = Matrix(moments[order].reshape(-1, systems, MOMENTS))
    if metric.summable:
        values = np.stack([column.to_numpy() for column in columns], axis=1)[order]
        rows = rows_of(values, systems)
        rows = rows if answered is None else rows.masked(answered)
    else:
        bags = columns[0].gather(order)
        lengths = bags.list.len().fill_null(0).to_numpy().astype(np.int64)
        last = np.cumsum(lengths)
        fingerprints = bags.drop_nulls().explode(empty_as_null=False).to_numpy()
        tokens = Tokens(fingerprints.astype(np.uint64), last - lengths, last)
        rows = rows_of(tokens, systems)
    return Measured(
        metric,
        rows,
        usable,
        described.signature,
        described.items,
        answered=answered,
        samples=samples,
    )
