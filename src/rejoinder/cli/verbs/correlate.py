"""``rejoinder correlate``: how far each metric agrees with people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, flag, option

if TYPE_CHECKING:
    from rejoinder.human_evaluation.rater_effects import RaterEffects
    from rejoinder.meta_evaluation.protocols import Protocol, Turns
    from rejoinder.meta_evaluation.sweep import SweepSettings
    from rejoinder.tables.types import Ratings


class CorrelateOptions(
    options.MeasuringOrScoresOptions, options.RatingFilesOptions, options.ClaimOptions
):
    """The options of 'correlate'."""

    scale: tuple[float, float] | None = options.scale()
    raters: str = options.RATERS
    protocol: str = choice(
        "--protocol",
        "--level",
        "-p",
        of=("turn", "dialogue", "unit", "system", "pairwise", "soft"),
        default="turn",
        help="Level of the correlation. What is one observation: a rated reply (turn), a system in a "
        "conversation (dialogue), a unit of "
        "items of a pair of systems (unit), a system (system), a pair of replies to a context "
        "(pairwise), or a pair of systems (soft: soft pairwise accuracy).",
    )
    unit_size: int = options.UNIT_SIZE
    assignments: int = options.ASSIGNMENTS
    pair: tuple[tuple[str, str], ...] = option(
        "--pair",
        metavar="A B",
        nargs=2,
        multiple=True,
        help="Two systems that form units; may be repeated. For --protocol unit (default: every "
        "pair, or every pair with ratings of its own).",
    )
    epsilon: str = option(
        "--set epsilon",
        metavar="X|best",
        default="0",
        help="Largest difference of two scores that is a tie, or 'best'. For --protocol pairwise.",
    )
    aggregate_turns: str = choice(
        "--set aggregate_turns",
        of=("mean", "least", "last"),
        default="mean",
        help="How the turns of a conversation become one score and one rating. For --protocol "
        "dialogue; conversations are named by --cluster.",
    )
    rater_effects: RaterEffects | None = options.RATER_EFFECTS
    correlations: tuple[str, ...] = choice(
        "--correlation",
        "-c",
        of=("pearson", "spearman", "kendall-b", "kendall-c"),
        multiple=True,
        help="Correlation coefficient. May be repeated (default: pearson, spearman and kendall-b).",
    )
    cluster: str | None = options.CLUSTER
    compare: bool = flag(
        "--compare", help="Compare every two metrics, under the first coefficient."
    )
    without: tuple[str, ...] = options.without("People among the systems raise every correlation.")
    permutations: int = options.permutations(1000)
    save: Path | None = options.save("A table: .csv, .tsv, .jsonl or .parquet.")
    plots: Path | None = options.plots(
        "Bars, heat map, scatter plots; under --protocol unit sweeps too."
    )


@command(CorrelateOptions)
def correlate(given: CorrelateOptions) -> None:
    """Correlate metrics with human ratings.

    For every metric: the correlation, its 95% interval and a permutation test; beside them a random
    score and the agreement of one rater with the others. Give a test set and responses, or scores
    kept with 'rejoinder score --save', and the ratings.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show.plots import draw, print_notes_of
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.meta_evaluation import protocols
    from rejoinder.meta_evaluation.correlate import DEFAULT_CORRELATIONS
    from rejoinder.meta_evaluation.correlate import correlate as correlated
    from rejoinder.tables.write import write_table

    protocol = _protocol(given)
    protocols.check_names(protocol, given.correlations)
    targets.check_file(given.save, targets.CORRELATIONS)
    targets.check_drawings(given.plots)
    table = inputs.read_rated(given, given.scale, given.cluster)
    # The intervals of the scores themselves are not shown here.
    scores, texts = inputs.measured(given, resamples=0)
    with Progress("correlating") as tick:
        result = correlated(
            scores,
            table,
            protocol,
            correlations=given.correlations or DEFAULT_CORRELATIONS,
            criterion=given.criterion,
            raters=given.raters,
            without=given.without,
            scale=given.scale,
            cluster=given.cluster,
            permutations=given.permutations,
            **given.of(options.SamplingOptions),
            progress=tick,
        )
    result = inputs.with_notes(result, given.ratings)
    compared = None
    if given.compare:
        with Progress("comparing"):
            compared = result.comparisons(result.correlations[0])
    rows = result.table()

    def document(paths: Sequence[Path]) -> dict[str, Any]:
        with Progress("correlating within systems"):
            return result.as_json(compared, paths)

    with Outputs(result) as outputs:
        outputs.save(given.save, lambda path: write_table(rows, path), rows.height)
        album = None
        if (folder := given.plots) is not None:
            settings = _sweep(given, table)
            album = outputs.make(
                lambda: draw(folder, result, scores, settings, texts, given.missing), None
            )
        paths = () if album is None else album.paths
        outputs.drew(given.plots, paths)
        outputs.show(given, lambda: result.document(comparisons=compared), lambda: document(paths))
        if album is not None:
            print_notes_of(album, given.json)


def _sweep(given: CorrelateOptions, table: Ratings) -> SweepSettings:
    """What the sweeps that are drawn under --protocol unit are computed with."""
    from rejoinder.meta_evaluation.protocols import Unit
    from rejoinder.meta_evaluation.sweep import SweepSettings

    unit = Unit(given.unit_size, given.assignments, given.pair)
    return SweepSettings(table, unit, "", given.criterion, given.raters, given.without, given.seed)


OF_PROTOCOL = {
    "unit_size": "unit",
    "assignments": "unit",
    "pair": "unit",
    "epsilon": "pairwise",
    "rater_effects": "turn",
    "aggregate_turns": "dialogue",
}
"""Options that one protocol alone has."""


def _protocol(given: CorrelateOptions) -> Protocol:
    """The protocol with its parameters.

    Raises:
        ParameterError: An option of another protocol is given, and would be ignored.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.meta_evaluation import protocols

    for name, owner in OF_PROTOCOL.items():
        check_needs(given.protocol == owner, f"--protocol {owner}", name)
    if given.protocol == "turn":
        return protocols.Turn(given.rater_effects)
    if given.protocol == "dialogue":
        return protocols.Dialogue(cast("Turns", given.aggregate_turns))
    if given.protocol == "unit":
        return protocols.Unit(given.unit_size, given.assignments, given.pair)
    if given.protocol == "pairwise":
        return protocols.Pairwise(protocols.threshold(given.epsilon))
    return protocols.protocol_named(given.protocol)
