"""Scoring corpora larger than memory: Parquet files read in batches, rows summed in blocks.

A score needs sums alone. So the rows of consecutive items are added up to blocks as soon as they are
measured, and the blocks take the place of the items: their sums are the corpus', and resampling
blocks of independent items gives the intervals that resampling the items would give (only their
number must not be small). Memory depends on the size of a batch, not on the number of items.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, merged
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import interval_facts
from rejoinder.metrics.engine.measurement import measure, remarks
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.registry import default_metrics
from rejoinder.progress import Progress, advance
from rejoinder.scoring.assembly import (
    LEAVE_OUT,
    dropped_items,
    item_by_item,
    scored_by_references,
)
from rejoinder.scoring.measurements import Measured
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.columns import forbid
from rejoinder.tables.io.parquet_batches import batches, open_parquet
from rejoinder.tables.schemas import REFERENCES
from rejoinder.text.strings import Strings

if TYPE_CHECKING:
    import pyarrow as pa

ITEMS_PER_READ = 1 << 13
FEWEST_BLOCKS = 20


def score_parquet(
    testset: str | os.PathLike[str],
    responses: Sequence[str | os.PathLike[str]],
    metrics: Sequence[str | Metric] | None = None,
    *,
    block: int = 1000,
    drop_unusable: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Scores:
    """Scores systems on Parquet files of any length, in memory that does not grow with them.

    Args:
        testset: A Parquet file with the columns ``id`` and ``references`` (a list of texts, or of
            structs with ``text`` and, if wanted, ``weight``).
        responses: For each system a Parquet file with ``id`` and ``text``, the same ids in the same
            order; the file's stem is the system.
        metrics: As for ``score``; only metrics whose rows are numbers (not distinct-n or entropy).
            None takes those of ``default_metrics`` that are.
        block: How many consecutive items are summed to one row. Intervals and tests resample blocks;
            wins and losses count blocks. Single items, and groups of them, cannot be asked for.
        drop_unusable: As for ``score``.
        resamples: Likewise.
        seed: Likewise.
        progress: Called with how many items are done, and of how many.

    Raises:
        InputError: A file cannot be read, has no such columns, or its ids are in another order.
        ParameterError: A metric or a parameter is unknown or does not fit.
    """
    check_draws(resamples, seed)
    if block < 1:
        raise ParameterError(Argument("block", block), " must be 1 or more")
    wanted = registry.metrics(_defaults(testset) if metrics is None else metrics)
    for label, metric in wanted.items():
        if not metric.summable:
            raise ParameterError(
                f"{label}: its rows are bags, which do not fit blocks; leave it out"
            )
        if metric.needs & {"features", "context"}:
            raise ParameterError(
                f"{label}: it measures with a model, which looks at all texts at once; score it without ",
                Argument("block"),
            )
    names = _names(responses)
    sums = {label: _Blocks(block) for label in wanted}
    facts = _Facts()
    total, notes = 0, []
    readers = [_File(path, ("id", "text")) for path in responses]
    items = _File(testset, ("id", "references"))
    for table in items.tables():
        replies = [reader.next_like(table, items.path) for reader in readers]
        batch = _batch(table, replies, items.path, total)
        if not total:
            notes += remarks(wanted, batch)
        statistics = measure(list(wanted.values()), batch)
        unusable_of = [metric.unusable(batch) for metric in wanted.values()]
        facts.add(batch, scored_by_references(wanted, [~unusable for unusable, _ in unusable_of]))
        for label, rows, (unusable, why) in zip(wanted, statistics, unusable_of, strict=True):
            assert isinstance(rows, np.ndarray)
            if unusable.any() and not drop_unusable:
                row = total + int(np.flatnonzero(unusable)[0])
                raise InputError(
                    f"{items.path}, row {row + 1}: {label}: the item {why}; ", *LEAVE_OUT
                )
            each = rows.reshape(len(batch), len(names), -1)
            sums[label].add(each[~unusable], int(unusable.sum()), why)
        total += len(batch)
        advance(progress, total, items.rows)
    for reader in readers:
        reader.expect_end(items.path)
    return _scores(names, wanted, sums, facts, total, notes, resamples, seed)


def _scores(
    names: tuple[str, ...],
    wanted: dict[str, Metric],
    sums: dict[str, _Blocks],
    facts: _Facts,
    total: int,
    notes: list[str],
    resamples: int,
    seed: int,
) -> Scores:
    values = {label: blocks.values() for label, blocks in sums.items()}
    dropped = []
    for label, blocks in sums.items():
        if not len(values[label]):
            raise InputError(f"{label}: no item can be scored ({blocks.why or 'there are none'})")
        if blocks.dropped:
            dropped.append((label, dropped_items(blocks.dropped, total, blocks.why)))
    most = max(map(len, values.values()))
    if resamples and most < FEWEST_BLOCKS:
        raise ParameterError(
            f"{most} blocks are too few for intervals, which resample them; take a block of "
            f"{max(1, total // (5 * FEWEST_BLOCKS))} items or less, or ",
            Argument("resamples", 0),
        )
    measured = {
        label: Measured(
            metric,
            Matrix(values[label]),
            np.arange(most) < len(values[label]),
            metric.signature(
                **facts.of(metric),
                **interval_facts(metric, resamples, seed),
                block=sums[label].size,
            ),
            sums[label].items,
        )
        for label, metric in wanted.items()
    }
    ids = pl.DataFrame({"id": [f"block {k + 1}" for k in range(most)]})
    notes = [*merged(dropped), *notes]
    return Scores(names, ids, measured, tuple(notes), resamples, seed, facts.spread(), blocks=True)


def _defaults(testset: str | os.PathLike[str]) -> list[str]:
    """The default metrics that fit blocks. Rows are read until a reference has a weight."""
    file = _File(testset, ("id", "references"))
    weighted = any(_weighted(_lists(table, file.path)) for table in file.tables())
    return [name for name in default_metrics(weighted) if registry.metric(name).summable]


def _names(responses: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    names = tuple(Path(path).stem for path in responses)
    twice = {name for name in names if names.count(name) > 1}
    if not names:
        raise ParameterError("no responses are given; name a Parquet file for each system")
    if twice:
        raise ParameterError(f"two files are named '{twice.pop()}'; a file's name is its system's")
    return names


class _Blocks:
    """Rows summed to blocks of ``size`` consecutive items."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.items = 0
        self.dropped = 0
        self.why = ""
        self.full: list[Floats] = []
        self.rest: Floats | None = None

    def add(self, rows: Floats, dropped: int, why: str) -> None:
        """Takes the rows float64 [n, S, k] of the items that count, and how many did not."""
        self.items += len(rows)
        self.dropped += dropped
        self.why = why if dropped else self.why
        if self.rest is not None:
            rows = np.concatenate([self.rest, rows])
        whole = len(rows) // self.size * self.size
        if whole:
            self.full.append(np.add.reduceat(rows[:whole], np.arange(0, whole, self.size)))
        self.rest = rows[whole:].copy()

    def values(self) -> Floats:
        """float64 [blocks, S, k]; the last block may be smaller."""
        blocks = list(self.full)
        if self.rest is not None and len(self.rest):
            blocks.append(self.rest.sum(axis=0, keepdims=True))
        if not blocks:
            return np.zeros((0, 0, 0))
        return np.concatenate(blocks)


class _Facts:
    """The words of signatures about the data, gathered by batch; see ``measurement.data_facts``."""

    def __init__(self) -> None:
        self.counts: set[int] = set()
        self.scored: set[int] = set()
        self.weights = hashlib.sha256()

    def add(self, batch: Batch, scored: np.ndarray) -> None:
        """Takes the items of a batch, of which those that are ``scored`` (bool [n]) count."""
        counts = np.diff(batch.reference_bounds)
        self.counts.update(np.unique(counts).tolist())
        self.scored.update(np.unique(counts[scored]).tolist())
        self.weights.update(batch.weights.tobytes())

    def spread(self) -> tuple[int, int]:
        return min(self.scored, default=0), max(self.scored, default=0)

    def of(self, metric: Metric) -> dict[str, str | int]:
        facts: dict[str, str | int] = {}
        if "references" in metric.needs:
            facts["nrefs"] = self.counts.copy().pop() if len(self.counts) == 1 else "var"
        if "weights" in metric.needs or getattr(metric, "references", "all") != "all":
            facts["weights"] = self.weights.hexdigest()[:8]
        return facts


class _File:
    """A Parquet file, read a few thousand rows at a time."""

    def __init__(self, path: str | os.PathLike[str], columns: tuple[str, ...]) -> None:
        import pyarrow as pa

        self.path = str(path)
        try:
            self.file = open_parquet(path)
        except (OSError, pa.ArrowException) as error:
            why = "no such file" if isinstance(error, FileNotFoundError) else _damage(path)
            raise InputError(
                f"{path}: {Argument('block')} needs Parquet files, and this is no readable one ({why}); "
                "convert it, or score it whole, without ",
                Argument("block"),
            ) from None
        absent = [name for name in columns if name not in self.file.schema_arrow.names]
        if absent:
            raise InputError(
                f"{path}: no column '{absent[0]}'; expected the columns {', '.join(columns)}"
            )
        self.rows: int = self.file.metadata.num_rows
        self.columns = list(columns)
        self.batches = self._read()
        self.pending: list[Any] = []
        self.count = 0

    def tables(self) -> Iterator[pa.Table]:
        """The rows, ``ITEMS_PER_READ`` at a time."""
        import pyarrow as pa

        for batch in self.batches:
            if batch.num_rows:
                yield pa.Table.from_batches([batch])

    def _read(self) -> Iterator[Any]:
        for batch in batches(self.file, self.path, ITEMS_PER_READ, self.columns):
            if batch.column("id").null_count:
                raise InputError(f"{self.path}: an id is null; every row needs one")
            yield batch

    def next_like(self, table: pa.Table, of: str) -> pa.Table:
        """The next rows, as many as ``table`` has, and with the same ids."""
        import pyarrow as pa

        n = table.num_rows
        while sum(batch.num_rows for batch in self.pending) < n:
            batch = next(self.batches, None)
            if batch is None:
                raise InputError(
                    f"{self.path}: {self.rows} rows, but {of} has more; every system answers every "
                    "item, in the same order"
                )
            self.pending.append(batch)
        joined = pa.Table.from_batches(self.pending)
        # An empty rest would keep the memory of what it was cut from.
        self.pending = [batch for batch in joined.slice(n).to_batches() if batch.num_rows]
        rows = joined.slice(0, n)
        same = np.asarray(_strings(rows, "id") == _strings(table, "id"))
        if not same.all():
            row = int(np.flatnonzero(~same)[0])
            raise InputError(
                f"{self.path}, row {self.count + row + 1}: id {rows['id'][row].as_py()!r}, but "
                f"{of} has {table['id'][row].as_py()!r} there; sort both by id"
            )
        self.count += n
        return rows

    def expect_end(self, of: str) -> None:
        """Raises where rows are left over."""
        if self.count < self.rows:
            raise InputError(
                f"{self.path}: {self.rows} rows, but {of} has {self.count}; every row answers an item"
            )


def _weighted(references: pl.Series) -> bool:
    """Whether any reference of these lists has a weight."""
    flat = references.explode(empty_as_null=False)
    if not isinstance(flat.dtype, pl.Struct) or not len(flat):
        return False
    if "weight" not in {each.name for each in flat.dtype.fields}:
        return False
    return bool(flat.struct.field("weight").is_not_null().any())


def _damage(path: str | os.PathLike[str]) -> str:
    """What is wrong with a file that is no Parquet file: said in our words, not the library's."""
    try:
        with open(path, "rb") as file:
            begins = file.read(4)
    except OSError as error:
        return error.strerror or "it cannot be opened"
    return "it is damaged or cut short" if begins == b"PAR1" else "it is of another format"


def _strings(table: pa.Table, column: str) -> pl.Series:
    return pl.Series(table[column]).cast(pl.String)


def _batch(table: pa.Table, replies: list[pa.Table], path: str, before: int) -> Batch:
    """Items in the order of the file, and within an item the systems in theirs."""
    n, systems = table.num_rows, len(replies)
    lists = _lists(table, path)
    bounds = np.concatenate([[0], np.cumsum(lists.list.len().to_numpy().astype(np.int64))])
    flat = lists.explode(empty_as_null=False)
    weights = np.ones(len(flat))
    if isinstance(flat.dtype, pl.Struct):
        if "weight" in {each.name for each in flat.dtype.fields}:
            weights = flat.struct.field("weight").cast(pl.Float64).fill_null(1.0).to_numpy()
        flat = flat.struct.field("text")

    def row(of: int) -> int:
        return before + int(np.searchsorted(bounds, of, side="right"))

    empty = flat.is_null().arg_true()
    if len(empty):
        raise InputError(
            f"{path}, row {row(int(empty[0]))}: the text of a reference is null; leave it out"
        )
    outside = np.flatnonzero(~((weights >= -1) & (weights <= 1)))
    if outside.size:
        raise InputError(
            f"{path}, row {row(int(outside[0]))}: weight {weights[outside[0]]} outside [-1, 1]; "
            "scale ratings first: 2 (s - 1) / (K - 1) - 1"
        )
    texts = pl.concat([_strings(each, "text") for each in replies])
    missing = texts.is_null().arg_true()
    if len(missing):
        system, place = divmod(int(missing[0]), n)
        raise InputError(
            f"responses, file {system + 1}, row {before + place + 1}: the text is null (missing); an "
            "empty reply is '', and a missing one needs scoring without ",
            Argument("block"),
        )
    return Batch(
        item_by_item(texts, systems),
        np.arange(n + 1, dtype=np.int64) * systems,
        Strings.of(flat, f"{path}: references"),
        bounds,
        weights,
    )


def _lists(table: pa.Table, path: str) -> pl.Series:
    """The references of every item, checked by the schema of the tables."""
    references = pl.Series(table["references"])
    dtype = references.dtype
    inner = dtype.inner if isinstance(dtype, pl.List) else None
    if isinstance(inner, pl.Struct):
        fields = {each.name: each.dtype for each in inner.fields}
        forbid(list(fields), REFERENCES, f"{path}: references")
        weight = fields.get("weight", pl.Float64)
        fits = fields.get("text") == pl.String and (weight.is_numeric() or weight == pl.Null)
    else:
        fits = inner in (pl.String, pl.Null)
    if not fits:
        raise InputError(
            f"{path}: column 'references' holds {dtype}; expected a list of texts, or of structs "
            "with a text and, if wanted, a weight that is a number"
        )
    empty = pl.Series([[]], dtype=dtype)
    return (
        pl.select(pl.coalesce(references, empty)).to_series()
        if references.null_count()
        else references
    )
