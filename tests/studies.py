"""Small studies for tests, and raters who answer them."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl

from rejoinder.annotation.new_study import make_study
from rejoinder.annotation.questions import make_questions
from rejoinder.annotation.study import Rater, Shown, Study
from rejoinder.annotation.task import Task
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet

TASK = Task()
SYSTEMS = ("ann", "bot", "cat", "dog")
OPENED: list[Study] = []
"""The studies that the fixture ``close_studies`` closes when a test ends."""


def items_of(items: int, dialogues: int = 0, chance: float | None = None) -> TestSet:
    """Items of two turns each, with a reference; in dialogues where so many are asked for."""
    table = TestSet.from_lists(
        [[f"reference {i}"] for i in range(items)],
        contexts=[[f"Hello {i}.", f"Where is bus {i}?"] for i in range(items)],
    )
    contexts = table.contexts
    if dialogues:
        names = [f"d{i * dialogues // items}" for i in range(items)]
        contexts = contexts.with_columns(pl.Series("conversation", names))
    if chance is not None:
        contexts = contexts.with_columns(pl.lit(chance).alias("chance"))
    return TestSet(contexts, table.references)


def responses(table: TestSet, systems: int = 2) -> pl.DataFrame:
    """A reply of every system to every item."""
    rows = [(name, id, f"{name} says {id}") for name in SYSTEMS[:systems] for id in table.ids]
    return pl.DataFrame(rows, schema=RESPONSES, orient="row")


def study(
    folder: Path, task: Task = TASK, items: int = 6, systems: int = 2, **more: object
) -> Study:
    """A new study in a folder."""
    table = items_of(items, **more)  # pyright: ignore
    path = folder / f"{len(list(folder.iterdir()))}.sqlite"
    make_study(path, task, make_questions(table, responses(table, systems), task))
    return opened(path)


def opened(path: Path, **more: object) -> Study:
    """The study of a file, which is closed when the test ends."""
    study = Study(path, **more)  # pyright: ignore
    OPENED.append(study)
    return study


def form(task: Task, shown: Shown, draw: random.Random) -> dict[str, str]:
    """An answer at random."""
    given = {}
    for place, criterion in enumerate(task.criteria):
        if task.kind == "pointwise":
            given[f"c{place}"] = str(draw.choice(criterion.points)[0])
        elif task.kind == "head-to-head":
            given[f"c{place}"] = draw.choice(["1", "2", *(["tie"] if task.ties else [])])
        else:
            best, worst = draw.sample(range(1, len(shown.replies) + 1), 2)
            given |= {f"c{place}-best": str(best), f"c{place}-worst": str(worst)}
    return given


def answer_all(study: Study, raters: list[Rater], draw: random.Random, undo: float = 0.0) -> int:
    """Lets raters answer in turn, at random, until nothing is left; the number of answers."""
    left, answers = list(raters), 0
    while left:
        rater = draw.choice(left)
        shown = study.current(rater)
        if shown is None:
            left.remove(rater)
            continue
        study.answer(rater, shown.assignment, form(study.task, shown, draw))
        answers += 1
        if draw.random() < undo:
            study.undo(rater)
    return answers
