"""What is shown of a model's marks: the mean mark of systems, or the comparisons of pairs."""

from __future__ import annotations

import polars as pl

from rejoinder.document.numbers import decimals
from rejoinder.document.table import PAIR, Table, key, number

NEXT = {
    "scores": "a model's marks are not people's: 'rejoinder judge --scores' compares them, and "
    "'rejoinder compare --scores ... --ratings' corrects them by people",
    "preferences": "a model's preferences are not people's; go on with 'rejoinder preferences'",
}
"""By kind of marks what to do next."""

GAPS = (
    "replies without a mark: with '--missing drop' both verbs leave out the items that lack one, and with "
    "'--missing pairwise' each system keeps its own"
)


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
