"""Replies kept as they come, and taken up where they were cut off.

The file is JSONL: a first line that says of what model, messages and search it is, then a line for
each reply, in a fixed order of batches of a fixed size, each with a check that finds damage
(``files/chained_lines.py``). What is left of a half-written batch goes; so a run that was cut off
gives the very replies of an uninterrupted one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.chained_lines import DIGITS, TAIL, begun, broken, linked
from rejoinder.responders.seq2seq.trained import TrainedResponder

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
        found, before = _read(path, header, batches)
        with open(path, "ab") as file:
            if not file.tell():
                file.write(_encode(header) + b"\n")
                before = begun(_encode(header))
            for batch in batches:
                if batch[0] not in found:
                    texts = responder.respond([messages[id] for id in batch], beam)
                    new = dict(zip(batch, texts, strict=True))
                    rows = [_encode({"id": id, "text": text}) for id, text in new.items()]
                    for place, row in enumerate(rows):
                        if before is not None:
                            rows[place], before = linked(before, row)
                    file.write(b"".join(row + b"\n" for row in rows))
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
    told = {"rejoinder": "replies", "model": responder.hash, "beam": beam, "messages": digest}
    return {**told, "checked": True}


def checked(path: Path) -> bool:
    """Whether the lines of a file have checks; those of earlier versions have none."""
    with open(path, "rb") as file:
        return b'"checked":true' in file.readline()


def _read(
    path: Path, header: dict[str, Any], batches: list[list[str]]
) -> tuple[dict[str, str], str | None]:
    """The replies of all whole batches; the rest of the file is cut off.

    Returns:
        The replies by id, and the check that the next line follows; None where lines have none.
    """
    if not path.exists():
        return {}, None
    data = path.read_bytes()
    lines = data.split(b"\n")[:-1]
    found: dict[str, str] = {}
    whole, before = 1, None
    try:
        if lines and lines[0] == _encode(header):
            before = begun(lines[0])
        elif lines and {**msgspec.json.decode(lines[0]), "checked": True} != header:
            raise InputError(f"{path}: replies of another run; remove the file")
        for batch in batches:
            some = lines[whole : whole + len(batch)]
            if len(some) < len(batch):
                break
            told = {row["id"]: row["text"] for row in map(msgspec.json.decode, some)}
            if list(told) != batch:
                raise InputError(f"{path}: lines out of order; remove the file")
            found |= told
            whole += len(batch)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise InputError(f"{path}: a damaged line; remove the file") from None
    if before is not None and whole > 1:
        if broken(lines[0], lines[1:whole]) is not None:
            raise InputError(f"{path}: a damaged line; remove the file")
        before = lines[whole - 1][-len(TAIL) - DIGITS : -len(TAIL)].decode()
    size = sum(len(line) + 1 for line in lines[:whole])
    if size < len(data):
        os.truncate(path, size)
    return found, before
