"""chrF and chrF++ (Popovic 2015, 2017): an F-score over character (and word) n-grams."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.references import References
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Tokens
from rejoinder.messages import Argument
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contract import Part
from rejoinder.metrics.means import quotient
from rejoinder.metrics.reference_pairs import ReferencePairs, matches
from rejoinder.metrics.settings import EITHER, check_order, setting
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

EPSILON = 1e-16
PUNCTUATION = frozenset(string.punctuation)


@dataclass(frozen=True)
class ChrF(Metric):
    """chrF: ``(1 + b^2) P R / (b^2 P + R)`` of n-gram precision and recall, averaged over orders.

    Of each order n, ``P_n = match / hyp`` and ``R_n = match / ref`` from counts summed over the
    corpus; P and R are the means over the orders for which both sides have n-grams. Of several
    references the one with the best F counts, the first on a tie. Range 0 to 1; 0 for an empty
    reply or reference.

    Source: Popovic 2015, equation 1 (chrF); Popovic 2017 (chrF++, ``word_order=2``). Statistics and
    scores are sacreBLEU's exactly.

    Args:
        char_order: The longest character n-gram.
        word_order: The longest word n-gram, 0 for none.
        beta: b: how many times recall weighs precision.
        lowercase: Fold case first.
        whitespace: Count white space as characters too.
        eps_smoothing: Mean of the orders' F-scores, every order counted, with 1e-16 for what is
            undefined (chrF++.py's way), instead of the F-score of the means.
        references: ``all``, ``single`` (the first), or ``w>=T``.

    >>> ChrF(char_order=1).corpus(["abcd"], [["abce", "xyz"]]).value
    0.75
    """

    name: ClassVar[str] = "chrf"
    source: ClassVar[str] = "Popovic 2015, eq. 1; Popovic 2017"

    char_order: int = setting(
        6, "The longest n-gram of characters is another one.", 32, typed="nc")  # fmt: skip
    word_order: int = setting(
        0, "n-grams of words count beside those of characters, or up to another order.", 33,
        typed="nw", tried=(0, 2))  # fmt: skip
    beta: float = setting(
        2.0, "Recall weighs more, or less, against precision.", 40, tried=(1.0, 2.0, 3.0))  # fmt: skip
    lowercase: bool = False
    whitespace: bool = setting(
        False, "White space counts as characters, or not.", 29, typed="space", tried=EITHER)  # fmt: skip
    eps_smoothing: bool = setting(
        False, "F-scores of the orders are averaged, or the F-score of average precision and recall is "
        "taken.", 44, tried=EITHER)  # fmt: skip
    references: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_order(self.char_order)
        if self.word_order != 0:
            check_order(self.word_order)
        if not 0 < self.beta < float("inf"):
            raise ParameterError(Argument("beta", self.beta), " must be a positive number")

    @property
    def label(self) -> str:
        """``chrF``, a ``+`` for each word order, and the rule where not all references count."""
        return "chrF" + "+" * self.word_order + self.rule

    @property
    def of_characters(self) -> bool:
        """Whether n-grams of characters but white space make the score, by the F-score of the means."""
        return not (self.word_order or self.whitespace or self.eps_smoothing)

    @property
    def columns(self) -> tuple[str, ...]:
        """n-grams of reply and reference and their matches, by order: 3 (characters + words)."""
        orders = [f"char_{n}" for n in range(1, self.char_order + 1)]
        orders += [f"word_{n}" for n in range(1, self.word_order + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("hyp", "ref", "match"))

    def statistics(self, batch: Batch) -> Floats:
        """Whole numbers, float64 [m, 3 N]; NaN for the replies to an item without references."""
        references = batch.references(self.references)
        pairs = ReferencePairs.of(batch, references)
        h, r = self._characters(batch)
        counts = [_counts(batch, references, pairs, h, r, self.char_order)]
        if self.word_order:
            h, r = _cut(batch, lambda text: _words(self._folded(text)))
            counts.append(_counts(batch, references, pairs, h, r, self.word_order))
        candidates = np.concatenate(counts, axis=1)
        # Times 100, as sacreBLEU compares them: what ties there must tie here.
        best = pairs.first_best(100 * self.score(candidates))
        rows = np.full((best.size, candidates.shape[1]), np.nan)
        rows[best >= 0] = candidates[best[best >= 0]]
        return rows

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 3 N] to float64 [...]."""
        b2 = self.beta**2
        hyp, ref, match = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        precision = quotient(match, hyp, EPSILON)
        recall = quotient(match, ref, EPSILON)
        if self.eps_smoothing:
            return _left_to_right(_f_score(precision, recall, b2, EPSILON)) / precision.shape[-1]
        both = (hyp > 0) & (ref > 0)
        orders = np.maximum(1, both.sum(axis=-1))
        mean_precision = _left_to_right(np.where(both, precision, 0.0)) / orders
        mean_recall = _left_to_right(np.where(both, recall, 0.0)) / orders
        return _f_score(mean_precision, mean_recall, b2, 0.0)

    def parts(self, totals: Floats) -> dict[str, Part]:
        """The three counts of each order."""
        hyp, ref, match = totals[0::3], totals[1::3], totals[2::3]
        return {"hyp": hyp.tolist(), "ref": ref.tolist(), "match": match.tolist()}

    def _folded(self, text: str) -> str:
        return text.lower() if self.lowercase else text

    def _characters(self, batch: Batch) -> tuple[Tokens, Tokens]:
        if self.whitespace:
            return _cut(batch, lambda text: _spelled(self._folded(text)))
        return (
            batch.hypothesis_tokens("char", self.lowercase),
            batch.reference_tokens("char", self.lowercase),
        )


def _f_score(p: Floats, r: Floats, b2: float, otherwise: float) -> Floats:
    """``(1 + b^2) P R / (b^2 P + R)``."""
    return quotient((1 + b2) * p * r, b2 * p + r, otherwise)


def _left_to_right(values: Floats) -> Floats:
    """The sum over the last axis, one after the other: equal to the last bit to a plain loop."""
    return np.cumsum(values, axis=-1)[..., -1]


def _counts(
    batch: Batch, references: References, pairs: ReferencePairs, h: Tokens, r: Tokens, order: int
) -> Floats:
    """n-grams of the hypothesis and of the reference, and matches, of every pair: [p, 3 N].

    Where the reference is too short for an order, the hypothesis' n-grams of it do not count.
    """
    r = r.take(references.indices)
    longer = np.arange(order)
    rows = np.empty((pairs.hypotheses.size, 3 * order))
    ref = np.maximum(0, r.lengths[pairs.references, None] - longer)
    rows[:, 0::3] = np.maximum(0, h.lengths[pairs.hypotheses, None] - longer) * (ref > 0)
    rows[:, 1::3] = ref
    rows[:, 2::3] = matches(batch, references, pairs, h, r, order)
    return rows


def _cut(batch: Batch, rewrite: Callable[[str], str]) -> tuple[Tokens, Tokens]:
    """The tokens of texts rewritten so that white space separates them; each distinct text once."""
    seen: dict[str, str] = {}

    def rewritten(strings: Strings) -> Strings:
        texts = list(strings)
        for text in texts:
            if text not in seen:
                seen[text] = rewrite(text)
        return Strings.of([seen[text] for text in texts])

    return (
        tokenize(rewritten(batch.hypotheses), "none"),
        tokenize(rewritten(batch.reference_texts), "none"),
    )


def _spelled(text: str) -> str:
    r"""Every character a token; white space becomes tokens of more than one character.

    >>> _spelled("a b")
    'a \\20 b'
    """
    return " ".join(f"\\{ord(c):x}" if c.isspace() else c for c in text)


def _words(text: str) -> str:
    """Words with one punctuation mark cut off: the last character, or else the first.

    >>> _words("(hi) 'tis x")
    "(hi ) ' tis x"
    """
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return " ".join(words)
