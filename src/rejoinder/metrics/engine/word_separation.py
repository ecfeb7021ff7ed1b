"""Notes about tokenizers that do not separate the words of the replies, for every metric alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.kernels import strings as kinds
from rejoinder.kernels.arrays import Bytes, Indices
from rejoinder.metrics.contract import Contract
from rejoinder.text.scripts import kinds_of, lost, separated, spaced_script, unspaced_script
from rejoinder.text.strings import Strings

EXAMINED = 500
SHORT = 5
"""Replies of fewer characters are left out: a single word is a whole reply there."""
SHARE = 0.2
"""The share of the replies examined from which on a note is given."""
FEW = 2
"""So many replies in a script without spaces are enough for a note, whatever their share is."""
SMALL = 20
"""In a test set of fewer items than that, one such reply is enough."""


@dataclass(frozen=True)
class ReplySample:
    """The replies that are examined: at most 500, drawn at random with a fixed seed.

    Attributes:
        hypotheses: All replies.
        items: The number of items of the test set; None if each reply has an item of its own.
    """

    hypotheses: Strings
    items: int | None = None

    @cached_property
    def _kinds(self) -> Bytes:
        return kinds_of(self.hypotheses, SHORT)

    @cached_property
    def strings(self) -> Strings:
        """The sample, without short replies; empty where hardly any reply is beyond ASCII."""
        count, several = len(self.hypotheses), self._kinds & kinds.BEYOND_ASCII
        # Bytes tell that no sample can hold enough: none need be drawn, which imports what draws.
        # A reply beyond ASCII may have more bytes than SHORT and fewer characters.
        short = np.count_nonzero(several | self._kinds & kinds.SHORT)
        if np.count_nonzero(several) < SHARE * max(1, min(EXAMINED, count) - short):
            return self.hypotheses.part(0, 0)
        sample = self.hypotheses.take(_drawn(np.arange(count)))
        texts = list(sample)
        long = [k for k, text in enumerate(texts) if len("".join(text.split())) >= SHORT]
        if sum(not texts[k].isascii() for k in long) < SHARE * max(1, len(long)):
            return sample.part(0, 0)
        return sample.take(np.array(long, dtype=np.int64))

    @cached_property
    def texts(self) -> list[str]:
        """The same as Python strings."""
        return list(self.strings)

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


def _drawn(indices: Indices) -> Indices:
    """The indices, or 500 of them where they are more, in order, with a fixed seed."""
    if indices.size <= EXAMINED:
        return indices
    return np.sort(np.random.default_rng(0).choice(indices, EXAMINED, replace=False))


def separation_notes(metric: Contract, sample: ReplySample) -> list[str]:
    """Says where a metric's tokenizer leaves the words of replies unseparated or drops them.

    Such a metric compares whole sentences, or nothing: it is near 0 whatever the replies say. A note
    is given where a fifth of the replies lose their words, and also where a few replies in a script
    without spaces do (two, or one in a test set of fewer than 20 items).

    Args:
        metric: Any metric; one without a tokenizer has nothing to note.
        sample: Replies of the batch.
    """
    return _many_lost_note(metric, sample) or _few_lost_note(metric, sample)


def _many_lost_note(metric: Contract, sample: ReplySample) -> list[str]:
    """The note where a fifth of all replies lose their words; empty otherwise."""
    if not sample.texts:
        return []
    counts = metric.token_counts(sample.strings)
    if counts is None:
        return []
    unseparated = [
        text for text, tokens in zip(sample.texts, counts.tolist(), strict=True)
        if not separated(text, tokens)
    ]  # fmt: skip
    if len(unseparated) < SHARE * len(sample.texts):
        return []
    replies = f"{len(unseparated)} of {len(sample.texts)} replies"
    if len(sample.hypotheses) > EXAMINED:
        replies += " examined"
    replies += f" of {SHORT} characters or more"
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
    script = Counter(map(unspaced_script, unseparated)).most_common(1)[0][0]
    cause, remedy = metric.separation(script or spaced_script(unseparated))
    return f"{cause} of {replies}{_reason(script)}, so {result}; {remedy}"


def _reason(script: str) -> str:
    if not script:
        return ""
    return f" ({script} text has no spaces between words)"
