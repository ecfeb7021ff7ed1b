"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices, Tokens
from rejoinder.kernels.lcs import lcs_lengths
from rejoinder.metrics.contract import Part
from rejoinder.metrics.means import MeanMetric, mean, mean_rows, quotient
from rejoinder.metrics.reference_pairs import ReferencePairs, matches
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, tokenize

VARIANTS = ("1", "2", "L")
# Each measure with the column that sums it.
MEASURES = {"f": 0, "precision": 2, "recall": 3}
# Each form with the tokenizer of the package that it is exact to.
FORMS = {"f1": "rouge", "caption": "blanks"}
CAPTION_BETA = 1.2

OTHER_SPACE = re.compile(r"[^\S ]|\\")
WORD_BREAK = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class ROUGE(MeanMetric):
    """ROUGE-1, ROUGE-2 or ROUGE-L: overlap with the references as precision and recall, averaged.

    With m the clipped n-gram matches (or the longest common subsequence, for L), h and r the
    n-grams (tokens, for L) of reply and reference: ``P = m / h``, ``R = m / r``.

    - Form ``f1``: ``F = 2 P R / (P + R)``, the maximum over references; the rouge-score package.
    - Form ``caption``, for L alone: ``F = (1 + b^2) P R / (R + b^2 P)`` with b = 1.2, and P and R
      each the maximum over references, which may come from different ones; the COCO caption
      scorers.

    The score is the mean of F over replies; the means of P and R stand in ``parts``, and
    ``measure`` makes one of them the score. Under ``f1``, P and R of a reply are those of the
    reference with the greatest F (the first of equals), as in rouge-score.

    Range 0 to 1. 0 where nothing is common and for an empty reply or reference; but in the caption
    form an empty text is one empty token, so that two empty texts get 1.

    Source: Lin 2004, sections 2 and 3.1; Chen et al. 2015 (caption).

    Args:
        variant: ``1``, ``2`` or ``L``.
        form: ``f1`` or ``caption``.
        tokenizer: ``rouge`` (lower-cased runs of a-z and 0-9, the default of f1), ``blanks`` (split
            at every single blank, the default of caption), or one of
            ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first; ``rouge`` always does.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        measure: ``f``, ``precision`` or ``recall``: what the score is.

    >>> ROUGE("L").corpus(["the cat sat"], [["a cat sat", "a dog"]]).value
    0.6666666666666666
    >>> ROUGE("1", measure="recall").corpus(["the cat"], [["the cat sat here"]]).value
    0.5
    """

    name: ClassVar[str] = "rouge"
    source: ClassVar[str] = "Lin 2004, sections 2 and 3.1"
    younger_columns: ClassVar[frozenset[str]] = frozenset({"precision", "recall"})
    choices: ClassVar = MappingProxyType(
        {
            "variant": VARIANTS,
            "form": FORMS,
            "measure": MEASURES,
            "tokenizer": (*FORMS.values(), *TOKENIZERS, ""),
        }
    )

    variant: str = "L"
    form: str = "f1"
    tokenizer: str = ""
    lowercase: bool = False
    references: str = "all"
    measure: str = "f"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "caption" and self.variant != "L":
            raise ParameterError(
                f"form='caption' is a ROUGE-L, got variant='{self.variant}'; take variant='L' or "
                "form='f1'"
            )
        object.__setattr__(self, "tokenizer", self.tokenizer or FORMS[self.form])
        object.__setattr__(self, "name", f"rouge{self.variant}")
        if self.tokenizer == "rouge":  # which folds case whatever is wanted: the signature says so
            object.__setattr__(self, "lowercase", True)

    @property
    def label(self) -> str:
        """``ROUGE-L``, with the form and the rule for references where not the defaults."""
        form = "" if self.form == "f1" else f" ({self.form})"
        measure = "" if self.measure == "f" else f" {self.measure}"
        return f"ROUGE-{self.variant}{form}{measure}{self.rule}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of the replies' F, how many replies, and the sums of their P and R."""
        return ("sum", "count", "precision", "recall")

    def token_counts(self, texts: Strings) -> Indices:
        """How many tokens each text has."""
        return _tokens(texts, self.tokenizer, self.lowercase).lengths

    def separation(self, script: str) -> tuple[str, str]:
        """As of every metric; the default tokenizer drops what is not a-z or 0-9."""
        cause, remedy = super().separation(script)
        if self.tokenizer == "rouge":
            cause = "the tokenizer 'rouge' keeps only a-z and 0-9, and so drops most words"
        return cause, remedy

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 4]; NaN for the replies to an item without references."""
        references = batch.references(self.references)
        h, r = _cut(batch, self.tokenizer, self.lowercase)
        r = r.take(references.indices)
        pairs = ReferencePairs.of(batch, references)
        if self.variant == "L":
            order = 1
            common = lcs_lengths(h, r, pairs.hypotheses, pairs.references)
        else:
            order = int(self.variant)
            common = matches(batch, references, pairs, h, r, order)[:, order - 1]
        precision = common / np.maximum(1, h.lengths - order + 1)[pairs.hypotheses]
        recall = common / np.maximum(1, r.lengths - order + 1)[pairs.references]
        if self.form == "caption":
            p, r = pairs.best(precision), pairs.best(recall)
            return np.column_stack([mean_rows(_caption(p, r)), p, r])
        f = _f1(precision, recall)
        best = pairs.first_best(f)
        rows = np.full((best.size, 4), np.nan)
        has = np.flatnonzero(best >= 0)
        chosen = best[has]
        rows[has] = np.stack(
            [f[chosen], np.ones(has.size), precision[chosen], recall[chosen]], axis=-1
        )
        return rows

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 4] to float64 [...]; NaN where no reply was summed."""
        return mean(totals[..., [MEASURES[self.measure], 1]])

    def parts(self, totals: Floats) -> dict[str, Part]:
        """The means of F, P and R, and the sum and count that the mean of F is made of.

        P and R are NaN for scores that were kept before there were such columns.
        """
        means = {name: float(mean(totals[[k, 1]])) for name, k in MEASURES.items()}
        return {**means, **super().parts(totals)}


def _f1(p: Floats, r: Floats) -> Floats:
    """``2 P R / (P + R)``, 0 where both are 0."""
    return quotient(2 * p * r, p + r, 0.0)


def _caption(p: Floats, r: Floats) -> Floats:
    """``(1 + b^2) P R / (R + b^2 P)``, 0 where one is 0; NaN stays NaN."""
    bottom = r + CAPTION_BETA**2 * p
    return (1 + CAPTION_BETA**2) * p * r / np.where(bottom == 0, 1.0, bottom)


def _cut(batch: Batch, tokenizer: str, lowercase: bool) -> tuple[Tokens, Tokens]:
    """The tokens of hypotheses and references."""
    if tokenizer in TOKENIZERS:
        return (
            batch.hypothesis_tokens(tokenizer, lowercase),
            batch.reference_tokens(tokenizer, lowercase),
        )
    return (
        _tokens(batch.hypotheses, tokenizer, lowercase),
        _tokens(batch.reference_texts, tokenizer, lowercase),
    )


def _tokens(strings: Strings, tokenizer: str, lowercase: bool) -> Tokens:
    if tokenizer in TOKENIZERS:
        return tokenize(strings, tokenizer, lowercase)
    return tokenize(REWRITES[tokenizer](strings, lowercase), "none")


def _alphanumeric(strings: Strings, lowercase: bool) -> Strings:
    """Strings with all but ASCII letters, lower-cased, and digits turned into blanks.

    One look-up per byte. Two letters beyond ASCII become ASCII ones when they are lower-cased, the
    Kelvin sign and the dotted capital I: a slice that holds one of them is rewritten at length.
    """
    if not len(strings):
        return strings
    begin, end = int(strings.starts.min()), int(strings.stops.max())
    data = strings.data[begin:end]
    whole = data.tobytes()
    if KELVIN in whole or DOTTED_I in whole:
        return Strings.of([WORD_BREAK.sub(" ", text.lower()) for text in strings])
    return Strings(LETTERS_AND_DIGITS[data], strings.starts - begin, strings.stops - begin)


def _single_blanks(strings: Strings, lowercase: bool) -> Strings:
    r"""Strings whose tokens at white space are those of ``text.split(" ")``, empty ones included.

    Each token gets a ``=`` in front, so that an empty one is one too, and white space that does not
    split is escaped.
    """
    seen: dict[str, str] = {}
    for text in strings:
        if text not in seen:
            line = OTHER_SPACE.sub(_escaped, text.lower() if lowercase else text)
            seen[text] = "=" + line.replace(" ", " =")
    return Strings.of([seen[text] for text in strings])


def _escaped(match: re.Match[str]) -> str:
    return f"\\{ord(match[0]):x};"


KELVIN, DOTTED_I = "\u212a".encode(), "\u0130".encode()

LETTERS_AND_DIGITS = np.full(256, ord(" "), dtype=np.uint8)
LETTERS_AND_DIGITS[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = list(
    b"abcdefghijklmnopqrstuvwxyz0123456789"
)
LETTERS_AND_DIGITS[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")] = list(b"abcdefghijklmnopqrstuvwxyz")

REWRITES: dict[str, Callable[[Strings, bool], Strings]] = {
    "rouge": _alphanumeric,
    "blanks": _single_blanks,
}
