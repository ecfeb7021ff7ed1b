"""``rejoinder correlate``: how far each metric agrees with people."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import options


@click.command()
@click.argument("testset", metavar="TESTSET|SCORES", type=options.PATH)
@options.responses
@options.references
@options.metrics
@options.ratings
@options.ratings_format
@click.option(
    "--protocol",
    "-p",
    type=click.Choice(["turn", "unit", "system", "pairwise"]),
    default="turn",
    show_default=True,
    help="One observation for each rated reply, each unit of items of a pair of systems, each "
    "system, or each pair of replies to a context.",
)
@click.option(
    "--unit-size",
    metavar="M",
    type=int,
    default=100,
    show_default=True,
    help="Number of items in a unit. For --protocol unit.",
)
@click.option(
    "--assignments",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of random assignments of items to units. For --protocol unit.",
)
@click.option(
    "--pair",
    metavar="A B",
    nargs=2,
    multiple=True,
    help="Two systems that form units; may be repeated. For --protocol unit (default: every "
    "pair, or every pair with ratings of its own).",
)
@click.option(
    "--epsilon",
    metavar="X|best",
    default="0",
    show_default=True,
    help="Largest difference of two scores that is a tie, or 'best'. For --protocol pairwise.",
)
@click.option(
    "--resample-raters",
    is_flag=True,
    help="Resample raters as well as contexts for the intervals. For --protocol turn.",
)
@click.option(
    "--correlation",
    "-c",
    "correlations",
    type=click.Choice(["pearson", "spearman", "kendall-b", "kendall-c"]),
    multiple=True,
    help="Correlation coefficient. May be repeated (default: pearson, spearman and kendall-b).",
)
@options.criterion
@options.rating_scale()
@click.option(
    "--raters",
    type=click.Choice(["mean", "median", "z"]),
    default="mean",
    show_default=True,
    help="How the ratings of a reply are combined. mean, median, or z: mean of each rater's "
    "standardised ratings.",
)
@click.option(
    "--without",
    metavar="SYSTEM",
    multiple=True,
    help="Exclude this system; may be repeated. People among the systems raise every correlation.",
)
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of permutations of the significance tests. 0: no tests.",
)
@click.option(
    "--compare", is_flag=True, help="Compare every two metrics, under the first coefficient."
)
@click.option(
    "--save",
    metavar="FILE",
    type=options.PATH,
    help="Save the results to this file. A table: .csv, .tsv, .jsonl or .parquet.",
)
@click.option(
    "--plots",
    metavar="DIR",
    type=options.PATH,
    help="Draw figures into this folder, as PNG and SVG. Bars, heat map, scatter plots; "
    "under --protocol unit sweeps too.",
)
@options.measuring
@options.as_json
def correlate(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    metrics: tuple[str, ...],
    ratings: tuple[Path, ...],
    ratings_format: str | None,
    protocol: str,
    unit_size: int,
    assignments: int,
    pair: tuple[tuple[str, str], ...],
    epsilon: str,
    resample_raters: bool,
    correlations: tuple[str, ...],
    criterion: str | None,
    scale: tuple[float, float] | None,
    raters: str,
    without: tuple[str, ...],
    permutations: int,
    compare: bool,
    save: Path | None,
    plots: Path | None,
    missing: str,
    drop_unusable: bool,
    resamples: int,
    seed: int,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
) -> None:
    """Correlate metrics with human ratings.

    For every metric: the correlation, its 95% interval and a permutation test; beside them a random
    score and the agreement of one rater with the others. Give a test set and responses, or scores
    kept with 'rejoinder score --save', and the ratings.
    """
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.show.plots import draw, tell
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.meta_evaluation import protocols
    from rejoinder.meta_evaluation.correlate import DEFAULT_CORRELATIONS
    from rejoinder.meta_evaluation.correlate import correlate as correlated
    from rejoinder.meta_evaluation.sweep import SweepSettings
    from rejoinder.tables.write import write_table

    _check_protocol(protocol)
    made = {
        "turn": lambda: protocols.Turn(resample_raters),
        "unit": lambda: protocols.Unit(unit_size, assignments, pair),
        "system": protocols.System,
        "pairwise": lambda: protocols.Pairwise(protocols.threshold(epsilon)),
    }
    chosen = made[protocol]()
    protocols.check_names(chosen, correlations)
    targets.check_file(save, targets.CORRELATIONS)
    targets.check_drawings(plots)
    table = inputs.read_rated(ratings, ratings_format, criterion, scale)
    texts = None
    responses = inputs.responses_of(testset, responses, testset_format)
    if responses:
        items, replies = inputs.read(
            testset, references, responses, testset_format, responses_format
        )
        texts = items, replies
        # The intervals of the scores themselves are not shown here.
        scores = inputs.measure(items, replies, metrics, missing, drop_unusable, 0, seed)
    else:
        scores = inputs.kept(testset)
    with Progress("correlating") as tick:
        result = correlated(
            scores,
            table,
            chosen,
            correlations=correlations or DEFAULT_CORRELATIONS,
            criterion=criterion,
            raters=raters,
            without=without,
            scale=scale,
            permutations=permutations,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )
    compared = None
    if compare:
        with Progress("comparing"):
            compared = result.comparisons(result.correlations[0])
    with Outputs() as outputs:
        outputs.save(save, lambda path: write_table(result.table(), path))
        drawn = None
        if plots is not None:
            unit = protocols.Unit(unit_size, assignments, pair)
            held = SweepSettings(table, unit, "", criterion, raters, without, seed)
            folder = plots
            drawn = outputs.make(lambda: draw(folder, result, scores, held, texts, missing), None)
        if json:
            with Progress("correlating within systems"):
                document = result.as_json(compared, drawn.paths if drawn is not None else ())
            write(document)
        else:
            from rejoinder.cli.show.correlate import agreement

            agreement(result, compared)
        if drawn is not None:
            tell(drawn, json)


OF_PROTOCOL = {
    "unit_size": "unit",
    "assignments": "unit",
    "pair": "unit",
    "epsilon": "pairwise",
    "resample_raters": "turn",
}
"""Options that one protocol alone has."""


def _check_protocol(protocol: str) -> None:
    """Raises a ParameterError where an option of another protocol is given, and would be ignored."""
    from rejoinder.errors import ParameterError

    context = click.get_current_context()
    for name, owner in OF_PROTOCOL.items():
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and owner != protocol:
            raise ParameterError(
                f"--{name.replace('_', '-')}: of the protocol '{owner}', and this is '{protocol}'; "
                f"give --protocol {owner}, or leave it out"
            )
