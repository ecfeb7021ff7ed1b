"""MT-Bench: its questions, the answers of models to them, and the judgments of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rejoinder.files.reading import stem_of
from rejoinder.messages import Place
from rejoinder.tables.assembly.gathered import Rows
from rejoinder.tables.format import Asked, FileHead, Shape, lowered
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.logs.role_messages import text_of
from rejoinder.tables.logs.samples import (
    Sample,
    log_format,
    name_of,
    number_of,
    objects_of,
    texts_of,
    value_of,
    with_keys,
)
from rejoinder.tables.notes import left_out
from rejoinder.tables.parts import Draft
from rejoinder.tables.schemas import PREFERENCES


def read(path: Path) -> list[Sample]:
    """The first turn of each question, or of each answer; what follows is counted and left out.

    The grades of a judge are scores, one for each turn; -1 is none.
    """
    samples, later = [], 0
    for place, row in with_keys(path, _rows(path), ("question_id",)):
        id, category = name_of(row, "question_id", place), name_of(row, "category", place)
        if "score" in row:
            score = number_of(row["score"])
            scores = {_turn(row, place): None if score == -1 else score}
            samples.append(Sample(id, name_of(row, "model", place), place, scores=scores))
            continue
        if "choices" not in row:
            later += max(len(_turns(row, place)) - 1, 0)
            about = {"category": category} if category else {}
            samples.append(
                Sample(
                    id,
                    "",
                    place,
                    None,
                    _turns(row, place)[:1],
                    texts_of(row.get("reference"))[:1],
                    about=about,
                )
            )
            continue
        system = name_of(row, "model_id", place) or stem_of(path)
        for repeat, choice in enumerate(objects_of(row, "choices", place), start=1):
            turns = _turns(choice, place)
            later += max(len(turns) - 1, 0)
            samples.append(Sample(id, system, place, turns[0] if turns else None, repeat=repeat))
    left_out(path, later, "later turn", "(the first of each question is read)")
    return samples


def read_pairs(path: Path, asked: Asked) -> Draft:
    """The judgments of pairs: both games have one winner, or it is a tie; a game without one is left out."""
    rows, failed = Rows(PREFERENCES), 0
    for place, row in with_keys(path, _rows(path), ("question_id", *_GAMES)):
        games = {name_of(row, game, place) for game in _GAMES}
        failed += not games <= {*_SIDES, "tie"}
        if games <= {*_SIDES, "tie"}:
            sides = [name_of(row, side, place) for side in _SIDES]
            winner = _SIDES.get(games.pop(), "tie") if len(games) == 1 else "tie"
            id, judge = name_of(row, "question_id", place), _judge(row, place)
            rows.add(place, id, *sides, judge, _turn(row, place), winner)
    left_out(path, failed, "judgment", "without a winner")
    return rows.draft()


_GAMES = ("g1_winner", "g2_winner")
_SIDES = {"model_1": "a", "model_2": "b"}


def _judge(row: dict[str, Any], place: Place) -> str:
    """The model that judges; its prompt stands behind it."""
    judge = row.get("judge")
    return text_of(judge[0] if isinstance(judge, list) and judge else judge, place) or "judge"


def _turn(row: dict[str, Any], place: Place) -> str:
    return f"turn {name_of(row, 'turn', place) or 1}"


def _is_mt_bench(head: FileHead) -> bool:
    row = lowered(head.row)
    if not isinstance(row, dict) or "question_id" not in row:
        return False
    return _is_turns(row) or {"turn", "score", "model"} <= set(row) or set(_GAMES) <= set(row)


def _is_turns(row: dict[str, Any]) -> bool:
    choices = row.get("choices")
    if isinstance(choices, list):
        return all(
            isinstance(each, dict) and isinstance(each.get("turns"), list) for each in choices
        )
    return isinstance(row.get("turns"), list)


_LOG = log_format(
    "mt-bench",
    "MT-Bench (JSON Lines): questions and answers, of which the first turn is read, and judgments",
    [Shape("json object", also=_is_mt_bench)],
    read,
)
FORMAT = replace(_LOG, reads={**_LOG.reads, "preferences": read_pairs})


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    return ((number, lowered(row)) for number, row in read_objects(path))


def _turns(row: dict[str, Any], place: Place) -> list[str]:
    return texts_of(value_of(row, "turns", list, place))
