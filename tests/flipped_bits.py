"""Single bits of a file flipped, as a damaged disk or a copy over a bad line leaves them."""

from __future__ import annotations

import numpy as np


def flipped(raw, place, bit):
    """The bytes with one bit flipped."""
    changed = bytearray(raw)
    changed[place] ^= 1 << bit
    return bytes(changed)


def drawn(raw, count=1000):
    """Places and bits drawn from a fixed seed."""
    rng = np.random.default_rng(7)
    places, bits = rng.integers(0, len(raw), count), rng.integers(0, 8, count)
    return list(zip(places.tolist(), bits.tolist(), strict=True))


def every(raw):
    """Every place, and one bit of each."""
    return [(place, place % 8) for place in range(len(raw))]
