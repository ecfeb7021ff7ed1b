"""Notes about tokenizers that do not separate the words of the replies, for every metric alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.kernels.arrays import Indices
from rejoinder.metrics.contract import Contract
from rejoinder.text.scripts import (
    lost,
    separated,
    spaced_script,
    unspaced_candidates,
    unspaced_script,
)
from rejoinder.text.strings import Strings

EXAMINED = 500
COUNTED = 1 << 22
"""Up to so many bytes, all replies are looked at before a sample is drawn; of more, the sample alone."""
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
    def strings(self) -> Strings:
        """The sample, without short replies; empty where hardly any reply is beyond ASCII."""
        count = len(self.hypotheses)
        if self.hypotheses.data.size <= COUNTED and _hardly_beyond_ascii(self.hypotheses):
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
        return unspaced_candidates(self.hypotheses)

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


def _hardly_beyond_ascii(texts: Strings) -> bool:
    """Whether no sample of texts can hold so many beyond ASCII that it is examined further.

    Bytes tell: a sample need not be drawn for that, which imports what draws it.
    """
    beyond = np.flatnonzero(texts.data >= 0x80)
    if not beyond.size:  # the usual case, without a look at each text
        return True
    several = texts.counts(beyond) > 0
    # In a short reply of 5 * SHORT bytes or more, four blanks or more stand side by side.
    blank = texts.data <= 0x20
    four = blank[3:] & blank[2:-1] & blank[1:-2] & blank[:-3]
    short = (several | (texts.sizes < 5 * SHORT)).sum() + np.count_nonzero(four)
    examined = min(EXAMINED, len(texts)) - int(short)
    return int(several.sum()) < SHARE * max(1, examined)


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
    return _of_many(metric, sample) or _of_few(metric, sample)


def _of_many(metric: Contract, sample: ReplySample) -> list[str]:
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


def _of_few(metric: Contract, sample: ReplySample) -> list[str]:
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
