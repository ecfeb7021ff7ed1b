"""The unit protocol against references of which both systems of a pair are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.messages import merged
from rejoinder.meta_evaluation.evidence import Draws, Rated, Subject
from rejoinder.meta_evaluation.pair_units import Copies, PairUnits
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.measurement import measure
from rejoinder.metrics.engine.rows import Matrix, Rows
from rejoinder.progress import Progress, advance
from rejoinder.scoring.leave_own_out import LeaveOwnOut, LeftOut, own_left_out
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import check_choice
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Responses

CHOICES = ("own", "pair")


def measured(
    testset: TestSet,
    responses: Frame | Responses,
    metrics: Sequence[str | Metric],
    unit: Unit,
    left_out: LeftOut | None,
    *,
    missing: Missing = "error",
    drop_unusable: bool = False,
    seed: int = 12345,
    progress: Progress | None = None,
) -> tuple[Scores, Unit]:
    """Scores, and the unit protocol that goes with them.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        metrics: Names or metrics.
        unit: Units and assignments.
        left_out: None scores against all references; ``own`` leaves out those of the reply's system
            (``score_left_out``); ``pair`` also those of the system that it is compared with.
        missing: As for ``score``.
        drop_unusable: As for ``score``.
        seed: Of every draw.
        progress: Called with how much is done, and of how much.

    Raises:
        InputError: The tables do not fit, or an item cannot be scored.
        ParameterError: A metric or a parameter is unknown.
    """
    if left_out is not None:
        check_choice(CHOICES, left_out=left_out)
    if left_out == "own":
        design = LeaveOwnOut.of(testset, responses, missing)
        return own_left_out(design, metrics, drop_unusable, 0, seed, progress), unit
    shared: dict[str, Any] = {
        "missing": missing,
        "drop_unusable": drop_unusable,
        "seed": seed,
        "progress": progress,
    }
    if left_out == "pair":
        return pair_unit(testset, responses, metrics, unit, **shared)
    return score(testset, responses, metrics, resamples=0, **shared), unit


def pair_unit(
    testset: TestSet,
    responses: Frame | Responses,
    metrics: Sequence[str | Metric],
    unit: Unit,
    *,
    missing: Missing = "error",
    drop_unusable: bool = False,
    seed: int = 12345,
    progress: Progress | None = None,
) -> tuple[Scores, PairUnit]:
    """The unit protocol in which the two systems of a unit face the very same references.

    Both systems' own references are left out for both. So a difference of their scores is one of
    their replies alone; with each system's own left out for itself, it is one of the tests too.

    Args:
        testset: Contexts and references, as for ``score_left_out``.
        responses: The table of ``read_responses``.
        metrics: Names or metrics.
        unit: Units and assignments.
        missing: As for ``score``.
        drop_unusable: Leave out, for all, items that some pair leaves no usable reference.
        seed: Of the scores.
        progress: Called with how many systems are done, and of how many.

    Returns:
        The scores with each system's own left out, of the items that every pair can use; and the
        protocol to correlate them under, which brings the pairs' own rows.
    """
    selected = registry.metrics([metrics] if isinstance(metrics, (str, Metric)) else metrics)
    design = LeaveOwnOut.of(testset, responses, missing)
    rest, left = design.batch()
    # One batch at a time: their references are many.
    usable = design.usable(selected, rest, drop_unusable)[0]
    partners: dict[str, list[Floats]] = {label: [] for label in selected}
    for other in range(design.systems):
        batch, _ = design.batch(other)
        more = design.usable(selected, batch, drop_unusable)[0]
        usable = [a & b for a, b in zip(usable, more, strict=True)]
        for label, rows in zip(selected, measure(list(selected.values()), batch), strict=True):
            if isinstance(rows, np.ndarray):
                partners[label].append(rows.reshape(design.n, design.systems, -1))
        advance(progress, other + 1, design.systems)
    scores = design.scores(selected, rest, usable, (*_lost(selected, usable), *left.notes), 0, seed)
    systems, ids = tuple(design.alignment.systems), tuple(design.alignment.ids)
    rows = {label: np.stack(each) for label, each in partners.items() if each}
    pair_rows = PairRows(systems, ids, rows)
    return scores, PairUnit(unit.size, unit.assignments, unit.pairs, pair_rows)


@dataclass(frozen=True)
class PairRows:
    """The rows of every reply against every other system.

    Attributes:
        systems: S of them.
        ids: n items.
        rows: By label, float64 [S, n, S, k]: the other system of the pair, items, systems, statistics.
    """

    systems: tuple[str, ...]
    ids: tuple[str, ...]
    rows: dict[str, Floats]


@dataclass(frozen=True)
class PairUnit(Unit):
    """``Unit`` whose two systems are both left out of the references; made by ``pair_unit``."""

    pair_rows: PairRows = field(
        default_factory=lambda: PairRows((), (), {}), repr=False, compare=False
    )

    def signature(self) -> str:
        """The protocol in a signature."""
        return f"{super().signature()}|left_out:pair"

    def observe(self, rated: Rated, draws: Draws) -> PairUnits:
        """Units of items of every pair of systems."""
        units = PairUnits(rated, self, draws, partial(_rows, rated, self.pair_rows))
        units.notes.append(
            "both systems of a pair are left out of the references of both: pairs differ in their "
            "references, the two systems of a pair do not"
        )
        return units


def _rows(rated: Rated, pair_rows: PairRows, label: str, subject: Subject, copies: Copies) -> Rows:
    """The rows of a metric for every pair: those of its references, or the same each time.

    Systems that are not of the pair have the rows without their own and the first system's
    references: only how hard a unit is for all systems is taken from these.
    """
    if label not in pair_rows.rows:
        return subject.rows.pick(copies.item)
    place = {name: at for at, name in enumerate(pair_rows.ids)}
    items = np.array([place[name] for name in rated.ids])
    systems = [pair_rows.systems.index(name) for name in rated.systems]
    rows = pair_rows.rows[label]
    values = np.zeros((copies.item.size, len(rated.systems), rows.shape[-1]))
    at = 0
    for (a, b), of_pair in zip(copies.pairs, copies.items, strict=True):
        of_unit, chosen = values[at : at + of_pair.size], items[of_pair]
        of_unit[:] = rows[systems[a]][chosen][:, systems]
        of_unit[:, a] = rows[systems[b], chosen, systems[a]]
        of_unit[:, b] = rows[systems[a], chosen, systems[b]]
        at += of_pair.size
    return Matrix(values)


def _lost(metrics: dict[str, Metric], usable: Sequence[np.ndarray]) -> list[str]:
    """Notes on items that some pair cannot use."""
    return merged(
        (
            label,
            f"{int((~keep).sum())} of {keep.size} items dropped: each has, for some pair of systems "
            "that are left out, no reference that the metric could use",
        )
        for label, keep in zip(metrics, usable, strict=True)
        if not keep.all()
    )
