"""Votes of arenas as comparisons: two kinds of tie, and a column for each outcome."""

from __future__ import annotations

import logging
from dataclasses import replace

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.tables.assembly.two_tables import Part
from rejoinder.text.visible import visible

_LOG = logging.getLogger(__name__)

_SIDES = {"model_a": "a", "model_b": "b", "system_a": "a", "system_b": "b"}
_BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad", "both bad", "tie_bothbad", "tie (both bad)")
_OUTCOMES = {"winner_model_a": "a", "winner_model_b": "b", "winner_tie": "tie"}


def votes(part: Part) -> Part:
    """A table of comparisons whose ``winner`` is ``a``, ``b``, ``tie`` or a system.

    Chatbot Arena calls the winner ``model_a``, ``model_b``, ``tie`` or ``tie (bothbad)``, which is a
    tie too; its data on Kaggle have a column of 0 and 1 for each outcome. Its voter is ``judge``.

    Raises:
        InputError: A row has no outcome, or two.
    """
    frame = part.frame
    if "rater" not in frame.columns and "judge" in frame.columns:
        frame = frame.rename({"judge": "rater"})
    if "winner" not in frame.columns and _OUTCOMES.keys() <= set(frame.columns):
        frame = frame.with_columns(_of_outcomes(replace(part, frame=frame)))
    if "winner" not in frame.columns or frame.schema["winner"] != pl.String:
        return replace(part, frame=frame)
    winner = frame.get_column("winner").str.strip_chars()
    lowered = winner.str.to_lowercase()
    if count := int(lowered.is_in(_BOTH_BAD).sum()):
        what = counted(count, "tie")
        _LOG.warning("%s: %s in which both were bad, read as ties", visible(part.name), what)
    sides = _SIDES | dict.fromkeys(_BOTH_BAD, "tie")
    named = lowered.replace_strict(sides, default=None, return_dtype=pl.String)
    return replace(part, frame=frame.with_columns(named.fill_null(winner).alias("winner")))


def _of_outcomes(part: Part) -> pl.Series:
    """The winner of each row, of which one column says 1."""
    texts = part.frame.select(pl.col(list(_OUTCOMES)).cast(pl.String).str.strip_chars())
    true = texts.select(pl.all().str.to_lowercase().is_in(["1", "1.0", "true"]).fill_null(False))
    wrong = (true.sum_horizontal() != 1).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{part.name}, row {part.numbers[row]}: {int(true.sum_horizontal()[row])} outcomes; "
            f"expected 1 in one of {', '.join(_OUTCOMES)}"
        )
    chosen = [pl.when(name).then(pl.lit(side)) for name, side in _OUTCOMES.items()]
    return true.select(pl.coalesce(chosen).alias("winner")).to_series()
