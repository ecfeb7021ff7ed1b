"""``rejoinder ratings``: how far raters agree, and what they say of each system."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import command, flag

EXAMPLES = """\b
Examples:
  rejoinder ratings ratings.csv
  rejoinder ratings ratings.csv --filter-raters --save reliable.csv
  rejoinder ratings batch1.csv batch2.csv --filter-raters=0.2 --json
"""


class RatingsOptions(options.JudgementsOptions, options.ValuesOptions):
    """The options of 'ratings'."""

    raters: str = options.RATERS
    scale: tuple[float, float] | None = options.scale()
    save: Path | None = options.save("The ratings that count: .csv, .tsv, .jsonl or .parquet.")
    aggregated: bool = flag(
        "--aggregated",
        help="With --save: one row for each reply, combined as --raters says, instead of single "
        "ratings.",
    )
    seed: int = options.seed(hidden=True)
    resamples: int = options.resamples(hidden=True)


@command(RatingsOptions, epilog=EXAMPLES)
def ratings(given: RatingsOptions) -> None:
    """Summarise human ratings: agreement, raters and systems.

    For each criterion: Krippendorff's alpha (nominal, ordinal, interval), each rater's linearly
    weighted kappa against the others, human (avg) and human (max), and for each system mean, 95%
    interval, and how often each grade was given. An undefined number is not shown as 0; the
    reason is printed below the tables.
    """
    from rejoinder.cli.needs import check_needs, from_command_line
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import note
    from rejoinder.human_evaluation.rating_summary import ratings as summarise_ratings
    from rejoinder.tables.in_memory import read_as
    from rejoinder.tables.item_clusters import cluster_columns
    from rejoinder.tables.types import Ratings
    from rejoinder.tables.write import write_ratings

    check_needs(given.save is not None, "--save FILE", "aggregated")
    targets.check_file(given.save, targets.RATINGS)
    for name, option in from_command_line().items():
        if name == "seed" or (name == "resamples" and given.resamples > 0):
            note(f"{option} has no effect: 'ratings' draws nothing at random")
    with Progress("reading"):
        keep, form = cluster_columns(given.cluster), given.format
        table = read_as(Ratings, given.files, format=form, columns=given.columns, keep=keep)
    inputs.take_own_scale(given, given.files)
    with Progress("measuring agreement") as tick:
        summary = summarise_ratings(
            table, raters=given.raters, scale=given.scale, **given.summary(), progress=tick
        )
    summary = inputs.with_notes(summary, given.files)
    rows = summary.aggregated if given.aggregated else summary.ratings

    with Outputs(summary) as outputs:
        outputs.save(given.save, lambda path: write_ratings(rows, path), rows.height)
        outputs.show(given, summary.document, summary.as_json)
