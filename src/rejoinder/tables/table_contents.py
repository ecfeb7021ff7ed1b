"""What a table holds, in numbers and names: systems, criteria, metrics, columns to group by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from rejoinder.messages import Argument, counted
from rejoinder.tables.item_clusters import CONVERSATION, labels_in
from rejoinder.tables.schemas import CONTEXTS, SAMPLE
from rejoinder.tables.testset import TestSet

_NAMES = {
    "responses": {"systems": ("system",)},
    "candidates": {"sources": ("system",)},
    "ratings": {"systems": ("system",), "criteria": ("criterion",)},
    "preferences": {"systems": ("a", "b"), "criteria": ("criterion",)},
    "scores": {"systems": ("system",), "metrics": ("name",)},
}
"""By kind of table the names to list, each with its columns."""


PAIRWISE = Argument("missing", "pairwise")


@dataclass(frozen=True)
class Contents:
    """What a table holds.

    Attributes:
        counts: How many rows, items, references, systems, raters, criteria and metrics, and where an item has
            several samples of a system the most of them.
        names: The systems, criteria and metrics, in order of appearance.
        groups: By additional column, the number of its values: those that ``--by`` and ``--cluster``
            take, in which several items have a value in common.
        items: How many items each system has; 0 in a test set.
        needs: Arguments without which verbs refuse the table.
        notes: Why.
    """

    counts: dict[str, int]
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    items: int = 0
    needs: tuple[Argument, ...] = ()
    notes: tuple[str, ...] = ()


def contents_of(kind: str, table: TestSet | pl.DataFrame) -> Contents:
    """What a table of a kind holds."""
    if isinstance(table, TestSet):
        return _testset_contents(table)
    names = {
        what: tuple(
            pl.concat([table.get_column(each) for each in columns]).unique(maintain_order=True)
        )
        for what, columns in _NAMES[kind].items()
    }
    counts = {"rows": table.height, "items": table.get_column("id").n_unique()}
    if "rater" in table.columns and kind != "scores":
        counts["raters"] = table.get_column("rater").n_unique()
    counts |= {what: len(each) for what, each in names.items()}
    if (samples := _samples(table)) > 1:
        counts["samples"] = samples
    items, needs, notes = 0, (), ()
    if kind in ("responses", "scores"):
        items, needs, notes = _answered(kind, table)
    return Contents(counts, names, _groups(table, (CONVERSATION,)), items, needs, notes)


def _samples(table: pl.DataFrame) -> int:
    """The most samples of a prompt that a system has."""
    if SAMPLE not in table.columns:
        return 0
    return int(
        table.group_by("system", "id").agg(pl.col(SAMPLE).n_unique())[SAMPLE].to_numpy().max()
    )


def _testset_contents(testset: TestSet) -> Contents:
    counts = {"items": len(testset), "references": testset.references.height}
    columns = [name for name in testset.contexts.columns if name not in CONTEXTS]
    groups = _groups(testset.contexts, columns)
    lacking = len(testset) - testset.references.get_column("id").n_unique()
    if not lacking:
        return Contents(counts, groups=groups)
    words = counted(lacking, "item has", "items have")
    drop = Argument("drop_unusable", True)
    note = f"{words} no reference; metrics that need one take {drop}"
    return Contents(counts, groups=groups, needs=(drop,), notes=(note,))


def _answered(kind: str, table: pl.DataFrame) -> tuple[int, tuple[Argument, ...], tuple[str, ...]]:
    """The items of each system, and what verbs need where systems have different ones."""
    keys = ["name", "system"] if kind == "scores" else ["system"]
    valued = table.drop_nulls("value") if kind == "scores" else table
    counts = valued.group_by(keys).agg(pl.col("id").n_unique()).get_column("id")
    expected, items = table.select(keys).n_unique(), table.get_column("id").n_unique()
    if counts.len() == expected and (counts == items).all():
        return items, (), ()
    least, most = int(counts.min() or 0), int(counts.max() or 0)  # pyright: ignore[reportArgumentType]
    span = f"{least}" if least == most else f"{least} to {most}"
    note = (
        f"each system has {span} of {counted(items, 'item')}: {PAIRWISE} takes each on what it has"
    )
    return 0, (PAIRWISE,), (note,)


def _groups(table: pl.DataFrame, columns: Sequence[str]) -> dict[str, int]:
    """The columns that put several items into one group, with the number of groups."""
    items = table.get_column("id").n_unique()
    groups = {name: _values(table.get_column(name)) for name in columns if name in table.columns}
    return {name: count for name, count in groups.items() if 1 < count < items}


def _values(cells: pl.Series) -> int:
    """How many values a column has; an empty cell is none."""
    labels = labels_in(cells)
    return (cells if labels is None else labels).drop_nulls().n_unique()
