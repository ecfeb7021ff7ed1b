"""Which metrics reward trivial baselines, compared with the real systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rejoinder.auditing.results import ALL, LEFT_OUT, judged
from rejoinder.auditing.trivial_baselines import CONSTANT, TURNS, leave_one_out, unread
from rejoinder.auditing.verdicts import MetricVerdict
from rejoinder.batches.batch import Batch
from rejoinder.document.parts import AS_USUAL, Document, View, lines
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import Argument, Call, merged
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.external import External
from rejoinder.progress import Progress
from rejoinder.references.text_notes import copier_of
from rejoinder.result import TableResult
from rejoinder.scoring.external import NOT_USED, unused_values
from rejoinder.scoring.samples import by_sample
from rejoinder.scoring.score import score, suited
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.responses import Missing, check_responses
from rejoinder.tables.schemas import SAMPLE
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Responses


@dataclass(frozen=True, repr=False)
class Audit(TableResult):
    """Trivial baselines beside real systems, under every metric.

    Attributes:
        table: A row for each metric and baseline, in the metric's own range: ``metric``, ``baseline``;
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
        scores: Systems and baselines (named ``baseline:...``) on the test set as it is.
        left_out: Systems, ``copy`` and ``shuffled`` without the copied references; None where no
            item has a second reference.
        notes: Notes: what was left out or filled in, and how values are to be read.
        parameters: ``constant``, ``turns``, ``without``, ``seed``, ``resamples``.
        replies: The replies of the trivial baselines, as a table of responses.
    """

    table: pl.DataFrame
    verdicts: tuple[MetricVerdict, ...]
    scores: Scores
    left_out: Scores | None
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    replies: pl.DataFrame

    def document(self, view: View = AS_USUAL) -> Document:
        """Every baseline under every metric beside the range of the systems, and the verdicts."""
        from rejoinder.auditing import audit_tables as tables

        shown = tables.baselines(self.scores, self.table, ALL)
        if self.left_out is not None:
            shown += tables.baselines(self.left_out, self.table, LEFT_OUT)
        shown += [*tables.legends(self.table), *tables.differences(self.scores, self.table)]
        shown += lines(each.sentence for each in self.verdicts)
        return [*shown, *lines(self.notes, "note")]

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
    testset: TestSetLike,
    responses: ResponsesLike,
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
    >>> result = audit(testset, answers, ["bleu:order=1"], constant="yes no", resamples=0)
    >>> result.verdicts[0].rewarded
    ('constant',)
    """
    check_draws(resamples, seed)
    if not isinstance(turns, int) or isinstance(turns, bool) or turns < 1:
        raise ParameterError(Argument("turns", turns), " must be a whole number, 1 or more")
    if not isinstance(constant, str):
        raise ParameterError(f"constant={constant!r:.60} must be a text")
    testset = TestSet.of(testset)
    if metrics is None and testset.references.is_empty():
        raise InputError(
            "audit: the test set has no references, and an audit by default is of metrics that compare "
            "replies with them; name others, such as a metric of your own, with ",
            Argument("metrics"),
        )
    selected = registry.metrics(_ranking_defaults(testset) if metrics is None else metrics)
    real = taken(Responses, responses, testset.ids).without(without)
    first, *others = by_sample(real)
    alignment = check_responses(first, testset, missing)
    unseen = unread(testset, alignment, constant, turns, seed)
    reduced, copied = leave_one_out(testset, alignment.ids, seed)
    replies = pl.concat([unseen.responses(), copied.responses()])
    _check_scored(selected, replies)
    options: dict[str, Any] = {
        "cluster": cluster, "resamples": resamples, "seed": seed, "progress": progress
    }  # fmt: skip
    further = [
        each.frame.with_columns(pl.lit(str(k)).alias(SAMPLE))
        for k, each in enumerate(others, start=2)
    ]
    every = pl.concat([first.single(), unseen.responses(), *further], how="diagonal")
    measured = list(selected.values())
    given = {"missing": missing, "drop_unusable": drop_unusable}
    scores = score(testset, every, measured, **given, **options)
    notes = [note for note in scores.notes if not note.endswith(NOT_USED)]
    notes += _unused_values(testset, selected, scores, replies)
    left_out, unscorable = None, []
    if reduced is not None:
        scorable, unscorable = _scorable(reduced, selected)
        answers = pl.concat([alignment.responses, *further], how="diagonal")
        answers = answers.filter(pl.col("id").is_in(copied.ids))
        if scorable:
            answers = pl.concat([answers, copied.responses()], how="diagonal")
            left_out = _scored_without_originals(reduced, answers, scorable, options)
            notes += _new_notes(left_out.notes, notes)
    parameters = {
        "constant": constant, "turns": turns, "without": list(without), "seed": seed,
        "resamples": resamples,
    }  # fmt: skip
    table, verdicts, remarks = judged(scores, left_out, alignment.systems)
    return Audit(
        table,
        verdicts,
        scores,
        left_out,
        (*notes, *unseen.notes, *copied.notes, *unscorable, *remarks),
        parameters,
        replies,
    )


def _scored_without_originals(
    reduced: TestSet,
    answers: pl.DataFrame,
    scorable: Mapping[str, Metric],
    options: Mapping[str, Any],
) -> Scores:
    """The scores on references without the copied ones, under the labels that the metrics have."""
    scores = score(reduced, answers, list(scorable.values()), drop_unusable=True, **options)
    # With a metric less, another may have come by a shorter label.
    return replace(scores, measured=dict(zip(scorable, scores.measured.values(), strict=True)))


def _new_notes(notes: Sequence[str], known: Sequence[str]) -> list[str]:
    """Notes on the scores without originals that the first scores do not have."""
    earlier = {*known, *(copier for note in known if (copier := copier_of(note)))}
    return [
        f"leave-one-out: {note}"
        for note in notes
        if not note.endswith(NOT_USED) and earlier.isdisjoint((note, copier_of(note)))
    ]


def _unused_values(
    testset: TestSet, metrics: Mapping[str, Metric], scores: Scores, replies: pl.DataFrame
) -> list[str]:
    """Notes on scores of other tools that belong neither to a system nor to a trivial reply."""
    systems = list(dict.fromkeys([*scores.names, *replies.get_column("system")]))
    notes = []
    for label, metric in metrics.items():
        if isinstance(metric, External):
            lacking = np.isnan(metric.rows(systems, testset.ids)[..., 0])
            notes += unused_values(label, metric, lacking)
    return notes


def _check_scored(metrics: Mapping[str, Metric], replies: pl.DataFrame) -> None:
    """Raises a ParameterError where another tool has not scored the trivial replies."""
    baselines = replies.get_column("system").unique(maintain_order=True).to_list()
    for label, metric in metrics.items():
        values = metric.reply_values if isinstance(metric, External) else None
        if values is not None and not set(baselines) <= set(values.systems):
            raise ParameterError(
                f"{label}: an audit needs its scores of the trivial replies too, those of the systems "
                f"{one_of(baselines)}; to have these replies written, run "
                f"{Call('an audit of other metrics, whose Audit.replies they are')}"
            )


def _ranking_defaults(testset: TestSet) -> list[str]:
    return [name for name in suited(testset) if registry.metric(name).ranks]


def _scorable(
    testset: TestSet, metrics: Mapping[str, Metric]
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
    for label, metric in metrics.items():
        unusable, why = metric.unusable(batch)
        if unusable.all():
            reason = f"'copy' and 'shuffled' are left out: without its original each item {why}"
            notes.append((label, reason))
        else:
            scorable[label] = metric
    return scorable, merged(notes)
