"""What is shown of a model's marks: the mean mark of systems, or the comparisons of pairs."""

from __future__ import annotations

import polars as pl

from rejoinder.document.numbers import decimals
from rejoinder.document.parts import Document, lines
from rejoinder.document.table import PAIR, Table, key, number
from rejoinder.messages import Call

NEXT = {
    "scores": "a model's marks are not people's: '{judge}' compares them, and '{compare}' corrects them by "
    "people",
    "preferences": "a model's preferences are not people's; go on with '{preferences}'",
}
"""By kind of marks what to do next."""

GAPS = (
    "replies without a mark: with '{drop}' both verbs leave out the items that lack one, and with "
    "'{pairwise}' each system keeps its own"
)


def next_steps(kind: str, gaps: bool) -> Document:
    """What to do with marks of a kind; of which some are missing, how their items are handled."""
    calls = {
        "judge": Call("rejoinder.judge"),
        "compare": Call("rejoinder.compare_with_people"),
        "preferences": Call("rejoinder.preferences"),
        "drop": Call("missing='drop'"),
        "pairwise": Call("missing='pairwise'"),
    }
    return lines((each.format(**calls) for each in (NEXT[kind], *[GAPS] * gaps)), "legend")


def scores(rows: pl.DataFrame) -> Table:
    """A row for each system and criterion."""
    columns = [
        key("system"),
        key("criterion"),
        number("replies"),
        number("without mark", "missing"),
        number("mean mark", "mean", decimals(2)),
    ]
    meanings = {
        "replies": "Number of replies.",
        "missing": "Number of them without a mark.",
        "mean": "Mean mark.",
    }
    return Table(rows, columns, meanings=meanings)


def preferences(rows: pl.DataFrame) -> Table:
    """A row for each pair of systems and criterion."""
    columns = [
        *PAIR,
        key("criterion"),
        number("comparisons"),
        number("without answer", "missing"),
        number("a better", "a_wins"),
        number("b better", "b_wins"),
        number("ties"),
        number(
            "same in both orders",
            ("consistent", "both_orders"),
            lambda same, both: f"{same} of {both}",
        ),
    ]
    meanings = {
        "comparisons": "Number of comparisons.",
        "missing": "Number of them without an answer.",
        "a_wins": "How often a was better.",
        "b_wins": "How often b was better.",
        "ties": "How often neither was.",
        "consistent": "Number of items with the same answer in both orders.",
        "both_orders": "Number of items with an answer in both orders.",
    }
    return Table(rows, columns, meanings=meanings)
