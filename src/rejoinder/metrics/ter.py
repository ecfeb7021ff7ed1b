"""TER (Snover et al. 2006): the edits that make a reference of a reply, per reference token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices, Tokens
from rejoinder.kernels.edits import edit_counts
from rejoinder.metrics.base import Metric
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.metrics.settings import EITHER, setting
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize


@dataclass(frozen=True)
class TER(Metric):
    """Translation edit rate: ``sum_i min_j E(h_i, r_ij) / sum_i mean_j |r_ij|``.

    E is the number of edits that turn a reply into a reference: a token inserted, deleted or
    replaced, or a block of up to ten tokens moved, as sacreBLEU's search finds them (Tercom's).
    Lower is better: 0 where each reply equals a reference; there is no upper bound. Where all
    references are empty the score is 1 if some reply is not, else 0; an empty reply costs the
    tokens of its shortest reference.

    Source: Snover et al. 2006, section 2. Edits and scores are sacreBLEU's; of three or more
    references the mean lengths are fractions, whose sum may differ in the last digit.

    Args:
        lowercase: Fold case first.
        normalized: Separate punctuation and decode XML entities, as Tercom does; in references
            twice, as sacreBLEU does.
        no_punct: Remove punctuation.
        asian_support: Also separate Chinese and Japanese characters (with ``normalized``), and
            remove their punctuation (with ``no_punct``).
        references: ``all``, ``single`` (the first), or ``w>=T``.

    Raises:
        ParameterError: ``asian_support`` without ``normalized`` or ``no_punct`` would do nothing.

    >>> TER().corpus(["sat the cat here"], [["the cat sat here"]]).value
    0.25
    """

    name: ClassVar[str] = "ter"
    source: ClassVar[str] = "Snover et al. 2006, section 2"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    higher_is_better: ClassVar[bool] = False
    rate: ClassVar[bool] = True

    lowercase: bool = True
    normalized: bool = setting(
        False, "Punctuation is separated from words, or not.", 26, typed="norm", tried=EITHER
    )
    no_punct: bool = setting(
        False, "Punctuation is removed, or counts.", 27, typed="punct", inverted=True, tried=EITHER
    )
    asian_support: bool = setting(
        False, "Chinese and Japanese characters and punctuation are treated singly, or not.", 28,
        typed="asian")  # fmt: skip
    references: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.asian_support and not (self.normalized or self.no_punct):
            raise ParameterError(
                "metric 'ter': asian_support=true changes nothing by itself; set normalized=true "
                "(separates Chinese and Japanese characters) or no_punct=true (removes their "
                "punctuation) too, or leave it out"
            )

    @property
    def label(self) -> str:
        """``TER``, with the rule where not all references count."""
        return "TER" + self.rule

    @property
    def columns(self) -> tuple[str, ...]:
        """The fewest edits, the mean length of the references, and how many replies."""
        return ("edits", "reference_length", "count")

    def token_counts(self, texts: Strings) -> Indices:
        """How many tokens each text has."""
        return self._tokens(texts).lengths

    def separation(self, script: str) -> tuple[str, str]:
        """What separates the characters of scripts without spaces: two settings together."""
        cause = "blanks alone separate the words"
        if script in ("Chinese", "Japanese"):
            return cause, "set normalized=true and asian_support=true"
        return cause, "separate the words with blanks before scoring"

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 3]; NaN for the replies to an item without references."""
        references = batch.references(self.references)
        h, r = self._cut(batch)
        r = r.take(references.indices)
        pairs = ReferencePairs.of(batch, references)
        edits = edit_counts(h, r, pairs.hypotheses, pairs.references)
        fewest = -pairs.best(-edits.astype(np.float64))
        rows = np.full((fewest.size, 3), np.nan)
        counts = np.diff(pairs.bounds)
        has = np.flatnonzero(counts)
        if has.size:
            lengths = np.add.reduceat(r.lengths[pairs.references], pairs.bounds[has])
            rows[has] = np.stack([fewest[has], lengths / counts[has], np.ones(has.size)], axis=-1)
        return rows

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 3] to float64 [...]; NaN where no reply was summed."""
        edits, length, count = totals[..., 0], totals[..., 1], totals[..., 2]
        quotient = edits / np.where(length > 0, length, 1.0)
        values = np.where(length > 0, quotient, np.where(edits > 0, 1.0, 0.0))
        return np.where(count > 0, values, np.nan)

    def _cut(self, batch: Batch) -> tuple[Tokens, Tokens]:
        """The tokens of hypotheses and references."""
        if self.normalized or self.no_punct:
            # sacreBLEU normalizes references twice, which changes a few texts (``&amp;lt;``,
            # ``1...2``); so do we, for its scores.
            return self._tokens(batch.hypotheses), self._tokens(batch.reference_texts, times=2)
        return (
            batch.hypothesis_tokens("none", self.lowercase),
            batch.reference_tokens("none", self.lowercase),
        )

    def _tokens(self, texts: Strings, times: int = 1) -> Tokens:
        if not (self.normalized or self.no_punct):
            return tokenize(texts, "none", self.lowercase)
        cut = _tercom(self.normalized, self.no_punct, self.asian_support, not self.lowercase)
        lines = {text: text for text in texts}
        for _ in range(times):
            lines = {text: cut(line.rstrip()) for text, line in lines.items()}
        return tokenize(Strings.of([lines[text] for text in texts]), "none")


@cache
def _tercom(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> Any:
    """The tokenizer of sacreBLEU's TER: a function from a line to its tokens with blanks between."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    return TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
