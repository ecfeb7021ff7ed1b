"""The judgements of a study as tables: ratings or preferences, with what else is known of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rejoinder.annotation.choices import Choices, is_right
from rejoinder.annotation.study import Study
from rejoinder.annotation.task import TIE
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import json_digest
from rejoinder.messages import counted
from rejoinder.tables.schemas import DETAILS, PREFERENCES, RATINGS

_LAST = """
SELECT rater.id, rater.name, kind, question.id, item, systems, content, probability, position,
       arrangement, seconds, choices, comment
FROM assignment
JOIN answer ON answer.assignment = assignment.id
JOIN question ON question.id = assignment.question
JOIN block ON block.id = assignment.block
JOIN rater ON rater.id = assignment.rater
WHERE revision = revisions
ORDER BY rater.id, position
"""


_ROUNDING = 1e-9  # 0.28 * 25 is 7.000000000000001 in floating point


@dataclass(frozen=True)
class Judgement:
    """The last answer of a rater to a question.

    Attributes:
        rater: The rater's pseudonym.
        kind: ``rated``, ``training`` or ``attention``.
        item: The id of the item.
        systems: The systems of the question, in its own order.
        probability: The probability with which the question was drawn.
        position: The place in the rater's order.
        arrangement: Which reply was shown in which place.
        seconds: How long it took; None: unknown.
        choices: What was chosen.
        comment: What was written.
        answers: The known answers of a training or attention question; else empty.
    """

    rater: str
    kind: str
    item: str
    systems: tuple[str, ...]
    probability: float
    position: int
    arrangement: tuple[int, ...]
    seconds: float | None
    choices: Choices
    comment: str
    answers: Mapping[str, Any]


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


def judgements(study: Study, checked: bool = False) -> list[Judgement]:
    """Every last answer, by rater and position; where asked for, of an undamaged study alone."""
    with study.database.transaction() as db:
        if checked:
            study.database.check(db)
        rows = db.execute(_LAST).fetchall()
    return [
        Judgement(
            row[1], row[2], row[4], tuple(json.loads(row[5])), row[7], row[8],
            tuple(json.loads(row[9])), row[10], json.loads(row[11]), row[12],
            json.loads(row[6]).get("answers", {}),
        )
        for row in rows
    ]  # fmt: skip


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
    every = judgements(study, checked=True)
    checks = attention_of(study, every)
    wanted = attention * pl.col("asked") - _ROUNDING
    failed = set(checks.filter(pl.col("right") < wanted).get_column("rater"))
    rated = [each for each in every if each.kind == "rated"]
    selected = [each for each in rated if each.rater not in failed]
    notes = study.database.notes
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
    table = table_of(study, selected)
    signature = (
        f"annotate|kind:{study.task.kind}|questions:{study.identity[:8]}"
        f"|judgements:{json_digest(table.rows())[:8]}|attention:{attention:g}"
    )
    return Exported(kind, table, checks, notes, signature)


def table_of(study: Study, judged: list[Judgement]) -> pl.DataFrame:
    """Ratings, or preferences, of judgements; see `Exported`."""
    if study.task.kind == "head-to-head":
        schema = PREFERENCES | DETAILS
        rows = [row for each in judged for row in _preferences(each)]
    else:
        schema = RATINGS | {name: kind for name, kind in DETAILS.items() if name != "first"}
        of_kind = _grades if study.task.kind == "pointwise" else _ends
        rows = [row for each in judged for row in of_kind(each)]
    return pl.DataFrame(rows, schema=schema, orient="row")


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


def _details(each: Judgement) -> tuple[Any, ...]:
    return each.probability, each.position, each.seconds, each.comment or None


def _grades(each: Judgement) -> Iterator[tuple[Any, ...]]:
    (system,) = each.systems
    for criterion, grade in each.choices.items():
        yield each.item, system, each.rater, criterion, float(grade), *_details(each)


def _ends(each: Judgement) -> Iterator[tuple[Any, ...]]:
    for criterion, choice in each.choices.items():
        for place, system in enumerate(each.systems):
            score = float(place == choice["best"]) - float(place == choice["worst"])
            yield each.item, system, each.rater, criterion, score, *_details(each)


def _preferences(each: Judgement) -> Iterator[tuple[Any, ...]]:
    first, second = each.arrangement
    a, b = each.systems[first], each.systems[second]
    for criterion, choice in each.choices.items():
        winner = TIE if choice == TIE else ("a" if choice == first else "b")
        yield each.item, a, b, each.rater, criterion, winner, "a", *_details(each)
