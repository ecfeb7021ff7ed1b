"""Why two settings of a metric, or two tools, give two numbers for the same files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, Line, View, lines
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.means import MEASURES
from rejoinder.metrics.registry import metric as made
from rejoinder.metrics.rouge import ROUGE
from rejoinder.metrics.setting_paths import SettingStep, setting_path
from rejoinder.progress import Progress
from rejoinder.result import TableResult
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.median_of_means import median_of_means
from rejoinder.tables.in_memory import ResponsesLike
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSetLike

OF_AGGREGATOR = [MEASURES[name] for name in ("precision", "recall", "f")]
"""The columns of ROUGE's rows in the order in which rouge-score averages them."""

SCHEMA = {
    "system": pl.String,
    "step": pl.Int64,
    "setting": pl.String,
    "before": pl.String,
    "after": pl.String,
    "value": pl.Float64,
    "change": pl.Float64,
    "alone": pl.Float64,
}


@dataclass(frozen=True, repr=False)
class ExplainedDifference(TableResult):
    """The way from one number to another, one setting at a time.

    Attributes:
        table: For every system a row for the first metric (step 0, setting "") and one for each
            step: ``system``, ``step``, ``setting`` (several are joined by ``+``), ``before`` and
            ``after`` (its values), ``value`` (the score so far), ``change`` (against the row before)
            and ``alone`` (how much this setting alone would change the first score; null where it
            cannot be set alone).
        meanings: What each setting does, in a plain sentence.
        aggregates: Under ROUGE for every system what rouge-score's aggregator prints in place of the
            second metric's mean: ``system``, ``low``, ``mid``, ``high``; else no row.
        first: The first metric.
        second: The second metric.
        items: How many items count.
        signatures: Those of both metrics.
        notes: What to know about the files: empty replies, references left out.
    """

    table: pl.DataFrame
    meanings: Mapping[str, str]
    aggregates: pl.DataFrame
    first: Metric
    second: Metric
    items: int
    signatures: tuple[str, str]
    notes: tuple[str, ...]

    def document(self, view: View = AS_USUAL) -> Document:
        """The steps of every system, what each setting does, and the signatures."""
        from rejoinder.scoring.explain_diff_tables import steps

        facts = self.meanings, self.first, self.second, self.items
        signatures = (
            Line(f"{name}: {each}", "legend")
            for name, each in zip(("from", "to"), self.signatures, strict=True)
        )
        shown = steps(self.table, self.aggregates, *facts)
        return [*shown, *lines(self.notes, "note"), GAP, *signatures]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder explain-diff --json`` prints."""
        facts = self.json_of("meanings", "aggregates", "items", "signatures", "notes")
        return {"steps": self.table.to_dicts(), **facts}


def explain_diff(
    testset: TestSetLike,
    responses: ResponsesLike,
    first: str | Metric,
    second: str | Metric,
    *,
    missing: Missing = "error",
    drop_unusable: bool = False,
    seed: int = 12345,
    progress: Progress | None = None,
) -> ExplainedDifference:
    """Says why two settings of a metric, or two tools, give two numbers for the same files.

    The settings that differ are changed one after the other, from the first metric to the second,
    and after each the files are scored again. How much a setting adds depends on those before it;
    so there is also what it would change by itself.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``, or a frame like it.
        first: A metric, for example ``"bleu:compat=sacrebleu"``.
        second: The same metric under other settings, for example ``"bleu:compat=nltk"``; of different
            metrics only ``bleu``, ``sbleu`` and ``deltableu`` lead to each other.
        missing: An item that a system did not answer is an ``error``; or ``drop`` it for all
            systems; or score an ``empty`` reply in its place.
        drop_unusable: Leave items out that cannot be scored instead of raising.
        seed: Random seed of the resamples of ROUGE's aggregator, 0 to 2^32 - 1.
        progress: Called with how many slices of the work are done, and of how many.

    Raises:
        InputError: Responses and test set do not fit, or an item cannot be scored.
        ParameterError: A metric is unknown, or no setting leads from one to the other.

    >>> from rejoinder import TestSet
    >>> testset = TestSet.from_lists([["Yes, please"], ["at nine"]])
    >>> rows = [("a", "1", "yes, please"), ("a", "2", "at ten")]
    >>> replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> explained = explain_diff(testset, replies, "bleu:order=1", "bleu:order=1,lowercase=true")
    >>> explained.table["value"].to_list()
    [0.6, 0.8]
    """
    check_draws(0, seed)
    begin, end = made(first), made(second)
    steps = setting_path(begin, end)
    metrics: list[Metric] = []
    for each in (begin, *(step.metric for step in steps), *(step.alone for step in steps)):
        if each is not None and each not in metrics:
            metrics.append(each)
    measure = partial(score, testset, responses, missing=missing, drop_unusable=drop_unusable)
    scores = measure(metrics, resamples=0, seed=seed, progress=progress)
    by_metric = [(each.metric, label) for label, each in scores.measured.items()]
    values = {
        label: dict(
            scores.systems().filter(pl.col("metric") == label).select("system", "value").iter_rows()
        )
        for _, label in by_metric
    }

    def value(metric: Metric, system: str) -> float:
        return values[next(label for each, label in by_metric if each == metric)][system]

    rows = [row for system in scores.names for row in _rows(system, begin, steps, value)]
    return ExplainedDifference(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        {_named(step): step.meaning for step in steps},
        _aggregates(scores, end, seed),
        begin,
        end,
        int(min(each.n for each in scores.measured.values())),
        (_signature(scores, begin), _signature(scores, end)),
        tuple(dict.fromkeys(scores.notes)),
    )


def _rows(
    system: str, begin: Metric, steps: list[SettingStep], value: Any
) -> list[tuple[Any, ...]]:
    """The rows of a system: the first score, and that after each step."""
    first = before = value(begin, system)
    rows: list[tuple[Any, ...]] = [(system, 0, "", "", "", first, None, None)]
    for place, step in enumerate(steps, 1):
        now = value(step.metric, system)
        alone = None if step.alone is None else value(step.alone, system) - first
        words = (_joined(step.before), _joined(step.after))
        rows.append((system, place, _named(step), *words, now, now - before, alone))
        before = now
    return rows


def _named(step: SettingStep) -> str:
    return " + ".join(step.settings)


def _joined(values: tuple[Any, ...]) -> str:
    """Values as they are typed; "default" for those that are not set."""
    words = {None: "default", "": "default", True: "true", False: "false"}
    return " + ".join(
        words[each] if each is None or each == "" or isinstance(each, bool) else str(each)
        for each in values
    )


def _aggregates(scores: Scores, metric: Metric, seed: int) -> pl.DataFrame:
    """What rouge-score's aggregator prints for each system; no row of other metrics."""
    rows = []
    measured = next(each for each in scores.measured.values() if each.metric == metric)
    if isinstance(metric, ROUGE) and metric.form == "f1" and isinstance(measured.rows, Matrix):
        for name, of_system in zip(scores.names, measured.rows.values, strict=True):
            replies = np.ascontiguousarray(of_system[:, OF_AGGREGATOR])
            place = OF_AGGREGATOR.index(MEASURES[metric.measure])
            low, mid, high = median_of_means(replies, seed % (1 << 32))[:, place].tolist()
            rows.append((name, low, mid, high))
    schema = {"system": pl.String, "low": pl.Float64, "mid": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _signature(scores: Scores, metric: Metric) -> str:
    return next(each.signature for each in scores.measured.values() if each.metric == metric)
