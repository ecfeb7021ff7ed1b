"""METEOR 1.5 (Denkowski and Lavie 2014), aligned by its authors' Java scorer, scored here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contract import Part
from rejoinder.metrics.means import quotient
from rejoinder.metrics.meteor_scorer import scorer
from rejoinder.metrics.settings import setting
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

MATCHERS = ("exact", "stem", "synonym", "paraphrase")


@dataclass(frozen=True)
class Tuning:
    """METEOR's parameters for a language, tuned by its authors to rankings of translations.

    Attributes:
        alpha: How much recall weighs against precision.
        beta: How fast the penalty grows with fragmentation.
        gamma: The greatest penalty.
        delta: What a content word weighs; a function word weighs 1 - delta.
        weights: Of the matchers, in the order of ``MATCHERS``.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


# Only English: the jar that the caption scorers ship holds no other language's paraphrases.
TUNINGS = {"en": Tuning(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6))}


@dataclass(frozen=True)
class METEOR(Metric):
    """METEOR: an F-score over aligned words, times a penalty for fragmentation.

    The scorer aligns a reply with each of its references by exact, stem, synonym and paraphrase
    matches m_k of weight w_k, and keeps the reference of the best score. Of the counts, summed over
    the corpus, content words c and function words f weighing delta and 1 - delta:

    - ``P = sum_k w_k (delta m_k(h_c) + (1 - delta) m_k(h_f)) / (delta |h_c| + (1 - delta) |h_f|)``,
      and R the same of the reference;
    - ``F = P R / (alpha P + (1 - alpha) R)``;
    - ``Pen = gamma (chunks / m)^beta``, m the mean of matched words in reply and reference, chunks
      the runs of adjacent matches; a reply that is matched whole in one run counts no chunk;
    - ``METEOR = (1 - Pen) F``.

    Range 0 to 1; 0 for an empty reply or reference, or no match. Segment and corpus scores equal
    the scorer's own, but are computed here, so that no resample needs Java.

    Source: Denkowski and Lavie 2014, section 2.

    Args:
        language: ``en``.
        normalize: Let the scorer split off punctuation and lower-case (its option ``-norm``);
            otherwise it lower-cases alone.
        references: ``all``, ``single`` (the first), or ``w>=T``.

    Raises:
        MissingExtraError: When it measures, where Java or the scorer's jar is missing.

    >>> METEOR().label
    'METEOR'
    """

    name: ClassVar[str] = "meteor"
    source: ClassVar[str] = "Denkowski and Lavie 2014, section 2"

    language: str = setting("en", values=TUNINGS)
    normalize: bool = setting(
        True, "Punctuation is split off and case folded before words are compared, or not.", 25)  # fmt: skip
    references: str = "all"

    @property
    def label(self) -> str:
        """``METEOR``, with the rule for references where not all count."""
        return f"METEOR{self.rule}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Lengths, matches by matcher, chunks, matched words: the scorer's 23 numbers."""
        sides = ("hypothesis", "reference")
        return (
            *(f"{side}_length" for side in sides),
            *(f"{side}_function_words" for side in sides),
            *(
                f"{side}_{kind}_{matcher}"
                for matcher in MATCHERS
                for kind in ("content", "function")
                for side in sides
            ),
            "chunks",
            *(f"{side}_matched_words" for side in sides),
        )

    def token_counts(self, texts: Strings) -> Indices | None:
        """How many words each text has; None with ``normalize``, which separates every character
        of scripts without spaces.
        """
        return None if self.normalize else tokenize(texts, "none").lengths

    def separation(self, script: str) -> tuple[str, str]:
        """The scorer separates the words of such a script where it normalizes."""
        return "the scorer does not separate the words", (
            f"set normalize=true, as in {Argument('metrics', 'meteor:normalize=true')}"
        )

    def statistics(self, batch: Batch) -> Floats:
        """Whole numbers, float64 [m, 23]; NaN for the replies to an item without references."""
        selected = batch.references(self.references)
        texts = list(batch.reference_texts.take(selected.indices))
        items = np.repeat(np.arange(len(batch)), np.diff(batch.bounds))
        bounds = selected.bounds.tolist()
        rows = np.full((len(batch.hypotheses), len(self.columns)), np.nan)
        has = np.flatnonzero(selected.counts[items])
        if has.size:
            pairs = [
                (batch.hypotheses[k], texts[bounds[i] : bounds[i + 1]])
                for k, i in zip(has.tolist(), items[has].tolist(), strict=True)
            ]
            rows[has] = scorer(self.language, self.normalize).statistics(pairs)
        # A corpus counts no chunk for a reply that is matched whole in one; nor does its own score.
        whole = (matched_words(rows) == rows[:, :2]).all(axis=-1) & (rows[:, 20] == 1)
        rows[whole, 20] = 0.0
        return rows

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 23] to float64 [...]."""
        precision, recall, fragmentation = self._factors(totals)
        tuning = TUNINGS[self.language]
        matched = (precision > 0) & (recall > 0)
        p, r = np.where(matched, precision, 1.0), np.where(matched, recall, 1.0)
        f_mean = 1 / ((1 - tuning.alpha) / p + tuning.alpha / r)
        penalty = tuning.gamma * fragmentation**tuning.beta
        scores = np.where(matched, np.maximum(0.0, f_mean * (1 - penalty)), 0.0)
        return np.where(np.isnan(totals[..., 0]), np.nan, scores)

    def parts(self, totals: Floats) -> dict[str, Part]:
        """Precision, recall, fragmentation, lengths."""
        precision, recall, fragmentation = self._factors(totals)
        return {
            "precision": float(precision),
            "recall": float(recall),
            "fragmentation": float(fragmentation),
            "hypothesis_length": float(totals[0]),
            "reference_length": float(totals[1]),
        }

    def _factors(self, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Weighted precision, weighted recall, chunks to a matched word; 0 where undefined."""
        tuning = TUNINGS[self.language]
        lengths, function = totals[..., 0:2], totals[..., 2:4]
        weighted = tuning.delta * (lengths - function) + (1 - tuning.delta) * function
        matched = np.zeros_like(weighted)
        for first, share in ((4, tuning.delta), (6, 1 - tuning.delta)):
            for k, weight in enumerate(tuning.weights):
                at = first + 4 * k
                matched = matched + totals[..., at : at + 2] * weight * share
        ratios = quotient(matched, weighted, 0.0)
        words = totals[..., 21:23].sum(axis=-1) / 2
        return ratios[..., 0], ratios[..., 1], quotient(totals[..., 20], words, 0.0)


def matched_words(totals: Floats) -> Floats:
    """Words of the reply and of the reference that some matcher matched: [..., 23] to [..., 2]."""
    return totals[..., 4:20].reshape(*totals.shape[:-1], 2 * len(MATCHERS), 2).sum(axis=-2)
