"""Tables 2, 3 and 4 of Tao et al. (2018): how far RUBER, its halves and n-grams agree with people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, View, lines, reasons, signed
from rejoinder.errors import ParameterError, check_least
from rejoinder.meta_evaluation.correlate import Agreement, correlate
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.protocols import Turn
from rejoinder.metrics.base import Metric
from rejoinder.metrics.length import Length
from rejoinder.progress import Progress
from rejoinder.recipes.tao2018.metrics import Model, Texts, listed
from rejoinder.recipes.tao2018.scores import StudyReplies, measured, rated_replies
from rejoinder.result import Result
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.testset import TestSet, first_references
from rejoinder.tables.types import Ratings, Responses

__all__ = ["CORRELATIONS", "MEAN", "POOLED", "Model", "TaoStudy", "Texts", "tao2018"]

CORRELATIONS = ("pearson", "spearman")

POOLED, MEAN = "pooled", "mean of systems"
"""Groups of replies that are no single system's."""

_WITHIN = {
    "value": "within",
    **{name: f"within_{name}" for name in ("low", "high", "p", "reason")},
}
"""The columns of `Agreement.table` that are of the mean within systems."""


@dataclass(frozen=True, repr=False)
class TaoStudy(Result):
    """How far every row of the paper's table agrees with people.

    Attributes:
        pooled: The agreement over the replies of all systems.
        systems: That of each system by itself, by name, as in the paper's table; empty where there
            is one system alone.
        headings: By label, what a row of the table stands under.
        scores: What was measured.
        replies: The replies that it is about.
        ratings: Of these.
        notes: What was left out, and what the model says of its scores.
        criterion: Which criterion of the ratings was asked for.
        raters: How the ratings of a reply were combined.
        seed: Random seed.
    """

    pooled: Agreement
    systems: dict[str, Agreement]
    headings: dict[str, str]
    scores: Scores
    replies: StudyReplies
    ratings: pl.DataFrame
    notes: tuple[str, ...]
    criterion: str | None
    raters: str
    seed: int

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of replies: pooled, then, of several systems, the mean and each of them."""
        return (POOLED, MEAN, *self.systems) if self.systems else (POOLED,)

    def rows(self) -> pl.DataFrame:
        """Every number of the study.

        Returns:
            One row for each group (``pooled``; ``mean of systems``: the mean of the systems' own
            coefficients, which their different levels do not inflate; each system), row of the
            table and coefficient: ``group``, ``heading``, ``metric``, ``coefficient``, ``value``,
            ``low`` and ``high`` (95%, over contexts: the bootstrap, of the mean the jackknife), ``p``
            (permutation test; NaN of the replies of several systems pooled, where differences
            between systems would count as evidence), ``n`` (replies), ``reason`` (why one of these
            is NaN, else null). In the paper's order.
        """
        return self._rows

    @cached_property
    def _rows(self) -> pl.DataFrame:
        places = {label: place for place, label in enumerate(self.headings)}
        chosen = [row for group in self._groups() for row in group if row["metric"] in places]
        chosen.sort(key=lambda row: (self.groups.index(row["group"]), places[row["metric"]]))
        floats = dict.fromkeys(("value", "low", "high", "p"), pl.Float64)
        return pl.DataFrame(chosen, schema_overrides={**floats, "reason": pl.String})

    def table(self, group: str = POOLED) -> pl.DataFrame:
        """One group as the paper prints it: a row for each metric.

        Returns:
            ``heading``, ``metric``, then for each coefficient c its value under its own name
            (``pearson``, ``spearman``), ``c_low``, ``c_high``, ``c_p``, and at last ``n`` and
            ``reason``.
        """
        rows = self.rows().filter(pl.col("group") == group)
        wide = []
        for (heading, metric), of_metric in rows.group_by("heading", "metric", maintain_order=True):
            row: dict[str, Any] = {"heading": heading, "metric": metric}
            for each in of_metric.iter_rows(named=True):
                name = each["coefficient"]
                row |= {name: each["value"]}
                row |= {f"{name}_{key}": each[key] for key in ("low", "high", "p")}
            reasons = [
                each for each in of_metric.get_column("reason").unique(maintain_order=True) if each
            ]
            wide.append(row | {"n": of_metric.item(0, "n"), "reason": "; ".join(reasons) or None})
        return pl.DataFrame(wide, schema_overrides={"reason": pl.String})

    def document(self, view: View = AS_USUAL, cases: pl.DataFrame | None = None) -> Document:
        """The paper's tables, and notes.

        Args:
            view: What was asked of the showing.
            cases: Replies with their scores, the columns of ``cases`` and of the metrics shown.
        """
        from rejoinder.meta_evaluation.correlate_tables import expected
        from rejoinder.recipes.tao2018 import study_tables as tables

        pooled, several = self.table(), bool(self.systems)
        mean = self.table(MEAN) if several else None
        shown = tables.agreement(pooled, mean, len(self.systems) or 1, MEAN)
        if several:
            shown += tables.within(self.rows(), self.groups[1:])
        if cases is not None:
            shown += tables.cases(cases)
        shown += [GAP, *lines(self.notes, "note"), *reasons(expected(pooled, "pearson")), GAP]
        return [
            *shown,
            *signed({"signature": self.pooled.signature}),
            *signed(self.pooled.signatures),
        ]

    def as_json(self) -> dict[str, Any]:
        """Every number of the study; NaN is null, and has its reason."""
        return {
            "table": self.rows().to_dicts(),
            "signature": self.pooled.signature,
            "signatures": self.pooled.signatures,
            "notes": self.notes,
        }

    def _groups(self) -> Iterator[list[dict[str, Any]]]:
        """The rows of each group, in any order."""
        yield self._rows_of(POOLED, self.pooled)
        if not self.systems:
            return
        yield from (self._rows_of(name, agreement) for name, agreement in self.systems.items())
        yield [
            self._row(MEAN, {**row, **{key: row[name] for key, name in _WITHIN.items()}})
            for row in self.pooled.table().iter_rows(named=True)
        ]

    def _rows_of(self, group: str, agreement: Agreement) -> list[dict[str, Any]]:
        return [self._row(group, row) for row in agreement.table().iter_rows(named=True)]

    def _row(self, group: str, row: dict[str, Any]) -> dict[str, Any]:
        keys = ("value", "low", "high", "p", "n", "reason")
        return {
            "group": group,
            "heading": self.headings.get(row["metric"]),
            "metric": row["metric"],
            "coefficient": row["correlation"],
            **{key: row[key] for key in keys},
        }


def tao2018(
    testset: TestSet,
    responses: Frame | Responses,
    ratings: Frame | Ratings,
    model: Model | str,
    *,
    further: Sequence[str | Metric] = (),
    texts: Texts | None = None,
    criterion: str | None = None,
    raters: str = "mean",
    without: Sequence[str] = (),
    missing: MissingOrPairwise = "error",
    drop_unusable: bool = False,
    least_weight: float | None = None,
    permutations: int = 1000,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> TaoStudy:
    """Correlates RUBER, its two halves, BLEU and ROUGE with human ratings of the same replies.

    For the transfer of Table 4 call it again, with the same model, on data of another kind: nothing
    is fitted but, with ``scale="scored"``, the bounds of s_R and s_U.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        ratings: The table of ``read_ratings``. What nobody rated is not scored.
        model: The folder that ``rejoinder train ruber`` wrote, or how it is to be taken: which
            s_R, which scale, whether replies do without a reference that is themselves.
        further: Additional metrics, as names or metrics, listed below the paper's.
        texts: How the n-gram metrics tokenize texts.
        criterion: Which criterion of the ratings, where there are several.
        raters: How the ratings of a reply are combined: ``mean``, ``median`` or ``z``.
        without: Systems to leave out of everything, people for instance.
        missing: An item that a system did not answer: ``error``, ``drop`` or ``empty``; ``pairwise``
            scores every system on what it answered.
        drop_unusable: Leave out, and count, items without a context or a reference.
        least_weight: Exclude references of a lower weight from every row: the metrics ignore
            weights, so a reference that people rated as bad would count as good.
        permutations: Number of permutations of the tests; 0 for none.
        resamples: Number of resamples of the intervals; 0 for none.
        seed: Random seed.
        progress: Called with the number of steps done, and of all steps.

    Raises:
        InputError: The tables do not fit, an item cannot be scored and is not to be dropped, or
            the model's folder is none.
        ParameterError: A parameter is unknown.
        MissingExtraError: Torch is not installed.
    """
    responses, ratings = Responses.frame_of(responses), Ratings.frame_of(ratings)
    chosen = Model(model) if isinstance(model, str) else model
    rows = listed(chosen, texts or Texts(), further)
    replies = rated_replies(
        testset,
        responses,
        ratings,
        without=without,
        missing=missing,
        drop_unusable=drop_unusable,
        leave_one_out=chosen.leave_one_out,
        least_weight=least_weight,
    )
    of_machines = ratings.filter(~pl.col("system").is_in(list(without)))
    # Ratings that do not fit are reported before a model is put to work for minutes.
    left = missing if missing == "pairwise" else "error"
    quick = score(
        replies.testset, replies.responses, [Length()], missing=left, resamples=0, seed=seed
    )
    names = match(quick, of_machines, criterion, raters, (), seed)[0].systems
    several = names if len(names) > 1 else ()
    steps = _Steps(progress, 2 + len(several))
    scores = measured(replies, rows, left, drop_unusable, seed, steps)

    options = {
        "criterion": criterion,
        "raters": raters,
        "permutations": permutations,
        "resamples": resamples,
        "seed": seed,
    }
    pooled, single = _agreements(scores, of_machines, replies.systems, several, steps, options)
    return TaoStudy(
        pooled,
        single,
        rows.headings,
        scores,
        replies,
        of_machines,
        pooled.notes,
        criterion,
        raters,
        seed,
    )


def _agreements(
    scores: Scores,
    ratings: pl.DataFrame,
    everyone: Sequence[str],
    systems: Sequence[str],
    steps: _Steps,
    options: Mapping[str, Any],
) -> tuple[Agreement, dict[str, Agreement]]:
    """The agreement over the replies of all systems, and that of each system by itself."""

    def agreement(without: Sequence[str]) -> Agreement:
        steps.next()
        return correlate(
            scores,
            ratings,
            Turn(rater_effects="fixed"),
            correlations=CORRELATIONS,
            without=without,
            progress=steps,
            **options,
        )

    pooled = agreement(())
    return pooled, {
        name: agreement([other for other in everyone if other != name]) for name in systems
    }


class _Steps:
    """Passes on the progress of several steps, each of which counts its own."""

    def __init__(self, tell: Progress | None, steps: int) -> None:
        self.tell, self.steps, self.step = tell, steps, 0

    def next(self) -> None:
        """Begins the next step."""
        self.step += 1

    def __call__(self, done: int, total: int) -> None:
        """Tells thousandths of all steps."""
        if self.tell is not None and total:
            share = min(1.0, (self.step + done / total) / self.steps)
            self.tell(int(1000 * share), 1000)


def cases(study: TaoStudy, n: int = 2, ids: Sequence[str] = ()) -> pl.DataFrame:
    """The rated replies to a few contexts with all their scores, as in the paper's Table 3.

    Args:
        study: The study whose replies are listed.
        n: Number of contexts, sampled with the study's seed: nobody picks those that suit a metric.
        ids: These contexts instead.

    Returns:
        One row for each rated reply: ``id``, ``query`` (the message), ``reference`` (the first),
        ``system``, ``reply``, ``human``, and each metric under its label. Scores are as measured;
        the paper rescales all of them to its raters' 0 to 2.

    Raises:
        ParameterError: A context is not in the study, or ``n`` is negative.
    """
    check_least(0, cases=n)
    seen = study.pooled.observations().drop("group")
    rated: list[str] = seen.get_column("id").unique(maintain_order=True).to_list()
    for name in ids:
        if name not in rated:
            raise ParameterError(
                f"case '{name}' is no rated item of the study; the first are "
                f"{', '.join(repr(each) for each in rated[:5])}"
            )
    chosen = list(dict.fromkeys(ids)) or _drawn(rated, n, study.seed)
    testset = study.replies.testset
    queries = testset.contexts.select("id", query=pl.col("context").list.last())
    first = first_references(testset)
    order = pl.DataFrame({"id": chosen}, schema={"id": pl.String}).with_row_index(" place")
    whole = (
        order.join(queries, on="id", how="left")
        .join(first.select("id", reference="text"), on="id", how="left")
        .join(seen, on="id")
        .join(study.replies.responses.rename({"text": "reply"}), on=["id", "system"], how="left")
    )
    systems = {name: place for place, name in enumerate(study.replies.systems)}
    whole = whole.with_columns(
        pl.col("system").replace_strict(systems, return_dtype=pl.Int64).alias(" system")
    ).sort(" place", " system")
    labels = [name for name in study.headings if name in seen.columns]
    return whole.select("id", "query", "reference", "system", "reply", "human", *labels)


def _drawn(rated: list[str], n: int, seed: int) -> list[str]:
    """So many contexts, in their own order."""
    rng = np.random.default_rng([seed, 3])
    picked = rng.choice(len(rated), min(n, len(rated)), replace=False)
    return [rated[place] for place in sorted(picked.tolist())]
