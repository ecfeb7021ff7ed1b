"""One pass over UTF-8 bytes that cuts strings into tokens and emits their 64-bit fingerprints.

A token is known by a hash of its bytes, finished by a mixing step; nothing downstream ever looks at
the text again. Two different tokens have one fingerprint with probability 2^-64, whatever the text:
the hash is keyed by random numbers of this process (`KEYS`), so that nobody can write two tokens
that are one to it. (With a public hash, FNV-1a, such pairs are easily made.) So fingerprints mean
nothing in another process.

Where words end is what a processor cannot foresee, so letters and blanks share one path without a
branch: each byte writes the hash so far to the place of the next token, a blank after a letter moves
on to the next place, and a factor of 0 makes a blank start the hash anew.

The tokenizers share their arguments and their result:

    texts: the strings.
    classes: uint8 [256], the class of each byte; one of the tables below.
    keys: uint64 [260], ``KEYS``, or ``folding(KEYS)`` to take upper and lower case for one.
    tokens: written from the start on, with room for one more than there are bytes; ``last`` is -1
        for a string that a byte-wise pass cannot tokenise exactly (an entity to decode, a non-ASCII
        letter to lower-case): the caller rewrites it.

They return how many tokens were written.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Bytes, Fingerprints, Indices, TextBytes, Tokens, Words

MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
SHIFT = np.uint64(33)

# What a byte can be to a tokenizer. The first two are the path without a branch.
LETTER, SPACE, SYMBOL, STOP, DASH, WIDE, REWRITE = range(7)

# Where a table of keys holds what is no key of a byte. With a byte the hash h becomes
# (h ^ keys[byte]) * keys[FACTOR + kind] + keys[TERM + kind]: a letter goes on with it, a blank
# restarts it.
FACTOR = 256
TERM = 258
START = TERM + SPACE


def _white_space_classes() -> Bytes:
    """The class of every byte where only white space, as ``str.split`` knows it, matters."""
    classes = np.full(256, LETTER, dtype=np.uint8)
    classes[list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f")] = SPACE
    # Lead bytes of the white space beyond ASCII: U+0085, U+00A0, U+1680, U+2000..., U+3000.
    classes[[0xC2, 0xE1, 0xE2, 0xE3]] = WIDE
    return classes


def _13a_classes() -> Bytes:
    """The class of every byte for 13a (mteval-v13a's rules, as sacreBLEU applies them)."""
    classes = _white_space_classes()
    for low, high in ("{~", "[`", "!&", "(+", ":@", "//"):
        classes[ord(low) : ord(high) + 1] = SYMBOL
    classes[list(b".,")] = STOP
    classes[ord("-")] = DASH
    return classes


def _folding(classes: Bytes) -> Bytes:
    """The same where letters are folded: those beyond ASCII need Unicode's tables."""
    folding = classes.copy()
    folding[128:] = REWRITE
    return folding


CLASSES = _white_space_classes()
CLASSES_FOLDING = _folding(CLASSES)

CLASSES_13A = _13a_classes()

# The same, but a string with '&' (an entity?), '<' (<skipped>?) or a newline is left to be rewritten.
CLASSES_13A_RAW = CLASSES_13A.copy()
CLASSES_13A_RAW[list(b"&<\n")] = REWRITE
CLASSES_13A_RAW_FOLDING = _folding(CLASSES_13A_RAW)


def drawn_keys(seed: bytes | None = None) -> Fingerprints:
    """The keys of the hash: uint64 [260], drawn by the operating system, or from a seed.

    A number for each byte, then the factors and the terms of `LETTER` and `SPACE`: an odd
    multiplier and 0, 0 and the hash of nothing.
    """
    drawn = os.urandom(260 * 8) if seed is None else hashlib.shake_256(seed).digest(260 * 8)
    keys = np.frombuffer(drawn, dtype=np.uint64).copy()
    keys[FACTOR + LETTER] |= np.uint64(1)
    keys[FACTOR + SPACE] = keys[TERM + LETTER] = 0
    return keys


def folding(keys: Fingerprints) -> Fingerprints:
    """The same keys for a letter of ASCII in upper and in lower case."""
    folded = keys.copy()
    folded[65:91] = keys[97:123]
    return folded


KEYS = drawn_keys()


@helper
def _grown(h: np.uint64, byte: Any, keys: Fingerprints) -> np.uint64:
    """The hash of a token one byte longer."""
    return (h ^ keys[byte]) * keys[FACTOR]


@helper
def _mixed(h: Any) -> np.uint64:
    """Spreads what the last bytes changed over all bits: the table of n-grams looks at some only."""
    h = (h ^ (h >> SHIFT)) * MIX_1
    return h ^ (h >> SHIFT)


@helper
def _all_mixed(fingerprints: Fingerprints, written: Any) -> int:
    """Finishes the hashes of all tokens, and returns how many there are."""
    for k in range(written):
        fingerprints[k] = _mixed(fingerprints[k])
    return int(written)


@helper
def _closed(tokens: Tokens, i: int, written: Any, whole: bool, inside: Any, h: Any) -> Any:
    """Ends string ``i``, and returns how many tokens are written by then; without a branch.

    Args:
        tokens: Where tokens are written; there is room for one more than the strings have bytes.
        i: The string.
        written: How many tokens are written, those of string ``i`` among them.
        whole: Whether the string was read to its end; its tokens are given up where it was not.
        inside: 1 where its last token is still open, else 0.
        h: The hash of that token.
    """
    fingerprints, first, last = tokens
    fingerprints[written] = h
    written = written + inside if whole else first[i]
    last[i] = written if whole else -1
    return written


@helper
def _is_digit(byte: Any) -> bool:
    return 48 <= byte <= 57


@helper
def _wide_space(data: Bytes, at: int, stop: int) -> int:
    """The length in bytes of the white space beyond ASCII that starts at ``at``, or 0."""
    a = data[at]
    if a == 0xC2 and at + 1 < stop:
        b = data[at + 1]
        return 2 if b == 0x85 or b == 0xA0 else 0
    if at + 2 >= stop:
        return 0
    b, c = data[at + 1], data[at + 2]
    if a == 0xE1:
        return 3 if b == 0x9A and c == 0x80 else 0
    if a == 0xE2:
        if b == 0x80:
            return 3 if c <= 0x8A or c == 0xA8 or c == 0xA9 or c == 0xAF else 0
        return 3 if b == 0x81 and c == 0x9F else 0
    if a == 0xE3:
        return 3 if b == 0x80 and c == 0x80 else 0
    return 0


def same_strings(texts: TextBytes) -> Indices:
    """For every string the index of the first string equal to it (its own, where it is the first).

    Returns:
        int64 [n]: ``first[i] <= i`` with equal bytes.
    """
    n = texts.starts.size
    slots = np.full(1 << max(4, (2 * n - 1).bit_length()), -1, dtype=np.int64)
    first = np.empty(n, dtype=np.int64)
    hashes = np.empty(n, dtype=np.uint64)
    _same_strings(texts, texts.words, KEYS, slots, hashes, first)
    return first


@kernel
def _same_strings(
    texts: TextBytes,
    words: Words,
    keys: Fingerprints,
    slots: Indices,
    hashes: Fingerprints,
    first: Indices,
) -> None:
    """Fills ``first`` with an open hash table of the strings seen so far.

    Args:
        texts: The n strings.
        words: ``texts.words``.
        keys: uint64 [260], ``KEYS``: texts made to meet in the table would make it slow.
        slots: int64 [a power of two above n], -1 where free.
        hashes: uint64 [n], written.
        first: int64 [n], written.
    """
    data, starts, stops = texts
    mask = np.uint64(slots.size - 1)
    for i in range(starts.size):
        at = starts[i]
        stop = stops[i]
        h = np.uint64(stop - at) * keys[FACTOR] + keys[START]
        if stop - at >= 8:
            while at + 8 <= stop:
                h = _mixed(h ^ words[at])
                at += 8
            h = _mixed(h ^ words[stop - 8])
        else:
            while at < stop:
                h = _grown(h, data[at], keys)
                at += 1
            h = _mixed(h)
        hashes[i] = h
        slot = (h >> SHIFT) & mask
        while True:
            j = slots[slot]
            if j < 0:
                slots[slot] = i
                first[i] = i
                break
            if hashes[j] == h and _equal(data, starts[j], stops[j], starts[i], stop):
                first[i] = j
                break
            slot = (slot + np.uint64(1)) & mask


@helper
def _equal(data: Bytes, a: Any, a_end: Any, b: Any, b_end: Any) -> bool:
    if a_end - a != b_end - b:
        return False
    at = 0
    while at < a_end - a and data[a + at] == data[b + at]:
        at += 1
    return at == a_end - a


@kernel
def tokens_13a(texts: TextBytes, classes: Bytes, keys: Fingerprints, tokens: Tokens) -> int:
    """Tokenises strings by mteval-v13a's rules: Western punctuation apart, numbers whole.

    The four rules of the original rewrite the string one after the other. Seen from a run of ``k``
    stops (``.`` or ``,``) between ``x`` and ``y`` they come to this: every stop is a token of its
    own, but for the last, which stays with a digit ``y`` where ``x`` is no digit and ``k`` is even,
    or ``x`` is a digit and ``k`` is odd; and a single stop between two digits stays with both. A
    dash is cut off from a digit before it.

    Args:
        texts: The strings as bytes.
        classes: The class of each byte.
        keys: The keys of the hash of tokens.
        tokens: The result.
    """
    data, starts, stops = texts
    fingerprints, first, _ = tokens
    written = 0
    for i in range(starts.size):
        first[i] = written
        stop = stops[i]
        at = starts[i]
        h = keys[START]
        inside = 0  # whether ``at`` follows a byte of a token, which ``h`` is then the hash of
        while at < stop:
            c = data[at]
            kind = np.int64(classes[c])
            if kind <= SPACE:
                fingerprints[written] = h
                written += kind & inside
                inside = 1 - kind
                h = (h ^ keys[c]) * keys[FACTOR + kind] + keys[TERM + kind]
                at += 1
                continue
            after_digit = at > starts[i] and _is_digit(data[at - 1])
            end = at + 1  # of the run of stops, or of the character
            goes_on = False  # with the token before
            begins = False  # with its last byte, the token after
            if kind == STOP:
                while end < stop and classes[data[end]] == STOP:
                    end += 1
                if end < stop and _is_digit(data[end]):
                    goes_on = after_digit and end == at + 1
                    begins = ((end - at) & 1 == 1) == after_digit
            elif kind == DASH:
                goes_on = not after_digit
            elif kind == WIDE:
                width = _wide_space(data, at, stop)
                goes_on = width == 0
                end = at + max(width, 1)
            elif kind == REWRITE and (c != 60 or (at + 9 <= stop and (data[at + 1] | 32) == 115)):
                break  # '<' matters only where <skipped> may follow
            if goes_on:
                h = _grown(h, c, keys)
                inside = 1
                at = end
                continue
            if inside:
                fingerprints[written] = h
                written += 1
            if kind != WIDE:
                for k in range(at, end - begins):
                    fingerprints[written] = _grown(keys[START], data[k], keys)
                    written += 1
            h = _grown(keys[START], data[end - 1], keys) if begins else keys[START]
            inside = np.int64(begins)
            at = end
        written = _closed(tokens, i, written, at >= stop, inside, h)
    return _all_mixed(fingerprints, written)


@kernel
def tokens_none(texts: TextBytes, classes: Bytes, keys: Fingerprints, tokens: Tokens) -> int:
    """Splits strings at white space, as ``str.split`` does.

    Args:
        texts: The strings as bytes.
        classes: The class of each byte.
        keys: The keys of the hash of tokens.
        tokens: The result.
    """
    data, starts, stops = texts
    fingerprints, first, _ = tokens
    written = 0
    for i in range(starts.size):
        first[i] = written
        stop = stops[i]
        at = starts[i]
        h = keys[START]
        inside = 0
        while at < stop:
            c = data[at]
            kind = np.int64(classes[c])
            width = 1
            if kind > SPACE:
                if kind == REWRITE:
                    break
                width = _wide_space(data, at, stop)
                kind = SPACE if width > 0 else LETTER
                width = max(width, 1)
            fingerprints[written] = h
            written += kind & inside
            inside = 1 - kind
            h = (h ^ keys[c]) * keys[FACTOR + kind] + keys[TERM + kind]
            at += width
        written = _closed(tokens, i, written, at >= stop, inside, h)
    return _all_mixed(fingerprints, written)


@kernel
def tokens_char(texts: TextBytes, classes: Bytes, keys: Fingerprints, tokens: Tokens) -> int:
    """Takes every character but white space for a token.

    Args:
        texts: The strings as bytes.
        classes: The class of each byte.
        keys: The keys of the hash of tokens.
        tokens: The result.
    """
    data, starts, stops = texts
    fingerprints, first, _ = tokens
    written = 0
    for i in range(starts.size):
        first[i] = written
        stop = stops[i]
        at = starts[i]
        while at < stop:
            kind = classes[data[at]]
            if kind == REWRITE:
                break
            width = 1 if kind == SPACE else 0
            if kind == WIDE:
                width = _wide_space(data, at, stop)
            if width > 0:
                at += width
                continue
            h = _grown(keys[START], data[at], keys)
            at += 1
            while at < stop and data[at] & 0xC0 == 0x80:  # the rest of a UTF-8 sequence
                h = _grown(h, data[at], keys)
                at += 1
            fingerprints[written] = _mixed(h)
            written += 1
        written = _closed(tokens, i, written, at >= stop, 0, keys[START])
    return int(written)
