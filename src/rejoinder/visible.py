"""Text of others as it may be shown: what would steer a terminal, or hide, is written out."""

from __future__ import annotations

import json
from functools import cache
from itertools import chain

LAYOUT = "\n\t"

# By Unicode's categories: control characters (Cc: C0, DEL and C1, with which escape sequences
# begin), halves of surrogate pairs (Cs), separators of lines (Zl, Zp), and format characters (Cf),
# which cannot be seen and of which some turn the direction of writing around. Of the last, those
# that texts need are left: the soft hyphen, joiners of Persian, Hindi and emoji, signs of numbers.
UNSEEN = (
    range(0x20),
    range(0x7F, 0xA0),
    (0x61C, 0x180E, 0x200B, 0x200E, 0x200F),
    range(0x2028, 0x202F),
    range(0x2061, 0x2070),
    range(0xD800, 0xE000),
    (0xFEFF,),
    range(0xFFF9, 0xFFFC),
    range(0x13430, 0x13440),
    range(0x1BCA0, 0x1BCA4),
    range(0x1D173, 0x1D17B),
    (0xE0001,),
    range(0xE0020, 0xE0080),
)


@cache
def escapes() -> dict[int, str]:
    """What is written for each such character."""
    return {code: ascii(chr(code))[1:-1] for code in chain.from_iterable(UNSEEN)}


@cache
def _escapes_of_lines() -> dict[int, str]:
    return {code: text for code, text in escapes().items() if chr(code) not in LAYOUT}


@cache
def _escapes_of_json() -> dict[int, str]:
    return {
        code: f"\\u{code:04x}" if code < 0x10000 else json.dumps(chr(code))[1:-1]
        for code in _escapes_of_lines()
    }


def visible(text: str, lines: bool = False) -> str:
    r"""A text without a character that a terminal obeys or that cannot be seen.

    Each such character is written out as Python writes it, so that the text is still recognised.

    Args:
        text: A text from a file, a server or a name of a file.
        lines: Keep line ends and tabs, for messages of several lines; a cell of a table has none.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    >>> visible("one\ntwo")
    'one\\ntwo'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_escapes_of_lines() if lines else escapes())


def visible_json(text: str) -> str:
    r"""The same JSON, with an escape of JSON's own for each such character.

    Outside its strings JSON has none of them but line ends and tabs, which stay.

    >>> visible_json('{"name": "a\u202eb"}')
    '{"name": "a\\u202eb"}'
    """
    return text.translate(_escapes_of_json())
