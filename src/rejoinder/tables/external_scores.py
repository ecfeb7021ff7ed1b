"""Scores that other tools made: reading them, checking them, and one number for each reply."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted, quoted
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.assembly.long_or_wide_scores import KEYS, scores_of_part
from rejoinder.tables.checks.rating_scales import scale_clash
from rejoinder.tables.checks.validation import (
    Rule,
    improbable,
    not_finite,
    refuse_duplicates,
)
from rejoinder.tables.columns import require
from rejoinder.tables.format import FormatName
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.item_clusters import CONVERSATION, cluster_columns
from rejoinder.tables.notes import set_aside
from rejoinder.tables.parts import Origin, Part
from rejoinder.tables.schemas import PROBABILITY, RATE, SCORE_KIND, SCORES
from rejoinder.tables.types import CheckedTable


def read_scores(
    *paths: str | os.PathLike[str],
    format: FormatName = None,
    columns: Columns = None,
    cluster: str | None = None,
) -> pl.DataFrame:
    """Reads scores that other tools made: a judge's marks, COMET, a reward model, thumbs up.

    A long table has the columns ``system, id, name, value`` and, if wanted, ``sample``, ``rater`` and
    ``probability``. In a wide table each column of numbers that is no key is a metric. Where no
    column names the system, the file's name without its suffix does. An empty cell and NaN are a
    missing value.

    Args:
        *paths: Files, of which each is recognised by itself; or a folder of logs.
        format: The name of the format of all of them, or by file; None: recognised by suffix and first bytes.
        columns: Which columns are which, where they have other names: ``"id=doc_id,value=out.score"``.
        cluster: An additional column to keep, for ``Scores.from_segments(..., cluster=)``.

    Returns:
        ``schemas.SCORES``, one row per score, in the order of the files; then ``conversation`` where a file
        has such a column, and the column of clusters.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    keep = cluster_columns(cluster)
    return read_as(SegmentScores, paths, format=format, columns=columns, keep=keep).frame


@dataclass(frozen=True, eq=False)
class SegmentScores(CheckedTable):
    """Numbers that another tool gave replies: ``schemas.SCORES``.

    There is one finite or missing value for each system, id, name, sample and rater, and one
    probability of having been drawn for each reply.
    """

    KIND, NOTHING = "scores", "no scores; expected at least one row"
    LOGARITHMS: ClassVar[bool] = False
    """Whether a value may be -inf, as the logarithm of a probability of 0 is."""

    @classmethod
    def of(
        cls,
        given: Frame | CheckedTable,
        name: str | None = None,
        keep: Sequence[str] = (CONVERSATION,),
    ) -> Self:
        """The scores of a Python call, long or wide, read by the rules that files are read by.

        Args:
            given: A frame of Polars or pandas; or this type, which stays as it is.
            name: The name of the only metric that is wanted, which may be the name of a column or, where
                the frame holds one metric alone, any name; None takes every metric.
            keep: Additional columns to keep, which name clusters.

        Raises:
            InputError: A column is absent, or a row breaks a rule.
            ParameterError: It is no frame, or has several metrics and none is called ``name``.
        """
        if not isinstance(given, cls):
            frame = cls.frame_of(given)
            if not frame.height:
                raise InputError("scores: no rows; expected at least one score")
            if name is not None and name in frame.columns and name not in SCORES:
                keys = [
                    column for column in (*KEYS, PROBABILITY, SCORE_KIND) if column in frame.columns
                ]
                frame = frame.select(*keys, pl.col(name).alias("value"))
            require(("system", "id"), frame.columns, cls.KIND)
            part = Part(name or cls.KIND, frame, range(1, frame.height + 1))
            with set_aside():  # it is known who gives a frame of scores
                given = cls(scores_of_part(part, keep).frame)
        return given if name is None else given._named(name)

    def _named(self, name: str) -> Self:
        names = self.frame.get_column("name").unique(maintain_order=True).to_list()
        if name in names:
            return self.where(pl.col("name") == name)
        if len(names) > 1:
            raise ParameterError(f"scores: no metric is called {name!r}; choose {one_of(names)}")
        return self.with_frame(self.frame.with_columns(pl.lit(name).alias("name")))

    def _rules(self, frame: pl.DataFrame) -> list[Rule]:
        ids, names, name = frame.get_column("id"), frame.get_column("name"), pl.col("name")
        reply = "name", "system", "id"
        expected = "expected a finite number, or an empty cell where a value is missing"
        finite = not_finite(frame, "value", expected, missing=True)
        if self.LOGARITHMS:
            finite = finite._replace(offends=finite.offends & (pl.col("value") != -math.inf))
        bar = Rule(
            name.str.contains("|", literal=True),
            lambda i: (
                f"name {quoted(names[i])} contains '|', the separator of signatures; rename it"
            ),
        )
        key = Rule(
            name.is_in(["system", "id"]),
            lambda i: f"name {quoted(names[i])} is that of a column of every table; rename it",
        )
        rules = [bar, key, finite, *improbable(frame)]
        if frame.get_column(PROBABILITY).count():
            several = Rule(
                pl.col(PROBABILITY).n_unique().over(reply) > 1,
                lambda i: (
                    f"several probabilities at id {quoted(ids[i])}; expected one for each reply"
                ),
            )
            rules.append(several)
        if SCORE_KIND in frame.columns:
            kinds = Rule(
                pl.col(SCORE_KIND).fill_null("").n_unique().over("name") > 1,
                lambda i: (
                    f"some rows of {quoted(names[i])} have the {SCORE_KIND} '{RATE}' and some have none; "
                    "expected one for all rows of a name"
                ),
            )
            rules.append(kinds)
        if 0 < frame.get_column("sample").count() < frame.height:
            named = pl.col("sample").is_not_null()
            some = Rule(
                (named.any() & ~named.all()).over(reply),
                lambda i: (
                    f"some scores of {quoted(names[i])} at id {quoted(ids[i])} have a sample and some have "
                    "none; expected a sample for each or for none"
                ),
            )
            rules.append(some)
        return rules

    def _check_keys(self, frame: pl.DataFrame, origin: Origin) -> None:
        keys = frame.select("name", "system", "id", "sample", "rater")
        used = [name for name in keys.columns if keys.get_column(name).count()]
        lacking = [repr(name) for name in ("sample", "rater") if name not in used]
        remedy = f", or say in a column {' or '.join(lacking)} what they are of" if lacking else ""
        keys = keys.select(pl.col(name).fill_null("") for name in used)
        refuse_duplicates(keys, origin, "score", f"keep one of them{remedy}")


@dataclass(frozen=True, eq=False)
class ReplyValues:
    """One number for each reply, of one metric.

    Attributes:
        name: The metric.
        systems: The S systems, in order of appearance.
        ids: The N ids, in order of appearance.
        values: The mean over the raters of a reply of each one's mean over samples (float64 [S,
            N]); NaN where there is none.
        weights: float64 [S, N], 1 over the probability of having been drawn; None: all alike.
        raters: How many raters there are.
        samples: The most samples of a reply.
        notes: What was averaged, and what is odd about it.
        by_sample: float64 [J, S, N], where there are several, each sample's mean over its raters, NaN
            where there is none.
        moments: float64 [S, N, 6] of them, as `nested_variance.moments` has them.
        kind: ``rate`` where the table says that the mean is a share of replies; else empty.
        items: ``id`` and the additional columns of the table, which may name clusters; None: it has none.
        given: ``system, id, value``: every value, before any was averaged; null where it is missing.
    """

    name: str
    systems: tuple[str, ...]
    ids: tuple[str, ...]
    values: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None
    raters: int = 1
    samples: int = 1
    notes: tuple[str, ...] = ()
    by_sample: Floats | None = None
    moments: Floats | None = None
    kind: str = ""
    items: pl.DataFrame | None = None
    given: pl.DataFrame | None = None
    _places: dict[str, int] = field(default_factory=dict, repr=False)

    @cached_property
    def digest(self) -> str:
        """Eight digits of a hash of the values, whatever their order in the file."""
        by_id, by_system = np.argsort(self.ids), np.argsort(self.systems)
        arrays = [self.values] if self.weights is None else [self.values, self.weights]
        ordered = [values[by_system][:, by_id] for values in arrays]
        total = hashlib.sha256("\n".join((*sorted(self.systems), "", *sorted(self.ids))).encode())
        for values in ordered:
            total.update(np.ascontiguousarray(values).tobytes())
        return total.hexdigest()[:8]

    def at(self, systems: tuple[str, ...], ids: list[str]) -> tuple[NDArray, NDArray | None]:
        """The values, and the weights, of these systems and ids: float64 [S', n], NaN where none."""
        rows, columns, known = self._at(systems, ids)
        values = np.where(known, self.values[np.ix_(rows, columns)], np.nan)
        if self.weights is None:
            return values, None
        return values, np.where(known, self.weights[np.ix_(rows, columns)], np.nan)

    def samples_at(self, systems: tuple[str, ...], ids: list[str]) -> tuple[Floats, Floats] | None:
        """The samples of these systems and ids: float64 [J, n, S'], NaN where none, and [n, S', 6].

        None where no reply has several samples.
        """
        if self.by_sample is None or self.moments is None:
            return None
        rows, columns, known = self._at(systems, ids)
        samples = np.where(known, self.by_sample[:, rows][:, :, columns], np.nan)
        moments = np.where(known[..., None], self.moments[rows][:, columns], 0.0)
        return samples.transpose(0, 2, 1), moments.transpose(1, 0, 2)

    def _at(
        self, systems: tuple[str, ...], ids: list[str]
    ) -> tuple[Indices, Indices, NDArray[np.bool_]]:
        """The places of systems and ids, and which pairs of them there are: bool [S', n]."""
        if not self._places:
            self._places.update({id: place for place, id in enumerate(self.ids)})
        columns = np.array([self._places.get(id, -1) for id in ids], dtype=np.int64)
        place = {name: s for s, name in enumerate(self.systems)}
        rows = np.array([place.get(name, -1) for name in systems], dtype=np.int64)
        return rows, columns, (rows >= 0)[:, None] & (columns >= 0)


def reply_values(scores: SegmentScores) -> Iterator[ReplyValues]:
    """One number for each reply, metric by metric.

    Raises:
        InputError: The raters of a metric cannot be on one scale, or the probabilities of one reply
            differ.
    """
    for (name,), rows in scores.frame.group_by("name", maintain_order=True):
        yield _values_of(str(name), rows)


def _values_of(name: str, rows: pl.DataFrame) -> ReplyValues:
    every = rows
    rows, samples = _mean_of_samples(rows)
    rows, raters, notes = _mean_of_raters(name, rows)
    if samples > 1:
        notes = [f"mean over up to {samples} samples of each prompt", *notes]
    systems = rows.get_column("system").unique(maintain_order=True)
    ids = rows.get_column("id").unique(maintain_order=True)
    places = _codes(rows.get_column("system"), systems), _codes(rows.get_column("id"), ids)
    values = np.full((len(systems), len(ids)), np.nan)
    values[places] = rows.get_column("value").to_numpy()
    weights = None
    if rows.get_column("probability").null_count() < rows.height:
        weights = np.full(values.shape, np.nan)
        weights[places] = 1 / rows.get_column("probability").fill_null(1.0).to_numpy()
        notes.append("replies weighted by 1 over the probability of having been drawn")
    names = tuple(systems.to_list()), tuple(ids.to_list())
    of_samples = _sample_values(every, systems, ids) if samples > 1 else (None, None)
    kinds = every.get_column(SCORE_KIND) if SCORE_KIND in every.columns else pl.Series([None])
    additional = [each for each in every.columns if each not in (*SCORES, SCORE_KIND)]
    items = every.select("id", *additional).unique(maintain_order=True) if additional else None
    return ReplyValues(
        name,
        *names,
        values,
        weights,
        raters,
        samples,
        tuple(notes),
        *of_samples,
        kinds[0] or "",
        items,
        every.select("system", "id", "value"),
    )


def _sample_values(rows: pl.DataFrame, systems: pl.Series, ids: pl.Series) -> tuple[Floats, Floats]:
    """The values of samples and their moments: float64 [J, S, N], NaN where none, and [S, N, 6]."""
    keys, value = ("system", "id"), pl.col("value")
    samples = (
        rows.filter(value.is_not_null())
        .group_by(*keys, "sample", maintain_order=True)
        .agg(pl.len().cast(pl.Float64).alias("n"), value.mean().alias("mean"),
             ((value - value.mean()) ** 2).sum().alias("around"))
        .with_columns(pl.int_range(pl.len()).over(keys).alias("place"))
    )  # fmt: skip
    n, mean = pl.col("n"), pl.col("mean")
    each = (pl.len().cast(pl.Float64), n, n**2, n * mean, n * mean**2, pl.col("around"))
    prompts = samples.group_by(keys, maintain_order=True).agg(
        (one if k == 0 else one.sum()).alias(f"moment {k}") for k, one in enumerate(each)
    )
    places = [
        (_codes(part.get_column("system"), systems), _codes(part.get_column("id"), ids))
        for part in (samples, prompts)
    ]
    place = samples.get_column("place").to_numpy()
    values = np.full((int(place.max(initial=0)) + 1, len(systems), len(ids)), np.nan)
    values[place, *places[0]] = samples.get_column("mean").to_numpy()
    moments = np.zeros((len(systems), len(ids), len(each)))
    moments[places[1]] = prompts.drop(keys).to_numpy()
    return values, moments


def _mean_of_samples(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The mean of each rater's values of a reply, and the most samples of a reply."""
    if rows.get_column("sample").null_count() == rows.height:
        return rows, 1
    groups = rows.group_by("system", "id", "rater", maintain_order=True)
    means = groups.agg(pl.col("value").mean(), pl.col("probability").first(), pl.len())
    return means.drop("len"), int(means.get_column("len").to_numpy().max())


def _mean_of_raters(name: str, rows: pl.DataFrame) -> tuple[pl.DataFrame, int, list[str]]:
    """The mean over the raters of each reply, how many raters there are, and notes.

    Raises:
        InputError: The raters cannot be on one scale.
    """
    raters = rows.get_column("rater").drop_nulls().unique(maintain_order=True).to_list()
    if not raters:
        return rows, 1, []
    of_rater = {each: rows.filter(pl.col("rater") == each).get_column("value") for each in raters}
    if clash := scale_clash(of_rater):
        raise InputError(
            f"scores: {name}: {clash}, so their mean has no meaning; give each of them a name of its "
            "own in the column 'name'"
        )
    groups = rows.group_by("system", "id", maintain_order=True)
    means = groups.agg(
        pl.col("value").mean(),
        pl.col("value").count().alias("raters"),
        pl.col("probability").first(),
    )
    if len(raters) == 1:
        return means, 1, []
    notes = [f"mean over {len(raters)} raters"]
    short = means.filter(pl.col("raters").is_between(1, len(raters) - 1)).height
    if short:
        words = counted(short, "reply was", "replies were")
        notes.append(f"{words} scored by fewer than {len(raters)} raters: the mean is over those")
    return means, len(raters), notes


def _codes(values: pl.Series, distinct: pl.Series) -> NDArray[np.int64]:
    """The place of each value among the distinct ones."""
    table = pl.DataFrame({"value": distinct}).with_row_index("place")
    joined = values.to_frame("value").join(table, on="value", how="left", maintain_order="left")
    return joined.get_column("place").to_numpy().astype(np.int64)
