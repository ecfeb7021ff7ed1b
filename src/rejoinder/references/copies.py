"""Systems that quote the references: people whose replies went into them, mostly."""

from __future__ import annotations

import polars as pl

from rejoinder.messages import counted
from rejoinder.tables.responses import Alignment
from rejoinder.tables.testset import TestSet


def quoting(testset: TestSet, alignment: Alignment) -> list[str]:
    """What to say of systems most of whose replies are references of their own items.

    People whose replies went into the references stand so among the systems of some published data.
    """
    held = testset.references.select("id", text=folded()).unique()
    answers = alignment.responses.with_columns(text=folded())
    quoted = answers.join(held, on=["id", "text"], how="semi")
    counts = dict(quoted.group_by("system", maintain_order=True).len().iter_rows())
    if not counts:
        return []
    n = held.filter(pl.col("id").is_in(alignment.ids)).get_column("id").n_unique()
    return [
        f"'{system}' gives a reference of the very item in {count} of {counted(n, 'item')} with "
        f"references: its scores are high by construction; --without '{system}' "
        f"(without=['{system}']) takes it out of the systems"
        for system, count in counts.items()
        if 2 * count > n
    ]


def folded() -> pl.Expr:
    """The texts but for case and blanks, which tokenised data has around every comma."""
    return pl.col("text").str.to_lowercase().str.replace_all(" ", "", literal=True)
