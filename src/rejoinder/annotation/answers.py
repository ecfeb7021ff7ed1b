"""The file of answers that a self-contained page gives, and how it comes into the study."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from rejoinder.annotation.study import Study
from rejoinder.errors import InputError
from rejoinder.files.reading import existing, read_text
from rejoinder.files.strict_json import strict_json, well_formed
from rejoinder.messages import Argument, counted, quoted

MARK = "rejoinder annotate"
FORMAT = 1


class _Answer(msgspec.Struct):
    question: int
    fields: dict[str, str]
    seconds: float | None = None
    at: float | None = None


class _Answers(msgspec.Struct):
    answers_of: str
    format: int
    study: str
    rater: str
    answers: list[_Answer]


def taken_in(study: Study, path: str | os.PathLike[str]) -> list[str]:
    """Stores the answers of a file in the study: all of them, or none where one is wrong.

    What is there already is stored once, and an answer that was given before the one that is there
    changes nothing, so that the order in which files are taken in does not matter.

    Args:
        study: The study that the page was made of.
        path: The file that a rater downloaded.

    Returns:
        Notes on questions without an answer.

    Raises:
        InputError: It is no such file, belongs to another study, or holds an answer that the page does
            not offer.
    """
    (path,) = existing([path], "answers")
    given = _read(path)
    if given.study != study.identity:
        raise InputError(
            f"{path}: answers to another study; name the file of ",
            Argument("db"),
            " that the page was made with",
        )
    rater = study.rater(given.rater)
    if rater is None or rater.origin != "page":
        raise InputError(
            f"{path}: no page of this study has these answers; ask the rater for the file as it was "
            "downloaded"
        )
    with study.answers_of_page(rater) as store:
        for place, each in enumerate(given.answers, start=1):
            try:
                at = each.at if each.at is not None and 0 <= each.at < 1e12 else None
                store(each.question, each.fields, each.seconds, at)
            except InputError as error:
                raise InputError(
                    f"{path}: answer {place}: {str(error).rstrip('.')}; ask the rater for the file as "
                    "it was downloaded"
                ) from None
    left = len(study.plan(rater)) - len({each.question for each in given.answers})
    notes = [f"{path.name}: {rater.name} left out {counted(left, 'question')}"] if left else []
    broken = sum("\ufffd" in each.fields.get("comment", "") for each in given.answers)
    if broken:
        notes.append(
            f"{path.name}: {counted(broken, 'comment')} of {rater.name} with the character U+FFFD, which "
            "replaces a broken one"
        )
    return notes


def _read(path: Path) -> _Answers:
    try:
        given = msgspec.convert(well_formed(strict_json(read_text(path))), _Answers)
    except (ValueError, msgspec.ValidationError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}: no file of answers: {quoted(str(error))[1:-1]}; name one that a page of 'rejoinder "
            "annotate page' gave"
        ) from None
    if given.answers_of != MARK or given.format != FORMAT:
        raise InputError(
            f"{path}: no file of answers; name one that a page of 'rejoinder annotate page' gave"
        )
    return given
