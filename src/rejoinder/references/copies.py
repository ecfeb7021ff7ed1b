"""Systems whose replies are among the references: people whose replies were collected, mostly."""

from __future__ import annotations

import polars as pl

from rejoinder.references.text_notes import copy_notes
from rejoinder.tables.responses import Alignment
from rejoinder.tables.testset import TestSet


def quoting(testset: TestSet, alignment: Alignment) -> list[str]:
    """Notes about systems most of whose replies are references of their own items.

    In published data these are often people whose replies were taken as references too.
    """
    references = testset.references.filter(pl.col("id").is_in(alignment.ids))
    answers = alignment.responses.with_columns(text=folded())
    folded_references = references.select("id", text=folded())
    quoted = answers.join(folded_references, on=["id", "text"], how="semi").get_column("system")
    if not len(quoted):
        return []
    by_system = dict(quoted.value_counts().iter_rows())
    counts = {name: by_system[name] for name in alignment.systems if name in by_system}
    return copy_notes(counts, references.get_column("id").n_unique(), references.get_column("text"))


def folded() -> pl.Expr:
    """The texts in lower case and without blanks: tokenised data has blanks around every comma."""
    return pl.col("text").str.to_lowercase().str.replace_all(" ", "", literal=True)
