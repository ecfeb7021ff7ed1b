"""From answers to tables: scores or preferences, and a summary of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from rejoinder.annotation.task import TIE
from rejoinder.marking.answers import Answered
from rejoinder.marking.questions import CHOICES, MarkQuestions
from rejoinder.tables.schemas import PREFERENCES, SAMPLE, SCORES

ANSWERS = {
    "question": pl.String, "id": pl.String, "criterion": pl.String, "value": pl.Float64,
    "how": pl.String, "answer": pl.String, "fault": pl.String, "calls": pl.Int64,
    "tokens": pl.Int64, "share": pl.Float64,
}  # fmt: skip
FIRST = "first"
"""The column of a comparison that names the reply shown first."""

_WINNERS = {CHOICES["1"]: "a", CHOICES["2"]: "b", CHOICES[TIE]: TIE}


def answers_table(answers: Sequence[Answered]) -> pl.DataFrame:
    """The answers, a row for each question."""
    rows = [tuple(getattr(each, name) for name in ANSWERS) for each in answers]
    return pl.DataFrame(rows, schema=ANSWERS, orient="row")


def scores_table(questions: MarkQuestions, answers: Sequence[Answered], model: str) -> pl.DataFrame:
    """The marks as scores: ``system, id, name, value``, and ``sample`` where there are samples.

    Args:
        questions: The questions.
        answers: The answer to each distinct question.
        model: The name of the model.
    """
    rows = [
        {**row, "name": name_of(model, row["criterion"]), "value": answers[place].value}
        for row, place in zip(questions.rows, questions.places, strict=True)
    ]
    columns = ["system", "id", "name", "value"]
    columns += [SAMPLE] if any(row[SAMPLE] is not None for row in rows) else []
    return pl.DataFrame(rows, schema={name: SCORES[name] for name in columns})


def name_of(model: str, criterion: str) -> str:
    """What the marks are called; ``|`` would part signatures."""
    return f"{model} {criterion}".replace("|", "/")


def preferences_table(
    questions: MarkQuestions, answers: Sequence[Answered], model: str
) -> pl.DataFrame:
    """The comparisons that have an answer as preferences; ``a`` was shown first.

    Args:
        questions: The questions.
        answers: The answer to each distinct question.
        model: The name of the model.
    """
    rows = []
    for row, place in zip(questions.rows, questions.places, strict=True):
        value = answers[place].value
        if value is not None:
            rows.append({**row, "rater": model, "winner": _WINNERS[value], FIRST: "a"})
    return pl.DataFrame(rows, schema=PREFERENCES | {FIRST: pl.String})


def has_names_of(table: pl.DataFrame, criteria: Sequence[str], model: str | None = None) -> bool:
    """Whether a table has the names that marks by these criteria have, of a model or of any one.

    Args:
        table: Scores or preferences.
        criteria: The names of the criteria.
        model: What tables call the model; None: it may be any.
    """
    if FIRST in table.columns:
        raters = set(table["rater"].to_list())
        of_model = len(raters) == 1 if model is None else raters == {model}
        return of_model and table["criterion"].is_in(criteria).all()
    if "name" not in table.columns:
        return False
    names = set(table["name"].to_list())
    if model is not None:
        return names <= {name_of(model, criterion) for criterion in criteria}
    endings = tuple(name_of("", criterion) for criterion in criteria)
    return all(name.endswith(endings) for name in names)


def systems_of_scores(questions: MarkQuestions, answers: Sequence[Answered]) -> pl.DataFrame:
    """A row for each system and criterion; see `Marks`."""
    groups: dict[tuple[str, str], list[float | None]] = {}
    for row, place in zip(questions.rows, questions.places, strict=True):
        groups.setdefault((row["system"], row["criterion"]), []).append(answers[place].value)
    rows = []
    for (system, criterion), values in groups.items():
        marks = [value for value in values if value is not None]
        mean = sum(marks) / len(marks) if marks else float("nan")
        rows.append((system, criterion, len(values), len(values) - len(marks), mean))
    schema = {
        "system": pl.String, "criterion": pl.String, "replies": pl.Int64, "missing": pl.Int64,
        "mean": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def systems_of_preferences(questions: MarkQuestions, answers: Sequence[Answered]) -> pl.DataFrame:
    """A row for each pair of systems and criterion; see `Marks`."""
    pairs: dict[tuple[str, str, str], dict[str, list[str | None]]] = {}
    for row, place in zip(questions.rows, questions.places, strict=True):
        value = answers[place].value
        winner = None if value is None else _WINNERS[value]
        key = row["a"], row["b"], row["criterion"]
        if (row["b"], row["a"], row["criterion"]) in pairs:  # the second order
            key = row["b"], row["a"], row["criterion"]
            winner = {"a": "b", "b": "a"}.get(winner or "", winner)
        pairs.setdefault(key, {}).setdefault(row["id"], []).append(winner)
    rows = [
        {"a": a, "b": b, "criterion": criterion, **_pair(list(of_items.values()))}
        for (a, b, criterion), of_items in pairs.items()
    ]
    schema = {"a": pl.String, "b": pl.String, "criterion": pl.String} | dict.fromkeys(
        _COUNTS, pl.Int64
    )
    return pl.DataFrame(rows, schema=schema)


_COUNTS = ("comparisons", "missing", "a_wins", "b_wins", "ties", "both_orders", "consistent")


def _pair(items: Sequence[Sequence[str | None]]) -> dict[str, Any]:
    """The counts of a pair, from the winners of each item's two comparisons."""
    every = [winner for winners in items for winner in winners]
    both = [winners for winners in items if None not in winners]
    return {
        "comparisons": len(every),
        "missing": every.count(None),
        "a_wins": every.count("a"),
        "b_wins": every.count("b"),
        "ties": every.count(TIE),
        "both_orders": len(both),
        "consistent": sum(len(set(winners)) == 1 for winners in both),
    }
