"""What is shown of a study that follows a design: what is decided, every look, and what was saved."""

from __future__ import annotations

from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, decimals, p_value
from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import PAIR, Column, Table, estimate, key, number
from rejoinder.document.text import Cell
from rejoinder.statistics.monitored_difference import BETTER, CLOSED, ENDED, FUTILE, GO_ON

MEANINGS = {
    "says": "What the look says: go on, better (one system is better), futile, undecided (the end) or "
    "closed (it goes on, and one of both cannot be the best).",
    "rated": "Rated items until the look.",
    "most": "Planned maximum of rated items.",
    "information": "Share of the planned information.",
    "looks": "Number of looks.",
    "late": "Items rated after the end.",
    "boundary": "How large |z| must be at this look; null where the look may spend nothing.",
    "z": "The difference over its standard error, as a normal deviate.",
    "power_left": "Power that is left to show the planned difference.",
    "mean": "The difference a - b at the look.",
    "repeated_low": "Lower end of the interval that holds at all looks together; null without a boundary.",
    "repeated_high": "Upper end of it.",
    "estimate": "Median-unbiased estimate of the difference, with late ratings; null while it goes on.",
    "low": "Lower end of the stage-wise 95% interval; null while it goes on.",
    "high": "Upper end of it.",
    "p": "Two-sided p by the order of the looks; null while it goes on.",
    "reason": "Why there is no look.",
    "lever": "What saved ratings.",
    "ratings": "Ratings saved against three raters an item without looks.",
    "share": "Their share of that design's ratings.",
}
LEGEND = (
    "information: share of what is planned; at a look: difference with the interval that holds at all looks "
    "together; boundary: how large |z| must be; power left: to show the planned difference"
)
ENDS = (
    "estimate: median-unbiased, with the stage-wise 95% interval and p of a study that stopped where this "
    "one did (the plain mean after stopping lies too far from 0)"
)


def progress(
    pairs: pl.DataFrame, looks: pl.DataFrame, saved: pl.DataFrame, notes: tuple[str, ...]
) -> Document:
    """The tables of ``DesignProgress``, whose attributes these are.

    Args:
        pairs: What the last look at each pair says.
        looks: Every look.
        saved: What was saved; empty while the study goes on.
        notes: What the figures rest on.
    """
    two = decimals(2)
    at_look = estimate("at the look", ("mean", "repeated_low", "repeated_high"), two)
    columns: list[Column] = [
        *PAIR,
        key("says"),
        number("rated", "rated"),
        number("of", "most"),
        number("information", "information", _share),
        at_look,
    ]
    ended = pairs.filter(pl.col("estimate").is_not_null())
    if ended.height:
        columns += [estimate("estimate", ("estimate", "low", "high"), two), number("p", "p", _p)]
    shown: Document = [Table(pairs, columns, meanings=MEANINGS), GAP]
    of_looks: list[Column] = [
        *PAIR,
        number("rated", "rated"),
        number("information", "information", _share),
        at_look,
        number("z", "z", two),
        number("boundary", "boundary", lambda value: NONE if value is None else two(value)),
        number("power left", "power_left", _share),
        key("says"),
    ]
    if looks.height:
        shown += [Table(looks, of_looks, name="looks", title="looks", meanings=MEANINGS), GAP]
    if saved.height:
        of_saved: list[Column] = [
            key("lever"), number("ratings", "ratings", decimals(0)), number("share", "share", _share)
        ]  # fmt: skip
        title = "ratings saved against three raters an item without looks"
        shown += [Table(saved, of_saved, name="saved", title=title, meanings=MEANINGS), GAP]
    shown.append(Line(LEGEND, "legend"))
    if ended.height:
        shown.append(Line(ENDS, "legend"))
    sentences = [_sentence(row) for row in pairs.iter_rows(named=True)]
    return [*shown, *lines(notes, "note"), GAP, *lines(sentences)]


def _sentence(row: dict[str, Any]) -> str:
    """What the last look at a pair says."""
    both, after = (
        f"{row['a']} and {row['b']}",
        f"after {row['rated']} of at most {row['most']} items",
    )
    if row["reason"]:
        return f"{both}: no look yet, {row['reason']}."
    if row["says"] == GO_ON:
        return f"{both}: go on; nothing is decided {after}."
    if row["says"] == CLOSED:
        return f"{both}: nothing is decided {after}, and one of both cannot be the best."
    estimated = f"estimate {row['estimate']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
    if row["says"] == BETTER:
        one, other = (row["a"], row["b"]) if row["z"] > 0 else (row["b"], row["a"])
        return f"{one} is better than {other}: decided {after}; {estimated}."
    why = {
        FUTILE: f"the planned difference would hardly be shown any more, {after}",
        ENDED: f"the study has ended without a decision {after}",
    }[row["says"]]
    return f"{both}: {why}; {estimated}."


def _share(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.0f}%"


def _p(value: float | None) -> Cell:
    return NONE if value is None else p_value(value)
