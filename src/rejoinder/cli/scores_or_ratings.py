"""Whether the files of ``--scores`` and ``--ratings`` seem to be swapped, or are the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli.terminal.speech import note
from rejoinder.errors import InputError, RejoinderError
from rejoinder.messages import Argument, listed

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.tables.look import Reading


def check_not_swapped(
    scores: Sequence[Path], ratings: Sequence[Path], error: RejoinderError
) -> None:
    """After ratings could not be read: raises where the two options hold each other's files.

    Args:
        scores: The files of ``--scores``.
        ratings: The files of ``--ratings``.
        error: Why the ratings could not be read.

    Raises:
        InputError: The files of scores can be read as ratings, and those of ratings as scores alone;
            or a file is both.
    """
    if not scores or not ratings:
        return
    check_not_the_same(scores, ratings)
    if all("ratings" in _kinds(path) for path in scores) and all(
        "scores" in (kinds := _kinds(path)) and "ratings" not in kinds for path in ratings
    ):
        named = f"--scores {ratings[0]} --ratings {scores[0]}"
        raise InputError(
            f"{ratings[0]}: is given as ratings and holds scores, and {scores[0]}, given as scores, holds "
            f"ratings: the two files seem to be swapped; try {named}"
        ) from error


def check_not_the_same(scores: Sequence[Path], ratings: Sequence[Path], metrics: int = 1) -> None:
    """Raises where one file is the scores and the ratings, and holds nothing else.

    Args:
        scores: The files of ``--scores``.
        ratings: The files of ``--ratings``.
        metrics: How many metrics the scores have: a table with several may hold ratings beside them.

    Raises:
        InputError: A file of scores has the content of a file of ratings.
    """
    from rejoinder.files.provenance import content_of
    from rejoinder.tables.formats.format_choice import format_of

    if metrics > 1:
        return
    contents = {content_of(path): path for path in ratings if path.is_file()}
    for path in scores:
        same = contents.get(content_of(path)) if path.is_file() else None
        if same is not None and not format_of(path, None, "ratings").has_people:
            raise InputError(
                f"{path}: given as scores has the same content as {same} given as ratings, so that people "
                "would be compared with themselves; give the judge's scores with --scores, and people's "
                "ratings with --ratings"
            )


def check_no_ratings(scores: Sequence[Path], marks: pl.DataFrame) -> None:
    """Raises where a file that is given as scores, without people's ratings beside it, holds ratings.

    Prints a note where columns of grades may be raters or metrics.

    Args:
        scores: The files of ``--scores``.
        marks: What they hold: ``schemas.SCORES``.

    Raises:
        InputError: Names the file, and the command that compares systems by people.
    """
    from rejoinder.human_evaluation.grades import are_grades

    value = marks.get_column("value").drop_nulls()
    grades = value.n_unique() > 2 and are_grades(value.to_numpy())
    if not grades and not marks.get_column("rater").count():
        return
    for path in scores:
        readings = _readings(path) if path.is_file() else ()
        kinds = [each.kind for each in readings]
        if kinds == ["ratings"] and marks.get_column("rater").count():
            raise InputError(
                f"{path}: holds ratings, and is given as scores; 'rejoinder compare --ratings {path}' "
                "compares the systems by people, with intervals that know the raters; if these are the marks "
                f"of a judge, {Argument('columns', {'value': 'score'})} reads them as scores"
            )
        if kinds == ["ratings"] or any(each.instead for each in readings):
            names = marks.get_column("name").unique(maintain_order=True)
            if len(names) < 2:  # a judge's, more likely than a rater's
                continue
            note(
                f"{path}: {listed(names)} have whole grades, each compared alone here; if they are "
                f"people, 'rejoinder compare --ratings {path}' compares the systems by all of them together"
            )


def _kinds(path: Path) -> list[str]:
    """As which kinds of tables a file can be read; none where it is unreadable."""
    return [each.kind for each in _readings(path)]


def _readings(path: Path) -> Sequence[Reading]:
    """The tables that a file can be read as; none where it is unreadable."""
    from rejoinder.tables.look import look

    if not path.exists():
        return ()
    try:
        return look(path).readings
    except RejoinderError:
        return ()
