"""A metric between single texts: every pair within a group, or of two groups, as a matrix.

chrF and sentence BLEU count each text once (``kernels.pairs``), and similarities ask their model for
each text once; any other metric of replies and references scores each pair as an item of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Embedded
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Grouped, Indices
from rejoinder.kernels.cores import cores
from rejoinder.kernels.pairs import chrf_pairs, shared_ngrams
from rejoinder.metrics.bleu import raise_totals
from rejoinder.metrics.chrf import ChrF
from rejoinder.metrics.contract import Contract
from rejoinder.metrics.engine.measurement import measure, provided
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.metrics.similarity import SimilarityMetric
from rejoinder.progress import Progress
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

PAIRS_AT_ONCE = 1 << 20
"""So many pairs are scored by one thread at a time."""

ROWS_AT_ONCE = 1 << 14
"""So many rows of counts are turned into scores at a time: what the processor's cache has room for."""

Scored: TypeAlias = Callable[[Indices, Indices, Indices, Indices, bool], Floats]


class PairScorer:
    """The scores of pairs of some texts, each of which is read once.

    Args:
        metric: A metric of replies and references.
        texts: All texts that will be paired.
        progress: Called with how much of a model's work is done, and of how much.

    Raises:
        ParameterError: The metric compares no reply with a reference, or its scores belong to replies
            together.

    >>> scorer = PairScorer(ChrF(char_order=1), ["abcd", "abce"])
    >>> scorer.within(np.arange(2), np.array([0, 2]))[0].tolist()
    [[1.0, 0.75], [0.75, 1.0]]
    """

    def __init__(
        self, metric: Contract, texts: Sequence[str] | Strings, progress: Progress | None = None
    ) -> None:
        check_metric_of_pairs(metric)
        strings = texts if isinstance(texts, Strings) else Strings.of(texts, "texts")
        self.notes: tuple[str, ...] = ()
        """What a model says of the texts."""
        if isinstance(metric, ChrF) and metric.of_characters:
            self._scored = _chrf(metric, strings)
        elif isinstance(metric, SentenceBLEU):
            self._scored = _sentence_bleu(metric, strings)
        elif isinstance(metric, SimilarityMetric):
            none = np.zeros(len(strings) + 1, dtype=np.int64)
            items = np.arange(len(strings) + 1)
            batch = Batch(strings, items, strings.part(0, 0), none, np.zeros(0))
            batch = provided([metric], batch, progress)
            features = batch.features[metric.requests()[0]]
            assert isinstance(features.hypotheses, Embedded)
            self._scored, self.notes = _similarity(metric, features.hypotheses), features.notes
        else:
            self._scored = _plain(metric, strings)

    def within(self, texts: Indices, bounds: Indices) -> list[Floats]:
        """The matrices of groups: int64 [t], places of texts, cut at int64 [n + 1]."""
        return self._all(texts, bounds, texts, bounds, True)

    def between(
        self, replies: Indices, bounds: Indices, references: Indices, reference_bounds: Indices
    ) -> list[Floats]:
        """The matrices of groups of replies, each with the references of the same place."""
        return self._all(replies, bounds, references, reference_bounds, False)

    def _all(
        self, left: Indices, lefts: Indices, right: Indices, rights: Indices, half: bool
    ) -> list[Floats]:
        """All matrices, some groups at a time on each core."""

        def part(cut: tuple[int, int]) -> list[Floats]:
            of_left, of_right = lefts[cut[0] : cut[1] + 1], rights[cut[0] : cut[1] + 1]
            flat = self._scored(
                left[of_left[0] : of_left[-1]],
                of_left - of_left[0],
                right[of_right[0] : of_right[-1]],
                of_right - of_right[0],
                half,
            )
            starts = _starts(of_left, of_right)
            shapes = zip(np.diff(of_left).tolist(), np.diff(of_right).tolist(), strict=True)
            pieces = np.split(flat, starts[1:-1])
            return [each.reshape(shape) for each, shape in zip(pieces, shapes, strict=True)]

        cuts = list(_cuts(np.diff(lefts) * np.diff(rights)))
        if len(cuts) < 2 or cores() < 2:
            return [matrix for cut in cuts for matrix in part(cut)]
        with ThreadPoolExecutor(cores(), thread_name_prefix="rejoinder") as pool:
            return [matrix for matrices in pool.map(part, cuts) for matrix in matrices]


def check_metric_of_pairs(metric: Contract) -> None:
    """Raises a ParameterError where a metric has no score of a reply with one reference."""
    if not metric.summable or not metric.needs & {"references", "weights"}:
        why = "scores replies together" if not metric.summable else "reads no reference"
        raise ParameterError(
            f"metric '{metric.name}' {why}, so that it has no score of a pair of texts; choose one "
            "that compares a reply with references, such as chrf or sbleu"
        )
    if "context" in metric.needs:
        raise ParameterError(
            f"metric '{metric.name}' reads the context of a reply, which a pair of texts has not; "
            "choose one that compares texts alone, such as chrf or sbleu"
        )


def _chrf(metric: ChrF, strings: Strings) -> Scored:
    tokens = tokenize(strings, "char", metric.lowercase)

    def scored(
        left: Indices, lefts: Indices, right: Indices, rights: Indices, half: bool
    ) -> Floats:
        starts = _starts(lefts, rights)
        h, r = Grouped(*tokens.take(left), lefts), Grouped(*tokens.take(right), rights)
        return chrf_pairs(h, r, half, metric.char_order, metric.beta, starts, int(starts[-1]))

    return scored


def _sentence_bleu(metric: SentenceBLEU, strings: Strings) -> Scored:
    tokens, order = tokenize(strings, metric.tokenizer, metric.lowercase), metric.order

    def rows_to_scores(shared: Floats, hypothesis: Indices, reference: Indices) -> Floats:
        scores = np.empty(len(shared))
        for begin in range(0, len(shared), ROWS_AT_ONCE):
            part = slice(begin, begin + ROWS_AT_ONCE)
            # Column by column: sums over the few orders are then sums of whole columns.
            rows = np.empty((2 + 2 * order, len(shared[part]))).T
            rows[:, 0], rows[:, 1], rows[:, 2 : 2 + order] = (
                hypothesis[part],
                reference[part],
                shared[part],
            )
            rows[:, 2 + order :] = np.maximum(0, hypothesis[part, None] - np.arange(order))
            raise_totals(rows, order, metric.minimum_total)
            scores[part] = metric.sentence_scores(rows)
        return scores

    def scored(
        left: Indices, lefts: Indices, right: Indices, rights: Indices, half: bool
    ) -> Floats:
        h, r = tokens.take(left), tokens.take(right)
        group = np.repeat(np.arange(rights.size - 1), np.diff(rights))
        column = np.arange(right.size) - rights[group]
        paired = column + 1 if half else np.diff(lefts)[group]  # left texts of each right one
        ends = np.concatenate([[0], np.cumsum(paired)])
        shared = shared_ngrams(
            Grouped(*h, lefts), Grouped(*r, rights), half, order, ends[rights[:-1]], int(ends[-1])
        )
        b = np.repeat(np.arange(right.size), paired)
        row = np.arange(ends[-1]) - ends[b]
        a, starts, width = row + lefts[group[b]], _starts(lefts, rights), np.diff(rights)[group[b]]
        scores = np.empty(starts[-1])
        of_left, of_right = h.lengths[a], r.lengths[b]
        scores[starts[group[b]] + row * width + column[b]] = rows_to_scores(
            shared, of_left, of_right
        )
        if half:
            scores[starts[group[b]] + column[b] * width + row] = rows_to_scores(
                shared, of_right, of_left
            )
        return scores

    return scored


def _similarity(metric: SimilarityMetric, texts: Embedded) -> Scored:
    def scored(left: Indices, lefts: Indices, right: Indices, rights: Indices, _: bool) -> Floats:
        pairs = ReferencePairs.between(lefts, rights)
        return metric.similarities(texts.take(left), texts.take(right), pairs)

    return scored


def _plain(metric: Contract, strings: Strings) -> Scored:
    def scored(left: Indices, lefts: Indices, right: Indices, rights: Indices, _: bool) -> Floats:
        pairs = ReferencePairs.between(lefts, rights)
        single = np.arange(pairs.hypotheses.size + 1)
        hypotheses, references = left[pairs.hypotheses], right[pairs.references]
        batch = Batch(
            strings.take(hypotheses),
            single,
            strings.take(references),
            single,
            np.ones(references.size),
        )
        (rows,) = measure([metric], batch)
        assert isinstance(rows, np.ndarray)
        return metric.score(rows)

    return scored


def _starts(lefts: Indices, rights: Indices) -> Indices:
    """Where the matrix of each group begins, and where the last ends: int64 [n + 1]."""
    return np.append(0, np.cumsum(np.diff(lefts) * np.diff(rights), dtype=np.int64))


def _cuts(sizes: Indices) -> Iterator[tuple[int, int]]:
    """Runs of groups of about ``PAIRS_AT_ONCE`` pairs."""
    ends = np.cumsum(sizes)
    begin = 0
    while begin < sizes.size:
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + PAIRS_AT_ONCE, side="right")))
        yield begin, end
        begin = end
