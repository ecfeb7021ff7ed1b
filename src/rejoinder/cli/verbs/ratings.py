"""``rejoinder ratings``: how far raters agree, and what they say of each system."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import judging, options

EXAMPLES = """\b
Examples:
  rejoinder ratings ratings.csv
  rejoinder ratings ratings.csv --filter-raters --save reliable.csv
  rejoinder ratings batch1.csv batch2.csv --filter-raters=0.2 --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", metavar="FILE...", type=options.PATH, nargs=-1, required=True)
@judging.filter_raters
@judging.least
@click.option(
    "--raters",
    type=click.Choice(["mean", "median", "z"]),
    default="mean",
    show_default=True,
    help="How the ratings of a reply are combined. mean, median, or z: mean of each rater's "
    "standardised ratings.",
)
@options.rating_scale()
@judging.criterion
@options.without
@click.option(
    "--save",
    metavar="FILE",
    type=options.PATH,
    help="Save the results to this file. The ratings that count: .csv, .tsv, .jsonl or .parquet.",
)
@click.option(
    "--aggregated",
    is_flag=True,
    help="With --save: one row for each reply, combined as --raters says, instead of single "
    "ratings.",
)
@options.resamples
@options.seed
@click.option(
    "--ratings-format",
    "ratings_format",
    metavar="NAME",
    help="Format of the ratings (default: recognised).",
)
@options.as_json
def ratings(
    files: tuple[Path, ...],
    filter_raters: float | None,
    least: int,
    raters: str,
    scale: tuple[float, float] | None,
    criterion: str | None,
    without: tuple[str, ...],
    save: Path | None,
    aggregated: bool,
    resamples: int,
    seed: int,
    ratings_format: str | None,
    json: bool,
) -> None:
    """Summarise human ratings: agreement, raters and systems.

    For each criterion: Krippendorff's alpha (nominal, ordinal, interval), each rater's linearly
    weighted kappa against the others, Human (Avg) and Human (Max), and for each system mean, 95%
    interval, and how often each grade was given. An undefined number is never 0: its reason stands
    below.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.human_evaluation.rater_exclusion import THRESHOLD
    from rejoinder.human_evaluation.rating_summary import summarise_ratings
    from rejoinder.tables.ratings import read_ratings
    from rejoinder.tables.write import write_ratings

    threshold = filter_raters
    if aggregated and save is None:
        raise ParameterError("--aggregated says what --save writes; give --save FILE too")
    targets.check_file(save, targets.RATINGS)
    with Progress("reading"):
        table = read_ratings(*files, format=ratings_format)
    with Progress("measuring agreement") as tick:
        told = summarise_ratings(
            table,
            criterion=criterion,
            without=without,
            raters=raters,
            threshold=THRESHOLD if threshold is None else threshold,
            drop=threshold is not None,
            least=least,
            scale=scale,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )
    written = told.aggregated if aggregated else told.ratings
    with Outputs() as outputs:
        outputs.save(save, lambda path: write_ratings(written, path))
        if json:
            write(told.as_json())
            return
        from rejoinder.cli.show.judgements import ratings as show

        show(told)
