"""``rejoinder tune``: weights of a reranker, and what they gain on items not tuned on."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import inputs, options
from rejoinder.cli.candidate_options import CANDIDATES, NUMBERS, weight_bounds
from rejoinder.cli.declarations import PATH, argument, command, integer, option
from rejoinder.cli.option_values import ScoreFile

EXAMPLES = """\b
Examples:
  rejoinder tune samples.jsonl testset.jsonl -m deltableu
  rejoinder tune nbest.out references.txt -m bleu:order=4 -m chrf --json > tuned.json
"""


SAME = ("features", "means", "predictor", "bounds", "folds", "starts", "cluster", "seed")
"""Options that are arguments of the same name."""


class TuneOptions(
    options.TestsetFilesOptions, options.MetricsOptions, options.SeedOptions, options.PrintedOptions
):
    """The options of 'tune'."""

    candidates: Path = CANDIDATES
    testset: Path = argument("testset", type=PATH)
    scores: tuple[ScoreFile, ...] = options.scores(NUMBERS)
    features: tuple[str, ...] = option(
        "--feature",
        metavar="NAME",
        multiple=True,
        holds="metric",
        gives=("features",),
        help="Number of the candidates that is a feature, or a metric without references; may be repeated. "
        "For example lm, length or ruber:model=FOLDER. Default: all numbers but those of --mean and "
        "--predictor, and the total of Moses.",
    )
    means: tuple[str, ...] = option(
        "--mean",
        metavar="NAME",
        multiple=True,
        gives=("means",),
        help="Number of the candidates whose mean counts, as a metric does; may be repeated. For example "
        "a judge's mark or people's ratings; without -m, the first one is tuned.",
    )
    predictor: str | None = option(
        "--predictor",
        metavar="NAME",
        help="Number of all candidates that predicts those of --mean that some do not have. These must "
        "have been drawn at random.",
    )
    bounds: dict[str, tuple[float, float]] = option(
        "--bound",
        metavar="NAME=LOW..HIGH",
        multiple=True,
        callback=weight_bounds,
        gives=("bounds",),
        help="Least and greatest weight of a feature; may be repeated. NAME=0.. is a positive sign.",
    )
    folds: int = integer(
        "--folds",
        type=click.IntRange(2),
        default=5,
        help="Number of folds of the cross-validation.",
    )
    starts: int = integer(
        "--starts", type=click.IntRange(1), default=20, help="Number of starts of each search."
    )
    cluster: str | None = options.CLUSTER


@command(TuneOptions, epilog=EXAMPLES)
def tune(given: TuneOptions) -> None:
    """Tune a reranker by any metric, with the gain held out.

    CANDIDATES are n-best lists: several replies to each item (rows that differ in 'sample' or 'system',
    samples of logs, lists of Moses), whose numbers are features. The weighted sum of features ranks the
    candidates of an item. Och's exact line search finds the weights that make the metric best; the gain is
    measured on items that they were not tuned on. The first metric is tuned, the others are reported.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tuning.tune import tune as tuned

    check_needs(bool(given.means), "--mean NAME", "predictor")
    with Progress("reading"):
        testset = inputs.read_items(given)
    with Progress("tuning") as tick:
        result = tuned(
            given.candidates,
            testset,
            list(given.metrics) or None,
            scores=[each.path for each in given.scores],
            format=given.format,
            columns=given.columns,
            progress=tick,
            **{name: getattr(given, name) for name in SAME},
        )
    with Outputs(result) as outputs:
        outputs.show(given, result.document, result.as_json)
