"""Which metrics reward trivial baselines, compared with the real systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rejoinder.auditing.trivial_baselines import (
    BASELINES,
    CONSTANT,
    COPY,
    PREFIX,
    SHUFFLED,
    TURNS,
    leave_one_out,
    unread,
)
from rejoinder.auditing.verdicts import Verdict, verdict
from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError, one_of
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.metrics.external import External
from rejoinder.progress import Progress
from rejoinder.references.copies import copier_of
from rejoinder.scoring.assembly import merged
from rejoinder.scoring.compare import compare_pairs, trials
from rejoinder.scoring.external import NOT_USED, unused_values
from rejoinder.scoring.measurements import Measured
from rejoinder.scoring.score import score, suited
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.holm import holm
from rejoinder.tables.checks.validation import conform
from rejoinder.tables.responses import Missing, check_responses
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.selection import without_systems
from rejoinder.tables.testset import TestSet

ALL, LEFT_OUT = "all", "leave-one-out"

AGAINST = ("median", "best")
"""The real systems that each baseline is tested against."""

TIMES = 3
WIDE = (
    f"the interval of '{{}}' is more than {TIMES} times as wide as its score: few replies have a match, "
    "so leaving out one of these few changes the score much"
)
"""The note on an interval that is wide because few replies have a match."""

_RESULTS = {
    "metric": pl.String,
    "fake": pl.String,
    "references": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "lowest": pl.Float64,
    "lowest_system": pl.String,
    "median": pl.Float64,
    "median_system": pl.String,
    "best": pl.Float64,
    "best_system": pl.String,
    "systems": pl.Int64,
    "reached": pl.Int64,
    "reaches": pl.String,
    **{
        f"{column}_{against}": pl.Float64
        for against in AGAINST
        for column in ("difference", "low", "high", "p", "p_holm")
    },
}


@dataclass(frozen=True)
class Audit:
    """Trivial baselines beside real systems, under every metric.

    Attributes:
        table: A row for each metric and baseline, in the metric's own range: ``metric``, ``fake``;
            ``references``, which is ``all`` or ``leave-one-out`` (``copy`` and ``shuffled``: systems
            and baselines are scored without the copied references); ``value`` with its 95% interval
            ``low``, ``high``; ``n`` items; the real systems on the same items and references:
            ``lowest``, ``median`` and ``best`` with ``..._system``; ``reached`` of how many
            ``systems`` it reaches or beats; ``reaches``, ``best``, ``median`` or ``none``;
            ``difference_median``, baseline minus median system, with interval ``low_median``,
            ``high_median``, ``p_median`` of the randomization test, and ``p_holm_median``, corrected
            over the baselines of the metric; the same against the best (``..._best``). Metrics of the
            replies alone, of which neither end is better, have none from ``lowest`` on.
        verdicts: One for each metric that ranks systems.
        scores: Systems and baselines (named ``fake:...``) on the test set as it is.
        left_out: Systems, ``copy`` and ``shuffled`` without the copied references; None where no
            item has a second reference.
        notes: Notes: what was left out or filled in, and how values are to be read.
        parameters: ``constant``, ``turns``, ``without``, ``seed``, ``resamples``.
        replies: The replies of the trivial baselines, as a table of responses.
    """

    table: pl.DataFrame
    verdicts: tuple[Verdict, ...]
    scores: Scores
    left_out: Scores | None
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    replies: pl.DataFrame

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder audit --json`` prints."""
        scores = {ALL: self.scores, LEFT_OUT: self.left_out}
        return {
            "audit": self.table.to_dicts(),
            "verdicts": [asdict(each) for each in self.verdicts],
            "systems": {
                references: each.systems().to_dicts()
                for references, each in scores.items()
                if each is not None
            },
            "parameters": self.parameters,
            "notes": self.notes,
        }


def audit(
    testset: TestSet,
    responses: pl.DataFrame,
    metrics: Sequence[str | Metric] | None = None,
    *,
    constant: str = CONSTANT,
    turns: int = TURNS,
    without: Sequence[str] = (),
    missing: Missing = "error",
    drop_unusable: bool = False,
    cluster: str | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Audit:
    """Scores trivial baselines as additional systems on the same items.

    Seven baselines (``trivial_baselines.BASELINES``): a constant text, the message echoed, the last
    turns pasted together, a random reply of the systems, the original reference of another item; and, scored
    leave-one-out, the item's own original reference, as it is and with its words shuffled. With the
    copied reference left among the references any metric gives the copy its top, or close to it, by
    construction, which says nothing; so it is taken out, and the systems are scored anew on what is
    left, since fewer references give lower scores.

    The median of an even number of systems is the lower of the two in the middle: a baseline that
    reaches it reaches at least half of the systems. Median and best are picked by the same data that
    the tests see: read p-values near the threshold with care.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``: the real systems.
        metrics: Names or metrics, as for ``score``; None: those that suit the test set and rank
            systems (length and diversity do not).
        constant: What the first baseline says.
        turns: How many turns ``context`` pastes together, 1 or more.
        without: Systems that are no real ones (people, baselines) and are left out.
        missing: As for ``score``.
        drop_unusable: As for ``score``. Items that a metric cannot score without the copied
            reference are left out in any case, and counted.
        cluster: As for ``score``.
        resamples: Resamples of the paired bootstrap; 0 gives neither intervals nor tests.
        seed: Random seed of the baselines and of the resamples.
        progress: Called with how many slices of the work are done, and of how many.

    Raises:
        InputError: Responses and test set do not fit, or an item cannot be scored.
        ParameterError: A metric or a parameter is unknown.

    >>> testset = TestSet.from_lists([["yes at nine"], ["no not yet"]], contexts=["Now?", "Late?"])
    >>> rows = [("a", "1", "yes"), ("a", "2", "no")]
    >>> answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> found = audit(testset, answers, ["bleu:order=1"], constant="yes no", resamples=0)
    >>> found.verdicts[0].rewarded
    ('constant',)
    """
    check_draws(resamples, seed)
    if not isinstance(turns, int) or isinstance(turns, bool) or turns < 1:
        raise ParameterError(f"turns={turns!r} must be a whole number, 1 or more")
    if not isinstance(constant, str):
        raise ParameterError(f"constant={constant!r:.60} must be a text")
    wanted = registry.metrics(_ranking_defaults(testset) if metrics is None else metrics)
    real = _real(responses, without)
    alignment = check_responses(real, testset, missing)
    unseen = unread(testset, alignment, constant, turns, seed)
    reduced, copied = leave_one_out(testset, alignment.ids, seed)
    replies = pl.concat([unseen.responses(), copied.responses()])
    _check_scored(wanted, replies)
    drawn: dict[str, Any] = {
        "cluster": cluster, "resamples": resamples, "seed": seed, "progress": progress
    }  # fmt: skip
    scores = score(
        testset,
        pl.concat([real, unseen.responses()]),
        list(wanted.values()),
        missing=missing,
        drop_unusable=drop_unusable,
        **drawn,
    )
    notes = [note for note in scores.notes if not note.endswith(NOT_USED)]
    notes += _unused_values(testset, wanted, scores, replies)
    left_out, unscorable = None, []
    if reduced is not None:
        scorable, unscorable = _scorable(reduced, wanted)
        if scorable:
            answers = alignment.responses.filter(pl.col("id").is_in(copied.ids))
            answers = pl.concat([answers, copied.responses()])
            metrics = list(scorable.values())
            left_out = score(reduced, answers, metrics, drop_unusable=True, **drawn)
            known = {*notes, *(copier for note in notes if (copier := copier_of(note)))}
            notes += [
                f"leave-one-out: {note}"
                for note in left_out.notes
                if not note.endswith(NOT_USED) and known.isdisjoint((note, copier_of(note)))
            ]
            # With a metric less, another may have come by a shorter label.
            named = dict(zip(scorable, left_out.measured.values(), strict=True))
            left_out = replace(left_out, measured=named)
    table, verdicts, remarks = _judged(scores, left_out, alignment.systems)
    return Audit(
        table,
        verdicts,
        scores,
        left_out,
        (*notes, *unseen.notes, *copied.notes, *unscorable, *remarks),
        {
            "constant": constant,
            "turns": turns,
            "without": list(without),
            "seed": seed,
            "resamples": resamples,
        },
        replies,
    )


def _unused_values(
    testset: TestSet, wanted: Mapping[str, Metric], scores: Scores, replies: pl.DataFrame
) -> list[str]:
    """Notes on scores of other tools that belong neither to a system nor to a trivial reply."""
    systems = list(dict.fromkeys([*scores.names, *replies.get_column("system")]))
    notes = []
    for label, metric in wanted.items():
        if isinstance(metric, External):
            lacking = np.isnan(metric.rows(systems, testset.ids)[..., 0])
            notes += unused_values(label, metric, lacking)
    return notes


def _check_scored(wanted: Mapping[str, Metric], replies: pl.DataFrame) -> None:
    """Raises a ParameterError where another tool has not scored the trivial replies."""
    baselines = replies.get_column("system").unique(maintain_order=True).to_list()
    for label, metric in wanted.items():
        values = metric.reply_values if isinstance(metric, External) else None
        if values is not None and not set(baselines) <= set(values.systems):
            raise ParameterError(
                f"{label}: an audit needs its scores of the trivial replies too, those of the systems "
                f"{one_of(baselines)}; to have these replies written, run 'rejoinder audit' without "
                "--scores and with --save-replies FILE (in Python: Audit.replies)"
            )


def _real(responses: pl.DataFrame, without: Sequence[str]) -> pl.DataFrame:
    """The replies of the systems that count.

    Raises:
        ParameterError: A system to leave out is unknown, or none is left.
    """
    real = conform(responses, RESPONSES, "responses").select(*RESPONSES)
    return without_systems(real, without)


def _ranking_defaults(testset: TestSet) -> list[str]:
    return [name for name in suited(testset) if registry.metric(name).ranks]


def _scorable(
    testset: TestSet, wanted: Mapping[str, Metric]
) -> tuple[dict[str, Metric], list[str]]:
    """The metrics that can score an item of what is left, and what to say of the others."""
    lists = testset.contexts.select("id").join(
        testset.references.group_by("id").agg("text", pl.col("weight").fill_null(1.0)),
        on="id",
        maintain_order="left",
    )
    texts = lists.get_column("text").to_list()
    batch = Batch.from_lists([""] * len(texts), texts, lists.get_column("weight").to_list())
    scorable, notes = {}, []
    for label, metric in wanted.items():
        unusable, why = metric.unusable(batch)
        if unusable.all():
            reason = f"'copy' and 'shuffled' are left out: without its original each item {why}"
            notes.append((label, reason))
        else:
            scorable[label] = metric
    return scorable, merged(notes)


def _judged(
    scores: Scores, left_out: Scores | None, systems: Sequence[str]
) -> tuple[pl.DataFrame, tuple[Verdict, ...], list[str]]:
    """The table, the verdicts, and what cannot be said."""
    rows = _rows(scores, ALL, systems)
    _test(scores, rows)
    orders: dict[str, dict[str, Any]] = {}
    if left_out is not None:
        reduced = _rows(left_out, LEFT_OUT, systems)
        orders = _test(left_out, reduced)
        rows += reduced
    rows.sort(key=lambda row: scores.labels.index(row["metric"]))  # stable: baselines stay in order
    verdicts = []
    for label, each in scores.measured.items():
        own = [row for row in rows if row["metric"] == label]
        if each.metric.ranks:
            for against in AGAINST:
                _correct(own, against)
            verdicts.append(verdict(label, each.metric, own, orders.get(label)))
    unranked = [label for label, each in scores.measured.items() if not each.metric.ranks]
    notes = []
    if unranked:
        notes.append(f"no verdict on {', '.join(unranked)}: neither end of it is better")
    lone = {row["metric"] for row in rows if row["n"] < LEAST_ITEMS}
    if lone:
        which = ", ".join(sorted(lone))
        notes.append(f"fewer than {LEAST_ITEMS} items: no interval and no test for {which}")
    notes += merged((row["metric"], WIDE.format(row["fake"])) for row in rows if _wide(row))
    return pl.DataFrame(rows, schema=_RESULTS), tuple(verdicts), notes


def _wide(row: Mapping[str, Any]) -> bool:
    return row["value"] > 0 and row["high"] - row["low"] > TIMES * row["value"]


def _test(scores: Scores, rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Tests each baseline against the median and the best system, and completes its row.

    Fewer than 4 items have no test: too few swaps differ.

    Returns:
        By metric ``copy`` against ``shuffled``, a row of ``compare``, where both are there.
    """
    orders = {}
    for label, each in scores.measured.items():
        own = [row for row in rows if row["metric"] == label]
        wanted: list[tuple[str, str]] = [
            (PREFIX + row["fake"], row[f"{against}_system"])
            for row in own
            for against in AGAINST
            if row.get(against) is not None
        ]
        order = (PREFIX + COPY, PREFIX + SHUFFLED)
        both = set(order) <= set(scores.names)
        tested: dict[tuple[str, str], dict[str, Any]] = {}
        if scores.resamples and each.metric.ranks and each.height >= LEAST_ITEMS:
            pairs = [*wanted, order] if both else wanted
            tested = _compared(scores, label, sorted(set(pairs)))
        for row in own:
            for against in AGAINST:
                row |= _against(tested, row, against)
        if order in tested:
            orders[label] = tested[order]
    return orders


def _compared(
    scores: Scores, label: str, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of ``compare`` of some pairs, on the same permutations."""
    if not pairs:
        return {}
    places = [(scores.place(a), scores.place(b)) for a, b in pairs]
    permutations = trials(scores.measured[label], len(pairs))
    table = compare_pairs(scores, label, places, permutations)
    return dict(zip(pairs, table.iter_rows(named=True), strict=True))


def _rows(scores: Scores, references: str, systems: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each metric and baseline, as yet without tests."""
    table = {(row["metric"], row["system"]): row for row in scores.systems().iter_rows(named=True)}
    baselines = [baseline for baseline in BASELINES if PREFIX + baseline in scores.names]
    rows = []
    for label, each in scores.measured.items():
        values = {system: table[label, system]["value"] for system in systems}
        for baseline in baselines:
            own = table[label, PREFIX + baseline]
            row = {key: own[key] for key in ("metric", "value", "low", "high", "n")}
            row |= {"fake": baseline, "references": references}
            if each.height < LEAST_ITEMS:
                row |= {"low": np.nan, "high": np.nan}
            if each.metric.ranks:
                row |= _standing(each, own["value"], values)
            rows.append(row)
    return rows


def _standing(measured: Measured, value: float, values: Mapping[str, float]) -> dict[str, Any]:
    """The rank of a baseline among the real systems that have a score."""
    sign = 1 if measured.metric.higher_is_better else -1
    ranked = sorted(
        (system for system in values if not np.isnan(values[system])),
        key=lambda system: sign * values[system],
    )
    if not ranked or np.isnan(value):
        return {"systems": len(ranked)}
    places = {"lowest": 0, "median": (len(ranked) - 1) // 2, "best": len(ranked) - 1}
    reached = sum(sign * (value - values[system]) >= -NOISE for system in ranked)
    standing: dict[str, Any] = {"systems": len(ranked), "reached": reached, "reaches": "none"}
    for name, place in places.items():
        standing |= {name: values[ranked[place]], f"{name}_system": ranked[place]}
        if name != "lowest" and reached > place:
            standing["reaches"] = name
    return standing


def _against(
    compared: Mapping[tuple[str, str], Mapping[str, Any]], row: Mapping[str, Any], against: str
) -> dict[str, Any]:
    """The paired difference between a baseline and the median (best) system."""
    if row.get(against) is None:
        return {}
    tested = compared.get((PREFIX + row["fake"], row[f"{against}_system"]))
    if tested is None:
        tested = {"difference": row["value"] - row[against]}
    return {
        f"difference_{against}": tested["difference"],
        f"low_{against}": tested.get("low"),
        f"high_{against}": tested.get("high"),
        f"p_{against}": tested.get("p_randomization"),
    }


def _correct(rows: Sequence[dict[str, Any]], against: str) -> None:
    """Puts beside the p-values of one metric those after Holm's correction over its baselines."""
    tested = [row for row in rows if row.get(f"p_{against}") is not None]
    corrected = holm(np.array([row[f"p_{against}"] for row in tested]))
    for row, p in zip(tested, corrected.tolist(), strict=True):
        row[f"p_holm_{against}"] = p
