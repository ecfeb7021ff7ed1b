"""``rejoinder compare``: pairs of systems on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import choice, command, flag, integer, number, option, path
from rejoinder.cli.terminal.progress import Progress
from rejoinder.errors import ParameterError
from rejoinder.statistics.draws import FEWEST_RESAMPLES

if TYPE_CHECKING:
    from rejoinder.document.parts import Document
    from rejoinder.human_evaluation.rater_effects import RaterEffects
    from rejoinder.scoring.compare import Comparison
    from rejoinder.tables.types import Ratings


PICTURE = "differences"
"""The name of the figure."""


class CompareOptions(
    options.ScoringOptions,
    options.SamplesOptions,
    options.RatingFilesOptions,
    options.DrawnOptions,
    options.FailIfWorseOptions,
):
    """The options of 'compare'."""

    a: str | None = option("-a", metavar="NAME", help="First system of a single comparison.")
    b: str | None = option("-b", metavar="NAME", help="Second system of a single comparison.")
    margin: float | None = number(
        "--margin",
        help="Largest difference that does not matter. In the metrics' own range: 0.01 is one point "
        "of BLEU. Adds tests of equivalence and of non-inferiority of a.",
    )
    save: Path | None = options.save("The verdicts of --fail-if-worse, as JUnit XML (.xml).")
    plots: Path | None = options.plots("The difference of each pair of systems.")
    all_pairs: bool = flag(
        "--all-pairs",
        help="Print a row for every pair of systems. Default: up to 6 systems; more have a matrix of "
        "symbols.",
    )
    resamples: int = options.resamples("")
    examples: int = integer(
        "--examples",
        metavar="[N]",
        type=click.IntRange(0),
        default=0,
        is_flag=False,
        flag_value=5,
        show_default=False,
        help="Print so many items (without N: 5) in which the two systems of -a and -b differ most, with "
        "their texts. Without these, of the two best systems under the first metric. Put it behind the "
        "files, or write --examples=N.",
    )
    permutations: int | None = integer(
        "--permutations",
        help="Number of permutations of the significance tests. Default: 10,000, or 100 for each "
        "pair if that is more.",
    )
    ratings: tuple[Path, ...] = options.RATING_FILES
    scale: tuple[float, float] | None = options.scale()
    anytime: bool = flag(
        "--anytime",
        help="Sequential monitoring: intervals that are valid at any sample size. With --ratings; they are "
        "1.6 to 1.9 times as wide, and begin at 20 rated items.",
    )
    design: Path | None = path(
        "--design",
        help="Design that the study follows, a file of 'rejoinder plan --design --save'. It says what each "
        "look at the ratings decides, in the order of their rows. With --ratings.",
    )
    correction: str = choice(
        "--correction",
        of=("holm", "max"),
        default="holm",
        help="How p is corrected over pairs: Holm's correction, or by the maximum over pairs, which takes "
        "into account that pairs share systems and items and is less strict. With --ratings.",
    )
    population: str = choice(
        "--population",
        of=("new", "these"),
        default="new",
        help="Items that intervals and p are for: new ones like these, or these alone, of which intervals "
        "are narrower where a large part is rated. With --ratings.",
    )
    rater_effects: RaterEffects | None = options.RATER_EFFECTS


@command(CompareOptions)
def compare(given: CompareOptions) -> None:
    """Compare systems pair by pair, with intervals and tests.

    For every pair and metric: the difference, its 95% interval, two paired tests, and how many
    items each system won, tied and lost; of more than 6 systems, a matrix of the pairs that differ.
    With -a and -b, the items that other systems did not answer count too. Give a test set and
    responses, or scores kept with 'rejoinder score --save'. For continuous integration:
    -b BASELINE --fail-if-worse MARGIN.

    With --ratings of some items: by people alone, by each judge (--scores, -m) alone, and by the
    judges corrected by people. With --ratings and no other file: by people.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.targets import VERDICTS, check_drawings, check_file

    inputs.check_together(given, "digits", "json")
    if given.all_pairs and given.json:
        raise ParameterError(
            "--all-pairs and --json do not go together: JSON has every pair; leave --all-pairs out"
        )
    of_ratings = (
        "criterion",
        "scale",
        "anytime",
        "correction",
        "population",
        "rater_effects",
        "drawn",
        "design",
    )
    check_needs(bool(given.ratings), "--ratings FILE", *of_ratings)
    check_needs(given.b is not None, "-b BASELINE", "fail_if_worse")
    check_needs(bool(given.at), "--at K", "passing")
    check_file(given.save, VERDICTS)
    check_needs(given.fail_if_worse is not None, "--fail-if-worse MARGIN", "fail_if_unsure", "save")
    check_drawings(given.plots)
    if given.ratings:
        _with_people(given)
    else:
        _by_metrics(given)


def _by_metrics(given: CompareOptions) -> None:
    """Compares by metrics alone."""
    from rejoinder.cli.outputs import Outputs
    from rejoinder.document.parts import GAP, View
    from rejoinder.files.replacing import write_file
    from rejoinder.scoring.compare import compare as pairs

    unused = ("resamples", "seed")
    only = () if given.a is None or given.b is None else (given.a, given.b)
    scores, _ = inputs.measured(
        given, given.without, cluster=given.cluster, unused=unused, only=only
    )
    if not scores.resamples:
        raise ParameterError(
            f"--resamples 0: '{given.testset}' was measured without resamples, and a comparison needs "
            f"them; give {FEWEST_RESAMPLES} or more when measuring, or leave --resamples out"
        )
    if given.responses and len(scores.names) < 2:
        raise ParameterError(
            f"{given.testset} is taken for the test set, and there is one system alone, "
            f"'{''.join(scores.names)}'; a comparison needs two: name the test set first, such as a text "
            "file with a reference on each line, and behind it the replies of each system"
        )
    with Progress("comparing"):
        compared = pairs(
            scores,
            given.a,
            given.b,
            permutations=given.permutations,
            cluster=given.cluster,
            margin=given.margin,
            worse_by=given.fail_if_worse,
        )

    items = (
        scores.differing_items(given.a, given.b, most=given.examples) if given.examples else None
    )

    def show() -> Document:
        document = compared.document(View(given.digits, given.all_pairs, given.ranks))
        if items is None:
            return document
        from rejoinder.scoring.example_items import shown

        label = items["metric"][0] if items.height else scores.labels[0]
        return [*document, GAP, *shown(items, scores.measured[label].metric, given.digits)]

    def printed() -> dict[str, Any]:
        more = {} if items is None else {"examples": items.to_dicts()}
        return compared.as_json(given.ranks) | more

    def save_verdicts(path: Path) -> None:
        from rejoinder.cli.show.junit import as_junit

        write_file(path, as_junit(compared, given.fail_if_unsure))

    with Outputs(compared) as outputs:
        outputs.save(given.save, save_verdicts)
        outputs.plot(compared, given.plots, PICTURE)
        outputs.show(given, show, printed)
    if given.fail_if_worse is not None:
        _fail(compared, given.fail_if_unsure)


def _fail(compared: Comparison, unsure: bool) -> None:
    """Names on standard error each system that fails against the baseline, and exits with status 1."""
    from rejoinder.cli.terminal.speech import say
    from rejoinder.scoring.verdict_sentences import failure

    failed = compared.failed(unsure)
    for row in failed.iter_rows(named=True):
        say(f"rejoinder: {failure(row)}")
    if not failed.is_empty():
        raise SystemExit(1)


STUDENTS = "whose intervals and tests are Student's t"
NOT_WITH_PEOPLE = {
    "margin": STUDENTS,
    "fail_if_worse": "whose tests have no margin",
    "permutations": STUDENTS,
    "resamples": STUDENTS,
    "examples": "which compares by people",
    "at": "which are of a prompt, not of one sample",
}
"""Options that have no effect beside ratings, and why."""


NOT_WITH_DESIGN = {
    "anytime": "whose looks are the design's",
    "correction": "whose pairs share one constant",
    "population": "which is for new items",
    "drawn": "whose items are drawn alike",
    "cluster": "whose items are independent",
    "plots": "which draws none",
}
"""Options that have no effect beside a design, and why."""


OF_RATINGS = {
    "design", "ratings", "format", "columns", "criterion", "scale", "anytime", "correction", "rater_effects",
    "drawn", "a", "b", "without", "cluster", "seed", "digits", "ranks", "all_pairs", "tables",
    "plots", "json", "quiet", "claim", "anonymous", "registered",
}  # fmt: skip
"""Options that have an effect where ratings are all that is given."""


def _check_with_people(given: CompareOptions, alone: bool) -> None:
    """Raises where an option has no effect beside ratings or on them alone, or no judge is named."""
    from rejoinder.cli.inputs import take_judges
    from rejoinder.cli.needs import from_command_line

    for name, each in from_command_line().items():
        if name in NOT_WITH_PEOPLE:
            raise ParameterError(
                f"{each} has no effect beside --ratings, {NOT_WITH_PEOPLE[name]}; leave {each} out"
            )
        if given.design is not None and name in NOT_WITH_DESIGN:
            raise ParameterError(
                f"{each} has no effect beside --design, {NOT_WITH_DESIGN[name]}; leave {each} out"
            )
        if alone and name not in OF_RATINGS:
            raise ParameterError(
                f"{each} has no effect on ratings alone; name the test set and the replies, or the scores of "
                f"another tool with --scores FILE, or leave {each} out"
            )
    take_judges(given)
    if given.replies and not given.metrics and not given.scores:
        raise ParameterError(
            "--ratings: no judge is named; give the scores of all replies with --scores FILE, or name a "
            "metric with -m NAME"
        )


def _with_people(given: CompareOptions) -> None:
    """Compares by ratings of some items and scores of all, or by ratings alone."""
    from dataclasses import replace  # not imported for --help

    from rejoinder.cli.made_of_ratings import check_not_made_of
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.scores_or_ratings import check_not_the_same
    from rejoinder.document.parts import View
    from rejoinder.human_evaluation.by_people.compare import compare_by_people
    from rejoinder.meta_evaluation.with_people.compare import compare_with_people
    from rejoinder.tables.drawn_items import waiting_notes, with_probabilities

    alone = given.testset is None and not given.scores
    _check_with_people(given, alone)
    table = inputs.read_rated(given, given.scale, given.cluster)
    if given.design is not None:
        _follow_design(given, table, alone)
        return
    drawn = inputs.read_drawn(given)
    if drawn is not None:
        table = table.with_frame(with_probabilities(table.frame, drawn))
    asked: dict[str, Any] = {
        "criterion": given.criterion,
        "without": given.without,
        "scale": given.scale,
        "cluster": given.cluster,
        "anytime": given.anytime,
        "correction": given.correction,
        "rater_effects": given.rater_effects,
        "seed": given.seed,
    }
    if alone:
        with Progress("comparing"):
            result = compare_by_people(table, given.a, given.b, **asked)
    else:
        check_not_made_of(given, given.ratings, table.frame)
        scores, _ = inputs.measured(given, resamples=0, cluster=given.cluster)
        paths = [each.path for each in given.scores]
        check_not_the_same(paths, given.ratings, len(scores.measured))
        with Progress("comparing"):
            asked["population"] = given.population
            result = compare_with_people(scores, table, given.a, given.b, **asked)
    result = inputs.with_notes(result, given.ratings)
    if drawn is not None:
        waiting = waiting_notes(drawn, table.frame.get_column("id").unique())
        result = replace(result, notes=(*result.notes, *waiting))

    def show() -> Document:
        return result.document(View(given.digits, given.all_pairs, given.ranks))

    with Outputs(result) as outputs:
        criteria = result.pairs["criterion"].unique(maintain_order=True) if alone else (None,)
        outputs.plot(result, given.plots, PICTURE, criteria)
        outputs.show(given, show, lambda: result.as_json(given.ranks))


def _follow_design(given: CompareOptions, table: Ratings, alone: bool) -> None:
    """Says where a study that follows a design stands."""
    from rejoinder.cli.outputs import Outputs
    from rejoinder.planning.design_progress import follow_design

    assert given.design is not None
    scores = None if alone else inputs.measured(given, resamples=0)[0]
    with Progress("comparing"):
        result = follow_design(
            table,
            given.design,
            scores,
            given.a,
            given.b,
            criterion=given.criterion,
            without=given.without,
            scale=given.scale,
            rater_effects=given.rater_effects,
            seed=given.seed,
        )
    with Outputs(result) as outputs:
        outputs.show(given, result.document, result.as_json)
