"""The table of ranges of ranks: which ranks the tests of all pairs leave to each system."""

from __future__ import annotations

import polars as pl

from rejoinder.document.numbers import Show
from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Table, key, number
from rejoinder.document.text import IN_PAPERS, LETTERS, Cell, joined, styled

SAME_LETTER = "two systems that share a letter do not differ significantly, two that share none do"
RANKS = (
    "ranks: 2-5 means that one system is significantly better, and that this one may be as low as "
    f"fifth (p below 0.05 after Holm's correction over all pairs); {SAME_LETTER}"
)


def ranks_of(
    ranks: pl.DataFrame, across: str = "metric", show: Show | None = None, ranges: bool = True
) -> Document:
    """The ranges of ranks: a row for each system, a column for each metric, or each value of another key.

    Args:
        ranks: ``system``, ``best_rank``, ``worst_rank``, ``letters`` and the key.
        across: The key.
        show: How a mean is written, which then stands before the ranks; None for no mean.
        ranges: Whether the ranges are on paper; without them means are.
    """

    def span_of(best: int, worst: int, letters: str) -> str:
        return f"{best}" + f"-{worst}" * (worst > best) + f" {letters}"

    columns = [key("system")]
    if show is not None:
        best = dict(ranks.group_by(across).agg(pl.col("mean").max()).iter_rows())

        def mean_of(mean: float, of: str, letters: str) -> Cell:
            value = styled(show(mean), "bold" * (mean == best[of]))
            return joined(value, styled(letters, LETTERS))

        keys = ("mean", across, "letters")
        columns.append(number(lambda of: f"mean {of}", keys, mean_of, across=True))
    keys = ("best_rank", "worst_rank", "letters")
    columns.append(number(str, keys, span_of, across=True, paper=ranges))
    title = "ranks" if ranges else "mean ratings"
    meanings = {"mean": "Mean of the system's ratings."}
    table = Table(ranks, columns, "ranks", title, across=across, meanings=meanings)
    bold = styled("; best values bold" * (show is not None), IN_PAPERS)
    if not ranges:
        return [table, Line(joined(styled(f"{title}: {SAME_LETTER}", IN_PAPERS), bold), "legend")]
    return [table, Line(joined(RANKS, bold), "legend")]
