"""The replies of systems: reading them, and joining them to a test set by id."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import Argument, counted, quoted
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.checks.id_slips import first_few, slip
from rejoinder.tables.format import FormatName
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import ResponsesLike, read_as, taken
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Responses

Missing = Literal["error", "drop", "empty"]
MissingOrPairwise = Missing | Literal["pairwise"]
"""What scores take besides: every system with the items that it answered."""
_MISSING = ("error", "drop", "empty", "pairwise")


@dataclass(frozen=True, eq=False)
class Alignment:
    """Responses in which every system answers every item kept, in the order of the test set.

    Attributes:
        responses: ``schemas.RESPONSES``, sorted by system (in order of appearance), then by item.
        systems: The systems, in order of appearance.
        ids: The items kept, in the order of the test set.
        unanswered: How many items of the test set each system did not answer; systems that
            answered all are left out.
        dropped: How many items were dropped because some system did not answer them.
        filled: How many empty replies stand in for missing ones, by system.
    """

    responses: pl.DataFrame
    systems: list[str]
    ids: list[str]
    unanswered: dict[str, int] = field(default_factory=dict)
    dropped: int = 0
    filled: dict[str, int] = field(default_factory=dict)


def read_responses(
    *paths: str | os.PathLike[str] | Frame,
    format: FormatName = None,
    ids: Sequence[str] | None = None,
    columns: Columns = None,
) -> pl.DataFrame:
    """Reads the replies of one or more systems, in any of the formats of docs/formats.md.

    Each file is recognised by itself. Where no row of a file names a system, the file's name
    without its suffix is the system.

    Args:
        *paths: Files or folders; or the tables themselves, as for ``read_testset``.
        format: The name of the format of all of them, or by file; None: recognised by suffix and first bytes.
        ids: The ids of the test set, needed for plain text, whose line i answers ids[i].
        columns: Which column is which, as for ``read_testset``: ``"id=doc_id,text=resps.0.0"``.

    Returns:
        ``schemas.RESPONSES``, one row per system and item, in the order of the files; with the column
        ``sample`` where systems gave several replies to one item.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    return read_as(Responses, paths, format=format, columns=columns, ids=ids).frame


def check_responses(
    responses: ResponsesLike, testset: TestSet, missing: Missing = "error"
) -> Alignment:
    """Joins responses to a test set by id.

    Args:
        responses: ``schemas.RESPONSES``.
        testset: The test set that they answer.
        missing: What to do where a system did not answer an item: ``error``; ``drop`` the item for
            all systems; or let an ``empty`` reply stand in.

    Raises:
        InputError: An id that the test set does not have; an item not answered while ``missing``
            is ``error``; no item left.
        ParameterError: ``missing`` is none of these.
    """
    if missing not in _MISSING:
        raise ParameterError(f"missing: got {quoted(missing)}; expected {one_of(_MISSING)}")
    if missing == "pairwise":
        raise ParameterError(
            Argument("missing", missing),
            ": needs numbers of each system on items of its own, and these are of the same items for all "
            f"systems; choose {one_of(_MISSING[:3])}",
        )
    replies = taken(Responses, responses, testset.ids).single()
    items = testset.contexts.select("id").with_row_index("item")
    systems = replies.get_column("system").unique(maintain_order=True).to_list()
    order = pl.DataFrame({"system": systems}, schema={"system": pl.String}).with_row_index("order")
    grid = order.join(items, how="cross")
    grid = grid.join(replies, on=["system", "id"], how="left", maintain_order="left")
    missed = grid.get_column("text").null_count()
    if grid.height - missed < replies.height:
        refuse_unknown_ids(replies, items)
    if grid.height and not missed:
        ids = items.get_column("id").to_list()
        return Alignment(grid.select(*RESPONSES), systems, ids, {}, 0, {})
    gaps = grid.filter(pl.col("text").is_null())
    if gaps.height and missing == "error":
        raise InputError(_unanswered_message(gaps, items.height))
    counts = dict(gaps.group_by("system", maintain_order=True).len().iter_rows())
    if missing == "empty":
        grid = grid.with_columns(pl.col("text").fill_null(""))
        filled = counts
        dropped = 0
    else:
        grid = grid.join(gaps.select("item").unique(), on="item", how="anti").sort("order", "item")
        filled = {}
        dropped = gaps.get_column("item").n_unique()
    if not grid.height:
        raise InputError(
            f"responses: no item is answered by all of the {len(systems)} systems, so that none is "
            f"left of {items.height}; score each system on what it answered with "
            f"{Argument('missing', 'pairwise')}, or let empty replies stand in with "
            f"{Argument('missing', 'empty')}"
        )
    item_ids = grid.filter(pl.col("order") == 0).get_column("id").to_list()
    return Alignment(grid.select(*RESPONSES), systems, item_ids, counts, dropped, filled)


def refuse_unknown_ids(responses: pl.DataFrame, items: pl.DataFrame) -> None:
    """Raises an InputError where a reply is to an id that the items do not have."""
    unknown = responses.join(items, on="id", how="anti")
    if not unknown.height:
        return
    ids = unknown.get_column("id").unique(maintain_order=True).to_list()
    answered, known = responses.get_column("id").to_list(), items.get_column("id").to_list()
    system = unknown.get_column("system")[0]
    raise InputError(
        f"responses: system {quoted(system)} answers id {first_few(ids)}, which the test set does not "
        f"have ({unknown.height} of {responses.height} replies, {items.height} items)"
        f"; {slip(ids, answered, known, 'responses', 'test set')}"
    )


def _unanswered_message(gaps: pl.DataFrame, items: int) -> str:
    system = gaps.get_column("system")[0]
    ids = gaps.filter(pl.col("system") == system).get_column("id").to_list()
    others = gaps.get_column("system").n_unique() - 1
    left = items - gaps.get_column("item").n_unique()
    dropped = Argument("missing", "drop")
    drop = (
        f"{dropped} keeps the {counted(left, 'item')} that all systems answered"
        if left
        else f"no item was answered by all systems, so {dropped} would leave none"
    )
    also = f", and {others} more system{'s' * (others > 1)} did not answer all" if others else ""
    return (
        f"responses: system {quoted(system)} did not answer {len(ids)} of {items} items: {first_few(ids)}"
        f"{also}; add the replies, or choose what happens to them: {drop}; {Argument('missing', 'empty')} "
        "scores an empty reply in the place of each; under score, compare and correlate, "
        f"{Argument('missing', 'pairwise')} takes each system on what it answered"
    )
