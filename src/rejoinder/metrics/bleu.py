"""BLEU (Papineni et al. 2002): clipped n-gram precisions and a brevity penalty."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.kernels.ngrams import bleu_rows
from rejoinder.messages import Argument
from rejoinder.metrics.contract import Part
from rejoinder.metrics.ngram_metric import NgramMetric, of_hypotheses
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.metrics.settings import setting

if TYPE_CHECKING:
    from rejoinder.metrics.contributions import Contribution

# Chen and Cherry (2014) number the first three 1, 2 and 3; sacreBLEU's names and default values.
# "caption" is what the COCO caption scorers add: 1e-15 to matches, 1e-9 to totals and lengths.
SMOOTHINGS = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0, "caption": 0.0}
TINY, SMALL = 1e-15, 1e-9
LAPLACE = "laplace"
LAPLACES = {LAPLACE: 1.0}
REFERENCE_LENGTHS = ("closest", "shortest")


@dataclass(frozen=True)
class PooledPrecisions(NgramMetric):
    """``BP * exp(1/N sum_n log p_n)``, where ``p_n`` is a quotient of two sums over the corpus.

    A row is the lengths of the reply and of the closest reference, then the N upper and the N lower
    terms of the precisions.
    """

    sums: ClassVar[Mapping[str, str]]
    """What the upper and the lower sums are called in ``parts``, and what in ``columns``."""

    @property
    def vanishes(self) -> bool:
        """A product of precisions: 0 without a match of some order."""
        return self.order > 1

    @property
    @abstractmethod
    def effective_smoothing(self) -> str:
        """One of ``SMOOTHINGS``."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Lengths, upper sums by order, lower sums by order: 2 + 2 N."""
        orders = range(1, self.order + 1)
        by_order = (f"{name}_{n}" for name in self.sums.values() for n in orders)
        return ("hypothesis_length", "reference_length", *by_order)

    @abstractmethod
    def precisions(self, totals: Floats) -> tuple[Floats, np.ndarray]:
        """``p_n``, float64 [..., N], and which orders have any n-gram, bool [..., N]."""

    def log_mean(self, logs: Floats, counted: np.ndarray) -> Floats:
        """The mean of the logarithms of the precisions, float64 [..., N] to [...]."""
        return logs.sum(axis=-1) / self.order

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 2 + 2 N] to float64 [...]."""
        p, counted = self.precisions(totals)
        with np.errstate(divide="ignore"):
            mean = self.log_mean(np.log(p), counted)
        values = brevity_penalty(totals, self.effective_smoothing) * np.exp(mean)
        return np.where(np.isnan(totals[..., 0]), np.nan, values)

    def parts(self, totals: Floats) -> dict[str, Part]:
        """Precisions, BP, lengths, and the sums that the precisions are made of."""
        upper, lower = self.sums
        return {
            "precisions": self.precisions(totals)[0].tolist(),
            "bp": float(brevity_penalty(totals, self.effective_smoothing)),
            "hypothesis_length": float(totals[0]),
            "reference_length": float(totals[1]),
            upper: totals[2 : 2 + self.order].tolist(),
            lower: totals[2 + self.order :].tolist(),
        }


@dataclass(frozen=True)
class BLEU(PooledPrecisions):
    """Corpus BLEU: ``BP * exp(1/N sum_n log p_n)``.

    ``p_n`` is the clipped precision of order n over the best reference per n-gram, both of its sums
    taken over the corpus before they are divided. BP is 1 where the replies are longer than the
    references, else ``exp(1 - ref / hyp)``; the reference length is the closest, the shorter on a
    tie. Range 0 to 1. An empty reply counts as length 0; without any match the score is 0.

    Source: Papineni et al. 2002; Galley et al. 2015, equations 1 and 2 (whose 1/N is left out in
    print: it is IBM BLEU). Statistics and scores are sacreBLEU's exactly.

    Args:
        order: The longest n-gram N. 2 suits dialogue (Galley et al. 2015, section 5); sacreBLEU's
            default is 4.
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first.
        smoothing: What an order without a match gets: ``none`` (the score is then 0), ``floor``,
            ``add-k``, ``exp`` (sacreBLEU's default), ``laplace`` (adds to the matches and totals of
            every order, the first too, and so scores even a text without any match; ``smooth`` of
            Hugging Face's ``evaluate``), or ``caption`` (the COCO caption scorers').
        smoothing_value: Of floor (0.1), add-k (1) or laplace (1); None takes these.
        effective_order: Leave out orders for which there is no n-gram, as sacreBLEU does.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        reference_length: The reference that the brevity penalty counts: ``closest`` in length (the
            default), or ``shortest`` (Hugging Face's ``evaluate``).
        minimum_total: Each reply adds at least so many n-grams to the total of each order, also
            where it is too short to have any. NLTK's is 1; None adds what there is.

    >>> BLEU(order=2).corpus(["the cat sat"], [["the cat sat", "a cat was sitting"]]).value
    1.0
    """

    name: ClassVar[str] = "bleu"
    source: ClassVar[str] = "Papineni et al. 2002; Galley et al. 2015, eq. 1-2"
    title: ClassVar[str] = "BLEU"
    sums: ClassVar = MappingProxyType({"matches": "matches", "totals": "totals"})

    smoothing: str = "none"
    smoothing_value: float | None = None
    effective_order: bool = False
    references: str = "all"
    reference_length: str = setting(
        "", "The brevity penalty compares with another of several references.", 35,
        values=(*REFERENCE_LENGTHS, ""), tried=("", "shortest"))  # fmt: skip
    minimum_total: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_smoothing(self.smoothing, self.smoothing_value, {**SMOOTHINGS, **LAPLACES})
        check_minimum_total(self.minimum_total)

    def effective_parameters(self) -> dict[str, Any]:
        """The parameters, with the reference length and the value of the smoothing that they stand for."""
        return super().effective_parameters() | {
            "reference_length": self.reference_length or REFERENCE_LENGTHS[0],
            "smoothing_value": value_of(self.smoothing, self.smoothing_value),
        }

    def statistics(self, batch: Batch) -> Floats:
        """Whole numbers, as float64 [m, 2 + 2 N]; NaN for an item without references."""
        rows = bleu_statistics(batch, self.order, self.tokenizer, self.lowercase, self.references)
        raise_totals(rows, self.order, self.minimum_total)
        if self.reference_length == "shortest":
            rows[:, 1] = self._shortest(batch)
        rows[of_hypotheses(batch.references(self.references).counts == 0, batch)] = np.nan
        return rows

    @property
    def effective_smoothing(self) -> str:
        """The smoothing as it was named."""
        return self.smoothing

    def precisions(self, totals: Floats) -> tuple[Floats, np.ndarray]:
        """The smoothed precisions; see ``precisions``."""
        if self.smoothing == LAPLACE:
            added = value_of(LAPLACE, self.smoothing_value)
            matches, counts = np.split(totals[..., 2:], 2, axis=-1)
            return (matches + added) / (counts + added), np.ones(matches.shape, dtype=bool)
        return precisions(totals, self.order, self.smoothing, self.smoothing_value)

    def _shortest(self, batch: Batch) -> Floats:
        """The length of the shortest reference for each hypothesis, float64 [m]."""
        references = batch.references(self.references)
        tokens = batch.reference_tokens(self.tokenizer, self.lowercase)
        lengths = tokens.take(references.indices).lengths.astype(np.float64)
        pairs = ReferencePairs.of(batch, references)
        return -pairs.best(-lengths[pairs.references])

    def log_mean(self, logs: Floats, counted: np.ndarray) -> Floats:
        """The mean over all orders, or over those for which there are n-grams."""
        if not self.effective_order:
            return super().log_mean(logs, counted)
        counted[..., 0] = True
        return np.where(counted, logs, 0.0).sum(axis=-1) / counted.sum(axis=-1)

    def contributions(
        self, reply: str, references: Sequence[str], weights: Sequence[float]
    ) -> list[Contribution]:
        """What each n-gram of a reply added: its matches in the reference that holds most of it."""
        from rejoinder.metrics.contributions import contributions

        def choose(clipped: Sequence[int], _: Sequence[float]) -> tuple[int, float]:
            most = max(clipped)
            return clipped.index(most), float(most)

        return contributions(
            reply,
            references,
            [1.0] * len(weights),
            self.order,
            self.tokenizer,
            self.lowercase,
            1.0,
            choose,
        )


def bleu_statistics(batch: Batch, order: int, tokenizer: str, lowercase: bool, rule: str) -> Floats:
    """The rows of ``kernels.ngrams.bleu_rows`` for a batch.

    Args:
        batch: The replies with their references.
        order: Maximum length of n-grams.
        tokenizer: The name of the tokenizer.
        lowercase: Whether to lowercase first.
        rule: Which references count; see ``Batch.references``.
    """
    references = batch.references(rule)
    return bleu_rows(*batch.grouped(references, tokenizer, lowercase), order)


def check_smoothing(
    smoothing: str, value: float | None, known: Mapping[str, float] = MappingProxyType(SMOOTHINGS)
) -> None:
    """Raises a ParameterError for an unknown smoothing or a value it cannot take.

    Args:
        smoothing: The name of the smoothing.
        value: Its value; None: its own default.
        known: The default values by name; 0: the smoothing takes none.
    """
    if smoothing not in known:
        raise ParameterError(
            Argument("smoothing", smoothing), f" is unknown; choose {one_of(known)}"
        )
    if value is None:
        return
    if not known[smoothing]:
        raise ParameterError(
            Argument("smoothing_value", value), f" means nothing to smoothing='{smoothing}'"
        )
    if not 0 < value < float("inf"):
        raise ParameterError(Argument("smoothing_value", value), " must be a positive number")


def value_of(smoothing: str, value: float | None) -> float:
    """The value of a smoothing, where None stands for its own; 0 where it has none.

    >>> value_of("floor", None), value_of("floor", 0.5), value_of("exp", None)
    (0.1, 0.5, 0.0)
    """
    return (SMOOTHINGS | LAPLACES)[smoothing] if value is None else value


def check_minimum_total(least: int | None) -> None:
    """Raises a ParameterError for a least total below 1."""
    if least is not None and least < 1:
        raise ParameterError(
            Argument("minimum_total", least),
            " must be 1 or more (NLTK's is 1); leave it out to count the n-grams that there are",
        )


def raise_totals(rows: Floats, order: int, least: int | None) -> None:
    """Raises the totals of rows [m, 2 + 2 N], in place, to the least that each order counts."""
    if least is not None:
        np.maximum(rows[:, 2 + order :], least, out=rows[:, 2 + order :])


def brevity_penalty(totals: Floats, smoothing: str = "none") -> Floats:
    """BP of summed rows whose first two columns are hypothesis and reference length (eq. 2)."""
    eta, rho = totals[..., 0], totals[..., 1]
    if smoothing == "caption":
        ratio = (eta + TINY) / (rho + SMALL)
        return np.where(ratio < 1, np.exp(1 - 1 / np.minimum(ratio, 1.0)), 1.0)
    safe = np.maximum(eta, 1e-300)
    penalty = np.exp(np.minimum(0.0, 1 - np.minimum(rho / safe, 1e300)))
    return np.where(eta >= rho, 1.0, np.where(eta > 0, penalty, 0.0))


def precisions(
    totals: Floats, order: int, smoothing: str = "none", value: float | None = None
) -> tuple[Floats, np.ndarray]:
    """The smoothed precisions of summed rows.

    Args:
        totals: float64 [..., 2 + 2 N]: two lengths, matches and totals by order.
        order: N.
        smoothing: One of ``SMOOTHINGS``.
        value: Of floor or add-k.

    Returns:
        ``p_n``, float64 [..., N], and which orders have any n-gram at all, bool [..., N]. Where
        nothing matches in any order all precisions are 0, whatever the smoothing.
    """
    matches = totals[..., 2 : 2 + order]
    return smoothed_precisions(matches, totals[..., 2 + order : 2 + 2 * order], smoothing, value)


def smoothed_precisions(
    matches: Floats, counts: Floats, smoothing: str, value: float | None
) -> tuple[Floats, np.ndarray]:
    """The same of matches and totals, float64 [..., N] each; neither is negative.

    Args:
        matches: Matched n-grams of each order.
        counts: All n-grams of each order.
        smoothing: The name of the smoothing.
        value: Its value; None: its own default.
    """
    if smoothing == "caption":
        return (matches + TINY) / (counts + SMALL), counts > 0
    if smoothing == "add-k":
        return _smoothed(matches, counts, smoothing, value)
    # Of a corpus every order matches: there is nothing to smooth but in a few rows.
    full = (matches > 0).all(axis=-1)
    if full.all():
        return matches / counts, np.ones(matches.shape, dtype=bool)
    if smoothing == "none":
        counted = counts > 0
        return np.where(counted, matches / np.where(counted, counts, 1.0), 0.0), counted
    p, counted = np.empty(matches.shape), np.ones(matches.shape, dtype=bool)
    p[full] = matches[full] / counts[full]
    p[~full], counted[~full] = _smoothed(matches[~full], counts[~full], smoothing, value)
    return p, counted


def _smoothed(
    matches: Floats, counts: Floats, smoothing: str, value: float | None
) -> tuple[Floats, np.ndarray]:
    matched = (matches > 0).any(axis=-1, keepdims=True)
    amount = SMOOTHINGS[smoothing] if value is None else value
    if smoothing == "add-k":
        added = np.concatenate([[0.0], np.full(matches.shape[-1] - 1, amount)])
        matches, counts = matches + added, counts + added
    counted = counts > 0
    safe = np.where(counted, counts, 1.0)
    p = np.maximum(matches, 0.0) / safe
    missed = counted & (matches == 0)
    # Weighted sums (deltaBLEU) may be below 1, where a smoothed precision would exceed 1.
    at_least_one = np.maximum(safe, 1.0)
    if smoothing == "floor":
        p = np.where(missed, amount / at_least_one, p)
    elif smoothing == "exp":
        p = np.where(missed, 1 / (np.exp2(np.cumsum(missed, axis=-1)) * at_least_one), p)
    return np.where(matched & counted, p, 0.0), counted
