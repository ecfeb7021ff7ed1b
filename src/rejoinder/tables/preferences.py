"""Head-to-head judgements: which of two systems' replies to an item is better."""

from __future__ import annotations

import os
from collections.abc import Sequence

import polars as pl

from rejoinder.files.reading import existing
from rejoinder.files.sources import keeping_sources
from rejoinder.tables import in_memory
from rejoinder.tables.assembly.column_mapping import Columns, column_mapping
from rejoinder.tables.assembly.comparisons import preferences_of_table
from rejoinder.tables.checks.validation import check_preferences
from rejoinder.tables.covariates import covariate_columns
from rejoinder.tables.format import Asked
from rejoinder.tables.formats.registry import read_table
from rejoinder.tables.frames import Frame
from rejoinder.tables.item_clusters import cluster_columns
from rejoinder.tables.notes import note
from rejoinder.tables.origin import Origin


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
    keep = (*cluster_columns(cluster), *covariate_columns(covariates))
    asked = Asked(column_mapping(columns), keep=keep)
    if in_memory.are_tables(paths, "preferences"):
        parts = [in_memory.part_in_memory(each, asked.columns, "preferences") for each in paths]
        drafts = [("preferences", preferences_of_table(part, keep)) for part in parts]
    else:
        files = existing(paths, "preferences")
        drafts = [(str(path), read_table(path, "preferences", format, asked)) for path in files]
    for name, draft in drafts:
        frames.append(draft.frame)
        row_numbers += draft.origin.parts
        for text in draft.notes:
            note("said", name, text=text)
    preferences = pl.concat(frames, how="diagonal")
    check_preferences(preferences, Origin(tuple(row_numbers)))
    return preferences
