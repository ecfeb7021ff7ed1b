"""What a report is made of: the results of the verbs on one test set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from rejoinder.auditing.audit import Audit
from rejoinder.human_evaluation.by_people.compare import RatingComparison
from rejoinder.human_evaluation.preference_summary import PreferenceSummary
from rejoinder.human_evaluation.rating_summary import RatingSummary
from rejoinder.meta_evaluation.correlate import Agreement
from rejoinder.meta_evaluation.with_people.compare import PeopleComparison
from rejoinder.result import PlottedResult, Result
from rejoinder.scoring.compare import Comparison
from rejoinder.scoring.scores import Scores
from rejoinder.tables.schemas import CONTEXTS, REFERENCES
from rejoinder.tables.testset import TestSet


@dataclass(frozen=True, repr=False)
class ReportParts(Result):
    """What a report is made of. A part that was not asked for, or cannot be computed, is None or empty.

    Attributes:
        testset: Contexts and references; None where scores or judgements of people are all that is given.
        responses: The replies that were scored; none where texts are not given.
        scores: Systems under every metric; of no metric where nothing but people's judgements is given.
        comparison: All pairs of systems; None of one system, or without resamples.
        audit: Trivial baselines beside the systems, under the metrics that are measured here.
        ratings: Human ratings, summarised.
        agreement: By criterion the agreement of metrics with people on single replies.
        system_agreement: By criterion the same over systems, where at least three are rated.
        with_people: By criterion the systems compared by people and by metrics together.
        by_people: The systems compared by people's ratings, where there are no metrics.
        preferences: Head-to-head judgements, summarised.
        ruq: By the name of its file the values of RUQ.
        tokens: By the name of its file the likelihoods of single tokens.
        failed: By part the reason why it is not there.
        about_data: What was left out of the data, or read in another way.
        runs: Earlier runs of a ledger with these metrics; None for none.
    """

    testset: TestSet | None = field(repr=False)
    responses: pl.DataFrame
    scores: Scores
    comparison: Comparison | None = None
    audit: Audit | None = None
    ratings: RatingSummary | None = None
    agreement: Mapping[str, Agreement] = field(default_factory=dict)
    system_agreement: Mapping[str, Agreement] = field(default_factory=dict)
    with_people: Mapping[str, PeopleComparison] = field(default_factory=dict)
    by_people: RatingComparison | None = None
    preferences: PreferenceSummary | None = None
    ruq: Mapping[str, Scores] = field(default_factory=dict)
    tokens: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    about_data: tuple[str, ...] = ()
    runs: PlottedResult | None = None

    @property
    def contexts(self) -> pl.DataFrame:
        """The contexts of the items; none where they are not given."""
        return pl.DataFrame(schema=CONTEXTS) if self.testset is None else self.testset.contexts

    @property
    def references(self) -> pl.DataFrame:
        """The references of the items; none where they are not given."""
        return pl.DataFrame(schema=REFERENCES) if self.testset is None else self.testset.references

    @property
    def has_items(self) -> bool:
        """Whether something is known of single items."""
        judged = self.ratings is not None or bool(self.scores.measured)
        return judged or not self.responses.is_empty()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the data and on the scores; every other part has its own."""
        return tuple(dict.fromkeys((*self.about_data, *self.scores.notes)))

    def signatures(self) -> dict[str, str]:
        """The signature of every metric."""
        return {label: each.signature for label, each in self.scores.measured.items()}
