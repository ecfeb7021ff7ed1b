"""Exact match: the share of replies that equal one of their references."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.metrics.settings import setting

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def _squad(text: str) -> str:
    """A text as SQuAD's script compares it.

    >>> _squad("The  Eiffel Tower!")
    'eiffel tower'
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


FORMS: Mapping[str, Callable[[str], str]] = {"plain": str.strip, "squad": _squad}
"""By form what of two texts is compared."""


@dataclass(frozen=True)
class ExactMatch(MeanMetric):
    """The share of replies that equal one of their references: a rate, with Wilson's interval.

    - Form ``plain``: the same characters, but for white space at the ends. Hugging Face's and
      lm-evaluation-harness' ``exact_match`` count that white space too.
    - Form ``squad``: the same words, as SQuAD's script compares short English answers: without capitals,
      ASCII punctuation and the articles a, an and the. It takes -5 for 5, and 1.5 for 15, so that it
      is not for numbers or code.

    Range 0 to 1. An empty reply equals an empty reference alone; in the form ``squad`` a text of
    punctuation and articles alone is empty. Weights of references are ignored: a reply that equals one of
    negative weight counts too, unless ``references`` is ``w>=0``.

    Source: Rajpurkar et al. 2016, section 6.1 (exact match), and its evaluation script (``squad``).

    Args:
        form: ``plain`` or ``squad``.
        references: ``all``, ``single`` (the first), or ``w>=T``.

    >>> ExactMatch().corpus(["nine", "Nine."], [["nine"], ["ten", "nine"]]).value
    0.5
    >>> ExactMatch("squad").corpus(["nine", "Nine."], [["nine"], ["ten", "nine"]]).value
    1.0
    """

    name: ClassVar[str] = "exact"
    source: ClassVar[str] = "Rajpurkar et al. 2016, section 6.1"
    share: ClassVar[bool] = True

    form: str = setting(
        "plain", "Capitals, punctuation and articles are left out before texts are compared, or not.", 25,
        values=FORMS, tried=tuple(FORMS))  # fmt: skip
    references: str = "all"

    @property
    def label(self) -> str:
        """``exact match``, with the form and the rule for references where not the defaults."""
        form = "" if self.form == "plain" else f" ({self.form})"
        return f"exact match{form}{self.rule}"

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        references = batch.references(self.references)
        pairs = ReferencePairs.of(batch, references)
        number: dict[str, int] = {}

        def numbers(texts: Iterable[str]) -> np.ndarray:
            compared = map(FORMS[self.form], texts)
            return np.array([number.setdefault(text, len(number)) for text in compared], np.int64)

        replies = numbers(batch.hypotheses)[pairs.hypotheses]
        texts = numbers(batch.reference_texts)[references.indices][pairs.references]
        return mean_rows(pairs.best((replies == texts).astype(np.float64)))
