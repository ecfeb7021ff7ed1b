"""The table of ranges of ranks: which ranks the tests of all pairs leave to each system."""

from __future__ import annotations

import polars as pl

from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Table, key, number

SAME_LETTER = "two systems that share a letter do not differ significantly, two that share none do"
RANKS = (
    "ranks: 2-5 means that one system is significantly better, and that this one may be as low as "
    f"fifth (p below 0.05 after Holm's correction over all pairs); {SAME_LETTER}"
)


def ranks_of(ranks: pl.DataFrame, across: str = "metric") -> Document:
    """The ranges of ranks: a row for each system, a column for each metric, or each value of another key."""

    def span_of(best: int, worst: int, letters: str) -> str:
        return f"{best}" + f"-{worst}" * (worst > best) + f" {letters}"

    keys = ("best_rank", "worst_rank", "letters")
    columns = [key("system"), number(str, keys, span_of, across=True)]
    table = Table(ranks, columns, name="ranks", title="ranks", across=across)
    return [table, Line(RANKS, "legend")]
