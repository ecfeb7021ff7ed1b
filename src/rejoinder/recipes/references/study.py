"""From a corpus to weighted references, step by step, as far as the data at hand leads.

1. ``candidates.jsonl``: replies of the corpus mined for each item, and its own first reference.
2. ``weighed.jsonl``: the test set with candidates as references, weighted by people, by a learned
   rater, or by a learned rater matched with people.
3. ``scores.parquet``: the systems' replies scored against them.
4. ``agreement.csv``: how far the metrics agree with people's ratings of the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, View, lines, signed
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.locks import alone
from rejoinder.messages import Argument, Placeholder
from rejoinder.meta_evaluation.correlate import Agreement, correlate
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.progress import Progress
from rejoinder.recipes.references.candidates import FILE, kept_candidates
from rejoinder.references.weighing import LIKERT, Weighed, weigh
from rejoinder.result import Result
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.frames import Frame
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Ratings
from rejoinder.tables.write import write_table, write_testset

WEIGHED, SCORES, AGREEMENT = "weighed.jsonl", "scores.parquet", "agreement.csv"


@dataclass(frozen=True, repr=False)
class ReferencesStudy(Result):
    """The result of the chain, as far as it went.

    Attributes:
        candidates: ``id, text, source`` of the mined replies and of each item's own first reference.
        weighed: The test set with weighted references; None where nobody rated them.
        scores: The systems' scores against them; None without replies.
        agreement: How far the metrics agree with people; None without ratings of the systems.
        files: The files written; candidates that were there already are not.
        notes: What was left out, and what the chain lacks to go on.
        signatures: Of each step, and of each metric.
        reused: Whether the candidates were there already.
    """

    candidates: pl.DataFrame
    weighed: Weighed | None
    scores: Scores | None
    agreement: Agreement | None
    files: tuple[Path, ...]
    notes: tuple[str, ...]
    signatures: dict[str, str]
    reused: bool = False

    def document(self, view: View = AS_USUAL) -> Document:
        """A table for each step that was done, and notes."""
        from rejoinder.recipes.references import study_tables as tables

        shown = tables.candidates(self.candidates)
        if self.weighed is not None:
            shown += tables.sources(pl.DataFrame(self.weighed.sources()))
        if self.scores is not None:
            shown += tables.systems(self.scores.systems())
        if self.agreement is not None:
            shown += tables.agreement(self.agreement.table())
        return [*shown, GAP, *lines(self.notes, "note"), *signed(self.signatures)]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder recipe references --json`` prints."""
        return {
            "candidates": self.candidates.height,
            "sources": [] if self.weighed is None else self.weighed.sources(),
            "systems": [] if self.scores is None else self.scores.systems().to_dicts(),
            "agreement": [] if self.agreement is None else self.agreement.table().to_dicts(),
            "files": [str(path) for path in self.files],
            "signatures": self.signatures,
            "notes": list(self.notes),
        }


def references(
    corpus: TestSet,
    testset: TestSet,
    folder: Path,
    responses: pl.DataFrame | None = None,
    ratings: Frame | Ratings | None = None,
    *,
    candidates: int = 15,
    weights_from: str | Metric | None = None,
    scale: tuple[float, float] = LIKERT,
    criterion: str | None = None,
    filter_raters: float | None = None,
    least_raters: int = 1,
    metrics: Sequence[str | Metric] = (),
    unit_size: int = 100,
    assignments: int = 1000,
    permutations: int = 1000,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> ReferencesStudy:
    """Mines candidates, weighs them, scores systems against them, and correlates with people.

    Each step is done where what it needs is given; repeat the call with more. The candidates of a
    folder are mined once, because people may be rating them; all later steps are computed anew.

    Args:
        corpus: Conversations: what ``read_testset`` makes of a corpus.
        testset: The items; the first reference of each is its original response, and is rated too.
        folder: Where the files are written; new, or that of an earlier call.
        responses: The table of ``read_responses``: the systems to score.
        ratings: The table of ``read_ratings``: of candidates (their ``system`` is the source), of the
            systems' replies, or of both.
        candidates: Number of mined replies for each item.
        weights_from: A learned rater for the candidates, as for ``weigh``. Where the ratings rate
            candidates, its scores are matched with these.
        scale: The worst and the best grade.
        criterion: Which criterion of the ratings, where there are several.
        filter_raters: As for ``weigh``.
        least_raters: As for ``weigh``.
        metrics: The metrics; without any deltaBLEU over all references, and BLEU over those of
            w >= 0 and over all.
        unit_size: Items of one observation of the protocol ``unit``.
        assignments: Number of random assignments of items to units.
        permutations: Number of permutations of the test; 0 for none.
        resamples: Number of resamples of the scores' intervals; 0 for none.
        seed: Random seed.
        progress: Called with how much of a step is done, and of how much.

    Raises:
        InputError: The tables do not fit; the folder holds another run, or another run works in it.
        ParameterError: A parameter is unknown or out of range.
    """
    check_draws(resamples, seed)
    with alone(folder):
        table, notes, signature, existed = kept_candidates(
            corpus, testset, folder, candidates, progress
        )
        signatures = {"candidates": signature}
        written = () if existed else (folder / FILE,)
        study = ReferencesStudy(table, None, None, None, written, notes, signatures, existed)
        by_candidate, by_system = _split(ratings, table, responses)
        if by_candidate is None and (filter_raters is not None or least_raters != 1):
            raise ParameterError(
                Argument("filter_raters"),
                f" and {Argument('least_raters')} have no effect "
                "without ratings of candidates; give these, or leave them out",
            )
        if by_candidate is None and weights_from is None:
            return _ended(study, "rate")
        weighed = weigh(
            testset,
            table,
            by_candidate,
            scale=scale,
            criterion=None if by_candidate is None else criterion,
            filter_raters=filter_raters,
            least_raters=least_raters,
            weights_from=weights_from,
            progress=progress,
        )
        write_testset(weighed.testset, folder / WEIGHED)
        signatures = signatures | ({"weights": weighed.signature} if weighed.signature else {})
        study = _with(study, weighed=weighed, file=folder / WEIGHED, signatures=signatures)
        if responses is None:
            return _ended(study, "score")
        scores = score(
            weighed.testset,
            responses,
            list(metrics) or [DeltaBLEU(order=2), BLEU(order=2, references="w>=0"), BLEU(order=2)],
            drop_unusable=True,
            resamples=resamples,
            seed=seed,
            progress=progress,
        )
        scores.save(folder / SCORES)
        signatures = signatures | {k: each.signature for k, each in scores.measured.items()}
        study = _with(study, scores=scores, file=folder / SCORES, signatures=signatures)
        if by_system is None:
            return _ended(study, "correlate")
        agreement = correlate(
            scores,
            by_system,
            Unit(unit_size, assignments),
            correlations=["spearman", "kendall-b"],
            criterion=criterion,
            scale=scale,
            permutations=permutations,
            resamples=0,
            seed=seed,
            progress=progress,
        )
        write_table(agreement.table(), folder / AGREEMENT)
        signatures = signatures | {"agreement": agreement.signature}
        return _with(study, agreement=agreement, file=folder / AGREEMENT, signatures=signatures)


def _with(study: ReferencesStudy, file: Path, **more: Any) -> ReferencesStudy:
    """The study with one more step, its file and its notes."""
    (name,) = more.keys() - {"signatures"}
    notes = tuple(dict.fromkeys((*study.notes, *more[name].notes)))
    return replace(study, files=(*study.files, file), notes=notes, **more)


def _ended(study: ReferencesStudy, step: str) -> ReferencesStudy:
    """The study with a note on what the next step needs."""
    return replace(study, notes=(*study.notes, _next(step)))


def _split(
    ratings: Frame | Ratings | None, candidates: pl.DataFrame, responses: pl.DataFrame | None
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """The ratings of candidates and those of systems; None where there are none.

    Raises:
        InputError: A system has the name of a source, so that nobody can tell whose rating it is.
    """
    if ratings is None:
        return None, None
    table = Ratings.of(ratings).table()
    sources = candidates.get_column("source").unique()
    systems = pl.Series(dtype=pl.String)
    if responses is not None:
        systems = responses.get_column("system").unique()
    if both := sorted(set(sources) & set(systems)):
        raise InputError(
            f"responses: the system '{both[0]}' is called like a source of candidates; give the system "
            "another name, in the ratings too"
        )
    rated = pl.col("system").is_in(sources.to_list())
    scored = pl.col("system").is_in(systems.to_list())
    parts = table.filter(rated), table.filter(scored)
    if not parts[0].height and not parts[1].height:
        raise InputError(
            f"ratings: none of {table.height} ratings is of a candidate or of a system; "
            f"got '{table.item(0, 'system')}'; expected a source such as '{sources[0]}'"
            + (f", or a system such as '{systems[0]}'" if len(systems) else "")
        )
    return parts[0] if parts[0].height else None, parts[1] if parts[1].height else None


def _next(step: str) -> str:
    """What the chain lacks to go on to a step."""
    ratings = Argument("ratings", Placeholder("FILE"))
    if step == "rate":
        rater = Argument("weights_from", "ruber:model=FOLDER")
        return (
            f"the candidates have no weights yet: have {FILE} rated (rejoinder annotate, or a table of "
            f"ratings whose column 'system' names the source), and repeat with {ratings}; or "
            f"let a learned rater weigh them: {rater}"
        )
    if step == "score":
        return "the references have weights: name the systems' replies to score them"
    return (
        f"no rating of these systems was given: with {ratings} that rates them "
        "the metrics are correlated with people"
    )
