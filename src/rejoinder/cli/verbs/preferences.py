"""``rejoinder preferences``: head-to-head judgements, who beats whom and how surely."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import judging, options

EXAMPLES = """\b
Examples:
  rejoinder preferences preferences.csv
  rejoinder preferences preferences.csv --filter-raters --without human --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", metavar="FILE...", type=options.PATH, nargs=-1, required=True)
@judging.filter_raters
@judging.least
@judging.criterion
@options.without
@options.resamples
@options.seed
@click.option(
    "--format",
    "-f",
    "preferences_format",
    metavar="NAME",
    help="Format of the input files (default: recognised).",
)
@options.as_json
def preferences(
    files: tuple[Path, ...],
    filter_raters: float | None,
    least: int,
    criterion: str | None,
    without: tuple[str, ...],
    resamples: int,
    seed: int,
    preferences_format: str | None,
    json: bool,
) -> None:
    """Summarise which of two systems people prefer.

    Files of id, a, b, winner (a, b, tie, or a system's name) and, if wanted, rater and criterion.
    For each pair of systems: wins, ties and losses with 95% intervals, and a sign test over items;
    for all systems on one scale: Bradley-Terry strengths; for the raters: alpha and kappa.
    """
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.human_evaluation.preference_summary import summarise_preferences
    from rejoinder.human_evaluation.rater_exclusion import THRESHOLD
    from rejoinder.tables.preferences import read_preferences

    threshold = filter_raters
    with Progress("reading"):
        table = read_preferences(*files, format=preferences_format)
    with Progress("comparing") as tick:
        told = summarise_preferences(
            table,
            criterion=criterion,
            without=without,
            threshold=THRESHOLD if threshold is None else threshold,
            drop=threshold is not None,
            least=least,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )
    if json:
        write(told.as_json())
        return
    from rejoinder.cli.show.judgements import preferences as show

    show(told)
