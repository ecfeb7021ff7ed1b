"""Everything that is known of some systems on one test set, computed once for a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from rejoinder.auditing.audit import Audit, audit
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.provenance import content_of, write_record
from rejoinder.files.recording import record_of
from rejoinder.files.replacing import check_target, write_file
from rejoinder.human_evaluation.by_people.compare import compare_by_people
from rejoinder.human_evaluation.grades import Scale, grade_notes
from rejoinder.human_evaluation.preference_summary import preferences as summarise_preferences
from rejoinder.human_evaluation.rating_summary import RatingSummary
from rejoinder.human_evaluation.rating_summary import ratings as summarise
from rejoinder.messages import Argument, Call
from rejoinder.meta_evaluation.correlate import Agreement, correlate
from rejoinder.meta_evaluation.matching import misnamed, of_scored
from rejoinder.meta_evaluation.with_people.compare import PeopleComparison, compare_with_people
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.external import External
from rejoinder.progress import Progress
from rejoinder.rendering.markdown import as_markdown
from rejoinder.reporting.evidence import verdict_of
from rejoinder.reporting.page import page
from rejoinder.reporting.parts import ReportParts
from rejoinder.reporting.quantities import read_quantities
from rejoinder.reporting.sections import Words, as_it_is, whole
from rejoinder.reporting.summary import Summary, summary
from rejoinder.reporting.verdict import Verdict
from rejoinder.reporting.without_texts import without_texts
from rejoinder.result import TableResult
from rejoinder.scoring.compare import compare
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.tables.checks.arguments import expect, strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.item_clusters import NONE, OWN_COLUMNS, cluster_labels
from rejoinder.tables.responses import Missing, check_responses
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.selection import check_systems
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import CheckedTable, Preferences, Ratings, Responses

SUFFIXES = (".html", ".md")
"""What a report is written as: a page, or Markdown."""

LEAST_SYSTEMS = 3
"""Systems that a correlation over systems needs: two points always lie on a line."""

KIND = "a report"
"""What the record beside a report calls it."""

Made = TypeVar("Made")


@dataclass(frozen=True, repr=False)
class Report(ReportParts, TableResult):
    """A report: its parts, its sentences, and the page. For the attributes see ``ReportParts``."""

    def summary(self) -> Summary:
        """What the data show, and what is not known, in sentences."""
        return summary(self)

    def verdict(self) -> Verdict | None:
        """Which system is best by the best evidence that is here; None where nothing ranks systems."""
        return verdict_of(self)

    def document(self, view: View = AS_USUAL) -> Document:
        """The sentences, and every table."""
        return whole(self)

    def as_json(self, written: str | None = None) -> dict[str, Any]:
        """The object that ``rejoinder report --json`` prints.

        Args:
            written: The file of the report; None where it was not written.
        """
        words, verdict = self.summary(), self.verdict()
        parts = {
            "comparison": self.comparison,
            "by_people": self.by_people,
            "audit": self.audit,
            "ratings": self.ratings,
            "preferences": self.preferences,
        }
        return {
            "written": written,
            "verdict": None if verdict is None else verdict.as_json(),
            "summary": list(words.known),
            "unknown": list(words.unknown),
            "scores": self.scores.as_json(),
            "ranks": [] if self.comparison is None else self.comparison.ranks().to_dicts(),
            **{name: None if each is None else each.as_json() for name, each in parts.items()},
            "agreement": {name: each.as_json() for name, each in self.agreement.items()},
            "system_agreement": {
                name: each.as_json() for name, each in self.system_agreement.items()
            },
            "with_people": {name: each.as_json() for name, each in self.with_people.items()},
            "ruq": {name: each.systems().to_dicts() for name, each in self.ruq.items()},
            "failed": dict(self.failed),
            "notes": list(self.notes),
        }

    def to_html(
        self, record: Mapping[str, Any] | None = None, progress: Progress | None = None
    ) -> str:
        """The report as one page, which needs no other file and no network.

        Args:
            record: What the page says of its making, as ``recording.record_of`` returns it.
            progress: Called with how many items are done, and of how many.
        """
        return page(self, record, progress)

    def save(
        self,
        path: str | os.PathLike[str],
        made_of: Mapping[str, str | os.PathLike[str] | Sequence[str | os.PathLike[str]]]
        | None = None,
        command: Sequence[str] = (),
    ) -> None:
        """Writes the report: a page (.html), or its summary and tables as Markdown (.md), and its record.

        The same report is the same file, to the byte: nothing in it depends on the time.

        Args:
            path: The file.
            made_of: By what each was for, such as ``testset``, the file or the files that were read; the
                page names them with their SHA-256.
            command: The words by which the program is run again.

        Raises:
            InputError: The file cannot be written, or a file of ``made_of`` is not there.
        """
        expect(path, (str, os.PathLike), "path", "the name of a file, such as 'report.html'")
        check_target(path, SUFFIXES)
        record = record_of(path, made_of or {}, command, result=self)
        write_report(self, Path(path), record)
        write_record(path, record | {"kind": KIND, "content": content_of(path)})


def write_report(
    report: Report,
    path: Path,
    record: Mapping[str, Any] | None,
    progress: Progress | None = None,
    words: Words = as_it_is,
) -> None:
    """Writes a report with the record of its making; ``words`` says which verb an option is of.

    Args:
        report: The report.
        path: The file: ``.html`` or ``.md``.
        record: The record of its making; None: there is none.
        progress: Called with what is done and what there is in all; None: never.
        words: Names the verb that a line about an option belongs to.

    Raises:
        InputError: The file cannot be written.
    """
    report = replace(report, about_data=tuple(seen_from_page(report.about_data, record)))
    if path.suffix.lower() == ".md":
        text = f"<!-- rejoinder report -->\n{as_markdown(whole(report, words))}"
    else:
        text = page(report, record, progress, words)
    write_file(path, text)


def seen_from_page(notes: Iterable[str], record: Mapping[str, Any] | None) -> Iterator[str]:
    """Notes on files, which begin with a path as it was given, with the path as the page has it.

    Args:
        notes: What readers say.
        record: As for ``write_report``.

    >>> inputs = [{"given": "/data/r.csv", "path": "../r.csv", "name": "r.csv"}]
    >>> list(seen_from_page(["/data/r.csv: 2 rows left out"], {"inputs": inputs}))
    ['../r.csv: 2 rows left out']
    """
    inputs = [] if record is None else record["inputs"]
    for note in notes:
        for each in inputs:
            given = each.get("given")
            if given and note.startswith((f"{given}:", f"{given}{os.sep}")):
                note = f"{each['path'] or each['name']}{note.removeprefix(given)}"
                break
        yield note


def report(
    testset: TestSetLike | None = None,
    responses: ResponsesLike | None = None,
    metrics: Sequence[str | Metric] | None = None,
    *,
    scores: Scores | Frame | None = None,
    ratings: Frame | Ratings | None = None,
    preferences: Frame | Preferences | None = None,
    ruq: Sequence[str | os.PathLike[str]] = (),
    criterion: str | None = None,
    scale: Scale | None = None,
    without: Sequence[str] = (),
    missing: Missing = "error",
    drop_unusable: bool = False,
    cluster: str | None = None,
    at: Sequence[int] = (),
    passing: float | Mapping[str, float] | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Callable[[str], Progress | None] = lambda part: None,
) -> Report:
    """Computes everything that a report shows, by the functions that the verbs call.

    These are ``score``, ``compare``, ``audit``, ``ratings``, ``correlate``, ``compare_with_people`` and
    ``preferences``. A part that these data cannot have, such as a test with too few items, is left out,
    and ``failed`` says why. Scores of other tools, ratings or preferences alone are enough.

    Args:
        testset: Contexts and references; None where no texts are given.
        responses: The table of ``read_responses``; None: metrics are those of ``read_scores`` alone, or
            there are none, and systems are compared by people.
        metrics: As for ``score``; the metrics of ``read_scores`` (``External``) may be among them. None, of
            replies that people judged and that have no references: no metric.
        scores: What was measured before, with its resamples, in the place of responses and metrics.
        ratings: The table of ``read_ratings``; None: the agreement of metrics with people is not known.
        preferences: The table of ``read_preferences``.
        ruq: Files of ``rejoinder ruq --save`` (values) or ``--save-tokens`` (for the plot).
        criterion: The only criterion of the ratings and preferences that counts; None takes all.
        scale: The worst and the best grade that could be given; None: the worst and the best given.
        without: Systems to leave out, people for instance.
        missing: As for ``score``.
        drop_unusable: As for ``score``.
        cluster: As for ``score``.
        at: As for ``score``.
        passing: As for ``score``.
        resamples: Number of bootstrap resamples; 0 turns off every interval and test.
        seed: Random seed.
        progress: For each part, by its name, what is called with how much is done, and of how much.

    Raises:
        InputError: A table breaks its rules, or does not fit the others; a file of ``ruq`` cannot be read.
        ParameterError: A parameter is unknown or has a value outside its range, or nothing is given.

    >>> testset = TestSet.from_lists([["yes please"], ["at nine"], ["not yet"], ["never"]])
    >>> texts = {"a": ["yes please", "at nine", "not yet", "never"], "b": ["no"] * 4}
    >>> rows = [(s, str(i + 1), text) for s in texts for i, text in enumerate(texts[s])]
    >>> replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> made = report(testset, replies, ["rougeL"], resamples=100)
    >>> made.summary().unknown[-1]
    'No human ratings are given: how far the metrics agree with people on these replies is not known.'
    """
    without = strings(without, "without", "systems")
    kept = None if scores is None else _kept(scores, without, cluster, responses, metrics)
    texts = None if responses is None else _texts(testset, responses, without)
    items = TestSet.of(testset) if texts is None and testset is not None else None
    items = items if texts is None else texts[0]
    facts: dict[str, Any] = {"missing": missing, "cluster": cluster}
    draws: dict[str, Any] = {"resamples": resamples, "seed": seed}
    sampled: dict[str, Any] = {"at": at, "passing": passing}
    values, tokens = read_quantities(ruq)
    table = None if ratings is None else taken(Ratings, ratings).of_criterion(criterion)
    chosen = None if preferences is None else taken(Preferences, preferences)
    judged = [*_judged(table, "system"), *_judged(chosen, "a", "b")]
    if metrics is None and judged and (items is None or items.references.is_empty()):
        metrics = []
    if kept is not None:
        scores = kept
    elif texts is None or not (metrics is None or metrics):
        known = [*_judged(texts[1] if texts else None, "system"), *judged]
        every = without_texts(items, metrics or [], known, facts | sampled | draws)
        check_systems(without if texts is None else (), every.names)
        scores = _others(every, without)
    else:
        facts["drop_unusable"] = drop_unusable
        given = facts | sampled | draws
        scores = score(*texts, metrics, **given, progress=progress("measuring"))
    failed: dict[str, str] = {}
    about_data: tuple[str, ...] = ()
    if table is not None:
        table = table.where(~pl.col("system").is_in(list(without)))
        table, about_data = _scored_ratings(table, scores, scale)
    if chosen is not None:
        chosen = chosen.where(~pl.any_horizontal(pl.col("a", "b").is_in(list(without))))
    several = len(scores.names) > 1 and scores.resamples > 0 and bool(scores.measured)
    if several:
        progress("comparing")
    compared = compare(scores) if several else None
    audited, by_people = None, None
    if texts is not None and scores.measured:
        audited = _audit(*texts, metrics, facts | draws, failed, progress("auditing"))
    beside = table if scores.measured else None
    people = _with_people(scores, beside, scale, draws, failed, progress("correlating"))
    if table is not None and beside is None:
        by_people = _attempt(
            "comparison by people",
            lambda: compare_by_people(table, scale=scale, cluster=cluster, seed=seed),
            failed,
        )
    return Report(
        items,
        _shown(texts, missing),
        scores,
        compared,
        audited,
        None if table is None else _summarised(table, scores, cluster, scale=scale, **draws),
        *people,
        by_people,
        None if chosen is None else summarise_preferences(chosen, criterion=criterion, **draws),
        values,
        tokens,
        failed,
        about_data,
    )


def _kept(
    given: Scores | Frame,
    without: Sequence[str],
    cluster: str | None,
    responses: ResponsesLike | None,
    metrics: Sequence[str | Metric] | None,
) -> Scores:
    """The scores that were measured before.

    Raises:
        ParameterError: There are responses or metrics too, or they are no scores.
    """
    for name, value in (("responses", responses), ("metrics", metrics)):
        if value is not None:
            raise ParameterError(Argument(name), " beside scores has no effect; leave it out")
    scores = _others(scores_of(given, Scores, "rejoinder.report(scores=scores)"), without)
    return scores if cluster is None else scores.clustered(cluster)


def _others(scores: Scores, without: Sequence[str]) -> Scores:
    """The scores of other systems than these."""
    names = [name for name in scores.names if name not in without]
    return scores.select(systems=names) if len(names) < len(scores.names) else scores


def _texts(
    testset: TestSetLike | None, responses: ResponsesLike, without: Sequence[str]
) -> tuple[TestSet, Responses]:
    """The test set and the replies to it, but for those of systems that are left out.

    Raises:
        ParameterError: There is no test set.
    """
    if testset is None:
        raise ParameterError(
            Argument("responses"), " needs a test set, which the replies belong to"
        )
    items = TestSet.of(testset)
    return items, taken(Responses, responses, items.ids).without(without)


def _scored_ratings(
    table: Ratings, scores: Scores, scale: Scale | None
) -> tuple[Ratings, tuple[str, ...]]:
    """The ratings of the systems and items that are scored, and notes on the others and on outliers.

    Raises:
        InputError: None of them is.
    """
    own, notes = of_scored(scores, table.frame)
    notes += misnamed(scores, table.frame, ())
    criteria = own.partition_by("criterion", maintain_order=True)
    for rows in criteria:
        named = f"{rows.item(0, 'criterion')}: " if len(criteria) > 1 else ""
        outliers = grade_notes(rows.get_column("score").to_numpy(), scale, "correct its row")
        notes += [f"{named}{each}" for each in outliers]
    return table.with_frame(own), tuple(notes)


def _summarised(table: Ratings, scores: Scores, cluster: str | None, **asked: Any) -> RatingSummary:
    """People's ratings, over the clusters of the items that are scored, so that both are alike."""
    if column := scores.cluster:
        cluster = f"{column} of the contexts" if column in OWN_COLUMNS else column
        items = scores.items.select("id", cluster_labels(scores.items, column).alias(cluster))
        frame = table.frame.drop(cluster, strict=False)
        table = table.with_frame(frame.join(items, on="id", how="left", maintain_order="left"))
    elif scores.measured:
        cluster = NONE
    return summarise(table, cluster=cluster, **asked)


def _attempt(part: str, make: Callable[[], Made], failed: dict[str, str]) -> Made | None:
    """What is made; None, and the reason by the name of the part, where the data do not suffice."""
    try:
        return make()
    except (InputError, ParameterError) as error:
        failed[part] = str(error)
        return None


def _audit(
    testset: TestSet,
    replies: Responses,
    metrics: Sequence[str | Metric] | None,
    facts: dict[str, Any],
    failed: dict[str, str],
    progress: Progress | None,
) -> Audit | None:
    """The audit of the metrics that are measured here; scores of other tools know no trivial reply."""
    measured = metrics
    if metrics is not None:
        measured = [each for each in metrics if not isinstance(registry.metric(each), External)]
        if not measured:
            failed["audit"] = (
                "all metrics are scores of other tools, which have no scores of the trivial replies; "
                f"'{Call('Audit.replies')}' writes these for the other tool"
            )
            return None
    return _attempt(
        "audit", lambda: audit(testset, replies, measured, **facts, progress=progress), failed
    )


def _with_people(
    scores: Scores,
    table: Ratings | None,
    scale: Scale | None,
    draws: dict[str, Any],
    failed: dict[str, str],
    progress: Progress | None,
) -> tuple[dict[str, Agreement], dict[str, Agreement], dict[str, PeopleComparison]]:
    """By criterion the agreement on replies and over systems, and the comparison with people.

    Metrics that do not rank systems, such as length, are no judges beside those that do.
    """
    ranking = [label for label, each in scores.measured.items() if each.metric.ranks]
    judges = scores.select(metrics=ranking) if ranking else scores
    replies: dict[str, Agreement] = {}
    systems: dict[str, Agreement] = {}
    together: dict[str, PeopleComparison] = {}
    names = [] if table is None else table.frame.get_column("criterion").unique(maintain_order=True)
    for name in names:
        ratings = table.of_criterion(name)  # pyright: ignore[reportOptionalMemberAccess]
        agreed = _attempt(
            f"agreement, {name}",
            lambda ratings=ratings: correlate(scores, ratings, **draws, progress=progress),
            failed,
        )
        if agreed is not None:
            replies[name] = agreed
        rated = set(ratings.frame.get_column("system")) & set(scores.names)
        if len(rated) >= LEAST_SYSTEMS:
            part = f"agreement over systems, {name}"
            over_systems = _attempt(
                part, lambda ratings=ratings: correlate(scores, ratings, "system", **draws), failed
            )
            if over_systems is not None:
                systems[name] = over_systems
        if len(rated) > 1:
            how = {"scale": scale, "seed": draws["seed"]}
            both = _attempt(
                f"comparison with people, {name}",
                lambda ratings=ratings, how=how: compare_with_people(judges, ratings, **how),
                failed,
            )
            if both is not None:
                together[name] = both
    return replies, systems, together


def _judged(table: CheckedTable | None, *systems: str) -> Iterator[pl.DataFrame]:
    """The ``system`` and ``id`` of the rows of a table."""
    if table is not None:
        for each in systems:
            yield table.frame.select(pl.col(each).alias("system"), "id")


def _shown(texts: tuple[TestSet, Responses] | None, missing: Missing) -> pl.DataFrame:
    """The replies that were scored: empty ones too where these take the place of missing ones."""
    if texts is None:
        return pl.DataFrame(schema=RESPONSES)
    testset, replies = texts
    if missing == "empty" and not replies.several:
        return check_responses(replies, testset, "empty").responses
    return replies.frame
