"""``rejoinder judge``: a judge beside the people whose place it would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import choice, command, number, option

if TYPE_CHECKING:
    from rejoinder.statistics.annotator_test import Alignment
    from rejoinder.statistics.rating_matrix import Severity

EXAMPLES = """\b
Examples:
  rejoinder judge --scores judge.csv --ratings ratings.csv
  rejoinder judge testset.jsonl systems/*.jsonl --scores judge.csv -m bleu --ratings ratings.csv
"""


class JudgeOptions(
    options.MeasuringOrScoresOptions, options.RatingFilesOptions, options.ClaimOptions
):
    """The options of 'judge'."""

    scale: tuple[float, float] | None = options.scale()
    tolerance: float = number(
        "--tolerance",
        default=0.1,
        help="Share of items by which a judge may be worse than a rater and still replace one: 0.1 for "
        "crowd workers, 0.15 for skilled raters, 0.2 for experts.",
    )
    alignment: str = choice(
        "--alignment",
        of=("rmse", "accuracy"),
        default="rmse",
        help="How close a mark is to the ratings of others: by their distance (grades), or by "
        "whether they are equal (categories).",
    )
    rater_severity: str = choice(
        "--rater-severity",
        of=("adjusted", "kept"),
        default="adjusted",
        help="The severity of each rater: taken off the mean rating of a reply, by a two-way fit of replies "
        "and raters (adjusted), or left in it, where it counts as noise (kept).",
    )
    expires: str | None = option(
        "--expires",
        metavar="DATE",
        help="Date from which on the judge's card is out of date, such as 2027-06-30. For --claim, whose "
        "file is the card: --card of score, compare and mark checks it.",
    )
    cluster: str | None = options.CLUSTER
    without: tuple[str, ...] = options.without()
    seed: int = options.seed()
    resamples: int = options.resamples(hidden=True)

    def check(self) -> None:
        """Sees that the card can be written."""
        super().check()
        from rejoinder.cli.needs import check_needs
        from rejoinder.ledger.registrations import date_of

        check_needs(self.claim is not None, "--claim FILE", "expires")
        if self.expires is not None:
            date_of(self.expires)


@command(JudgeOptions, epilog=EXAMPLES)
def judge(given: JudgeOptions) -> None:
    """Compare a judge, or a metric, with people who rate.

    How severe a judge (such as a language model) is, how its marks follow ratings, which systems
    and lengths it favours, how far it agrees with itself, and whether it can replace a rater
    (the alternative annotator test). Metrics of texts are judges too: can BLEU replace a rater?
    'mark' makes the marks of a language model.
    """
    from rejoinder.cli.made_of_ratings import check_not_made_of
    from rejoinder.cli.needs import from_command_line
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.scores_or_ratings import check_not_the_same
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import note
    from rejoinder.meta_evaluation.judge import judge as judged
    from rejoinder.metrics.external import External

    if "resamples" in from_command_line():
        note("--resamples has no effect: 'judge' draws no resamples")
    table = inputs.read_rated(given, given.scale, given.cluster)
    inputs.take_judges(given)
    check_not_made_of(given, given.ratings, table.frame)
    scores, texts = inputs.measured(given, resamples=0)
    repeats = None
    check_not_the_same([each.path for each in given.scores], given.ratings, len(scores.measured))
    marks = [each.metric for each in scores.measured.values() if isinstance(each.metric, External)]
    if given.scores and any(max(each.raters, each.samples) > 1 for each in marks):
        repeats = inputs.read_marks()
    with Progress("comparing with people") as tick:
        report = judged(
            scores,
            table,
            responses=None if texts is None else texts[1],
            repeats=repeats,
            criterion=given.criterion,
            without=given.without,
            scale=given.scale,
            cluster=given.cluster,
            tolerance=given.tolerance,
            alignment=cast("Alignment", given.alignment),
            rater_severity=cast("Severity", given.rater_severity),
            seed=given.seed,
            progress=tick,
        )
    report = inputs.with_notes(report, given.ratings)

    with Outputs(report) as outputs:
        outputs.show(given, report.document, report.as_json)
