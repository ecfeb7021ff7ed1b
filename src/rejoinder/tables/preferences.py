"""Head-to-head judgements: which of two systems' replies to an item is better."""

from __future__ import annotations

import os
from collections.abc import Sequence

import polars as pl

from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.covariates import covariate_columns
from rejoinder.tables.format import FormatName
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.item_clusters import cluster_columns
from rejoinder.tables.types import Preferences


def read_preferences(
    *paths: str | os.PathLike[str] | Frame,
    format: FormatName = None,
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
        format: The name of the format of all of them, or by file; None: recognised by suffix and first bytes.
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
    keep = (*cluster_columns(cluster), *covariate_columns(covariates))
    return read_as(Preferences, paths, format=format, columns=columns, keep=keep).frame
