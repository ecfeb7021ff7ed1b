"""A system's replies, written as they are generated and resumed after an interruption.

They are kept in a file of ``files/resumable_lines.py``, a line for each reply, in batches of a fixed
size and order: an interrupted run gives the same replies as an uninterrupted one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

import msgspec

from rejoinder.files.resumable_lines import ResumableLines
from rejoinder.progress import Progress
from rejoinder.responders.seq2seq.trained import TrainedResponder

AT_ONCE = 64
"""Number of replies that are written together."""


class ReplyLine(msgspec.Struct):
    """One line: the reply to one message."""

    id: str
    text: str


def replies(
    responder: TrainedResponder,
    messages: Mapping[str, str],
    path: Path,
    beam: int,
    progress: Progress,
) -> dict[str, str]:
    """The system's reply to each message.

    Args:
        responder: The system.
        messages: The messages by id.
        path: The file of replies; its folder is created if necessary.
        beam: Beam size.
        progress: Called with the number of messages answered and the number of all.

    Returns:
        Replies by id, in the order of the messages.

    Raises:
        InputError: The file belongs to another run, is damaged, or cannot be written.
    """
    digest = hashlib.sha256(msgspec.json.encode(list(messages.items()))).hexdigest()[:16]
    header = {"rejoinder": "replies", "model": responder.hash, "beam": beam, "messages": digest}
    # Messages of one length together: a batch is padded to its longest.
    order = sorted(messages, key=lambda id: len(messages[id].split()))
    batches = [order[begin : begin + AT_ONCE] for begin in range(0, len(order), AT_ONCE)]

    def compute(position: int) -> list[ReplyLine]:
        ids = batches[position]
        texts = responder.respond([messages[id] for id in ids], beam)
        return [ReplyLine(id, text) for id, text in zip(ids, texts, strict=True)]

    by_id: dict[str, str] = {}
    for rows in ResumableLines(path, header, ReplyLine, attrgetter("id")).batches(batches, compute):
        by_id |= {row.id: row.text for row in rows}
        progress(len(by_id), len(messages))
    return {id: by_id[id] for id in messages}
