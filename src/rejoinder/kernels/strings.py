"""Where strings lie among bytes, and what kind of text they are."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Bytes, Indices, TextBytes, Words

BEYOND_ASCII, UNSPACED_LEAD, SHORT = 1, 2, 4
"""What ``text_kinds`` finds; their sum where several are so."""
HIGH_BITS = np.uint64(0x8080808080808080)


@kernel
def unpack(packed: Bytes, starts: Indices, stops: Indices) -> None:
    """Finds the strings in an array of MessagePack that holds nothing else.

    Args:
        packed: The array (uint8 [bytes]).
        starts: int64 [n], written: string i is ``packed[starts[i]:stops[i]]``.
        stops: int64 [n], written.
    """
    # The head of the array has its size in itself, or in two bytes, or in four.
    at = 1 if packed[0] < 0xA0 else 3 if packed[0] == 0xDC else 5
    for i in range(starts.size):
        head = packed[at]
        at += 1
        size = head & 0x1F
        if head >= 0xD9:  # else it is in five bits of the head
            size = 0
            for _ in range(1 << (head - 0xD9)):  # one byte, two or four
                size = size << 8 | packed[at]
                at += 1
        starts[i] = at
        at += size
        stops[i] = at


@kernel
def text_kinds(texts: TextBytes, words: Words, least: int, kinds: Bytes) -> None:
    """Looks at the bytes of each text.

    Args:
        texts: n strings.
        words: ``texts.words``.
        least: A text with fewer bytes than that, blanks aside, is short.
        kinds: uint8 [n], written: ``BEYOND_ASCII`` where a character is, ``UNSPACED_LEAD`` where a byte
            begins a character of a script without spaces, ``SHORT``.
    """
    data, starts, stops = texts
    for i in range(starts.size):
        at, stop = starts[i], stops[i]
        seen = 0
        while at < stop and seen < least:
            seen += data[at] > 0x20
            at += 1
        kinds[i] = SHORT if seen < least else 0
        at = starts[i]
        every = np.uint64(0)
        while at + 8 <= stop:
            every |= words[at]
            at += 8
        while at < stop:
            every |= np.uint64(data[at])
            at += 1
        if every & HIGH_BITS:
            kinds[i] |= BEYOND_ASCII
            for at in range(starts[i], stop):
                byte = data[at]
                # E2 begins quotation marks and dashes, and F0 emoji.
                if (0xE0 <= byte <= 0xE9 and byte != 0xE2) or byte == 0xEF:
                    kinds[i] |= UNSPACED_LEAD
