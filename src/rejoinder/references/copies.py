"""Systems whose replies are among the references: people whose replies were collected, mostly."""

from __future__ import annotations

import polars as pl

from rejoinder.messages import counted
from rejoinder.tables.responses import Alignment
from rejoinder.tables.testset import TestSet


def quoting(testset: TestSet, alignment: Alignment) -> list[str]:
    """Notes about systems most of whose replies are references of their own items.

    In published data these are often people whose replies were taken as references too.
    """
    references = testset.references.select("id", text=folded()).unique()
    answers = alignment.responses.with_columns(text=folded())
    quoted = answers.join(references, on=["id", "text"], how="semi")
    counts = dict(quoted.group_by("system", maintain_order=True).len().iter_rows())
    if not counts:
        return []
    n = references.filter(pl.col("id").is_in(alignment.ids)).get_column("id").n_unique()
    return [
        f"'{system}'{_GIVES} {count} of {counted(n, 'item')} with "
        f"references: its scores are high by construction{_REMEDY}'{system}' "
        f"(without=['{system}']) takes it out of the systems"
        for system, count in counts.items()
        if 2 * count > n
    ]


_GIVES = " gives a reference of the very item in"
_REMEDY = "; --without "


def without_remedy(note: str) -> str:
    """A note of ``quoting`` for where no system can be left out; another note as it is."""
    return note.partition(_REMEDY)[0] if copier_of(note) else note


def copier_of(note: str) -> str:
    """The system that a note of ``quoting`` is about; empty of another note."""
    system, gives, _ = note.partition(_GIVES)
    return system if gives else ""


def folded() -> pl.Expr:
    """The texts in lower case and without blanks: tokenised data has blanks around every comma."""
    return pl.col("text").str.to_lowercase().str.replace_all(" ", "", literal=True)
