"""N-best lists: several candidate replies to each item, with numbers (features) of each candidate.

A candidate is a reply, and its numbers are scores: what a reader makes replies and scores of (samples of a
log, rows with a column ``sample``, lists of Moses), holds n-best lists too.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError, RejoinderError, one_of
from rejoinder.files.sources import keeping_sources
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted, quoted
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.checks.id_slips import first_few, slip
from rejoinder.tables.external_scores import SegmentScores
from rejoinder.tables.format import FormatName
from rejoinder.tables.formats.moses import TOTAL
from rejoinder.tables.frames import Frame, is_table
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.notes import set_aside
from rejoinder.tables.schemas import SAMPLE
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Responses

KEYS = ("system", "id", SAMPLE)

CandidatesLike: TypeAlias = "NBestLists | str | os.PathLike[str] | Frame | Sequence[Any]"
"""N-best lists, or the paths or tables that hold them."""


class CandidateNumbers(SegmentScores):
    """Numbers of candidates; the logarithm of a probability may be that of 0."""

    LOGARITHMS = True


@dataclass(frozen=True, eq=False)
class NBestLists:
    """Candidates, list by list.

    Attributes:
        frame: ``id, system, sample, text``, and a column for each number; the candidates of an item are
            adjacent, in the order of their file. A number may be NaN: it is missing.
        unread: Why no numbers were found beside the candidates; empty where there are some.
    """

    frame: pl.DataFrame
    unread: str = ""

    @classmethod
    @keeping_sources()
    def of(
        cls,
        given: CandidatesLike,
        scores: Sequence[Any] = (),
        *,
        ids: Sequence[str] | None = None,
        format: FormatName = None,
        columns: Columns = None,
    ) -> NBestLists:
        """Reads candidates, and their numbers.

        Args:
            given: Files or folders, or tables: replies (``id, text``, and ``sample`` or ``system``, which
                tell the candidates of an item apart); every column of numbers is a feature. This type
                stays as it is.
            scores: More numbers of the same candidates: tables of scores by ``id`` and ``sample`` or
                ``system``.
            ids: The ids of the test set: list k of Moses is of the item at place k.
            format: The name of the format of all of them, or by file; None: recognised.
            columns: Which column is which, as for ``read_testset``.

        Raises:
            InputError: A file cannot be read or breaks a rule, or a number belongs to no candidate.
        """
        if isinstance(given, NBestLists):
            return given
        single = isinstance(given, str | os.PathLike) or is_table(given)
        paths: list[Any] = [given] if single else list(given)  # pyright: ignore
        replies = read_as(Responses, paths, format=format, columns=columns, ids=ids).frame
        if SAMPLE not in replies.columns:
            replies = replies.with_columns(pl.lit(None, pl.String).alias(SAMPLE))
        order = replies.select("id").unique(maintain_order=True).with_row_index("item")
        frame = replies.join(order, on="id", maintain_order="left").sort(
            "item", maintain_order=True
        )
        frame = frame.select("id", "system", SAMPLE, "text")
        own, unread = _own_numbers(paths, format, columns, ids)
        for table in (*own, *(read_as(CandidateNumbers, [each], format=format) for each in scores)):
            frame = _with_numbers(frame, table)
        return cls(frame, unread)

    def __len__(self) -> int:
        """The number of lists."""
        return self.bounds.size - 1

    @cached_property
    def ids(self) -> list[str]:
        """The items, in order."""
        return self.frame.get_column("id").unique(maintain_order=True).to_list()

    @cached_property
    def bounds(self) -> Indices:
        """int64 [n + 1]: list i has the candidates bounds[i] to bounds[i + 1]."""
        changed = self.frame.get_column("id").rle_id().to_numpy()
        return np.concatenate([[0], np.flatnonzero(np.diff(changed)) + 1, [self.frame.height]])

    @property
    def names(self) -> list[str]:
        """The numbers of the candidates."""
        return [each for each in self.frame.columns if each not in (*KEYS, "text")]

    def of_items(self, ids: Sequence[str]) -> NBestLists:
        """The lists of the items of a test set, in their order; an item may have none.

        Raises:
            InputError: A list is of none of these items.
        """
        items = pl.DataFrame({"id": ids}, schema={"id": pl.String}).with_row_index("item")
        known = set(ids)
        unknown = [each for each in self.ids if each not in known]
        if unknown:
            raise InputError(
                f"candidates: lists of id {first_few(unknown)}, which the test set does not have "
                f"({len(unknown)} of {len(self)} lists, {len(ids)} items)"
                f"; {slip(unknown, self.ids, list(ids), 'candidates', 'test set')}"
            )
        frame = self.frame.join(items, on="id", maintain_order="left")
        return replace(self, frame=frame.sort("item", maintain_order=True).drop("item"))

    def select(self, lists: np.ndarray) -> NBestLists:
        """Some of the lists: bool [n]."""
        selected = np.repeat(lists, np.diff(self.bounds))
        return replace(self, frame=self.frame.filter(selected))

    def features(self, names: Sequence[str] = (), without: Sequence[str] = ()) -> list[str]:
        """The numbers that are features: those named, or else all but ``without`` and the total.

        Raises:
            ParameterError: There is no such number, or none is left.
        """
        chosen = list(names) or [each for each in self.names if each not in (*without, TOTAL)]
        for each in chosen:
            self.require(each, "features")
        if not chosen:
            raise ParameterError(
                "candidates: no feature; expected a column of numbers beside id and text, or "
                f"{Argument('scores')} with more numbers of the candidates",
                f" ({self.unread})" if self.unread else "",
            )
        return chosen

    def require(self, name: str, argument: str) -> None:
        """Raises a ParameterError where the candidates have no such number."""
        if name not in self.names:
            have = (
                f"expected {one_of(self.names)}"
                if self.names
                else "the candidates have no numbers"
                + (f" that can be read ({self.unread})" if self.unread else "")
            )
            raise ParameterError(Argument(argument, name), f": no number of that name; {have}")

    def matrix(self, names: Sequence[str], least: float = np.finfo(np.float64).min) -> Floats:
        """Numbers of all candidates: float64 [m, d].

        Args:
            names: Which numbers.
            least: The least value; -inf where they are only compared, or are logarithms.

        Raises:
            InputError: A candidate has none, or an infinite one.
        """
        values = self.frame.select(names).to_numpy().astype(np.float64)
        missing = np.argwhere(~((values >= least) & (values < np.inf)))
        if missing.size:
            row, column = missing[0]
            lists = int(np.searchsorted(self.bounds, row, side="right")) - 1
            place = int(row - self.bounds[lists]) + 1
            value = values[row, column]
            shown = "no value" if np.isnan(value) else f"the value {value}"
            raise InputError(
                f"candidates: candidate {place} of id {quoted(self.ids[lists])} has {shown} of "
                f"{quoted(names[column])} ({counted(len(missing), 'value')} missing); give every "
                f"candidate one, or choose by other numbers"
            )
        return np.ascontiguousarray(values)

    def paired(self, testset: TestSet) -> tuple[NBestLists, TestSet, list[str]]:
        """The lists in the order of the test set, its items that have one, and a note on the others."""
        lists = self.of_items(testset.ids)
        without = len(testset) - len(lists)
        note = f"{counted(without, 'item')} of {len(testset)} without candidates left out"
        return lists, testset.select(lists.ids), [note] if without else []

    def replies(self, chosen: Indices, system: str) -> pl.DataFrame:
        """Chosen candidates as the replies of a system."""
        return self.frame[chosen].select(pl.lit(system).alias("system"), "id", "text")


def _own_numbers(
    paths: Sequence[Any], format: FormatName, columns: Columns, ids: Sequence[str] | None
) -> tuple[list[SegmentScores], str]:
    """The numbers that stand beside the candidates, and why a table has none."""
    tables, why = [], ""
    for each in paths:
        try:
            with set_aside():
                tables.append(
                    read_as(CandidateNumbers, [each], format=format, columns=columns, ids=ids)
                )
        except RejoinderError as error:
            why = str(error)
    return tables, why


def _with_numbers(frame: pl.DataFrame, table: SegmentScores) -> pl.DataFrame:
    """The candidates with the numbers of a table beside them; the mean over the raters of each.

    Raises:
        InputError: No number belongs to a candidate, or a candidate has two numbers of one name.
    """
    several = frame.get_column(SAMPLE).null_count() < frame.height
    keys = [*(["id", SAMPLE] if several else ["id"])]
    rows = table.frame
    if several and rows.get_column(SAMPLE).null_count() == rows.height:
        keys = ["id"]
    if frame.select(keys).is_duplicated().any():
        keys.insert(0, "system")
    for name in rows.get_column("name").unique(maintain_order=True).to_list():
        of_name = rows.filter(pl.col("name") == name).select(*keys, "value")
        means = of_name.group_by(keys, maintain_order=True).agg(pl.col("value").mean())
        values = frame.select(keys).join(means, on=keys, how="left", maintain_order="left")
        if not values.get_column("value").count():
            raise InputError(
                f"candidates: no candidate has the scores {quoted(name)}; expected the ids and the "
                f"'{SAMPLE}' or 'system' of the candidates"
            )
        column = values.get_column("value").cast(pl.Float64).fill_null(np.nan)
        if name in frame.columns:
            before = frame.get_column(name)
            if (before.is_not_nan() & column.is_not_nan() & (before != column)).any():
                raise InputError(
                    f"candidates: two tables with different numbers called {quoted(name)} of one candidate; "
                    "rename it in one of them"
                )
            column = before.zip_with(before.is_not_nan(), column)
        frame = frame.with_columns(column.alias(name))
    return frame
