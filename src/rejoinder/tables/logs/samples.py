"""What logs of evaluation tools hold, sample by sample, and the tables that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import Place, listed, quoted
from rejoinder.tables.assembly.gathered import GatheredItems, RatedReply, RatingRows, Rows
from rejoinder.tables.assembly.mapped_parts import first_rows
from rejoinder.tables.assembly.rating_cells import graded, number_in, refuse_wrong
from rejoinder.tables.assembly.rating_cells import scores_of as scores_of_cells
from rejoinder.tables.columns import OtherTableError
from rejoinder.tables.format import Asked, Format, KindName, Shape
from rejoinder.tables.notes import LEFT_OUT, left_out, note
from rejoinder.tables.parts import Draft, TestSetDraft
from rejoinder.tables.schemas import RESPONSES, SAMPLE, SCORES

Value = TypeVar("Value")
_APART = ": the verbs that read ratings and those that read scores take their own"
_CALLED = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
}


@dataclass(frozen=True)
class Sample:
    """A reply in a log, with what it answers and what it was given.

    Attributes:
        id: The item.
        system: Who replied.
        place: Where it stands.
        reply: The text; None where the system failed.
        turns: The turns that it answers, oldest first.
        references: The expected replies.
        scores: By name the numbers that the tool gave the reply; None where one is missing.
        repeat: Which of several replies of the system to this item it is, from 1.
        about: Additional columns of the item, such as its document; every sample has the same ones.
        ratings: What people gave the reply: criterion, rater and number or word, None where it is missing.
    """

    id: str
    system: str
    place: Place
    reply: str | None = None
    turns: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    scores: dict[str, float | None] = field(default_factory=dict)
    repeat: int = 1
    about: dict[str, str] = field(default_factory=dict)
    ratings: list[tuple[str, str, float | str | None]] = field(default_factory=list)


ReadSamples: TypeAlias = Callable[[Path], list[Sample]]


def log_format(
    name: str,
    description: str,
    shapes: Sequence[Shape],
    read: ReadSamples,
    has_items: bool = True,
    has_scores: bool = True,
    has_people: bool = False,
) -> Format:
    """The format of a kind of log.

    Args:
        name: What ``--format`` calls it.
        description: One line for listings.
        shapes: What its files and folders look like.
        read: The samples of a path.
        has_items: Whether it holds what the replies answer.
        has_scores: Whether it holds numbers for the replies.
        has_people: Whether it tells the numbers that people gave, which are ratings, from the others.
    """
    reads: dict[KindName, Callable[..., Any]] = {"responses": partial(responses_of, read)}
    if has_items:
        reads["test set"] = partial(testset_of, read)
    if has_scores:
        reads["scores"] = partial(scores_of, read)
    if has_people:
        reads["ratings"] = partial(ratings_of, read)
    return Format(
        name,
        description,
        shapes,
        reads,
        holds_all=lambda path: has_items,
        is_log=True,
        has_people=has_people,
    )


def testset_of(read: ReadSamples, paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """The items of logs; several logs may hold the same ones.

    Args:
        read: Reads the samples of a log.
        paths: The logs.
        asked: What the user asks of the reader.

    Raises:
        InputError: Two samples of an item differ in its context or its references.
    """
    items = GatheredItems()
    seen: dict[str, tuple[Any, Place]] = {}
    for path in paths:
        samples = _samples(read, path)
        keys = [(tuple(each.turns), tuple(each.references)) for each in samples]
        numbers = [each.place.row for each in samples]
        for row in first_rows([each.id for each in samples], keys, numbers, str(path)):
            sample = samples[row]
            before, first = seen.setdefault(sample.id, (keys[row], sample.place))
            if before != keys[row]:
                raise InputError(
                    f"{sample.place}: another context or reference at id "
                    f"{quoted(sample.id)} than at {first}; "
                    "logs of one test set hold the same items; name one of them"
                )
            if first == sample.place:
                references = [(text, None, None) for text in sample.references if text.strip()]
                items.add(sample.id, sample.turns, references, sample.place, about=sample.about)
    return items.draft()


def responses_of(read: ReadSamples, path: Path, asked: Asked) -> Draft:
    """The replies of a log, several to one item told apart by ``sample``; failed ones are left out.

    Args:
        read: Reads the samples of a log.
        path: The log.
        asked: What the user asks of the reader.

    Raises:
        InputError: It holds no reply that is text.
    """
    samples = _samples(read, path)
    replies = [each for each in samples if each.reply is not None]
    if not replies:
        raise OtherTableError(
            f"{path}: no sample has a reply of text (answers that were chosen by their likelihood, or "
            "failures); expected at least one; name a log of generated replies"
        )
    left_out(path, len(samples) - len(replies), "sample", "without a reply")
    several = any(each.repeat > 1 for each in samples)
    rows = Rows({**RESPONSES, SAMPLE: pl.String} if several else RESPONSES)
    for each in replies:
        rows.add(each.place, each.system, each.id, each.reply, *[str(each.repeat)] * several)
    return rows.draft()


def scores_of(read: ReadSamples, path: Path, asked: Asked) -> Draft:
    """The numbers that a tool gave its replies.

    A score that is a number for no reply is left out with a note: the harness writes the texts
    instead where a metric is computed over all replies at once, as BLEU is.

    Args:
        read: Reads the samples of a log.
        path: The log.
        asked: What the user asks of the reader.

    Returns:
        ``system, id, name, value, sample``, one row for each number, ``value`` null where it is
        missing, ``sample`` null where each item has one reply, or one score for all its replies.

    Raises:
        InputError: It holds no number.
    """
    samples = _samples(read, path)
    several = any(each.repeat > 1 and each.scores for each in samples)
    names = list(dict.fromkeys(name for each in samples for name in each.scores))
    numeric = {name for each in samples for name, value in each.scores.items() if value is not None}
    rated = sum(len(each.ratings) for each in samples)
    if without := [name for name in names if name not in numeric]:
        note("no number", path, names=without)
    if not numeric:
        people = " but ratings by people, which 'rejoinder ratings' reads" * bool(rated)
        raise OtherTableError(
            f"{path}: no scores in this log{people}; expected at least one number"
        )
    if rated:
        note(LEFT_OUT, path, count=rated, noun="rating", which="by people", why=_APART)
    scored = {(each.system, each.id) for each in samples if numeric & each.scores.keys()}
    replies = {(each.system, each.id) for each in samples}
    left_out(path, len(replies - scored), "sample", "without a score")
    rows = Rows({name: SCORES[name] for name in ("system", "id", "name", "value", "sample")})
    for each in samples:
        sample = str(each.repeat) if several else None
        for name, value in each.scores.items():
            if name in numeric:
                rows.add(each.place, each.system, each.id, name, value, sample)
    return rows.draft()


def ratings_of(read: ReadSamples, path: Path, asked: Asked) -> Draft:
    """The numbers that people gave the replies of a log; of several replies to an item those of the first.

    Words are numbers by the rules for a table of ratings, criterion by criterion.

    Args:
        read: Reads the samples of a log.
        path: The log.
        asked: What the user asks of the reader.

    Raises:
        InputError: It holds none.
    """
    samples = _samples(read, path)
    rows = RatingRows(path)
    given: dict[str, list[tuple[Sample, str, float | str | None]]] = {}
    for each in samples:
        for criterion, rater, value in each.ratings:
            given.setdefault(criterion, []).append((each, rater, value))
    if not given:
        raise OtherTableError(f"{path}: no ratings by people in this log; expected at least one")
    values = asked.columns.values if asked.columns else None
    for criterion, grades in given.items():
        texts = [None if value is None else str(value) for *_, value in grades]
        cells = pl.Series(texts, dtype=pl.String)
        scores = scores_of_cells(graded(cells, path, values))
        if len(given) == 1 and not scores.values.count():
            refuse_wrong(
                scores, cells, str(path), [each.place.row for each, *_ in grades], criterion
            )
        for (each, rater, _), score in zip(grades, scores.values, strict=True):
            if each.repeat > 1 or score is None:
                why = "of a later reply to an item" if each.repeat > 1 else "without a number"
                rows.leave_out("rating", why)
            else:
                rows.add(each.place, RatedReply(each.system, each.id), rater, criterion, score)
    if scores := sum(map(len, (each.scores for each in samples))):
        note(LEFT_OUT, path, count=scores, noun="score", which="that no person gave", why=_APART)
    return rows.draft()


def value_of(row: dict[str, Any], name: str, kind: type[Value], where: object) -> Value | None:
    """The value of a key of an object; None where there is none.

    Args:
        row: The object.
        name: The key.
        kind: The type that the value should have.
        where: File and row, for the message.

    Raises:
        InputError: It has another type.
    """
    value = row.get(name)
    if value is not None:
        _check_type(value, kind, f"{where}: {name}")
    return value


def objects_of(row: dict[str, Any], name: str, where: object) -> list[dict[str, Any]]:
    """The objects in the list under a key; none where there is no list.

    Args:
        row: The object.
        name: The key.
        where: The place that an error names.

    Raises:
        InputError: It is no list, or holds something else.
    """
    values = value_of(row, name, list, where) or []
    for place, each in enumerate(values):
        _check_type(each, dict, f"{where}: {name}[{place}]")
    return values


def name_of(row: dict[str, Any], name: str, where: object) -> str:
    """What something is called: the text or the digits under a key; empty where there is none.

    Args:
        row: The object.
        name: The key.
        where: The place that an error names.

    Raises:
        InputError: It is neither text nor a whole number.
    """
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value_of(row, name, str, where) or ""


def texts_of(value: Any) -> list[str]:
    """A text or several as a list; what is no text is its JSON, and nothing is none.

    >>> texts_of(["four", 4, {"sum": 4}]), texts_of(None)
    (['four', '4', '{"sum":4}'], [])
    """
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [text for each in value for text in texts_of(each)]
    return [value if isinstance(value, str) else msgspec.json.encode(value).decode()]


def number_of(value: Any) -> float | None:
    """A number, also as text, true (1) or false (0); None of anything else.

    >>> number_of(True), number_of(0.5), number_of("0.5"), number_of("good"), number_of("NaN")
    (1.0, 0.5, 0.5, None, None)
    """
    value = number_in(value) if isinstance(value, str) else value
    if isinstance(value, bool | int | float):
        return float(value) if value == value else None
    return None


def _check_type(value: Any, kind: type, where: object) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        got = next(
            (words for each, words in _CALLED.items() if isinstance(value, each)), "a number"
        )
        raise InputError(
            f"{where}: got {got}; expected {_CALLED[kind]}; is the log whole, and of a version that "
            "docs/formats.md names?"
        )


def _samples(read: ReadSamples, path: Path) -> list[Sample]:
    samples = read(path)
    if not samples:
        raise InputError(f"{path}: no samples in this log; expected at least one")
    nameless = next((each for each in samples if not each.id.strip()), None)
    if nameless is not None:
        raise InputError(f"{nameless.place}: the id is empty; expected one; name it")
    return samples


def with_keys(
    path: Path, rows: Iterable[tuple[int, Any]], keys: Sequence[str]
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a log, each with its place.

    Args:
        path: The log.
        rows: The number of each row and its object.
        keys: The keys that every object has.

    Raises:
        InputError: One lacks a key.
    """
    for number, row in rows:
        place = Place(str(path), number)
        expected_keys(place, keys, row)
        yield place, row


def expected_keys(where: object, keys: Sequence[str], row: Any) -> None:
    """Raises where an object of a log lacks a key.

    Args:
        where: The place that an error names.
        keys: The keys that every object has.
        row: The object.

    Raises:
        InputError: Names it.
    """
    got = listed(row) if isinstance(row, dict) else type(row).__name__
    for key in keys:
        if not isinstance(row, dict) or key not in row:
            raise InputError(
                f"{where}: no {quoted(key)}; got {got}; is the log whole, and of a version that "
                "docs/formats.md names?"
            )
