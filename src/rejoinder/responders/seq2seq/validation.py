"""The pairs of a corpus that validate, where no validation corpus is given."""

from __future__ import annotations

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import Argument, Placeholder, counted

HELD_OUT = 20
"""One pair of so many is held out for validation where no validation corpus is given ..."""
MOST_HELD_OUT = 1000
"""... but no more than these."""


def divided(corpus: Pairs, validation: Pairs | None, seed: int) -> tuple[Indices, Pairs, list[str]]:
    """The pairs to train on in a random order, as positions, and the pairs that validate.

    Args:
        corpus: All pairs.
        validation: The validation corpus; None: pairs are held out of ``corpus``.
        seed: Random seed.

    Returns:
        Positions in ``corpus``, the validation pairs, and a note about those held out.

    Raises:
        InputError: The corpus is too small to hold pairs out.
    """
    order = np.random.default_rng([seed, len(corpus)]).permutation(len(corpus))
    if validation is not None:
        return order, validation, []
    count = min(MOST_HELD_OUT, len(corpus) // HELD_OUT)
    if not count:
        raise InputError(
            f"corpus: {len(corpus)} pairs are too few to hold some out; expected {HELD_OUT} or "
            f"more, or {Argument('validation', Placeholder('CORPUS'))}"
        )
    note = f"validation: {counted(count, 'pair')} held out of the corpus, drawn at random"
    return order[count:], corpus.take(np.sort(order[:count])), [note]
