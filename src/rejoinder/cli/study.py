"""The options that make a study, and the study that a command line names."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import argument, choice, flag, integer, option, path
from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.annotation.questions import Questions
    from rejoinder.annotation.study import Study
    from rejoinder.annotation.task import Task
    from rejoinder.tables.testset import TestSet

_SETTINGS = {
    "judgement": "kind",
    "raters_per_question": "raters_per_question",
    "per_rater": "per_rater",
    "sample": "sample",
    "probability": "probability",
    "seed": "seed",
    "markup": "markup",
    "break_every": "break_every",
}
"""By option, what the setting is called in the file of --task."""
_QUESTION_OPTIONS = (
    *_SETTINGS, "drawn", "task", "criteria", "questions", "anchors", "page_language", "scale", "without",
    "mined", "original", "columns", "format", "references",
)  # fmt: skip


class StudyOptions(options.TextsOptions, options.DrawnOptions):
    """A study: its file, and what it asks where it is new."""

    testset: Path = argument("testset", type=options.PATH, required=False)  # None: go on
    responses: tuple[Path, ...] = argument("responses", type=options.PATH, nargs=-1)
    db: Path = path(
        "--db",
        required=True,
        help="File of the study, an SQLite database. It is made from the test set and the responses if "
        "it is not there; otherwise the study goes on.",
    )
    task: Path | None = path(
        "--task",
        help="TOML file with the settings of the study. Criteria, scales, instructions, consent, "
        "training and attention questions; options take the place of its settings.",
    )
    judgement: str | None = choice(
        "--judgement",
        of=("pointwise", "head-to-head", "best-worst"),
        help="Kind of judgement. pointwise: grades for each reply (the default); head-to-head: the "
        "better of two replies; best-worst: the best and the worst of several.",
    )
    criteria: tuple[str, ...] = option(
        "--criterion",
        metavar="NAME",
        multiple=True,
        help="Rating criterion. May be repeated (default: overall).",
    )
    questions: tuple[str, ...] = option(
        "--question",
        metavar="TEXT",
        multiple=True,
        help="What raters are asked about a criterion. One for each --criterion, in the same order "
        "(default: a question for overall, relevance, fluency, safety, helpfulness and preference; "
        "otherwise the name).",
    )
    anchors: tuple[str, ...] = option(
        "--anchors",
        metavar="WORDS",
        multiple=True,
        help="Words of the points of the scale, from the lowest, with commas between (or | if there is "
        "one); two are those of the ends. Once for all criteria, or one for each.",
    )
    page_language: str | None = option(
        "--set page_language",
        metavar="TAG|FILE",
        help="Language of the page: ar, de, en, es, fr, ja or zh; or a .json file with the sentences of "
        "another language (default: that of the language of the texts in --task, or en).",
    )
    markup: str | None = choice(
        "--set markup",
        of=("markdown", "raw"),
        help="How turns and replies are shown. markdown: Markdown as such (the default); raw: as it was "
        "written.",
    )
    break_every: int | None = integer(
        "--set break_every",
        help="Number of answers after which a break is offered (default: 25).",
    )
    scale: tuple[float, float] | None = options.scale()
    raters_per_question: int | None = integer(
        "--set raters_per_question", help="Number of raters of each question (default: 3)."
    )
    per_rater: int | None = integer(
        "--set per_rater", help="Maximum number of questions of one rater (default: no limit)."
    )
    sample: int | None = integer(
        "--sample", help="Number of items to judge, drawn at random (default: all)."
    )
    probability: str | None = option(
        "--set probability",
        metavar="COLUMN",
        help="Column of the contexts with the probability with which each item is drawn.",
    )
    mined: tuple[Path, ...] = path(
        "--mined",
        multiple=True,
        help="Table of mined candidates (id, text, source), judged as replies of their sources; may be "
        "repeated.",
    )
    original: bool = flag(
        "--set original",
        help="Judge the first reference of each item too, as the system 'original'.",
    )
    without: tuple[str, ...] = options.without("Its replies are not judged.")
    seed: int | None = integer("--seed", help="Random seed.")


def opened(given: StudyOptions, whole: bool = False) -> tuple[Study, bool]:
    """The study of a command line, and whether it was there already.

    Args:
        given: The options.
        whole: Whether one rater rates the replies of all systems to an item.

    Raises:
        RejoinderError: It cannot be made, or other questions were asked before.
    """
    from rejoinder.annotation.study import Study, open_study
    from rejoinder.cli.needs import check_needs

    if given.testset is None:
        if not given.db.exists():
            raise ParameterError(
                f"{given.db}: there is no such study; name a test set and responses to make it: "
                f"TESTSET.jsonl SYSTEM.jsonl ... --db {given.db}"
            )
        check_needs(False, "a test set", *_QUESTION_OPTIONS)
        return Study(given.db), True
    task = task_of(given)
    questions = questions_of(given, task, whole)
    return open_study(given.db, task, questions, lambda: _record(given.db, task, questions))


def _record(path: Path, task: Task, questions: Questions) -> dict[str, Any] | None:
    """What a new study is made of, which it holds."""
    from types import SimpleNamespace

    from rejoinder.annotation.new_study import identity
    from rejoinder.cli.records import Records

    signature = f"annotate|kind:{task.kind}|questions:{identity(task, questions)[:8]}"
    described = SimpleNamespace(signature=signature, notes=questions.notes)
    return Records(described).of_database(path)


def task_of(given: StudyOptions) -> Task:
    """The settings of the file of --task, with those of options in their place."""
    from rejoinder.annotation.page_words import read_words
    from rejoinder.annotation.task import (
        Criterion,
        Task,
        read_task,
        with_ends,
        with_usual_questions,
    )

    settings: dict[str, Any] = {
        setting: getattr(given, name)
        for name, setting in _SETTINGS.items()
        if getattr(given, name) is not None
    }
    words = given.page_language
    if words is not None:
        settings["page_language"] = read_words(words) if words.endswith(".json") else words
    if given.task is not None:
        if given.criteria or given.questions or given.anchors or given.scale is not None:
            raise ParameterError(
                "--criterion, --question, --anchors, --scale: the file of --task has the criteria; write "
                "them there"
            )
        return read_task(given.task, **settings)
    low, high = given.scale or (1.0, 5.0)
    if not (low.is_integer() and high.is_integer()):
        raise ParameterError(
            f"--scale {low:g} {high:g}: expected whole numbers; give the lowest and the highest point"
        )
    if given.anchors and settings.get("kind", "pointwise") != "pointwise":
        raise ParameterError(f"--anchors: {settings['kind']} questions have no scale; leave it out")
    names = given.criteria or ("overall",)
    texts = _one_per_criterion("--question", given.questions, names) or ("",) * len(names)
    anchors = _one_per_criterion(
        "--anchors", given.anchors * (len(names) if len(given.anchors) == 1 else 1), names
    )
    points = [Criterion(*both, int(low), int(high)) for both in zip(names, texts, strict=True)]
    criteria = [
        dataclasses.replace(each, words=with_ends(each, _anchors(text)))
        for each, text in zip(points, anchors or ("",) * len(names), strict=True)
    ]
    return with_usual_questions(Task(criteria=tuple(criteria), **settings))


def _one_per_criterion(name: str, given: Sequence[str], criteria: Sequence[str]) -> Sequence[str]:
    """What an option gives for each criterion; empty where it was not given."""
    if given and len(given) != len(criteria):
        raise ParameterError(
            f"{name}: given {len(given)} times for {len(criteria)} criteria; give it once for each "
            "--criterion, in the same order"
        )
    return given


def _anchors(text: str) -> list[str]:
    """The words of points, with white space around them left out."""
    return [each.strip() for each in text.split("|" if "|" in text else ",")] if text else []


def questions_of(given: StudyOptions, task: Task, whole: bool = False) -> Questions:
    """The questions about the replies of the files; ``whole``: see `opened`."""
    from rejoinder.annotation.questions import make_questions

    return make_questions(*_texts(given), task, inputs.read_drawn(given), whole)


def _texts(given: StudyOptions) -> tuple[TestSet, pl.DataFrame]:
    """The test set and what is judged: replies of systems, mined candidates, and original references."""
    import polars as pl

    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import note
    from rejoinder.errors import InputError
    from rejoinder.tables.candidates import originals, read_sources
    from rejoinder.tables.selection import without_systems

    parts = []
    if given.responses or not (given.mined or given.original):
        rest = "--db STUDY.sqlite"
        try:
            testset, replies = inputs.read(given, rest=rest)
        except InputError:
            inputs.check_testset_named(given, rest)
            raise
        if testset.contexts.get_column("context").list.len().max() == 0:
            note(
                f"{given.testset}: read as the test set, which has no contexts: its texts are not judged, "
                "and raters see no message before a reply; if they are replies of a system, name a test set "
                "with contexts before them, as in 'rejoinder annotate serve TESTSET.jsonl "
                f"{' '.join(map(str, (given.testset, *given.responses)))} --db STUDY.sqlite'"
            )
        parts.append(replies.frame)
    else:
        with Progress("reading"):
            testset = inputs.read_items(given)
    if given.mined:
        parts.append(read_sources(*given.mined, columns=given.columns))
    if given.original:
        parts.append(originals(testset))
    replies = pl.concat(parts, how="diagonal")
    return testset, without_systems(replies, given.without)
