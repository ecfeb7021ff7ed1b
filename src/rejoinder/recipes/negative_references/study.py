"""Do negative references help? deltaBLEU with them against BLEU without, on held-out replies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.document.parts import AS_USUAL, GAP, Document, View, lines, signed
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.meta_evaluation.evidence import at_once
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU, brevity_penalty
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.metrics.engine.measurement import data_facts, measure
from rejoinder.metrics.engine.resampling import bootstrap_counts
from rejoinder.metrics.length import Length
from rejoinder.metrics.rouge import ROUGE
from rejoinder.progress import Progress, advance
from rejoinder.recipes.negative_references.held_out import HeldOut
from rejoinder.result import Result
from rejoinder.statistics.discrimination import Separation, compared, separation
from rejoinder.statistics.draws import check_draws, check_permutations
from rejoinder.statistics.holm import holm
from rejoinder.tables.testset import TestSet

ORDERS = (1, 2, 3, 4)
BASELINE = "BLEU, good only"
"""The metric that the others are compared with."""

FORMS = {
    "plain": "as defined: 0 where an order has no match, or more bad ones than good",
    "smoothed": "+1 on matches and totals of n > 1, orders beyond the reply left out",
    "unfloored": "brevity penalty times the mean precision, which may be below 0",
}
"""How a single reply is scored from its row."""


@dataclass(frozen=True, repr=False)
class NegativeReferences(Result):
    """How well metrics tell held-out good replies from bad ones.

    Attributes:
        table: ``kind`` (source of the bad reply), ``metric``, ``form``, ``order`` (null where there
            is none); ``accuracy`` (within contexts, ties count half) with ``accuracy_low`` and
            ``accuracy_high`` (95%), ``ties`` (share of pairs), ``zeros`` (pairs of which both get 0
            or less); ``auc`` (pooled over contexts) with ``auc_low`` and ``auc_high``; ``contexts``,
            ``pairs``.
        comparisons: ``kind``, ``form``, ``order``, ``metric`` against BLEU over the good ones:
            ``difference`` of the accuracies with ``low``, ``high``, ``p`` (paired permutation over
            contexts) and ``p_holm`` (over a kind's rows); ``auc_difference``, ``auc_low``,
            ``auc_high``.
        notes: What was left out, and why.
        signatures: Of what was measured.
    """

    table: pl.DataFrame
    comparisons: pl.DataFrame
    notes: tuple[str, ...]
    signatures: dict[str, str]

    def document(self, view: View = AS_USUAL, order: int = 2) -> Document:
        """A table for each kind of bad reply, with n-grams up to ``order``."""
        from rejoinder.recipes.negative_references.study_tables import separations

        shown = separations(self.table, self.comparisons, FORMS, order)
        return [*shown, *lines(self.notes, "note"), GAP, *signed(self.signatures)]

    def as_json(self) -> dict[str, Any]:
        """The study as ``rejoinder recipe negative-references --json`` prints it."""
        return self.json_of("table", "comparisons", "signatures", "notes")


class _Scored(NamedTuple):
    """Scores of the two replies of every pair: float64 [pairs, 2], the good one first."""

    metric: str
    form: str | None
    order: int | None
    values: Floats


def negative_references(
    testset: TestSet,
    *,
    factor: float = 1.0,
    tokenizer: str = "13a",
    lowercase: bool = False,
    resamples: int = 1000,
    permutations: int = 10_000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> NegativeReferences:
    """Holds out a good and a bad reply of each context, and scores both against the others.

    Every pair of a good reference (weight above 0, or none) and a bad one (below 0) of a context is
    held out together: both are scored against the same references, in which neither stands, nor any
    of the same text but for case and blanks. deltaBLEU has all that are left, with their weights;
    BLEU and ROUGE-L the good ones among them, unweighted. (Were each reply held out by itself, the
    bad ones would be scored against one good reference more than the good ones.)

    Accuracy: of the pairs of a context, the share in which the good reply scores higher, ties half;
    averaged over contexts. AUC: the same over all pairs of a good and a bad reply of any contexts,
    every context weighing alike: for it, scores of different contexts must be comparable.

    Intervals resample contexts (percentiles); the test swaps the two metrics context by context,
    p = (c + 1) / (n + 1).

    Args:
        testset: Contexts with at least two good references and a bad one each; others are counted.
        factor: Multiplies the weights of the bad ones, from 0 to 1. At 0 a match with them neither
            costs nor earns, and all that is left of them are their lengths: deltaBLEU takes the
            closest of all references.
        tokenizer: Tokenizer of BLEU and deltaBLEU.
        lowercase: Whether to lowercase first (ROUGE-L always does).
        resamples: Number of bootstrap resamples; 0 for no intervals.
        permutations: Number of permutations of the tests; 0 for none.
        seed: Random seed.
        progress: Called with the number of rows done, and of all rows.

    Raises:
        InputError: No context has two good references and a bad one.
        ParameterError: A parameter is unknown.
    """
    check_draws(resamples, seed)
    check_permutations(permutations)
    if not 0 <= factor <= 1:
        raise ParameterError(
            Argument("factor", factor), " must be from 0 to 1: weights stay within [-1, 1]"
        )
    pairs = replace(HeldOut.of(testset), factor=factor)
    scored, signatures = _scored(pairs, _metrics(tokenizer, lowercase), seed)
    tasks = [(kind, each) for kind in pairs.kinds for each in scored]
    counts = {kind: _counts(pairs, kind, resamples, seed) for kind in pairs.kinds}
    done = 0

    def one(task: tuple[str, _Scored]) -> Separation:
        nonlocal done
        kind, each = task
        picked = pairs.picked(kind)
        result = separation(each.values[picked], pairs.item[picked], counts[kind])
        done += 1
        advance(progress, done, len(tasks))
        return result

    separations = dict(
        zip([(kind, _key(each)) for kind, each in tasks], at_once(one, tasks), strict=True)
    )
    rows = [
        {"kind": kind, "metric": each.metric, "form": each.form, "order": each.order}
        | separations[kind, _key(each)].row()
        for kind, each in tasks
    ]
    return NegativeReferences(
        pl.DataFrame(rows, schema_overrides={"form": pl.String, "order": pl.Int64}),
        _comparisons(pairs, scored, separations, permutations, seed),
        tuple(pairs.notes),
        signatures,
    )


def sentence_scores(rows: Floats, order: int, form: str) -> Floats:
    """Scores replies by themselves from the rows of BLEU or deltaBLEU, which have one layout.

    ``plain``: ``BP exp(1/N sum log p_n)``. ``smoothed``: ``p_n = (m_n + 1) / (t_n + 1)`` for n > 1
    (BLEU+1, as ``SentenceBLEU(brevity="bleu")``), the mean over the orders up to the reply's length;
    for deltaBLEU, m_n and t_n are numerator and denominator, so that 1 is one more match of weight
    1. A p_n below 0 counts as 0. ``unfloored``: ``BP 1/N sum m_n / t_n`` over the same orders, which
    is below 0 where bad matches outweigh good ones; it is no metric of the literature, and here to
    show what the floor costs.

    Args:
        rows: float64 [m, 2 + 2 N'], two lengths, matches, totals; N' is at least ``order``.
        order: N.
        form: One of ``FORMS``.

    Returns:
        float64 [m]; 0 for an empty reply.

    >>> row = np.array([[2.0, 2.0, 1.0, -1.0, 2.0, 1.0]])  # 1 of 2 words; 1 bad bigram of 1
    >>> [sentence_scores(row, 2, form).tolist() for form in FORMS]
    [[0.0], [0.0], [-0.25]]
    """
    top = (rows.shape[1] - 2) // 2
    matches, totals = rows[:, 2 : 2 + order], rows[:, 2 + top : 2 + top + order]
    counted = totals > 0
    if form == "plain":
        counted = np.ones_like(counted)
    if form == "smoothed":
        added = np.concatenate([[0.0], np.ones(order - 1)])
        p = (matches + added) / np.where(counted, totals + added, 1.0)
    else:
        p = matches / np.where(totals > 0, totals, 1.0)
    orders = np.maximum(1, counted.sum(axis=1))
    if form == "unfloored":
        mean = np.where(counted, p, 0.0).sum(axis=1) / orders
    else:
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(p, 0.0))
        mean = np.exp(np.where(counted, logs, 0.0).sum(axis=1) / orders)
    return np.where(rows[:, 0] > 0, brevity_penalty(rows[:, :2]) * mean, 0.0)


def _metrics(tokenizer: str, lowercase: bool) -> dict[str, tuple[Metric, bool]]:
    """What is measured, and whether it sees the bad references."""
    top = max(ORDERS)
    cut = {"tokenizer": tokenizer, "lowercase": lowercase}
    return {
        BASELINE: (BLEU(order=top, **cut), False),
        "deltaBLEU, good only": (DeltaBLEU(order=top, **cut), False),
        "deltaBLEU": (DeltaBLEU(order=top, **cut), True),
        "deltaBLEU, authors' code": (DeltaBLEU(order=top, reading="authors-code", **cut), True),
        "ROUGE-L, good only": (ROUGE("L"), False),
        "length": (Length(tokenizer=tokenizer), False),
    }


def _scored(
    pairs: HeldOut, metrics: dict[str, tuple[Metric, bool]], seed: int
) -> tuple[list[_Scored], dict[str, str]]:
    """Every metric in every form and order, of every pair; and the signatures."""
    rows: dict[str, Any] = {}
    signatures = {}
    for bad in (False, True):
        chosen = {name: metric for name, (metric, sees) in metrics.items() if sees == bad}
        batch = pairs.batch(bad)
        measured = measure(list(chosen.values()), batch)
        rows |= {name: np.asarray(each) for name, each in zip(chosen, measured, strict=True)}
        signatures |= {name: _signature(each, batch, pairs) for name, each in chosen.items()}
    if not pairs.graded:  # the same numbers as BLEU's
        del rows["deltaBLEU, good only"], signatures["deltaBLEU, good only"]
    scored = []
    for name in (name for name in metrics if name in rows):
        metric = metrics[name][0]
        if isinstance(metric, (BLEU, DeltaBLEU)):
            scored += [
                _Scored(name, form, n, _pairs(sentence_scores(rows[name], n, form)))
                for form in FORMS
                for n in ORDERS
            ]
        else:
            scored.append(_Scored(name, None, None, _pairs(metric.score(rows[name]))))
    noise = np.random.default_rng([seed, 1]).random(pairs.texts)
    noise = np.stack([noise[pairs.good], noise[pairs.bad]], axis=1)
    return [*scored, _Scored("random", None, None, noise)], signatures


def _signature(metric: Metric, batch: Batch, pairs: HeldOut) -> str:
    facts = {"left_out": "pair", "negatives": f"x{pairs.factor:g}"}
    return metric.signature(**data_facts(metric, batch), **facts)


def _pairs(values: Floats) -> Floats:
    """Scores side by side; what differs by rounding alone is a tie."""
    return np.round(values.reshape(-1, 2), 12)


def _key(each: _Scored) -> tuple[str, str | None, int | None]:
    return each.metric, each.form, each.order


def _counts(pairs: HeldOut, kind: str, resamples: int, seed: int) -> Floats | None:
    """How often each context of a kind stands in each resample: float64 [resamples, contexts]."""
    n = np.unique(pairs.item[pairs.picked(kind)]).size
    if not resamples or n < 2:
        return None
    rng = np.random.default_rng([seed, 2])
    return np.concatenate(list(bootstrap_counts(n, resamples, rng)))


def _comparisons(
    pairs: HeldOut,
    scored: list[_Scored],
    separations: dict[tuple[str, Any], Separation],
    permutations: int,
    seed: int,
) -> pl.DataFrame:
    rows = []
    for kind in pairs.kinds:
        tests = []
        for each in scored:
            if each.form is None or each.metric == BASELINE:
                continue
            a, b = (
                separations[kind, _key(each)],
                separations[kind, (BASELINE, each.form, each.order)],
            )
            key = {"kind": kind, "form": each.form, "order": each.order, "metric": each.metric}
            tests.append(key | compared(a, b, permutations, np.random.default_rng([seed, 3])))
        corrected = holm(np.array([row["p"] for row in tests], dtype=np.float64))
        rows += [row | {"p_holm": p} for row, p in zip(tests, corrected.tolist(), strict=True)]
    return pl.DataFrame(rows)
