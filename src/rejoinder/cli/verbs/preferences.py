"""``rejoinder preferences``: head-to-head judgements, who beats whom and how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import choice, command, flag, option
from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    from rejoinder.human_evaluation.rater_effects import RaterEffects
    from rejoinder.statistics.paired_comparisons import Ties

EXAMPLES = """\b
Examples:
  rejoinder preferences preferences.csv
  rejoinder preferences preferences.csv --filter-raters --without human --json
  rejoinder preferences votes.csv --ties davidson --covariate length --ranks
  rejoinder preferences votes.csv --judge gpt-4 --same-family gpt-4=our-gpt-4
"""


class PreferencesOptions(options.JudgementsOptions):
    """The options of 'preferences'."""

    ties: str = choice(
        "--ties",
        of=("half", "davidson"),
        default="half",
        help="How strengths treat ties: half a win for either system, or an outcome of its own "
        "(Davidson 1970).",
    )
    covariates: tuple[str, ...] = option(
        "--covariate",
        metavar="NAME",
        multiple=True,
        help="Take a difference of the two replies out of the strengths; may be repeated. The columns "
        "NAME_a and NAME_b, or NAME with the difference; 'length' and 'markdown' are measured of "
        "the columns text_a and text_b.",
    )
    judges: tuple[str, ...] = option(
        "--judge",
        metavar="RATER",
        multiple=True,
        help="Rater, such as a language model, whose votes get a discrimination of their own; may be "
        "repeated. Its preference for the first place and its agreement with itself are printed too.",
    )
    own_kinds: tuple[str, ...] = option(
        "--same-family",
        metavar="RATER=SYSTEM",
        multiple=True,
        gives=("own",),
        help="A system built on the judge's own model or its family; may be repeated. By how much the "
        "judge prefers it beyond people's votes.",
    )
    rater_effects: RaterEffects | None = options.RATER_EFFECTS
    bootstrap: bool = flag(
        "--bootstrap",
        help="Intervals of strengths by the percentile bootstrap, which are somewhat too narrow.",
    )
    ranks: bool = options.RANKS


def _own(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """The systems of each judge's kind, from ``RATER=SYSTEM``."""
    systems: dict[str, list[str]] = {}
    for pair in pairs:
        rater, equals, system = pair.partition("=")
        if not (rater and equals and system):
            raise ParameterError(
                f"--same-family {pair!r}: expected RATER=SYSTEM, such as --same-family gpt-4=our-gpt-4"
            )
        systems.setdefault(rater, []).append(system)
    return systems


@command(PreferencesOptions, epilog=EXAMPLES)
def preferences(given: PreferencesOptions) -> None:
    """Summarise which of two systems people prefer.

    Files of id, a, b, winner (a, b, tie, or a system's name) and, if wanted, rater and criterion.
    For each pair of systems: wins, ties and losses with 95% intervals, and a sign test over items;
    for all systems on one scale: strengths (Bradley and Terry, or Davidson); for the raters: alpha
    and kappa.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.human_evaluation.preference_summary import preferences as summarise_preferences
    from rejoinder.tables.covariates import covariate_columns
    from rejoinder.tables.in_memory import read_as
    from rejoinder.tables.item_clusters import cluster_columns
    from rejoinder.tables.types import Preferences

    keep = (*cluster_columns(given.cluster), *covariate_columns(given.covariates))
    form, columns = given.format, given.columns
    with Progress("reading"):
        table = read_as(Preferences, given.files, format=form, columns=columns, keep=keep)
    with Progress("comparing") as tick:
        summary = summarise_preferences(
            table,
            **given.summary(),
            ties=cast("Ties", given.ties),
            covariates=given.covariates,
            judges=given.judges,
            own=_own(given.own_kinds),
            rater_effects=given.rater_effects,
            bootstrap=given.bootstrap,
            ranks=given.ranks,
            progress=tick,
        )
    summary = inputs.with_notes(summary, given.files)

    with Outputs(summary) as outputs:
        outputs.show(given, summary.document, summary.as_json)
