"""The marks of a model: a table of scores or of preferences, and what the model answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, Line, View, lines, signed
from rejoinder.marking.answers import EXPECTED
from rejoinder.marking.marks_tables import next_steps, preferences, scores
from rejoinder.messages import counted
from rejoinder.result import TableResult


@dataclass(frozen=True, eq=False, repr=False)
class Marks(TableResult):
    """The marks that a model gave replies.

    Attributes:
        kind: ``scores`` (a mark for each reply) or ``preferences`` (two replies compared).
        table: Scores (``system``, ``id``, ``name``, ``value``, and ``sample`` where systems gave several
            replies to an item): the name is the model's and the criterion's, and a value is null where
            the model gave no mark. Or preferences (``id``, ``a``, ``b``, ``rater``, ``criterion``,
            ``winner``, ``first``): ``a`` was shown first, the rater is the model, and comparisons
            without an answer have no row.
        systems: Of scores a row for each system and criterion: ``system``, ``criterion``, ``replies``,
            ``missing``, ``mean``. Of preferences a row for each pair of systems and criterion: ``a``,
            ``b``, ``criterion``, ``comparisons``, ``missing``, ``a_wins``, ``b_wins``, ``ties``,
            ``both_orders`` (items whose two comparisons have an answer), ``consistent`` (those of them
            where it is the same one).
        answers: A row for each question in the order of asking: ``question``, ``id``, ``criterion``,
            ``value``, ``how``, ``answer``, ``fault``, ``calls``, ``tokens``, ``share``.
        model: The model's name.
        signature: Model, rubric, questions and settings.
        notes: What is missing, and what to know about the marks.
    """

    kind: Literal["scores", "preferences"]
    table: pl.DataFrame
    systems: pl.DataFrame
    answers: pl.DataFrame
    model: str
    signature: str
    notes: tuple[str, ...] = ()

    def document(self, view: View = AS_USUAL) -> Document:
        """The mean marks of systems, or the comparisons of pairs; then what was asked."""
        of_scores = self.kind == "scores"
        counts = self.counts()
        calls = counts["calls"]
        served = f"; {counted(calls, 'call')}, {counted(counts['tokens'], 'token')}" * bool(calls)
        asked = f"{self.model}: {counted(counts['questions'], 'question')}"
        marks = f"{counted(counts['marks'], 'mark')}, {counts['expectations']} of them expectations"
        answers = counted(counts["marks"], "answer")
        gaps = of_scores and counts["marks"] < counts["questions"]
        return [
            (scores if of_scores else preferences)(self.systems),
            GAP,
            Line(f"{asked}, {f'{marks} over the scale' if of_scores else answers}{served}"),
            *next_steps(self.kind, gaps),
            *signed({"signature": self.signature}),
            *lines(self.notes, "note"),
        ]

    def counts(self) -> dict[str, Any]:
        """How many questions were asked, with how many answers, and why some have no mark."""
        answers = self.answers
        unmarked = answers.filter(pl.col("value").is_null())
        reasons = unmarked.group_by("fault", maintain_order=True).len()
        return {
            "questions": answers.height,
            "marks": answers.height - unmarked.height,
            "expectations": answers.filter(pl.col("how") == EXPECTED).height,
            "asked_again": int((answers.get_column("calls") > 1).sum()),
            "without_mark": dict(reasons.iter_rows()),
            "calls": int(answers.get_column("calls").sum()),
            "tokens": int(answers.get_column("tokens").sum()),
        }

    def as_json(self, file: str | None = None) -> dict[str, Any]:
        """The object that ``rejoinder mark --json`` prints.

        Args:
            file: Where the table was written; None: nowhere.
        """
        return {
            "kind": self.kind,
            "model": self.model,
            "rows": self.table.height,
            "systems": self.systems.to_dicts(),
            **self.counts(),
            "signature": self.signature,
            "file": file,
            "notes": list(self.notes),
        }
