"""Notes about tokenizers that do not separate the words of the replies, for every metric alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.kernels import strings as kinds
from rejoinder.kernels.arrays import Bytes, Indices
from rejoinder.messages import listed, quoted
from rejoinder.metrics.contract import Contract
from rejoinder.text.scripts import (
    kinds_of,
    lost,
    separated,
    spaced_script,
    unseparated_script,
    unspaced_script,
)
from rejoinder.text.strings import Strings

EXAMINED = 500
SHORT = 5
"""Replies of fewer characters are left out: a single word is a whole reply there."""
SHARE = 0.2
"""The share of a system's replies examined from which on a note is given."""
LEAST_EXAMINED = 50
"""So many replies of each system are examined, however many systems there are."""
FEW = 2
"""So many replies in a script without spaces are enough for a note, whatever their share is."""
SMALL = 20
"""In a test set of fewer items than that, one such reply is enough."""


@dataclass(frozen=True)
class ReplySample:
    """The replies that are examined: 500, or 50 of each system, drawn at random with a fixed seed.

    Attributes:
        hypotheses: All replies.
        items: The number of items of the test set; None if each reply has an item of its own.
        systems: The systems whose replies alternate in this order; or none: they are one system's.
    """

    hypotheses: Strings
    items: int | None = None
    systems: Sequence[str] = ()

    @cached_property
    def _kinds(self) -> Bytes:
        return kinds_of(self.hypotheses, SHORT)

    @property
    def count(self) -> int:
        """The number of systems."""
        return max(1, len(self.systems))

    @property
    def most(self) -> int:
        """How many replies of each system are examined, where it has more."""
        return max(LEAST_EXAMINED, EXAMINED // self.count)

    @cached_property
    def strings(self) -> Strings:
        """The sample, without short replies; empty where hardly any reply of a system is beyond ASCII."""
        return self._sample[0]

    @cached_property
    def texts(self) -> list[str]:
        """The same as Python strings."""
        return list(self.strings)

    @property
    def system(self) -> Indices:
        """The place of the system of each."""
        return self._sample[1]

    @cached_property
    def _sample(self) -> tuple[Strings, Indices]:
        none = self.hypotheses.part(0, 0), np.zeros(0, dtype=np.int64)
        count, of_each = len(self.hypotheses) // self.count, self._kinds.reshape(-1, self.count)
        several = of_each & kinds.BEYOND_ASCII
        # Bytes tell that too few are beyond ASCII: no sample need be drawn, which imports what draws.
        # A reply beyond ASCII may have more bytes than SHORT and fewer characters.
        short = np.count_nonzero(several | of_each & kinds.SHORT, axis=0)
        least = SHARE * np.maximum(1, count - short)
        if (np.count_nonzero(several, axis=0) < least).all():
            return none
        items = _drawn(np.arange(count), self.most)
        places = (items[:, None] * self.count + np.arange(self.count)).ravel()
        sample = self.hypotheses.take(places)
        texts = list(sample)
        long = np.array(
            [k for k, text in enumerate(texts) if len("".join(text.split())) >= SHORT], np.int64
        )
        system = long % self.count
        beyond = self.by_system(system[[not texts[k].isascii() for k in long]])
        if (beyond < SHARE * np.maximum(1, self.by_system(system))).all():
            return none
        return sample.take(long), system

    def by_system(self, places: Indices) -> Indices:
        """How many of these places are each system's: int64 [S]."""
        return np.bincount(places, minlength=self.count)

    @cached_property
    def candidates(self) -> Indices:
        """Which replies may be in a script without spaces."""
        return np.flatnonzero(self._kinds & kinds.UNSPACED_LEAD)

    @cached_property
    def unspaced(self) -> Strings:
        """Replies in scripts without spaces, short ones too: at most 500, drawn from all of them."""
        sample = self.hypotheses.take(_drawn(self.candidates))
        unspaced = [
            k for k, text in enumerate(sample) if unspaced_script(text) not in ("", "emoji")
        ]
        return sample.take(np.array(unspaced, dtype=np.int64))

    @property
    def enough(self) -> int:
        """How many replies in scripts without spaces must lose their words for a note."""
        items = len(self.hypotheses) if self.items is None else self.items
        return 1 if items < SMALL else FEW


def _drawn(indices: Indices, most: int = EXAMINED) -> Indices:
    """The indices, or so many of them where they are more, in order, with a fixed seed."""
    if indices.size <= most:
        return indices
    return np.sort(np.random.default_rng(0).choice(indices, most, replace=False))


def separation_notes(metric: Contract, sample: ReplySample) -> list[str]:
    """Says where a metric's tokenizer leaves the words of replies unseparated or drops them.

    Such a metric compares whole sentences, or nothing: it is near 0 whatever the replies say. A note
    is given where a fifth of the replies of some system lose their words, and also where a few replies
    in a script without spaces do (two, or one in a test set of fewer than 20 items).

    Args:
        metric: Any metric; one without a tokenizer has nothing to note.
        sample: Replies of the batch.
    """
    return _many_lost_note(metric, sample) or _few_lost_note(metric, sample)


def _many_lost_note(metric: Contract, sample: ReplySample) -> list[str]:
    """The note where a fifth of the replies of some system lose their words; empty otherwise."""
    if not sample.texts:
        return []
    counts = metric.token_counts(sample.strings)
    if counts is None:
        return []
    wrong = [not separated(*each) for each in zip(sample.texts, counts.tolist(), strict=True)]
    losses, sizes = sample.by_system(sample.system[wrong]), sample.by_system(sample.system)
    concerned = np.flatnonzero((losses > 0) & (losses >= SHARE * sizes))
    if not concerned.size:
        return []
    replies = f"{losses[concerned].sum()} of {sizes[concerned].sum()} replies"
    if len(sample.hypotheses) > sample.count * sample.most:
        replies += " examined"
    replies += f" of {SHORT} characters or more"
    if concerned.size < sample.count:
        replies += f" of {listed([quoted(sample.systems[s]) for s in concerned.tolist()])}"
    unseparated = [
        text for text, is_wrong, s in zip(sample.texts, wrong, sample.system, strict=True)
        if is_wrong and s in concerned
    ]  # fmt: skip
    return [_note(metric, unseparated, replies, "these scores mean little")]


def _few_lost_note(metric: Contract, sample: ReplySample) -> list[str]:
    """The note where few replies lose their words, all in scripts without spaces; empty otherwise."""
    if not len(sample.unspaced):
        return []
    counts = metric.token_counts(sample.unspaced)
    if counts is None:
        return []
    unseparated = [
        text for text, tokens in zip(sample.unspaced, counts.tolist(), strict=True)
        if lost(text, tokens)
    ]  # fmt: skip
    if len(unseparated) < sample.enough:
        return []
    replies = f"{len(unseparated)} of {len(sample.hypotheses)} replies"
    if sample.candidates.size > EXAMINED:
        replies = f"{len(unseparated)} of {len(sample.unspaced)} replies examined in such scripts"
    return [_note(metric, unseparated, replies, "the scores of these replies mean little")]


def _note(metric: Contract, unseparated: list[str], replies: str, result: str) -> str:
    script = Counter(map(unseparated_script, unseparated)).most_common(1)[0][0]
    cause, remedy = metric.separation(script or spaced_script(unseparated))
    return f"{cause} of {replies}{_reason(script)}, so {result}; {remedy}"


def _reason(script: str) -> str:
    if not script:
        return ""
    return f" ({script} text has no spaces between words)"
