"""Logs of conversations between a person and a system: ParlAI's worlds, Gradio's chatbots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text, stem_of
from rejoinder.messages import Place
from rejoinder.tables.format import Shape
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.logs.role_messages import (
    INSTRUCTIONS,
    SPEAKERS,
    messages_of,
    text_of,
    unknown_role,
)
from rejoinder.tables.logs.samples import (
    Sample,
    expected_keys,
    log_format,
    name_of,
    objects_of,
    texts_of,
    value_of,
    with_keys,
)
from rejoinder.tables.notes import left_out


class ConversationTurn(NamedTuple):
    """What is said in a conversation.

    Attributes:
        text: The words.
        system: The system that says it; empty: a person.
        references: What it should have said.
    """

    text: str
    system: str = ""
    references: Sequence[str] = ()


def replies_in(turns: Iterable[ConversationTurn], name: str, place: Place) -> Iterator[Sample]:
    """A sample ``<name>.<k>`` for the k-th turn of a system; all turns before it are the context.

    Args:
        turns: The turns of the conversation, oldest first.
        name: The name of the conversation.
        place: Where it stands in the file.
    """
    said: list[str] = []
    replies = 0
    for turn in turns:
        if turn.system:
            replies += 1
            about = {CONVERSATION: name}
            yield Sample(
                f"{name}.{replies}",
                turn.system,
                place,
                turn.text,
                list(said),
                list(turn.references),
                about=about,
            )
        said.append(turn.text)


def read_worlds(path: Path) -> list[Sample]:
    """ParlAI's logs of worlds: whoever speaks first is the person, and each other speaker a system."""
    samples: list[Sample] = []
    silent = 0
    for place, row in with_keys(path, read_objects(path), ("dialog",)):
        rounds = value_of(row, "dialog", list, place) or []
        acts = [act for each in rounds for act in (each if isinstance(each, list) else [each])]
        acts = objects_of({"dialog": acts}, "dialog", place)
        for act in acts:
            expected_keys(place, ("id", "text"), act)
        first = name_of(acts[0], "id", place) if acts else ""
        turns, expected = [], []
        for act in acts:
            speaker, text = name_of(act, "id", place), text_of(act.get("text"), place)
            system = "" if speaker == first else speaker or stem_of(path)
            turns.append(ConversationTurn(text, system, expected if system else []))
            expected = texts_of(act.get("eval_labels", act.get("labels")))
        replies = list(replies_in(turns, str(place.row), place))
        silent += not replies
        samples += replies
    left_out(path, silent, "dialogue", "without a reply of a system")
    return samples


def read_chatbot(path: Path) -> list[Sample]:
    """The history of Gradio's chatbot, or a list of several: pairs, or messages with a role.

    Raises:
        InputError: The file is no list of pairs or messages.
    """
    expected = 'expected the history of a chatbot: [["Hi", "Hello"], ...]'
    history = json_value(read_text(path), str(path), expected)
    if not isinstance(history, list):
        raise InputError(f"{path}: no list; {expected}")
    history = [history] if _is_one(history) else history
    samples: list[Sample] = []
    for row, conversation in enumerate(history, start=1):
        place, system, turns = Place(str(path), row), stem_of(path), []
        for each in conversation if isinstance(conversation, list) else [conversation]:
            if isinstance(each, dict):
                turns += _turns(each, system, place)
            elif isinstance(each, list) and len(each) == 2:
                pair = [None if text is None else text_of(text, place) for text in each]
                turns += [
                    ConversationTurn(text, who)
                    for text, who in zip(pair, ("", system), strict=True)
                    if text is not None
                ]
            else:
                raise InputError(f"{place}: got neither a pair nor a message; {expected}")
        samples += replies_in(turns, str(row), place)
    return samples


FORMATS = (
    log_format(
        "parlai-worlds",
        "ParlAI's logs of worlds (JSON Lines): dialog with the acts of a person and of systems",
        [
            Shape(
                "json object",
                ('"dialog"', '"text"'),
                lambda head: (
                    isinstance(head.row, dict) and isinstance(head.row.get("dialog"), list)
                ),
            )
        ],
        read_worlds,
        has_scores=False,
    ),
    log_format(
        "gradio-chatbot",
        "the history of Gradio's chatbot as JSON: pairs of texts, or messages",
        [Shape("json list", also=lambda head: head.suffix == ".json" and _is_history(head.row))],
        read_chatbot,
        has_scores=False,
    ),
)


def _turns(given: dict[str, Any], system: str, place: Place) -> list[ConversationTurn]:
    (message,) = messages_of([given], place)
    if message.role in INSTRUCTIONS:
        return []
    if message.role not in SPEAKERS:
        raise InputError(f"{place}: {unknown_role(message.role)}")
    return [ConversationTurn(message.text or "", system * SPEAKERS[message.role])]


def _is_one(history: Any) -> bool:
    """Whether a list is one conversation, and no list of them."""
    first = history[0] if isinstance(history, list) and history else None
    return isinstance(first, dict) or (
        isinstance(first, list) and not any(isinstance(each, list | dict) for each in first)
    )


_WORD = re.compile(r"[\w.-]*\w", re.ASCII)
"""What a cell of a table is, and few turns are."""


def _is_history(first: Any) -> bool:
    """Whether the first entry of a list is a pair of texts, a message, or a conversation of these.

    A pair with a single word may be a row of a table: such a history is read by the name of its format.
    """
    is_nested = isinstance(first, list) and bool(first) and isinstance(first[0], list | dict)
    if is_nested:
        first = first[0]
    if isinstance(first, dict):
        return {"role", "content"} <= set(first) and "id" not in first
    return (
        isinstance(first, list)
        and len(first) == 2
        and all(isinstance(each, str | None) for each in first)
        and (is_nested or not any(each and _WORD.fullmatch(each) for each in first))
    )
