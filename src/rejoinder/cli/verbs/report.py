"""``rejoinder report``: everything that is known of some systems, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import argument, command, path
from rejoinder.cli.terminal.progress import Progress

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.ledger.runs import Runs
    from rejoinder.scoring.scores import Scores
    from rejoinder.tables.testset import TestSet
    from rejoinder.tables.types import Ratings, Responses

LARGE = 25.0
"""Megabytes; such a page opens in about 2 seconds."""

EXAMPLES = """\b
Examples:
  rejoinder report testset.jsonl systems/*.jsonl -o report.html
  rejoinder report testset.jsonl systems/*.jsonl --ratings ratings.csv -o report.html
  rejoinder report testset.jsonl old.jsonl new.jsonl -m bleu -m rougeL -o report.md
  rejoinder report --ratings ratings.csv -o report.html
"""


class ReportOptions(
    options.MeasuredOptions,
    options.RatingFilesOptions,
    options.SamplesOptions,
    options.JsonOptions,
    options.LedgerOptions,
):
    """The options of 'report'."""

    # None where other options name files.
    testset: Path = argument("testset", type=options.PATH, required=False)
    responses: tuple[Path, ...] = argument("responses", type=options.PATH, nargs=-1)
    output: Path = options.output(
        "A page (.html), or the summary and the tables as Markdown for a pull request (.md)."
    )
    ratings: tuple[Path, ...] = options.RATING_FILES
    criterion: str | None = options.criterion("Default: all, each by itself.")
    preferences: tuple[Path, ...] = path(
        "--preferences",
        multiple=True,
        help="File of choices between two systems' replies; may be repeated.",
    )
    ruq: tuple[Path, ...] = path(
        "--ruq",
        multiple=True,
        help="File of 'rejoinder ruq --save' or '--save-tokens'; may be repeated.",
    )
    cluster: str | None = options.CLUSTER
    without: tuple[str, ...] = options.without()


@command(ReportOptions, epilog=EXAMPLES)
def report(given: ReportOptions) -> None:
    """Write one page with all results, to read and to send.

    The page holds: a summary in sentences, with what is not known; the systems with intervals,
    clusters of ranks and tests; a browser of the items; the agreement of metrics with people; the audit;
    RUQ; ratings and raters; and how the page was made. It needs no other file and no network.
    TESTSET holds contexts and their references, RESPONSES are the systems' replies. Without them,
    --scores, --ratings or --preferences alone are enough, and so is a file of 'rejoinder score --save'.
    """
    from dataclasses import replace  # not imported for --help

    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.records import Records
    from rejoinder.cli.show.json_output import write
    from rejoinder.cli.show.options_of_verbs import with_their_verb
    from rejoinder.cli.terminal.showing import show
    from rejoinder.cli.terminal.speech import logged_notes
    from rejoinder.reporting.report import report as made
    from rejoinder.reporting.report import write_report
    from rejoinder.reporting.sections import sentences

    targets.check_file(given.output, targets.REPORT, "--output")
    judged = bool(given.ratings) or bool(given.preferences)
    check_needs(judged, "--ratings FILE or --preferences FILE", "criterion")
    scores = _kept(given)
    texts, replies = _texts(given) if scores is None else (None, None)
    scale = inputs.own_scale(given.ratings)
    ratings = inputs.read_rated(given, scale, given.cluster) if given.ratings else None
    if texts is not None and replies is None and ratings is not None:
        replies = _replies_beside_items(given, texts, ratings)
    check_needs(replies is not None, "responses", "references", "drop_unusable")
    check_needs(replies is not None or scores is not None, "responses", "metrics")
    measured = replies is not None or bool(given.scores)
    check_needs(measured or scores is not None, "responses or --scores FILE", "at")
    check_needs(measured, "responses or --scores FILE", "missing")
    check_needs(bool(given.at), "--at K", "passing")
    metrics = None if scores is not None else inputs.metrics_of(given)
    preferences = _preferences(given)
    with Progress("measuring") as tick:
        result = made(
            texts,
            replies,
            metrics,
            scores=scores,
            ratings=ratings,
            preferences=preferences,
            ruq=given.ruq,
            criterion=given.criterion,
            scale=scale,
            without=given.without if scores is None else (),
            **given.of(options.GapsOptions, options.SamplesOptions, options.SamplingOptions),
            cluster=given.cluster,
            progress=lambda part: _begun(tick, part),
        )
    result = replace(
        result,
        about_data=(*logged_notes(), *result.about_data),
        runs=_runs(given.ledger, result.scores),
    )
    with Outputs(result) as outputs, Progress("writing") as tick:
        record = Records(result).of_page(given.output)
        written = outputs.save(
            given.output, lambda path: write_report(result, path, record, tick, with_their_verb)
        )
        outputs.record(given.ledger, result.document)
        if written:
            _note_size(given.output)
        if given.json:
            write(result.as_json(str(given.output) if written else None))
        else:
            show(sentences(result))


def _runs(ledger: Path | None, scores: Scores) -> Runs | None:
    """The earlier runs of a ledger that have these metrics."""
    from rejoinder.ledger.runs import runs

    if ledger is None or not ledger.exists():
        return None
    known = {*runs(ledger).numbers["metric"]}
    metrics = [label for label in scores.labels if label in known]
    return runs(ledger, metrics=metrics) if metrics else None


def _kept(given: ReportOptions) -> Scores | None:
    """The scores that 'rejoinder score --save' wrote, where they stand in the place of the test set."""
    from rejoinder.tables.kept_files import holds_scores

    if given.testset is None or given.responses or not holds_scores(given.testset):
        return None
    unused = () if given.ratings or given.preferences else ("seed",)
    return inputs.narrowed(given.testset, given.metrics, given.without, ("resamples", *unused))


def _texts(given: ReportOptions) -> tuple[TestSet | None, Responses | None]:
    """The test set and the replies; None where scores or judgements are all that is given.

    A file of scores or ratings that holds texts too is the test set, where none is named; of several logs
    each has the replies of its own system.
    """
    import click

    from rejoinder.tables.assembly.column_mapping import column_mapping
    from rejoinder.tables.formats.format_choice import holds_all, is_log

    others = [*dict.fromkeys((*(each.path for each in given.scores), *given.ratings))]
    if given.testset is None:
        columns = column_mapping(given.columns)
        whole = [
            each for each in others if each.is_file() and holds_all(each, given.format, columns)
        ]
        given.testset = next(iter(whole), None)  # pyright: ignore[reportAttributeAccessIssue]
        given.responses = tuple(each for each in whole[1:] if is_log(each, given.format))
    if given.testset is None and not others and not given.preferences:
        raise click.MissingParameter(
            "Or give --scores, --ratings or --preferences alone.",
            click.get_current_context(),
            param_hint="'TESTSET'",
            param_type="argument",
        )
    if given.testset is not None:
        inputs.take_judges(given)
    if given.replies or not (others or given.preferences):
        return inputs.read(given)
    return (None if given.testset is None else inputs.read_items(given)), None


def _replies_beside_items(
    given: ReportOptions, items: TestSet, ratings: Ratings
) -> Responses | None:
    """The replies of a table of items that has a column of texts for each rated system; else None."""
    from rejoinder.tables.assembly.long_or_wide_scores import holds_numbers
    from rejoinder.tables.assembly.rating_cells import scores_of
    from rejoinder.tables.formats.format_choice import choose
    from rejoinder.tables.in_memory import taken
    from rejoinder.tables.notes import note
    from rejoinder.tables.types import Responses

    part_of = choose([given.testset], given.format, "test set").part
    part = None if part_of is None else part_of(given.testset)
    systems = ratings.frame.get_column("system").unique(maintain_order=True).to_list()
    if part is None or part.frame.height != len(items.ids) or not {*systems} <= {*part.texts()}:
        return None
    columns = part.frame.select(systems)
    if any(holds_numbers(scores_of(each)) for each in columns.iter_columns()):
        return None
    note("systems", given.testset, columns=systems)
    replies = {each.name: [text or None for text in each] for each in columns.iter_columns()}
    return taken(Responses, replies, items.ids)


def _begun(tick: Progress, part: str) -> Progress:
    """The progress of the next part."""
    tick.what, tick.done, tick.total = part, 0, 0
    return tick


def _note_size(path: Path) -> None:
    """A note on a page that browsers open slowly."""
    from rejoinder.cli.terminal.speech import note

    megabytes = path.stat().st_size / 1e6
    if megabytes > LARGE:
        note(
            f"{path}: is of {megabytes:.0f} MB, which a browser opens slowly; take fewer items or systems "
            "(--without), or write the summary and the tables alone (-o report.md)"
        )


def _preferences(given: ReportOptions) -> pl.DataFrame | None:
    """The preferences of all files; None where none is named."""
    if not given.preferences:
        return None
    from rejoinder.tables.preferences import read_preferences

    with Progress("reading"):
        return read_preferences(*given.preferences, format=given.format, columns=given.columns)
