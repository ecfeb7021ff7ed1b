"""TextBytes compared by their letters and digits alone, or byte by byte, as 64-bit keys."""

from __future__ import annotations

import re

import numpy as np

from rejoinder.kernels import text_keys as kernels
from rejoinder.kernels.arrays import Bytes, Fingerprints, TextBytes
from rejoinder.kernels.tokens import folding
from rejoinder.text.strings import Strings


def bare(text: str) -> str:
    """The letters and digits of a text, whatever their case; a text without any is as it is.

    The same dialogue stands in the splits of a corpus with other apostrophes and blanks.

    >>> bare("It’s 3, no?"), bare("?!")
    ('its3no', '?!')
    """
    return re.sub(r"\W+", "", text.casefold()) or text


def exact_keys(strings: Strings, keys: Fingerprints) -> Fingerprints:
    """A key of each text: uint64 [n]. Of n different texts two agree with probability n^2 2^-65.

    Args:
        strings: The texts.
        keys: ``kernels.tokens.drawn_keys()``.
    """
    return _keys(strings, kernels.EVERY, keys)[0]


def bare_keys(strings: Strings, keys: Fingerprints) -> Fingerprints:
    """The same of what ``bare`` leaves of each text."""
    hashes, again = _keys(strings, kernels.BARE, folding(keys))
    if again.size:
        lines = Strings.of([bare(text) for text in strings.take(again)])
        hashes[again] = exact_keys(lines, keys)
    return hashes


def _keys(strings: Strings, classes: Bytes, keys: Fingerprints) -> tuple[Fingerprints, np.ndarray]:
    hashes = np.empty(len(strings), dtype=np.uint64)
    again = np.empty(len(strings), dtype=np.int64)
    texts = TextBytes(strings.data, strings.starts, strings.stops)
    count = kernels.text_keys(texts, classes, keys, hashes, again)
    return hashes, again[:count]
