"""Notes about tokenizers that do not separate the words of the replies, for every metric alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.text.scripts import separated, unspaced_script
from rejoinder.text.strings import Strings

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric

EXAMINED = 500
SHORT = 5
"""Replies of fewer characters are left out: a single word is a whole reply there."""
SHARE = 0.2
"""The share of the replies examined from which on a note is given."""


@dataclass(frozen=True)
class Sample:
    """The replies that are examined: at most 500, drawn at random with a fixed seed.

    Attributes:
        hypotheses: All replies.
    """

    hypotheses: Strings

    @cached_property
    def strings(self) -> Strings:
        """The sample, without short replies; empty where hardly any reply is beyond ASCII."""
        count = len(self.hypotheses)
        chosen = np.arange(count)
        if count > EXAMINED:
            chosen = np.sort(np.random.default_rng(0).choice(count, EXAMINED, replace=False))
        sample = self.hypotheses.take(chosen)
        long = [k for k, text in enumerate(sample) if len("".join(text.split())) >= SHORT]
        sample = sample.take(np.array(long, dtype=np.int64))
        # ASCII writes spaces between words: most samples end here.
        if sum(not text.isascii() for text in sample) < SHARE * max(1, len(long)):
            return sample.part(0, 0)
        return sample

    @cached_property
    def texts(self) -> list[str]:
        """The same as Python strings."""
        return list(self.strings)


def separation_notes(metric: Metric, sample: Sample) -> list[str]:
    """Says where a metric's tokenizer leaves the words of many replies unseparated or drops them.

    Such a metric compares whole sentences, or nothing: it is near 0 whatever the replies say.

    Args:
        metric: Any metric; one without a tokenizer has nothing to note.
        sample: Replies of the batch.
    """
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
    script = Counter(map(unspaced_script, unseparated)).most_common(1)[0][0]
    replies = f"{len(unseparated)} of {len(sample.texts)} replies"
    if len(sample.hypotheses) > EXAMINED:
        replies += " examined"
    replies += f" of {SHORT} characters or more"
    cause, remedy = metric.separation(script)
    return [f"{cause} of {replies}{_reason(script)}, so these scores mean little; {remedy}"]


def _reason(script: str) -> str:
    if not script:
        return ""
    return f" ({script} text has no spaces between words)"
