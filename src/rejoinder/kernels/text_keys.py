"""TextBytes as 64-bit keys: equal texts have the same key, and different texts hardly ever do."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Bytes, Fingerprints, Indices, TextBytes

SKIP, KEEP, REWRITE = range(3)

FACTOR = 256
START = 259
"""Places of numbers that are no key of a byte, in keys as `kernels.tokens.drawn_keys` makes them."""


def _bare_classes() -> Bytes:
    r"""Letters, digits and the underscore are kept, as ``\w`` does; Unicode needs its own tables."""
    classes = np.full(256, SKIP, dtype=np.uint8)
    for low, high in ("09", "AZ", "az", "__"):
        classes[ord(low) : ord(high) + 1] = KEEP
    classes[128:] = REWRITE
    return classes


EVERY = np.full(256, KEEP, dtype=np.uint8)
BARE = _bare_classes()


@kernel
def text_keys(
    texts: TextBytes, classes: Bytes, keys: Fingerprints, hashes: Fingerprints, rewrite: Indices
) -> int:
    """Hashes the bytes of each text that its class keeps.

    Args:
        texts: n strings.
        classes: uint8 [256], what each byte is.
        keys: uint64 [260].
        hashes: uint64 [n], written.
        rewrite: int64 [n], written: the texts with a byte to rewrite, or with none to keep.

    Returns:
        How many texts are to be rewritten.
    """
    data, starts, stops = texts
    count = 0
    for i in range(starts.size):
        h = keys[START]
        letters = 0
        again = 0
        for at in range(starts[i], stops[i]):
            c = data[at]
            kind = classes[c]
            if kind == KEEP:
                h = (h ^ keys[c]) * keys[FACTOR]
                letters += 1
            elif kind == REWRITE:
                again = 1
        h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        h = (h ^ (h >> np.uint64(29))) * np.uint64(0xC4CEB9FE1A85EC53)
        hashes[i] = h ^ (h >> np.uint64(32))
        if again == 1 or letters == 0:
            rewrite[count] = i
            count += 1
    return count
