"""Scoring corpora larger than memory: Parquet files read in batches, rows summed in blocks.

A score needs sums alone. So the rows of consecutive items are added up to blocks as soon as they are
measured, and the blocks take the place of the items: their sums are the corpus', and resampling
blocks of independent items gives the intervals that resampling the items would give (only their
number must not be small). Memory depends on the size of a batch, not on the number of items. A shard
reads the row groups of its blocks alone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.files.shards import end_of_shard, in_shards, shared
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
from rejoinder.tables.io.parquet_batches import ParquetRows, name_of_table
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
            order; the name of the file, without ``.parquet``, is the system's.
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
    check_least(1, block=block)
    read = ("id", "references")
    selected = registry.metrics(_defaults(_opened(testset, read)) if metrics is None else metrics)
    for label, metric in selected.items():
        if not metric.summable:
            raise ParameterError(
                f"{label}: its rows are bags, which do not fit blocks; leave it out"
            )
        if metric.needs & {"features", "context"}:
            raise ParameterError(
                f"{label}: it measures with a model, which looks at all texts at once; score it without ",
                Argument("block"),
            )
    names, items = _names(responses), _opened(testset, read)
    corpus = _Corpus(items, [_opened(path, ("id", "text")) for path in responses], selected, block)
    content = [
        [metric.signature() for metric in selected.values()],
        [block, drop_unusable],
        [each.digests() for each in (items, *corpus.replies)] if in_shards() else [],
    ]
    bounds = corpus.units()
    done = [0]

    def compute(places: list[int]) -> list[_Unit]:
        return [
            corpus.measured(bounds[place], bounds[place + 1], drop_unusable, done, progress)
            for place in places
        ]

    units = shared("sums", [f"items from {each}" for each in bounds[:-1]], content, compute, _Unit)
    end_of_shard()
    return _scores(names, corpus, units, resamples, seed)


def _scores(
    names: tuple[str, ...],
    corpus: _Corpus,
    units: Sequence[_Unit],
    resamples: int,
    seed: int,
) -> Scores:
    selected, columns = corpus.metrics, corpus.columns
    sums = np.concatenate([np.frombuffer(each.sums).reshape(-1, columns[-1]) for each in units])
    facts = _Facts(corpus, units)
    blocks, dropped, measured = len(sums), [], {}
    for place, (label, metric) in enumerate(selected.items()):
        used = sums[:, place - len(selected)]
        counted, why = (
            int(used.sum()),
            next((each.whys[place] for each in units if each.whys[place]), ""),
        )
        if not counted:
            raise InputError(f"{label}: no item can be scored ({why})")
        if counted < corpus.items.rows:
            left_out = corpus.items.rows - counted
            dropped.append((label, dropped_items(left_out, corpus.items.rows, why)))
        keep = used > 0
        rows = sums[keep, columns[place] : columns[place + 1]]
        measured[label] = Measured(
            metric,
            Matrix(np.ascontiguousarray(rows).reshape(len(rows), len(names), -1)),
            keep,
            metric.signature(
                **facts.of(metric), **interval_facts(metric, resamples, seed), block=corpus.block
            ),
            counted,
        )
    most = max(int(each.usable.sum()) for each in measured.values())
    if resamples and most < FEWEST_BLOCKS:
        raise ParameterError(
            f"{most} blocks are too few for intervals, which resample them; take a block of "
            f"{max(1, corpus.items.rows // (5 * FEWEST_BLOCKS))} items or less, or ",
            Argument("resamples", 0),
        )
    ids = pl.DataFrame({"id": [f"block {k + 1}" for k in range(blocks)]})
    notes = [*merged(dropped), *remarks(selected, corpus.first(), names)]
    return Scores(names, ids, measured, tuple(notes), resamples, seed, facts.spread(), blocks=True)


def _defaults(items: ParquetRows) -> list[str]:
    """The default metrics that fit blocks. Rows are read until a reference has a weight."""
    weighted = items.has("references.weight") and any(
        each.is_not_null().any() for each in _weights(items)
    )
    return [name for name in default_metrics(weighted) if registry.metric(name).summable]


def _names(responses: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    names = tuple(name_of_table(path) for path in responses)
    twice = {name for name in names if names.count(name) > 1}
    if not names:
        raise ParameterError("no responses are given; name a Parquet file for each system")
    if twice:
        raise ParameterError(f"two files are named '{twice.pop()}'; a file's name is its system's")
    return names


class _Unit(msgspec.Struct, array_like=True):
    """Some consecutive blocks, measured.

    Attributes:
        sums: float64 [blocks, columns]: the rows of all systems under each metric, and then for each metric
            how many items count.
        whys: For each metric why an item does not.
        counts: The numbers of references that items have.
        scored: Those of the items that are compared with them.
    """

    sums: bytes
    whys: list[str]
    counts: list[int]
    scored: list[int]


class _Corpus:
    """A test set and the replies to it, measured some blocks at a time.

    Raises:
        InputError: A file of replies has another number of rows.
    """

    def __init__(
        self,
        items: ParquetRows,
        replies: Sequence[ParquetRows],
        metrics: dict[str, Metric],
        block: int,
    ) -> None:
        self.items, self.replies, self.metrics, self.block = items, replies, metrics, block
        widths = [len(each.columns) * len(replies) for each in metrics.values()]
        self.columns = [*np.cumsum([0, *widths]).tolist(), sum(widths) + len(metrics)]
        for each in replies:
            if each.rows != items.rows:
                raise InputError(
                    f"{each.path}: {each.rows} rows, but {items.path} has {items.rows}; every system "
                    "answers every item, in the same order"
                )
        if not items.rows:
            raise InputError(f"{items.path}: has no rows; expected a row for each item")

    def units(self) -> list[int]:
        """Where the units of the work begin, and the end: at the first block of a row group."""
        blocks = np.unique(-(-self.items.starts[:-1] // self.block) * self.block).tolist()
        bounds = [0]
        for each in blocks:
            if bounds[-1] + ITEMS_PER_READ <= each < self.items.rows:
                bounds.append(each)
        return [*bounds, self.items.rows]

    def first(self) -> Batch:
        """The first items."""
        return next(self._batches(0, [min(ITEMS_PER_READ, self.items.rows)]))

    def measured(
        self, begin: int, end: int, drop: bool, done: list[int], progress: Progress | None
    ) -> _Unit:
        """The blocks of the items from ``begin`` to ``end``."""
        block, metrics = self.block, self.metrics
        sums = np.zeros((-(-(end - begin) // block), self.columns[-1]))
        whys, counts, scored = [""] * len(metrics), set[int](), set[int]()
        at = begin
        for batch in self._batches(begin, _sizes(end - begin, block)):
            unusable_of = [metric.unusable(batch) for metric in metrics.values()]
            for place, (label, (unusable, why)) in enumerate(
                zip(metrics, unusable_of, strict=True)
            ):
                if unusable.any() and not drop:
                    row = at + int(np.flatnonzero(unusable)[0])
                    raise InputError(
                        f"{self.items.path}, row {row + 1}: {label}: the item {why}; ", *LEAVE_OUT
                    )
                whys[place] = why if unusable.any() else whys[place]
            usable = [~unusable for unusable, _ in unusable_of]
            statistics = measure(list(metrics.values()), batch)
            rows = [
                np.where(keep[:, None], np.asarray(each).reshape(len(batch), -1), 0.0)
                for each, keep in zip(statistics, usable, strict=True)
            ]
            table = np.concatenate([*rows, np.stack(usable, axis=1)], axis=1)
            block_sums = np.add.reduceat(table, np.arange(0, len(batch), block))
            first = (at - begin) // block
            sums[first : first + len(block_sums)] += block_sums
            each = np.diff(batch.reference_bounds)
            counts.update(np.unique(each).tolist())
            scored.update(np.unique(each[scored_by_references(metrics, usable)]).tolist())
            at += len(batch)
            done[0] += len(batch)
            advance(progress, done[0], self.items.rows)
        return _Unit(sums.tobytes(), whys, sorted(counts), sorted(scored))

    def _batches(self, begin: int, sizes: Sequence[int]) -> Iterator[Batch]:
        """Items from a place on, so many at a time, whose ids are those of the replies."""
        readers = [each.tables(begin, sizes) for each in (self.items, *self.replies)]
        at = begin
        for table, *replies in zip(*readers, strict=True):
            ids = _strings(table, "id")
            if ids.null_count():
                raise InputError(f"{self.items.path}: an id is null; every row needs one")
            for reader, rows in zip(self.replies, replies, strict=True):
                same = np.asarray(_strings(rows, "id").eq_missing(ids))
                if not same.all():
                    row = int(np.flatnonzero(~same)[0])
                    raise InputError(
                        f"{reader.path}, row {at + row + 1}: id {rows['id'][row].as_py()!r}, but "
                        f"{self.items.path} has {table['id'][row].as_py()!r} there; sort both by id"
                    )
            yield _batch(table, replies, self.items.path, at)
            at += table.num_rows


def _sizes(items: int, block: int) -> list[int]:
    """How many items are measured at a time: whole blocks, or parts of a large one."""
    step = max(1, ITEMS_PER_READ // block) * block
    return [
        min(ITEMS_PER_READ, min(begin + step, items) - part)
        for begin in range(0, items, step)
        for part in range(begin, min(begin + step, items), ITEMS_PER_READ)
    ]


class _Facts:
    """The words of signatures about the data; see ``measurement.data_facts``."""

    def __init__(self, corpus: _Corpus, units: Sequence[_Unit]) -> None:
        self.items = corpus.items
        self.counts = {each for unit in units for each in unit.counts}
        self.scored = {each for unit in units for each in unit.scored}

    @cached_property
    def weights(self) -> str:
        """The hash of all weights."""
        digest = hashlib.sha256()
        for each in _weights(self.items):
            digest.update(each.cast(pl.Float64).fill_null(1.0).to_numpy().tobytes())
        return digest.hexdigest()[:8]

    def spread(self) -> tuple[int, int]:
        return min(self.scored, default=0), max(self.scored, default=0)

    def of(self, metric: Metric) -> dict[str, str | int]:
        facts: dict[str, str | int] = {}
        if "references" in metric.needs:
            facts["nrefs"] = next(iter(self.counts)) if len(self.counts) == 1 else "var"
        if "weights" in metric.needs or getattr(metric, "references", "all") != "all":
            facts["weights"] = self.weights
        return facts


def _opened(path: str | os.PathLike[str], columns: tuple[str, ...]) -> ParquetRows:
    """The rows of Parquet files that have these columns."""
    import pyarrow as pa

    try:
        return ParquetRows(path, columns)
    except (OSError, ImportError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: {Argument('block')} needs Parquet files, and this is no readable one "
            f"({_damage(path, error)}); convert it, or score it whole, without ",
            Argument("block"),
        ) from None


def _weights(items: ParquetRows) -> Iterator[pl.Series]:
    """The weights of all references in their order, null where one has none; 1.0 where there are none."""
    weighted = items.has("references.weight")
    alone = ParquetRows(items.path, ["references.weight" if weighted else "references"])
    for table in alone.tables_of(ITEMS_PER_READ):
        flat = pl.Series(table["references"]).drop_nulls().explode(empty_as_null=False)
        yield flat.struct.field("weight") if weighted else pl.Series([1.0] * len(flat))


def _damage(path: str | os.PathLike[str], error: Exception) -> str:
    """What is wrong with what is no Parquet file: said in our words, not the library's."""
    if isinstance(error, ImportError):
        return f"it needs the package {error.name}"
    try:
        with open(path, "rb") as file:
            begins = file.read(4)
    except IsADirectoryError:
        return "it holds no Parquet file"
    except FileNotFoundError:
        return "no such file"
    except OSError as failed:
        return failed.strerror or "it cannot be opened"
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
