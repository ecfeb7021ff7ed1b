"""Sets of generic replies: the one that comes with the package, and the user's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import quoted
from rejoinder.metrics.ruq import STRONGEST


def generic_replies(path: str | os.PathLike[str] | None = None) -> list[str]:
    """Reads generic replies: one to a line; blank lines and lines that begin with # are passed over.

    Args:
        path: A UTF-8 text file, in any language; None: the English set of the package.

    Raises:
        InputError: The file cannot be read or holds no reply, or one twice.

    >>> generic_replies()[0]
    "I don't know."
    """
    if path is None:
        text = (
            files("rejoinder.utterance_quantity")
            .joinpath("generic_replies/en.txt")
            .read_text("utf-8")
        )
        where = "generic replies"
    else:
        if not Path(path).is_file():
            raise InputError(f"{path}: no such file; expected generic replies, one to a line")
        text, where = read_text(Path(path)), os.fspath(path)
    lines = [line.strip() for line in text.splitlines()]
    return checked([line for line in lines if line and not line.startswith("#")], where)


def checked(replies: Sequence[str], where: str = "generic") -> list[str]:
    """The replies, if they can be a set of generic ones.

    Raises:
        InputError: There is none, one is empty, or one stands there twice.
    """
    if isinstance(replies, str) or not replies:
        raise InputError(f"{where}: no generic reply; give one to a line, such as I don't know.")
    for place, reply in enumerate(replies):
        if not reply.strip():
            raise InputError(f"{where}: reply {place + 1} is empty; give it a text")
        if reply in replies[:place]:
            raise InputError(f"{where}: {quoted(reply)} stands there twice; keep one")
        if reply == STRONGEST:
            raise InputError(f"{where}: {quoted(reply)} is what the strongest one is called")
    return list(replies)
