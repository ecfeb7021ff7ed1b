"""Systems that answered different items: each is scored on its own, two are compared on those they share."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.external import External
from rejoinder.scoring.measurements import Measured, Measurements, with_word
from rejoinder.tables.responses import Alignment

S = TypeVar("S", bound=Measurements)


def answered_items(responses: pl.DataFrame, alignment: Alignment) -> np.ndarray:
    """Which items each system answered: bool [S, n].

    Args:
        responses: The replies as they were given.
        alignment: The same with empty ones in the place of those that are missing.
    """
    keys = ["system", "id"]
    given = responses.select(pl.col(keys).cast(pl.String)).with_columns(answered=True)
    grid = alignment.responses.select(keys).join(given, on=keys, how="left", maintain_order="left")
    flags = grid.get_column("answered").fill_null(False).to_numpy()
    return flags.reshape(len(alignment.systems), -1)


def pairwise_scores(scores: S, answered: np.ndarray) -> S:
    """Scores without the rows of items that a system did not answer, or has no value for.

    Args:
        scores: Measured on stand-ins for what is missing: empty replies, values that are NaN.
        answered: bool [S, n], which items each system answered.

    Raises:
        InputError: A metric can score nothing of a system.
    """
    measured = {
        label: _answered(label, each, answered[:, each.usable], scores.names)
        for label, each in scores.measured.items()
    }
    changed = replace(scores, measured=measured)
    masks = [each.answered for each in measured.values() if each.answered is not None]
    if not masks:
        return changed
    numbers = np.concatenate([each.sum(axis=1) for each in masks])
    fewest, most = int(numbers.min()), int(numbers.max())
    number = counted(most, "item") if fewest == most else f"{fewest} to {most} items"
    note = (
        f"the systems answered different items ({number} of {scores.items.height} each): every system "
        "is scored on its own; a comparison of two systems takes the items that both answered"
    )
    return replace(changed, notes=(note, *scores.notes))


def _answered(
    label: str, measured: Measured, answered: np.ndarray, names: tuple[str, ...]
) -> Measured:
    rows = measured.rows
    if isinstance(measured.metric, External) and isinstance(rows, Matrix):
        # A tool's score of a reply that is missing counts: the failure is the system's.
        answered = ~np.isnan(rows.items[..., 0]).T
    nothing = np.flatnonzero(~answered.any(axis=1))
    if nothing.size:
        raise InputError(f"{label}: no item that '{names[nothing[0]]}' answered can be scored")
    if answered.all():
        return measured
    signature = with_word(measured.signature, "missing", "pairwise")
    return replace(measured, rows=rows.masked(answered), answered=answered, signature=signature)
