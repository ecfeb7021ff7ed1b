"""A study of 'rejoinder annotate': its ratings or preferences so far, as 'annotate export' writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.format import FileHead, Format, Shape
from rejoinder.tables.formats.own_tables import draft_of
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import DETAILS, PREFERENCES, RATINGS

if TYPE_CHECKING:
    from rejoinder.studies.judgements import Judgement


def read(path: Path) -> Part:
    """The judgements of every rater. A study that is being served can be read too.

    Raises:
        InputError: The study is damaged, or nobody has answered a question yet.
    """
    from rejoinder.files.database import Database
    from rejoinder.studies.judgements import judgements, notes_of, settings_of
    from rejoinder.studies.tables import STUDY

    try:
        with closing(Database(path, STUDY, reading=True)) as database:
            every = judgements(database, checked=True)
            apart = judgements(database, apart=True)
            kind, notes = settings_of(database)["kind"], notes_of(database)
        rated = [each for each in every if each.kind == "rated"]
        table = table_of(kind, rated)
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"{path}: the study is damaged: an answer or its question is not as annotate writes it "
            f"({type(error).__name__}); restore a copy of the study"
        ) from error
    if not rated:
        raise InputError(f"{path}: no judgements yet; expected at least one")
    for each in notes:
        note("log of study", path, text=each)
    if apart:
        note(
            "raters taken out", path, answers=len(apart), raters=len({each.rater for each in apart})
        )
    asked = sum(each.kind == "attention" for each in every)
    if asked:
        note("attention", path, answers=asked)
    return Part(str(path), table, range(1, table.height + 1))


def table_of(kind: str, judged: Sequence[Judgement]) -> pl.DataFrame:
    """The judgements as a table.

    Args:
        kind: The kind of judgement of the study.
        judged: Judgements of questions that are rated.

    Returns:
        ``schemas.RATINGS`` (of best-worst questions 1 for the best reply, -1 for the worst and 0 for the
        others) or ``schemas.PREFERENCES`` (``a`` is the reply that was shown first), with ``DETAILS``.
    """
    if kind == "head-to-head":
        schema = PREFERENCES | DETAILS
        rows = [row for each in judged for row in _preferences(each)]
    else:
        schema = RATINGS | {name: of for name, of in DETAILS.items() if name != "first"}
        of_kind = _grades if kind == "pointwise" else _ends
        rows = [row for each in judged for row in of_kind(each)]
    return pl.DataFrame(rows, schema=schema, orient="row")


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
        winner = "tie" if choice == "tie" else ("a" if choice == first else "b")
        yield each.item, a, b, each.rater, criterion, winner, "a", *_details(each)


def questions_in(path: Path) -> dict[str, int]:
    """How many questions a study has; empty where the file is damaged.

    The file is read as it stands, without its log: what is answered meanwhile is not counted, and
    nothing is written beside it.
    """
    import sqlite3

    from rejoinder.files.checked_tables import FAULTS

    try:
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            (number,) = connection.execute("SELECT count(*) FROM question").fetchone()
    except (*FAULTS, OSError):
        return {}
    return {"questions": int(number)}


def scales_of(path: Path) -> set[tuple[float, float] | None]:
    """The lowest and highest grades of a study's criteria; None of a database that is no study of grades."""
    if not is_study(FileHead.of(path)):
        return {None}
    from rejoinder.files.database import Database
    from rejoinder.studies.judgements import settings_of
    from rejoinder.studies.tables import STUDY

    with closing(Database(path, STUDY, reading=True)) as database:
        settings = settings_of(database)
    if settings["kind"] != "pointwise":
        return {(-1.0, 1.0) if settings["kind"] == "best-worst" else None}
    try:
        return {(float(each["lowest"]), float(each["highest"])) for each in settings["criteria"]}
    except (KeyError, TypeError, ValueError):
        return {None}  # damaged


def is_study(head: FileHead) -> bool:
    """Whether a file is the study of ``annotate serve`` or ``annotate page``."""
    from rejoinder.files.database import begins
    from rejoinder.studies.tables import STUDY

    return begins(head.first, STUDY)


FORMAT = Format(
    "study",
    "Study of 'rejoinder annotate' (SQLite): its ratings or preferences so far",
    [Shape("sqlite", also=is_study)],
    {
        "ratings": lambda path, asked: draft_of(read(path), "ratings", asked),
        "preferences": lambda path, asked: draft_of(read(path), "preferences", asked),
    },
)
