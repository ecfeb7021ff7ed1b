"""``rejoinder compare``: pairs of systems on the same items."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import options


@click.command()
@click.argument("testset", metavar="TESTSET|SCORES", type=options.PATH)
@options.responses
@options.references
@options.metrics
@click.option("-a", metavar="NAME", help="First system of a single comparison.")
@click.option("-b", metavar="NAME", help="Second system of a single comparison.")
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    help="Number of permutations of the significance tests. Default: 10,000, or 100 for each "
    "pair if that is more.",
)
@options.cluster
@options.without
@options.measuring
@options.as_json
def compare(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    metrics: tuple[str, ...],
    a: str | None,
    b: str | None,
    permutations: int | None,
    cluster: str | None,
    without: tuple[str, ...],
    missing: str,
    drop_unusable: bool,
    resamples: int,
    seed: int,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
) -> None:
    """Compare systems pair by pair, with intervals and tests.

    For every pair and metric: the difference, its 95% interval, two paired tests, and how many
    items each system won, tied and lost. Give a test set and responses, or scores kept with
    'rejoinder score --save'.
    """
    from rejoinder.cli import inputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.scoring.compare import compare as pairs

    responses = inputs.responses_of(testset, responses, testset_format)
    if responses:
        items, replies = inputs.read(
            testset, references, responses, testset_format, responses_format, without
        )
        scores = inputs.measure(
            items, replies, metrics, missing, drop_unusable, resamples, seed, cluster
        )
    else:
        scores = inputs.kept(testset, "without", "resamples", "seed")
    with Progress("comparing"):
        compared = pairs(scores, a, b, permutations=permutations, cluster=cluster)
    if json:
        write(compared.as_json())
        return
    from rejoinder.cli.show.compare import comparison

    comparison(compared)
