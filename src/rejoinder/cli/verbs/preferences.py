"""``rejoinder preferences``: head-to-head judgements, who beats whom and how surely."""

from __future__ import annotations

from rejoinder.cli import options
from rejoinder.cli.declarations import command, option

EXAMPLES = """\b
Examples:
  rejoinder preferences preferences.csv
  rejoinder preferences preferences.csv --filter-raters --without human --json
"""


class PreferencesOptions(options.JudgementsOptions):
    """The options of 'preferences'."""

    preferences_format: str | None = option(
        "--preferences-format",
        metavar="NAME",
        help="Format of the preferences (default: recognised).",
    )


@command(PreferencesOptions, epilog=EXAMPLES)
def preferences(given: PreferencesOptions) -> None:
    """Summarise which of two systems people prefer.

    Files of id, a, b, winner (a, b, tie, or a system's name) and, if wanted, rater and criterion.
    For each pair of systems: wins, ties and losses with 95% intervals, and a sign test over items;
    for all systems on one scale: Bradley-Terry strengths; for the raters: alpha and kappa.
    """
    from rejoinder.cli import inputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.human_evaluation.preference_summary import summarise_preferences
    from rejoinder.tables.preferences import read_preferences

    with Progress("reading"):
        table = read_preferences(
            *given.files,
            format=given.preferences_format,
            columns=given.columns,
            cluster=given.cluster,
        )
    with Progress("comparing") as tick:
        summary = summarise_preferences(table, **given.summary(), progress=tick)
    summary = inputs.with_notes(summary, given.files)
    if given.json:
        write(summary.as_json())
    else:
        from rejoinder.cli.show.judgements import preferences as show

        show(summary)
