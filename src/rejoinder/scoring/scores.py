"""The Scores table: the measured rows of all systems, and every question they answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.jackknife import LEAST_ITEMS, score_intervals
from rejoinder.metrics.resampling import bootstrap_counts, narrow
from rejoinder.metrics.rows import Rows
from rejoinder.scoring.saved_metrics import Given, KeptRows
from rejoinder.tables.checks.arguments import expect

RESERVED = {"metric", "system", "value", "low", "high", "n", "signature", "place"}
"""Names that a column of the contexts cannot have in a table of scores."""

FEW_ITEMS = 10
"""Of fewer items there is one, with a warning."""


@dataclass(frozen=True)
class Measured:
    """What one metric measured.

    Attributes:
        metric: The metric.
        rows: The rows of all systems, of the items that the metric could score.
        usable: bool [n], which items these are.
        signature: Everything that is needed to produce the numbers again.
        items: How many items the rows sum up; None where each row is one.
    """

    metric: Metric
    rows: Rows
    usable: np.ndarray
    signature: str
    items: int | None = None

    def scores(self) -> Floats:
        """The score of every system: float64 [S]; NaN without any item."""
        values = self.metric.score(self.rows.sums())
        return values if self.height else np.full(values.size, np.nan)

    @property
    def height(self) -> int:
        """How many rows a system has: the units of resampling."""
        return int(self.usable.sum())

    @property
    def n(self) -> int:
        """How many items count."""
        return self.height if self.items is None else self.items


@dataclass(frozen=True)
class Scores:
    """Systems, items, and what every metric measured of them.

    Values are in each metric's own range (0 to 1 for the BLEU family). Nothing here holds a text.

    Attributes:
        names: The systems, in the order of the responses.
        items: The table of items: ``id`` and the scalar columns of the contexts (topic, ...).
        measured: By label (``deltaBLEU-2``).
        notes: What was dropped or filled in, to be said beside every table.
        resamples: Resamples of the paired bootstrap; 0 for neither intervals nor tests.
        seed: Of every draw.
        references: The fewest and the most references of an item.
        blocks: Whether a row sums up many items (``stream.score_parquet``): what asks for single
            items is then an error.
        unserved: By label the rows of metrics whose class is not known here (``load_scores``).
    """

    names: tuple[str, ...]
    items: pl.DataFrame
    measured: dict[str, Measured]
    notes: tuple[str, ...] = ()
    resamples: int = 1000
    seed: int = 12345
    references: tuple[int, int] = (0, 0)
    blocks: bool = False
    unserved: Mapping[str, KeptRows] = field(default_factory=dict, repr=False, compare=False)
    _draws: dict[bytes, list[Floats]] = field(default_factory=dict, repr=False, compare=False)
    _resampled: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)
    _left_out: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        what = "blocks" if self.blocks else "items"
        return (
            f"Scores({len(self.names)} systems, {self.items.height} {what}; {', '.join(self.labels)}; "
            "see .systems(), .compare(), .segments())"
        )

    @property
    def labels(self) -> list[str]:
        """The labels of the metrics, as the tables head them."""
        return list(self.measured)

    def resampled(self, label: str) -> Floats:
        """The score of every system in every bootstrap resample: float64 [S, resamples]."""
        if label not in self._resampled:
            each = self.measured[label]
            scores = [
                each.metric.score(each.rows.totals(some))
                for counts in self._counts(each)
                for some in narrow(counts, each.rows)
            ]
            self._resampled[label] = np.concatenate(scores, axis=1)
        return self._resampled[label]

    def left_out(self, label: str) -> Floats:
        """The score of every system with each item left out: float64 [S, n]."""
        if label not in self._left_out:
            each = self.measured[label]
            self._left_out[label] = each.rows.left_out(each.metric)
        return self._left_out[label]

    def _counts(self, measured: Measured) -> Iterable[Floats]:
        """The multiplicities of the items, drawn alike for all metrics that score the same items.

        Kept where they fit one block, drawn anew otherwise.
        """
        key = measured.usable.tobytes()
        if key not in self._draws:
            rng = np.random.default_rng(self.seed)
            blocks = bootstrap_counts(measured.height, self.resamples, rng)
            first = next(blocks)
            if len(first) < self.resamples:
                return chain([first], blocks)
            self._draws[key] = [first]
        return self._draws[key]

    def systems(self) -> pl.DataFrame:
        """Every system under every metric.

        Returns:
            One row for each, best first within a metric: ``metric``, ``system``, ``value``, ``low``
            and ``high`` (95% interval over items, see `jackknife.score_intervals`; NaN with
            ``resamples=0`` and for fewer than 4 items), ``n``, ``signature``.
        """
        rows = [
            {
                "metric": label,
                "system": system,
                "value": value,
                "low": low,
                "high": high,
                "n": each.n,
                "signature": each.signature,
            }
            for label, each in self.measured.items()
            for system, value, low, high in self._ranked(label, each)
        ]
        return pl.DataFrame(rows)

    def _ranked(self, label: str, measured: Measured) -> list[tuple[str, float, float, float]]:
        values = measured.scores()
        lows = highs = np.full(values.size, np.nan)
        if self.resamples and measured.height >= LEAST_ITEMS:
            lows, highs = score_intervals(measured.metric, values, self.left_out(label))
        key = -values if measured.metric.higher_is_better else values
        return [
            (self.names[s], float(values[s]), float(lows[s]), float(highs[s]))
            for s in np.argsort(np.where(np.isnan(key), np.inf, key), kind="stable")
        ]

    def parts(self) -> dict[str, dict[str, dict[str, Any]]]:
        """What each value is made of, by metric and system: precisions, penalty, lengths, sums."""
        return {
            label: {
                system: each.metric.parts(totals)
                for system, totals in zip(self.names, each.rows.sums(), strict=True)
            }
            for label, each in self.measured.items()
        }

    def segments(self) -> pl.DataFrame:
        """Every reply by itself.

        Returns:
            One row for each system and item: ``system``, ``id``, and a column for each metric; NaN
            where the metric could not score the item.
        """
        self._need_items()
        n = self.items.height
        table: dict[str, Any] = {
            "system": pl.Series(np.repeat(np.array(self.names, dtype=object), n), dtype=pl.String),
            "id": pl.concat([self.items.get_column("id")] * len(self.names)),
        }
        for label, each in self.measured.items():
            values = np.full((len(self.names), n), np.nan)
            values[:, each.usable] = each.rows.segments(each.metric)
            table[label] = values.ravel()
        return pl.DataFrame(table)

    def by(self, column: str) -> pl.DataFrame:
        """Every system under every metric, for each value of a column of the contexts.

        Returns:
            ``column`` (called ``group`` where a column of ``systems()`` has its name), then the
            columns of ``systems()``. A metric without a single item to score in
            a group has ``n`` 0 and NaN.

        Raises:
            ParameterError: The contexts have no such column.
        """
        self._need_items()
        choices = [name for name in self.items.columns if name != "id"]
        if column not in choices:
            told = f"choose {one_of(choices)}" if choices else "they have none besides id"
            raise ParameterError(f"the contexts have no column '{column}'; {told}")
        tables = []
        group = "group" if column in RESERVED else column
        for (value,), some in (
            self.items.rename({column: group})
            .with_row_index(" place")
            .group_by(group, maintain_order=True)
        ):
            picked = np.zeros(self.items.height, dtype=bool)
            picked[some.get_column(" place").to_numpy()] = True
            table = self.select(picked).systems()
            name = pl.lit(value, dtype=self.items.schema[column])
            tables.append(table.select(name.alias(group), pl.all()))
        return pl.concat(tables)

    def _need_items(self) -> None:
        if self.blocks:
            raise ParameterError("these rows are blocks of items; score without --block for items")

    def select(self, items: np.ndarray) -> Scores:
        """The scores of some items alone.

        Args:
            items: bool [n].
        """
        measured = {
            label: Measured(
                each.metric,
                each.rows.pick(items[each.usable]),
                each.usable[items],
                each.signature,
            )
            for label, each in self.measured.items()
        }
        picked = self.items.filter(pl.Series(items))
        places = pl.Series(np.tile(items, len(self.names)))
        unserved = {
            label: replace(each, rows=each.rows.filter(places))
            for label, each in self.unserved.items()
        }
        return replace(
            self,
            items=picked,
            measured=measured,
            unserved=unserved,
            _draws={},
            _resampled={},
            _left_out={},
        )

    def compare(
        self, a: str | None = None, b: str | None = None, *, permutations: int | None = None
    ) -> pl.DataFrame:
        """Holds pairs of systems against each other on the same items; see ``compare.compare``."""
        from rejoinder.scoring.compare import compare

        return compare(self, a, b, permutations=permutations)

    def leads(self) -> pl.DataFrame:
        """The best system under every metric against the next best; see ``compare.leads``."""
        from rejoinder.scoring.compare import leads

        return leads(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows, without any text, to a Parquet file; see ``store.save``."""
        from rejoinder.scoring.store import save

        expect(path, (str, os.PathLike), "path", "the name of a file, such as 'scores.parquet'")
        save(self, path)

    def place(self, system: str) -> int:
        """The index of a system.

        Raises:
            ParameterError: There is no such system.
        """
        if system not in self.names:
            raise ParameterError(f"system '{system}' is unknown; choose {one_of(self.names)}")
        return self.names.index(system)


def few_items(measured: Mapping[str, Measured]) -> list[str]:
    """What is to be said of intervals where items are few: none below 4, a warning below 10."""
    numbers: dict[int, list[str]] = {}
    for label, each in measured.items():
        numbers.setdefault(each.height, []).append(label)
    notes = []
    for number, labels in numbers.items():
        who = "" if len(numbers) == 1 else f"{', '.join(labels)}: "
        items = counted(number, "item")
        if number < LEAST_ITEMS:
            notes.append(f"{who}{items}: no interval; it takes {LEAST_ITEMS} or more to resample")
        elif number < FEW_ITEMS:
            notes.append(f"{who}{items} alone: intervals of so few are rough; do not rely on them")
    return notes


def check_scores(given: object, verb: str) -> None:
    """Raises a ParameterError for what is no table of scores: a frame, a path, a test set."""
    remedy = "measure replies with rejoinder.score, or open a file with rejoinder.load_scores(path)"
    order = f"rejoinder.{verb}(scores, ratings)"
    expect(given, Scores, "scores", f"Scores, as in {order}; {remedy}")


def load_scores(path: str | os.PathLike[str], metrics: Given = ()) -> Scores:
    """Loads what ``Scores.save`` wrote: intervals and comparisons need no text.

    Args:
        path: Of the file.
        metrics: Metrics of your own that were measured, or their classes: ``[MyMetric()]``. Without
            them their rows are kept and a note names them; a mean of rows (``MeanMetric``) is
            scored even so.

    Raises:
        InputError: The file is not there, is none that ``save`` wrote, or holds only metrics whose
            classes are not known here.
        ParameterError: The file does not hold one of ``metrics``, or with other parameters.
    """
    from rejoinder.scoring.store import load

    return load(path, metrics)
