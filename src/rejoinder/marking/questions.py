"""The questions about replies: one for each reply and criterion, or for each pair in both orders."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from rejoinder.annotation.speakers import turns as with_speakers
from rejoinder.annotation.task import TIE
from rejoinder.errors import InputError
from rejoinder.marking.rubric import FIRST, SECOND, Rubric
from rejoinder.messages import counted
from rejoinder.tables.schemas import SAMPLE
from rejoinder.tables.testset import TestSet

CHOICES = {FIRST: 1.0, SECOND: 2.0, TIE: 0.0}
"""By answer of a comparison its number, as it is kept."""


@dataclass(frozen=True)
class MarkQuestion:
    """What a model is asked, once for all replies whose question has the same words.

    Attributes:
        id: The item's, of the first reply that is asked about.
        criterion: The criterion's name.
        text: The whole question.
        marks: By answer its number: the grade itself, or of a comparison ``CHOICES``.
        graded: Whether the numbers are grades, of which an expectation can be taken.
    """

    id: str
    criterion: str
    text: str
    marks: dict[str, float]
    graded: bool

    @property
    def key(self) -> str:
        """Identifies the question: 16 digits of the SHA-256 of its criterion and text."""
        return hashlib.sha256(f"{self.criterion}\n{self.text}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class MarkQuestions:
    """All questions, and the rows of the table that they answer.

    Attributes:
        asked: Each question once.
        rows: A row for each mark: ``system``, ``id``, ``criterion`` and ``sample``, or of comparisons
            ``id``, ``a``, ``b`` and ``criterion``.
        places: For each row the place of its question in ``asked``.
        notes: What is not asked about.
    """

    asked: tuple[MarkQuestion, ...]
    rows: tuple[dict[str, Any], ...]
    places: tuple[int, ...]
    notes: tuple[str, ...]


def questions(
    testset: TestSet,
    responses: pl.DataFrame,
    rubric: Rubric,
    pairwise: bool = False,
    turns: int | None = None,
) -> MarkQuestions:
    """The questions about all replies, in the order of the test set.

    Args:
        testset: The items.
        responses: The replies, checked against the test set.
        rubric: What is asked.
        pairwise: Whether two replies to one item are compared, in both orders.
        turns: How many last turns of the context are shown; None: all.

    Raises:
        InputError: There is no pair of replies to compare, or a system has several replies to an item
            where pairs are compared.
        ParameterError: A criterion has no question.
    """
    rubric.check_questions("pairwise" if pairwise else "pointwise")
    systems = responses.get_column("system").unique(maintain_order=True).to_list()
    items = _Texts(testset, turns)
    rows = (
        _pair_questions(items, responses, systems, rubric)
        if pairwise
        else _reply_questions(items, responses, systems, rubric)
    )
    asked: dict[tuple[str, str], tuple[int, MarkQuestion]] = {}
    replies, places = [], []
    for row, question in rows:
        place, _ = asked.setdefault((question.criterion, question.text), (len(asked), question))
        replies.append(row)
        places.append(place)
    several = tuple(question for _, question in asked.values())
    notes = _notes(testset, responses, systems, pairwise)
    if len(several) < len(replies):
        what = counted(len(replies) - len(several), "question")
        notes.append(f"{what} asked once for equal replies")
    return MarkQuestions(several, tuple(replies), tuple(places), tuple(notes))


class _Texts:
    """The texts of an item that stand in its questions."""

    def __init__(self, testset: TestSet, turns: int | None) -> None:
        self.ids = testset.ids
        contexts = testset.contexts.get_column("context").to_list()
        self._contexts = dict(zip(self.ids, contexts, strict=True))
        self._turns = turns
        self._references: dict[str, list[str]] = {}
        for id, text, weight in testset.references.select("id", "text", "weight").iter_rows():
            if weight is None or weight >= 0:
                self._references.setdefault(id, []).append(text)

    def of(self, id: str) -> dict[str, str]:
        context = self._contexts[id] or []
        seen = with_speakers(tuple(context))[-self._turns if self._turns else 0 :]
        return {
            "context": "\n".join(f"{speaker}: {text}" for speaker, text in seen),
            "references": "\n".join(self._references.get(id, [])),
        }


def _reply_questions(
    items: _Texts, responses: pl.DataFrame, systems: list[str], rubric: Rubric
) -> Iterator[tuple[dict[str, Any], MarkQuestion]]:
    sampled = SAMPLE in responses.columns
    replies: dict[tuple[str, str], list[tuple[str | None, str]]] = {}
    for row in responses.iter_rows(named=True):
        key = row["system"], row["id"]
        replies.setdefault(key, []).append((row[SAMPLE] if sampled else None, row["text"]))
    for criterion in rubric.criteria:
        marks = {str(grade): float(grade) for grade, _ in criterion.points}
        for system in systems:
            for id in items.ids:
                for sample, text in replies.get((system, id), ()):
                    texts = {**items.of(id), "reply": text}
                    asked = rubric.question("pointwise", criterion, list(marks), texts)
                    row = {
                        "system": system,
                        "id": id,
                        "criterion": criterion.name,
                        "sample": sample,
                    }
                    yield row, MarkQuestion(id, criterion.name, asked, marks, True)


def _pair_questions(
    items: _Texts, responses: pl.DataFrame, systems: list[str], rubric: Rubric
) -> Iterator[tuple[dict[str, Any], MarkQuestion]]:
    if responses.select("system", "id").is_duplicated().any():
        raise InputError(
            "responses: several replies of one system to one item; pairs are compared of one reply "
            "each: keep one sample, or mark replies one by one"
        )
    texts = {
        (system, id): text
        for system, id, text in responses.select("system", "id", "text").iter_rows()
    }
    marks = {answer: CHOICES[answer] for answer in rubric.choices()}
    shared = False
    for criterion in rubric.criteria:
        for pair in combinations(systems, 2):
            for id in items.ids:
                if not all((system, id) in texts for system in pair):
                    continue
                shared = True
                for a, b in (pair, pair[::-1]):
                    filled = {**items.of(id), "first": texts[a, id], "second": texts[b, id]}
                    asked = rubric.question("pairwise", criterion, list(marks), filled)
                    row = {"id": id, "a": a, "b": b, "criterion": criterion.name}
                    yield row, MarkQuestion(id, criterion.name, asked, marks, False)
    if not shared:
        raise InputError(
            f"responses: {counted(len(systems), 'system')}, and no item that two of them answered; "
            "expected replies of two systems to the same items"
        )


def _notes(
    testset: TestSet, responses: pl.DataFrame, systems: list[str], pairwise: bool
) -> list[str]:
    answered = responses.select("system", "id").unique().get_column("system").value_counts()
    counts = dict(answered.iter_rows())
    short = {name: len(testset) - counts[name] for name in systems if counts[name] < len(testset)}
    what = "not compared there" if pairwise else "no marks there"
    return [
        f"system '{name}' did not answer {missing} of {len(testset)} items: {what}"
        for name, missing in short.items()
    ]
