"""The judgements of a study as tables: ratings or preferences, with what else is known of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rejoinder.annotation.choices import is_right
from rejoinder.annotation.study import Study
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import json_digest
from rejoinder.messages import counted
from rejoinder.studies.judgements import Judgement, judgements, notes_of
from rejoinder.tables.formats.study import table_of

_ROUNDING = 1e-9  # 0.28 * 25 is 7.000000000000001 in floating point


@dataclass(frozen=True, eq=False)
class Exported:
    """The judgements of a study.

    Attributes:
        kind: ``ratings`` or ``preferences``.
        table: ``schemas.RATINGS`` (of best-worst questions 1 for the best reply, -1 for the worst and
            0 for the others) or ``schemas.PREFERENCES`` (``a`` is the reply that was shown first),
            then ``first`` (of preferences), ``probability``, ``position`` in the rater's order,
            ``seconds`` and ``comment``. Training and attention questions are not in it.
        attention: A row for each rater who answered attention questions: ``rater``, ``asked``,
            ``right``.
        notes: What was left out.
        signature: What the study asked and the rows of the table, by their checksums, and the wanted
            share of attention questions.
    """

    kind: Literal["ratings", "preferences"]
    table: pl.DataFrame
    attention: pl.DataFrame
    notes: tuple[str, ...]
    signature: str

    def as_json(self, written: str | None) -> dict[str, Any]:
        """The object that ``rejoinder annotate export --json`` prints."""
        return {
            "kind": self.kind,
            "rows": self.table.height,
            "raters": self.table.get_column("rater").n_unique(),
            "items": self.table.get_column("id").n_unique(),
            "attention": self.attention.to_dicts(),
            "written": written,
            "signature": self.signature,
            "notes": self.notes,
        }


def export(study: Study, attention: float = 0.0) -> Exported:
    """The judgements of a study so far.

    Args:
        study: The study.
        attention: The least share of attention questions that a rater must have answered right; the
            judgements of others are left out, and counted. Who was asked none stays.

    Raises:
        ParameterError: ``attention`` lies outside 0 to 1.
        InputError: There is no judgement yet, or none is left.
    """
    if not 0 <= attention <= 1:
        raise ParameterError(f"attention: got {attention}; expected a share from 0 to 1")
    every = judgements(study.database, checked=True)
    checks = attention_of(study, every)
    wanted = attention * pl.col("asked") - _ROUNDING
    failed = set(checks.filter(pl.col("right") < wanted).get_column("rater"))
    rated = [each for each in every if each.kind == "rated"]
    selected = [each for each in rated if each.rater not in failed]
    notes = notes_of(study.database)
    apart = judgements(study.database, apart=True)
    if apart:
        raters = counted(len({each.rater for each in apart}), "rater")
        notes += (f"{counted(len(apart), 'answer')} of {raters} taken out of the study left out",)
    if failed:
        left = counted(len(rated) - len(selected), "answer")
        notes += (
            f"{counted(len(failed), 'rater')} answered less than {100 * attention:g}% of the attention "
            f"questions right: {left} left out",
        )
    if not selected:
        why = f" ({'; '.join(notes)})" if notes else ""
        raise InputError(f"{study.database.path}: no judgements yet{why}; expected at least one")
    kind = "preferences" if study.task.kind == "head-to-head" else "ratings"
    table = table_of(study.task.kind, selected)
    signature = (
        f"annotate|kind:{study.task.kind}|questions:{study.identity[:8]}"
        f"|judgements:{json_digest(table.rows())[:8]}|attention:{attention:g}"
    )
    return Exported(kind, table, checks, notes, signature)


def attention_of(study: Study, every: list[Judgement]) -> pl.DataFrame:
    """How many attention questions each rater was asked, and answered right."""
    rows: dict[str, list[int]] = {}
    for each in every:
        if each.kind == "attention":
            row = rows.setdefault(each.rater, [0, 0])
            row[0] += 1
            row[1] += is_right(study.task, each.choices, each.answers)
    return pl.DataFrame(
        [(rater, *numbers) for rater, numbers in rows.items()],
        schema={"rater": pl.String, "asked": pl.Int64, "right": pl.Int64},
        orient="row",
    )
