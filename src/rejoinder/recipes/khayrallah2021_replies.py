"""Replies kept as they come, and taken up where they were cut off.

The file is JSONL: a first line that says of what model, messages and search it is, then a line for
each reply, in a fixed order of batches of a fixed size. What is left of a half-written batch goes; so
a run that was cut off gives the very replies of an uninterrupted one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.responders.trained import TrainedResponder

AT_ONCE = 64
"""Replies between two writes."""

_encode = msgspec.json.Encoder().encode


def replies(
    responder: TrainedResponder,
    messages: Mapping[str, str],
    path: Path,
    beam: int,
    progress: Callable[[int, int], None],
) -> dict[str, str]:
    """The system's reply to each message.

    Args:
        responder: who replies.
        messages: by id.
        path: of the file; its folder is made.
        beam: of the search.
        progress: told how many messages of how many are answered.

    Returns:
        Replies by id, in the order of the messages.

    Raises:
        InputError: the file is of another run, damaged, or cannot be written.
    """
    header = _header(responder, messages, beam)
    # Messages of one length together: a batch is padded to its longest.
    order = sorted(messages, key=lambda id: len(messages[id].split()))
    batches = [order[begin : begin + AT_ONCE] for begin in range(0, len(order), AT_ONCE)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        found = _read(path, header, batches)
        with open(path, "ab") as file:
            if not file.tell():
                file.write(_encode(header) + b"\n")
            for batch in batches:
                if batch[0] not in found:
                    texts = responder.respond([messages[id] for id in batch], beam)
                    new = dict(zip(batch, texts, strict=True))
                    rows = [_encode({"id": id, "text": text}) + b"\n" for id, text in new.items()]
                    file.write(b"".join(rows))
                    file.flush()
                    os.fsync(file.fileno())
                    found |= new
                    progress(len(found), len(messages))
    except OSError as error:
        raise InputError(
            f"{path}: cannot be kept: {error.strerror}; name another folder"
        ) from error
    return {id: found[id] for id in messages}


def _header(responder: TrainedResponder, messages: Mapping[str, str], beam: int) -> dict[str, Any]:
    digest = hashlib.sha256(_encode(list(messages.items()))).hexdigest()[:16]
    return {"rejoinder": "replies", "model": responder.hash, "beam": beam, "messages": digest}


def _read(path: Path, header: dict[str, Any], batches: list[list[str]]) -> dict[str, str]:
    """The replies of all whole batches; the rest of the file is cut off."""
    if not path.exists():
        return {}
    data = path.read_bytes()
    lines = data.split(b"\n")[:-1]
    found: dict[str, str] = {}
    try:
        if lines and msgspec.json.decode(lines[0]) != header:
            raise InputError(f"{path}: replies of another run; remove the file")
        whole = 1
        for batch in batches:
            some = lines[whole : whole + len(batch)]
            if len(some) < len(batch):
                break
            told = {row["id"]: row["text"] for row in map(msgspec.json.decode, some)}
            if list(told) != batch:
                raise InputError(f"{path}: lines out of order; remove the file")
            found |= told
            whole += len(batch)
    except (msgspec.DecodeError, KeyError, TypeError):
        raise InputError(f"{path}: a damaged line; remove the file") from None
    size = sum(len(line) + 1 for line in lines[:whole])
    if size < len(data):
        os.truncate(path, size)
    return found
