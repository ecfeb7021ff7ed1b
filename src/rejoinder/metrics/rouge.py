"""ROUGE-1 to ROUGE-9, ROUGE-L and ROUGE-Lsum (Lin 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.references import References
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.lcs import lcs_lengths, union_lcs_hits
from rejoinder.metrics.means import MEASURES, PrecisionAndRecall, mean_rows, quotient
from rejoinder.metrics.reference_pairs import ReferencePairs, matches
from rejoinder.metrics.rouge_tokens import sentences, words
from rejoinder.metrics.settings import EITHER, setting
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS

VARIANTS = (*map(str, range(1, 10)), "L", "Lsum")
# Those that are a name on the command line; the others are ``rouge:variant=3``.
NAMED = ("1", "2", "L", "Lsum")
# Each form with the tokenizer of the package that it is exact to.
FORMS = {"f1": "rouge", "caption": "blanks"}
CAPTION_BETA = 1.2
BY_LINES = "lines"  # how Lsum splits texts where nothing else is given


@dataclass(frozen=True)
class ROUGE(PrecisionAndRecall):
    """ROUGE-n, ROUGE-L or ROUGE-Lsum: overlap with the references as precision and recall, averaged.

    With m the clipped n-gram matches (or the longest common subsequence, for L), h and r the
    n-grams (tokens, for L) of reply and reference: ``P = m / h``, ``R = m / r``. For Lsum, m is
    what the longest common subsequences of a reference's sentences with all of the reply's
    sentences cover together, no token of the reply counted twice.

    - Form ``f1``: ``F = 2 P R / (P + R)``, the maximum over references; the rouge-score package.
    - Form ``caption``, for L alone: ``F = (1 + b^2) P R / (R + b^2 P)`` with b = 1.2, and P and R
      each the maximum over references, which may come from different ones; the COCO caption
      scorers.

    The score is the mean of F over replies; the means of P and R stand in ``parts``, and
    ``measure`` makes one of them the score. Under ``f1``, P and R of a reply are those of the
    reference with the greatest F (the first of equals), as in rouge-score.

    Range 0 to 1. 0 where nothing is common and for an empty reply or reference; but in the caption
    form an empty text is one empty token, so that two empty texts get 1.

    Source: Lin 2004, sections 2, 3.1 and 3.2 (Lsum); Chen et al. 2015 (caption).

    Args:
        variant: ``1`` to ``9``, ``L`` or ``Lsum``.
        form: ``f1`` or ``caption``.
        tokenizer: ``rouge`` (lower-cased runs of a-z and 0-9, the default of f1), ``blanks`` (split
            at every single blank, the default of caption), or one of
            ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first; ``rouge`` always does.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        measure: ``f``, ``precision`` or ``recall``: what the score is.
        stemmer: Compare the stems of words of four letters or more (Porter's, as in rouge-score
            with ``use_stemmer=True``). For ``tokenizer=rouge`` alone.
        sentences: How Lsum splits texts: ``lines`` (a sentence on each line, the default) or
            ``punkt`` (NLTK's splitter, rouge-score's ``split_summaries=True``).

    >>> ROUGE("L").corpus(["the cat sat"], [["a cat sat", "a dog"]]).value
    0.6666666666666666
    >>> ROUGE("1", stemmer=True).corpus(["cats running"], [["the cat runs"]]).parts["precision"]
    1.0
    >>> ROUGE("1", measure="recall").corpus(["the cat"], [["the cat sat here"]]).value
    0.5
    """

    name: ClassVar[str] = "rouge"
    source: ClassVar[str] = "Lin 2004, sections 2 and 3.1"

    variant: str = setting(
        "L", "Another overlap is counted: n-grams of another order, or common subsequences.", 30,
        values=VARIANTS, tried=NAMED)  # fmt: skip
    form: str = setting(
        "f1", "The F-score weighs recall otherwise, and may take precision and recall from different "
        "references.", 37, values=FORMS, tried=("f1", "caption"))  # fmt: skip
    tokenizer: str = setting("", values=(*FORMS.values(), *TOKENIZERS, ""))
    lowercase: bool = False
    references: str = "all"
    measure: str = setting("f", values=MEASURES)
    stemmer: bool = setting(
        False, "Words are compared by their stems (runs, running), or as they are written.", 23,
        tried=EITHER, unless_default=True)  # fmt: skip
    sentences: str = setting(
        "", "Texts are split into other sentences.", 24, values=("lines", "punkt", ""),
        unless_default=True)  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "caption" and self.variant != "L":
            raise ParameterError(
                f"form='caption' is a ROUGE-L, got variant='{self.variant}'; take variant='L' or "
                "form='f1'"
            )
        object.__setattr__(self, "tokenizer", self.tokenizer or FORMS[self.form])
        named = self.variant if self.variant in NAMED else ""
        object.__setattr__(self, "name", f"rouge{named}")
        if self.tokenizer == "rouge":  # which folds case whatever is wanted: the signature says so
            object.__setattr__(self, "lowercase", True)
        elif self.stemmer:
            raise ParameterError(
                "metric 'rouge': stemmer=true stems the words of tokenizer='rouge' alone, got "
                f"tokenizer='{self.tokenizer}'; leave one of the two out"
            )
        if self.sentences and self.variant != "Lsum":
            raise ParameterError(
                f"metric 'rouge': sentences='{self.sentences}' is for variant='Lsum', got "
                f"variant='{self.variant}'; leave sentences out, or take rougeLsum"
            )

    def effective_parameters(self) -> dict[str, Any]:
        """The parameters, with the splitter of sentences that they stand for."""
        split = self.sentences or (BY_LINES if self.variant == "Lsum" else "")
        return super().effective_parameters() | {"sentences": split}

    @property
    def label(self) -> str:
        """``ROUGE-L``, with the form and the rule for references where not the defaults."""
        form = "" if self.form == "f1" else f" ({self.form})"
        measure = "" if self.measure == "f" else f" {self.measure}"
        return f"ROUGE-{self.variant}{form}{measure}{self.rule}"

    def token_counts(self, texts: Strings) -> Indices:
        """How many tokens each text has."""
        return words(texts, self.tokenizer, self.lowercase, self.stemmer).lengths

    def separation(self, script: str) -> tuple[str, str]:
        """As of every metric; the default tokenizer drops what is not a-z or 0-9."""
        cause, remedy = super().separation(script)
        if self.tokenizer == "rouge":
            cause = "the tokenizer 'rouge' keeps only a-z and 0-9, and so drops most words"
        return cause, remedy

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 4]; NaN for the replies to an item without references."""
        references = batch.references(self.references)
        pairs = ReferencePairs.of(batch, references)
        precision, recall = self._precision_and_recall(batch, references, pairs)
        if self.form == "caption":
            p, r = pairs.best(precision), pairs.best(recall)
            return np.column_stack([mean_rows(_caption(p, r)), p, r])
        f = quotient(2 * precision * recall, precision + recall, 0.0)
        best = pairs.first_best(f)
        rows = np.full((best.size, 4), np.nan)
        has = np.flatnonzero(best >= 0)
        chosen = best[has]
        rows[has] = np.stack(
            [f[chosen], np.ones(has.size), precision[chosen], recall[chosen]], axis=-1
        )
        return rows

    def _precision_and_recall(
        self, batch: Batch, references: References, pairs: ReferencePairs
    ) -> tuple[Floats, Floats]:
        """P and R of every pair, float64 [p] each."""
        settings = (self.tokenizer, self.lowercase, self.stemmer)
        if self.variant == "Lsum":
            split = self.sentences or BY_LINES
            texts = batch.reference_texts.take(references.indices)
            in_h = sentences(batch.hypotheses, split, *settings)
            in_r = sentences(texts, split, *settings)
            of_h, of_r = in_h.lengths, in_r.lengths
            common = union_lcs_hits(*in_h, *in_r, pairs.hypotheses, pairs.references)
        else:
            order = 1 if self.variant == "L" else int(self.variant)
            if self.tokenizer in TOKENIZERS:
                h = batch.hypothesis_tokens(self.tokenizer, self.lowercase)
                r = batch.reference_tokens(self.tokenizer, self.lowercase)
            else:
                h = words(batch.hypotheses, *settings)
                r = words(batch.reference_texts, *settings)
            r = r.take(references.indices)
            of_h, of_r = h.lengths - order + 1, r.lengths - order + 1
            if self.variant == "L":
                common = lcs_lengths(h, r, pairs.hypotheses, pairs.references)
            else:
                common = matches(batch, references, pairs, h, r, order)[:, order - 1]
        return (
            common / np.maximum(1, of_h)[pairs.hypotheses],
            common / np.maximum(1, of_r)[pairs.references],
        )


def _caption(p: Floats, r: Floats) -> Floats:
    """``(1 + b^2) P R / (R + b^2 P)``, 0 where one is 0; NaN stays NaN."""
    bottom = r + CAPTION_BETA**2 * p
    return (1 + CAPTION_BETA**2) * p * r / np.where(bottom == 0, 1.0, bottom)
