"""Head-to-head judgements: which of two systems' replies to an item is better."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import existing
from rejoinder.files.sources import keeping_sources
from rejoinder.messages import counted, quoted
from rejoinder.tables import in_memory
from rejoinder.tables.assembly.column_mapping import Columns, column_mapping
from rejoinder.tables.assembly.format_choice import formats_of
from rejoinder.tables.assembly.long_or_wide import with_defaults
from rejoinder.tables.assembly.two_tables import Part
from rejoinder.tables.assembly.votes import votes
from rejoinder.tables.checks.validation import check_preferences, conform, refuse
from rejoinder.tables.columns import require
from rejoinder.tables.covariates import covariate_columns
from rejoinder.tables.frames import Frame
from rejoinder.tables.item_clusters import cluster_columns
from rejoinder.tables.origin import Origin
from rejoinder.tables.rating_formats import judgement_tables
from rejoinder.tables.schemas import PREFERENCES
from rejoinder.text.visible import visible

_LOG = logging.getLogger(__name__)
PREFERENCE_FORMATS = {each.name: each for each in judgement_tables.FORMATS}
_OPTIONAL = ("rater", "criterion")


@keeping_sources()
def read_preferences(
    *paths: str | os.PathLike[str] | Frame,
    format: str | None = None,
    columns: Columns = None,
    cluster: str | None = None,
    covariates: Sequence[str] = (),
) -> pl.DataFrame:
    """Reads head-to-head judgements: CSV, TSV, JSON Lines or Parquet.

    The columns are ``id, a, b, winner`` and, if wanted, ``rater`` and ``criterion``. The winner is
    ``a``, ``b``, ``tie``, or the name of one of the two systems; the votes of Chatbot Arena are read
    as they are published, with both kinds of tie. A row without a winner is left
    out, and counted in a warning of the log.

    Args:
        *paths: Files, of which each is recognised by itself; or the tables themselves, as for
            ``read_testset``.
        format: The name of the format of all of them; None: recognised by suffix and first bytes.
        columns: Which column is which, as for ``read_testset``: ``"winner=choice"``.
        cluster: An additional column to keep, for ``rejoinder.preferences(..., cluster=)``; None keeps
            ``conversation`` where there is one.
        covariates: Differences of the two replies whose columns are kept, for
            ``rejoinder.preferences(..., covariates=)``.

    Returns:
        ``schemas.PREFERENCES``, one row per judgement, in the order of the files. ``a`` and ``b``
        stay as they were given: the order may be that in which they were shown.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    frames, row_numbers = [], []
    mapping, keep = (
        column_mapping(columns),
        (*cluster_columns(cluster), *covariate_columns(covariates)),
    )
    names = ("id", "a", "b", "rater")
    if in_memory.are_tables(paths, "preferences"):
        parts = [
            judgement_tables.part_in_memory(each, mapping, "preferences", names) for each in paths
        ]
    else:
        files = existing(paths, "preferences")
        formats = formats_of(files, format, PREFERENCE_FORMATS, "--preferences-format")
        parts = [
            judgement_tables.judgements(path, chosen.name, mapping, "preferences", names)
            for path, chosen in zip(files, formats, strict=True)
        ]
    for part in parts:
        frame, origin = _preferences(votes(part), keep)
        frames.append(frame)
        row_numbers += origin.parts
    preferences = pl.concat(frames, how="diagonal")
    check_preferences(preferences, Origin(tuple(row_numbers)))
    return preferences


def _preferences(part: Part, keep: Sequence[str]) -> tuple[pl.DataFrame, Origin]:
    require(("id", "a", "b", "winner"), part.frame.columns, part.name, _OPTIONAL)
    names = [name for name in PREFERENCES if name in part.frame.columns]
    schema = {name: PREFERENCES[name] for name in names}
    kept = [name for name in keep if name in part.frame.columns and name not in names]
    frame = conform(part.frame.select(*names, pl.col(kept).cast(pl.String)), schema, part.name)
    frame = frame.with_columns(pl.col("winner").str.strip_chars())
    judged = (frame.get_column("winner") != "").fill_null(False)
    numbers = [number for number, keep in zip(part.numbers, judged, strict=True) if keep]
    if absent := frame.height - len(numbers):
        _LOG.warning("%s: %s without a winner left out", visible(part.name), counted(absent, "row"))
    if not numbers:
        raise InputError(f"{part.name}: no comparisons; expected at least one")
    origin = Origin(((part.name, numbers),))
    frame = with_defaults(frame.filter(judged), origin)
    return _with_sides(frame, origin).select(*PREFERENCES, *kept), origin


def _with_sides(frame: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """Turns a winner that is named by its system into ``a`` or ``b``.

    Raises:
        InputError: The winner is neither, or a system is called like the other side.
    """
    winner, a, b = (pl.col(name) for name in ("winner", "a", "b"))
    told = pl.when(winner.str.to_lowercase().is_in(["a", "b", "tie"]))
    sides = frame.select(
        told=told.then(winner.str.to_lowercase()),
        named=pl.when(winner == a).then(pl.lit("a")).when(winner == b).then(pl.lit("b")),
    )
    refuse(
        (sides["told"] != sides["named"]).fill_null(False),
        origin,
        lambda i: (
            f"winner {quoted(frame['winner'][i])} is a side and also the name of the other system; "
            "rename the system"
        ),
    )
    side = sides.select(pl.coalesce("told", "named").alias("winner")).to_series()
    refuse(
        side.is_null(),
        origin,
        lambda i: (
            f"winner {quoted(frame['winner'][i])}; expected 'a', 'b', 'tie', or the name of one of "
            f"the systems, {quoted(frame['a'][i])} and {quoted(frame['b'][i])}"
        ),
    )
    return frame.with_columns(side)
