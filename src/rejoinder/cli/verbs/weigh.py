"""``rejoinder weigh``: weighted references from ratings, or from a learned rater."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import command, flag, path
from rejoinder.cli.option_values import ScoreFile
from rejoinder.cli.terminal.progress import Progress
from rejoinder.errors import ParameterError, one_of

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.document.parts import Document
    from rejoinder.metrics.base import Metric
    from rejoinder.references.weighing import Weighed
    from rejoinder.tables.testset import TestSet


class WeighOptions(
    options.TextsOptions,
    options.RatingFilesOptions,
    options.ScoreFilesOptions,
    options.PrintedOptions,
):
    """The options of 'weigh'."""

    output: Path = options.output("A test set: .jsonl or .parquet.")
    ratings: tuple[Path, ...] = options.RATING_FILES
    scale: tuple[float, float] = options.scale((1.0, 5.0))
    filter_raters: float | None = options.FILTER_RATERS
    least: int = options.LEAST
    least_raters: int = options.LEAST_RATERS
    scores: tuple[ScoreFile, ...] = options.scores("They become weights.")
    weights_from: str | None = options.weights_from(
        "With --scores: which of their metrics. With --ratings the weights have the distribution of "
        "those by people."
    )
    rated_replies: tuple[Path, ...] = path(
        "--rated-replies",
        multiple=True,
        help="File of the replies that --ratings are of, where they should not become references; may be "
        "repeated. For --weights-from and --scores.",
    )
    without: tuple[str, ...] = options.without(
        "Its replies make no references: exclude the system to be scored."
    )
    keep: bool = flag("--keep", help="Keep the test set's own references, before the others.")


@command(WeighOptions)
def weigh(given: WeighOptions) -> None:
    """Make weighted references of replies that were rated.

    Each rated reply becomes a reference of its item: its source the system, its weight the mean
    rating scaled to -1 (worst) to 1 (best). With --weights-from or --scores a learned rater weighs every
    reply or mined candidate; without any, the references of the test set. A system must not be
    scored against its own replies: exclude it with --without.
    """
    from rejoinder.cli.outputs import save_and_print
    from rejoinder.references.weighing import weigh as weighed
    from rejoinder.tables.write import write_testset

    _check_given(given)
    targets.check_file(given.output, targets.TESTSET, "--output")
    testset, responses, rated = _read(given)
    ratings = inputs.read_rated(given) if given.ratings else None
    with Progress("scoring") as tick:
        result = weighed(
            testset,
            responses,
            ratings,
            scale=given.scale,
            criterion=given.criterion,
            without=given.without,
            keep=given.keep,
            filter_raters=given.filter_raters,
            least=given.least,
            least_raters=given.least_raters,
            weights_from=_weights_from(given),
            rated_replies=rated,
            progress=tick,
        )
    result = inputs.with_notes(result, [*given.ratings, *(each.path for each in given.scores)])
    save_and_print(
        result,
        given.output,
        lambda path: write_testset(result.testset, path),
        len(result.testset),
        given=given,
        show=_document,
    )


def _check_given(given: WeighOptions) -> None:
    """Raises a ParameterError where an option is lacking, or has no effect."""
    from rejoinder.cli.needs import check_needs

    learned = given.weights_from is not None or bool(given.scores)
    if not learned:
        inputs.check_named(given, "--ratings FILE -o OUT.jsonl")
        if not given.ratings:
            raise ParameterError(
                "no ratings: give people's with --ratings FILE, or a learned rater with --weights-from "
                "ruber:model=FOLDER or --scores FILE"
            )
    check_needs(learned, "--weights-from METRIC or --scores FILE", "rated_replies")
    of_ratings = ("criterion", "filter_raters", "least_raters", "rated_replies")
    check_needs(bool(given.ratings), "--ratings FILE", *of_ratings)
    check_needs(given.filter_raters is not None, "--filter-raters", "least")
    unbounded = any(each.bounds is None for each in given.scores)
    check_needs(
        bool(given.ratings) or unbounded, "--ratings FILE or --scores FILE without bounds", "scale"
    )
    check_needs(bool(given.replies), "replies behind the test set", "keep", "without")


def _read(given: WeighOptions) -> tuple[TestSet, pl.DataFrame | None, pl.DataFrame | None]:
    """The test set, what becomes references, and the rated replies."""
    from rejoinder.tables.candidates import read_candidates

    with Progress("reading"):
        testset = inputs.read_items(given)

    def read(paths: tuple[Path, ...]) -> pl.DataFrame | None:
        if not paths:
            return None
        with Progress("reading"):
            how = {"format": given.format, "columns": given.columns}
            return read_candidates(*paths, ids=testset.ids, **how)

    return testset, read(given.replies), read(given.rated_replies)


def _weights_from(given: WeighOptions) -> str | Metric | None:
    """The learned rater: a metric by its name, or the metric of --scores."""
    if not given.scores:
        return given.weights_from
    metrics = {each.label: each for each in inputs.external(given)}
    if given.weights_from is None and len(metrics) == 1:
        return next(iter(metrics.values()))
    if given.weights_from not in metrics:
        what = (
            "several metrics" if given.weights_from is None else f"no metric '{given.weights_from}'"
        )
        raise ParameterError(f"--scores: {what}; choose {one_of(metrics)} with --weights-from NAME")
    return metrics[given.weights_from]


def _document(result: Weighed) -> Document:
    """The sources of references, with their weights."""
    import polars as pl

    from rejoinder.document.parts import GAP, Line, lines
    from rejoinder.document.table import Table, key, number

    columns = [
        key("source", show=lambda source: "(none named)" if source is None else source),
        number("references"),
        number("mean weight", "mean", lambda mean: f"{mean:.3f}"),
        number("above 0", "positive", lambda share: f"{100 * share:.1f}%"),
    ]
    meanings = {
        "source": "Source of references; null where none is named.",
        "references": "Number of its references.",
        "mean": "Mean of their weights.",
        "positive": "Share with a weight above 0.",
    }
    schema = {
        "source": pl.String,
        "references": pl.Int64,
        "mean": pl.Float64,
        "positive": pl.Float64,
    }
    sources = pl.DataFrame(result.sources(), schema)
    numbers = f"{len(result.testset)} items, {result.testset.references.height} references"
    table = Table(sources, columns, meanings=meanings)
    return [table, GAP, Line(numbers), *lines(result.notes, "note")]
