"""Comparisons of two systems from a table: also the votes of arenas, with two kinds of tie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import quoted
from rejoinder.tables.assembly.long_or_wide import with_defaults
from rejoinder.tables.checks.validation import conform, refuse
from rejoinder.tables.columns import require
from rejoinder.tables.notes import left_out, note
from rejoinder.tables.parts import Draft, Origin, Part
from rejoinder.tables.schemas import ALIASES, COLUMNS, NEEDED, OPTIONAL, PREFERENCES

_SIDES = {alias: side for side in "ab" for alias in ALIASES[side]}
_BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad", "both bad", "tie_bothbad", "tie (both bad)")
_OUTCOMES = {"winner_model_a": "a", "winner_model_b": "b", "winner_tie": "tie"}


def preferences_of_table(part: Part, keep: Sequence[str] = ()) -> Draft:
    """Comparisons of a table: the winner is ``a``, ``b`` or ``tie`` in every row.

    Args:
        part: The table.
        keep: Additional columns to keep, where they are there.

    Raises:
        InputError: A column is absent, a row has an undefined outcome, or no row has one.
    """
    part = votes(part)
    require(NEEDED["preferences"], part.frame.columns, part.name, OPTIONAL["preferences"])
    columns = [each for each in COLUMNS["preferences"] if each.name in part.frame]
    names = [each.name for each in columns]
    more = [name for name in keep if name in part.frame.columns and name not in names]
    nested = [name for name in more if part.frame.schema[name].is_nested()]
    texts = pl.col([name for name in more if name not in nested]).cast(pl.String)
    frame = conform(part.frame.select(*names, texts, *nested), columns, part.name)
    frame = frame.with_columns(pl.col("winner").str.strip_chars())
    judged = (frame.get_column("winner") != "").fill_null(False)
    numbers = [number for number, keep in zip(part.numbers, judged, strict=True) if keep]
    absent = frame.height - len(numbers)
    if not numbers:
        raise InputError(f"{part.name}: no comparisons; expected at least one")
    left_out(part.name, absent, "row", "without a winner")
    draft = with_defaults(Draft.of(part.name, numbers, frame.filter(judged)))
    return Draft(_with_sides(draft.frame, draft.origin).select(*PREFERENCES, *more), draft.origin)


def _with_sides(frame: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """Turns a winner that is named by its system into ``a`` or ``b``.

    Raises:
        InputError: The winner is neither, or a system is called like the other side.
    """
    winner, a, b = (pl.col(name) for name in ("winner", "a", "b"))
    by_side = pl.when(winner.str.to_lowercase().is_in(["a", "b", "tie"]))
    sides = frame.select(
        told=by_side.then(winner.str.to_lowercase()),
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
        frame = frame.with_columns(_winner_by_outcomes(replace(part, frame=frame)))
    if "winner" not in frame.columns or frame.schema["winner"] != pl.String:
        return replace(part, frame=frame)
    winner = frame.get_column("winner").str.strip_chars()
    lowered = winner.str.to_lowercase()
    if count := int(lowered.is_in(_BOTH_BAD).sum()):
        note("both bad", part.name, ties=count)
    sides = _SIDES | dict.fromkeys(_BOTH_BAD, "tie")
    named = lowered.replace_strict(sides, default=None, return_dtype=pl.String)
    return replace(part, frame=frame.with_columns(named.fill_null(winner).alias("winner")))


def _winner_by_outcomes(part: Part) -> pl.Series:
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
