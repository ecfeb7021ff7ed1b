r"""A server's key, and how it is hidden in what the server says.

Servers repeat the key that they refuse, and escape it as the rest of their answer: ``\/`` and ``\u003d``
in JSON, ``%2F`` in a URL, ``&#x2F;`` in HTML. Some show its beginning and its end.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator

KEY = "REJOINDER_API_KEY"
"""The environment variable that holds a server's key. It is sent, and never shown or kept."""

SECRET_LENGTH = 12
"""Least number of characters of a key that is a secret. Shorter ones (``none``, ``ollama``) fill a field."""

PART_LENGTH = 4
"""Least number of successive characters of a secret key that a message hides."""

MASK = "***"

_CHARACTER = re.compile(
    r"""\\+(?:u(?P<u>[0-9a-f]{4})|x(?P<x>[0-9a-f]{2})|(?P<escaped>[^\\]))?
    |%(?:25)*(?P<percent>[0-9a-f]{2})
    |&(?:amp;)*(?P<entity>\#x?[0-9a-f]{1,8}|[a-z]{2,8});
    |.""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def server_key() -> str:
    """The key in the environment; empty where there is none."""
    return os.environ.get(KEY, "").strip()


def without_key(text: str) -> str:
    """A server's message in which ``***`` stands for the key, escaped or not, and for parts of it.

    Of a key of fewer than 12 characters, only the whole key is hidden.
    """
    key = server_key()
    return _masked(text, key, PART_LENGTH if len(key) >= SECRET_LENGTH else None)


def answer_without_key(text: str) -> str:
    """A model's answer in which ``***`` stands for the whole key.

    An answer is kept as it is where the key has fewer than 12 characters: such a key is no secret, and
    may be a word of the answer.
    """
    key = server_key()
    return _masked(text, key, None) if len(key) >= SECRET_LENGTH else text


def _masked(text: str, key: str, length: int | None) -> str:
    """A text without the parts of the key that have this many characters; None: without all of it."""
    if not key:
        return text
    text = text.replace(key, MASK)
    decoded = "".join(each for each, _, _ in _characters(key))
    for plain in {decoded, key.replace("\\", "")} - {
        ""
    }:  # a key may hold what looks like an escape
        text = _without_parts(text, plain, length or len(plain))
    return text


def _without_parts(text: str, plain: str, length: int) -> str:
    parts = {plain[at : at + length] for at in range(len(plain) - length + 1)}
    characters = list(_characters(text))
    decoded = "".join(character for character, _, _ in characters)
    pieces: list[str] = []
    end = 0
    for at in range(len(decoded) - length + 1):
        if decoded[at : at + length] not in parts:
            continue
        first, last = characters[at][1], characters[at + length - 1][2]
        if not pieces or first >= end:
            pieces.append(text[end:first])
        end = last
    return MASK.join([*pieces, text[end:]])


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    """The characters that a text escapes or has, and where each one begins and ends in it.

    What cannot be seen is left out: a text of another encoding has zeros between its characters.
    """
    for match in _CHARACTER.finditer(text):
        number = match["u"] or match["x"] or match["percent"]
        if number:
            character = chr(int(number, 16))
        elif match["escaped"]:
            character = match["escaped"]
        elif match["entity"]:
            character = html.unescape(f"&{match['entity']};")[:1]
        else:
            character = match[0][0]
        if character.isprintable() and character not in ("", "\\"):
            yield character, match.start(), match.end()
