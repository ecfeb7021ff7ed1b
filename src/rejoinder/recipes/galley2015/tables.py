"""Tables 1 and 2 of Galley et al. (2015): sample reference sets; which BLEU agrees with people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, check_least
from rejoinder.meta_evaluation.correlate import Agreement, correlate
from rejoinder.meta_evaluation.leave_own_out_units import measured
from rejoinder.meta_evaluation.matching import RANDOM
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.progress import Progress
from rejoinder.scoring.leave_own_out import LeftOut
from rejoinder.scoring.scores import Scores
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Ratings, Responses

METRICS: dict[str, Callable[..., Metric]] = {
    "BLEU": BLEU,
    "sBLEU": SentenceBLEU,
    "deltaBLEU": DeltaBLEU,
}
"""The paper's three metrics, in the order of its table."""

THRESHOLD = 0.6
"""The weight from which on the paper takes a reference to be good."""

CORRELATIONS = ("spearman", "kendall-b")


@dataclass(frozen=True)
class Table2:
    """How far BLEU, sBLEU and deltaBLEU agree with people, over three kinds of references.

    Attributes:
        agreement: The nine metrics under the unit protocol, and a random baseline.
        unit_size: Items of one observation.
        order: The longest n-gram.
        notes: What was left out, and what the data cannot tell.
        threshold: The weight from which on a reference is a good one.
    """

    agreement: Agreement
    unit_size: int
    order: int
    notes: tuple[str, ...]
    threshold: float = THRESHOLD

    def table(self) -> pl.DataFrame:
        """The paper's nine rows, and the random baseline.

        Returns:
            ``metric``, ``references``, then for each coefficient c its value under its own name
            (``spearman``, ``kendall-b``), ``c_low`` and ``c_high`` (95%), ``c_p`` (permutation
            test), and at last ``n`` (units of one assignment) and ``reason`` (why one of these is
            NaN, else null).
        """
        by_metric = {
            (row["metric"], row["correlation"]): row
            for row in self.agreement.table().iter_rows(named=True)
        }
        rows = [
            _row(name, rule, make(order=self.order, references=rule).label, by_metric)
            for name, make in METRICS.items()
            for rule in rules(self.threshold)
        ]
        rows.append(_row(RANDOM, None, RANDOM, by_metric))
        return pl.DataFrame(rows, schema_overrides={"references": pl.String, "reason": pl.String})


def table2(
    testset: TestSet,
    responses: Frame | Responses,
    ratings: Frame | Ratings,
    *,
    criterion: str | None = None,
    unit_size: int = 100,
    assignments: int = 1000,
    order: int = 2,
    without: Sequence[str] = (),
    missing: Missing = "error",
    drop_unusable: bool = False,
    left_out: LeftOut | None = None,
    threshold: float = THRESHOLD,
    permutations: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Table2:
    """Correlates BLEU, sBLEU and deltaBLEU, over three kinds of references, with human ratings.

    All nine see the same items, units and assignments. (Galley et al. 2015, sections 5 and 6. The
    paper does not say which Kendall it takes; we take tau-b. Nor does it say how it handles an
    item without a reference of w >= 0.6: here it is an error, or left out for all nine.)

    Args:
        testset: Contexts and references. A reference without a weight counts 1, and this is noted.
        responses: The table of ``read_responses``.
        ratings: The table of ``read_ratings``.
        criterion: Which criterion of the ratings, where there are several.
        unit_size: Items of one observation, the paper's M.
        assignments: Random assignments of items to units.
        order: The longest n-gram.
        without: Systems to leave out, people for instance.
        missing: An item that a system did not answer: ``error``, ``drop`` or ``empty``.
        drop_unusable: Leave out, and count, items that one of the nine cannot score.
        left_out: Where references are replies of the systems (``references.weighing``): leave each
            system's ``own`` out, or for the two of a ``pair`` both.
        threshold: The weight from which on a reference is a good one.
        permutations: Number of permutations of the test; 0 for none.
        seed: Random seed.
        progress: Called with the number of rows done, and of all rows.

    Raises:
        InputError: The tables do not fit, or an item cannot be scored and is not to be dropped.
        ParameterError: A parameter is unknown, or the units are larger than the data.
    """
    metrics = [
        make(order=order, references=rule) for make in METRICS.values() for rule in rules(threshold)
    ]
    without, responses = scored(responses, without, left_out)
    scores, protocol = measured(
        testset,
        responses,
        metrics,
        Unit(unit_size, assignments),
        left_out,
        missing=missing,
        drop_unusable=drop_unusable,
        seed=seed,
    )
    agreement = correlate(
        scores,
        ratings,
        protocol,
        correlations=CORRELATIONS,
        criterion=criterion,
        without=without,
        permutations=permutations,
        resamples=0,
        seed=seed,
        progress=progress,
    )
    notes = (*_weight_notes(testset), *_told_once(scores, agreement.notes))
    return Table2(agreement, unit_size, order, notes, threshold)


def rules(threshold: float = THRESHOLD) -> tuple[str, str, str]:
    """The paper's three kinds of references.

    >>> rules()
    ('single', 'w>=0.6', 'all')
    """
    return "single", f"w>={threshold:g}", "all"


def scored(
    responses: Frame | Responses, without: Sequence[str], left_out: LeftOut | None
) -> tuple[Sequence[str], Frame | Responses]:
    """The systems still to be left out of the correlation, and the replies to be scored.

    Where references are replies of systems, those of a system that is not correlated stay: they are
    left out for nobody, and so it must not be scored.

    Args:
        responses: The replies of the systems.
        without: Systems to leave out of the correlation.
        left_out: How a system's own references are excluded; None: they are not.

    Raises:
        ParameterError: There is no such system.
    """
    if left_out is None:
        return without, responses
    return (), Responses.of(responses).without(without)


def weight_share(testset: TestSet) -> float:
    """Which share of the references carries a weight."""
    weights = testset.references.get_column("weight")
    return 1.0 - weights.null_count() / len(weights)


def _told_once(scores: Scores, notes: Sequence[str]) -> list[str]:
    """The notes, with one in place of nine where all rows leave the same items out."""
    first, *others = (each.usable for each in scores.measured.values())
    lost = int((~first).sum())
    if not lost or not all(np.array_equal(first, each) for each in others):
        return list(notes)
    rest = [note for note in notes if not _about_metrics(note, scores.labels)]
    return [f"{lost} of {first.size} items dropped: no reference that any row could use", *rest]


def _about_metrics(note: str, labels: Sequence[str]) -> bool:
    """Whether a note begins with the labels of metrics: ``BLEU-2, chrF: ...``."""
    return set(note.partition(": ")[0].split(", ")) <= set(labels)


def _weight_notes(testset: TestSet) -> list[str]:
    """Notes on what the table cannot show where references have no weights."""
    share = weight_share(testset)
    if not share:
        return [
            "the references carry no weights and count 1 each: w>=0.6 is all of them, and deltaBLEU "
            "is BLEU"
        ]
    if share < 1:
        return [f"{100 * (1 - share):.1f}% of the references carry no weight and count 1"]
    return []


def _row(
    name: str, rule: str | None, label: str, by_metric: dict[tuple[str, str], dict[str, Any]]
) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": name, "references": rule}
    for correlation in CORRELATIONS:
        agreement = by_metric[label, correlation]
        row[correlation] = agreement["value"]
        row |= {f"{correlation}_{key}": agreement[key] for key in ("low", "high", "p")}
    reasons = dict.fromkeys(by_metric[label, each]["reason"] for each in CORRELATIONS)
    first = by_metric[label, CORRELATIONS[0]]
    return row | {"n": first["n"], "reason": "; ".join(filter(None, reasons)) or None}


def check_cases(testset: TestSet, n: int, ids: Sequence[str]) -> None:
    """Raises a ParameterError where an item cannot be shown: before the work, not after it.

    Args:
        testset: The test set.
        n: Number of items to draw, 0 or more.
        ids: Ids of items that are shown anyway.
    """
    check_least(0, cases=n)
    known = set(testset.ids)
    for name in ids:
        if name not in known:
            raise ParameterError(f"case {name!r}: the test set has no such item; see its ids")


def table1(
    testset: TestSet, n: int = 2, ids: Sequence[str] = (), seed: int = 12345
) -> pl.DataFrame:
    """The references of a few items with their weights.

    Args:
        testset: Contexts and references.
        n: Number of items, sampled with the seed among those that have two references or more.
        ids: These items instead.
        seed: Random seed.

    Returns:
        A row for each reference, in the order of the test set: ``id``, ``context`` (the turns before
        the message, a line each), ``message``, ``reference``, ``weight`` (null: unweighted), ``source``.

    Raises:
        ParameterError: An item is not in the test set, or ``n`` is negative.

    >>> testset = TestSet.from_lists([["me too!", "why?"]], [[0.8, -0.4]], [["hi", "i like it"]])
    >>> table1(testset).select("message", "reference", "weight").rows()
    [('i like it', 'me too!', 0.8), ('i like it', 'why?', -0.4)]
    """
    check_cases(testset, n, ids)
    chosen = list(dict.fromkeys(ids)) or _sampled(testset, n, seed)
    order = pl.DataFrame({"id": chosen}, schema={"id": pl.String}).with_row_index("place of item")
    turns = pl.col("context")
    contexts = testset.contexts.select(
        "id",
        context=turns.list.head(
            pl.max_horizontal(turns.list.len().cast(pl.Int64) - 1, 0)
        ).list.join("\n"),
        message=turns.list.last(),
    )
    references = testset.references.with_row_index("place of reference")
    table = order.join(contexts, on="id").join(references, on="id")
    return table.sort("place of item", "place of reference").select(
        "id", "context", "message", pl.col("text").alias("reference"), "weight", "source"
    )


def _sampled(testset: TestSet, n: int, seed: int) -> list[str]:
    """So many items with several references, in their own order."""
    counts = testset.references.group_by("id").len()
    several = set(counts.filter(pl.col("len") > 1).get_column("id"))
    usable = [id for id in testset.ids if id in several]
    rng = np.random.default_rng([seed, 4])
    picked = rng.choice(len(usable), min(n, len(usable)), replace=False)
    return [usable[place] for place in sorted(picked.tolist())]
