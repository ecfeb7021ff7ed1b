"""``rejoinder compare``: pairs of systems on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rejoinder.cli import options


def compare(
    testset: Annotated[
        Path,
        typer.Argument(
            metavar="TESTSET|SCORES",
            help="A test set, followed by responses; or scores kept with 'rejoinder score --save'.",
        ),
    ],
    responses: options.Responses = None,
    reference: options.References = None,
    metric: options.Metrics = None,
    a: Annotated[str | None, typer.Option("-a", help="Compare this system only ...")] = None,
    b: Annotated[str | None, typer.Option("-b", help="... with this one only.")] = None,
    permutations: Annotated[
        int, typer.Option("--permutations", help="Trials of approximate randomization.")
    ] = 10_000,
    missing: options.Missing = options.MissingReplies.error,
    drop_unusable: options.DropUnusable = False,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 12345,
    testset_format: options.Format = None,
    responses_format: options.ResponsesFormat = None,
    json: options.AsJson = False,
) -> None:
    """Compare systems pair by pair: difference, 95% interval, two paired tests, wins and losses."""
    from rejoinder.cli import inputs
    from rejoinder.cli.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.scoring.scores import load_scores

    if responses:
        items, replies = inputs.read(
            testset, reference, responses, testset_format, responses_format
        )
        scores = inputs.measure(
            items, replies, metric, missing.value, drop_unusable, resamples, seed
        )
    elif metric or reference:
        raise ParameterError(
            f"{testset}: scores are compared under the metrics they were measured with; "
            "name responses to measure anew"
        )
    else:
        scores = load_scores(testset)
    with Progress("comparing"):
        table = scores.compare(a, b, permutations=permutations)
    inputs.shown(json).comparison(scores, table)
