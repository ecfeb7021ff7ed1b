"""``rejoinder score``: every system under every metric, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rejoinder.cli import options


def score(
    testset: Annotated[
        Path,
        typer.Argument(help="Contexts and their references, in any format of docs/formats.md."),
    ],
    responses: options.Responses = None,
    reference: options.References = None,
    metric: options.Metrics = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="A table for each value of this column of the contexts (topic)."),
    ] = None,
    segments: Annotated[
        bool, typer.Option("--segments", help="A row for each system and item.")
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="ID", help="Say what made the score of this one item."),
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", help="The system to explain; else all of them.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Keep the measured rows, without texts, in a Parquet file."),
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(
            "--block",
            metavar="N",
            help="Read Parquet files in batches, in memory that does not grow with them, and keep "
            "the sums of N consecutive items; intervals resample these blocks.",
        ),
    ] = None,
    missing: options.Missing = options.MissingReplies.error,
    drop_unusable: options.DropUnusable = False,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 12345,
    testset_format: options.Format = None,
    responses_format: options.ResponsesFormat = None,
    json: options.AsJson = False,
) -> None:
    """Score systems on a test set: value, 95% interval, and whether the best is really better."""
    from rejoinder.cli import inputs

    show = inputs.shown(json)
    if block is not None:
        inputs.check_block(explain, by, segments, reference, testset_format, responses_format)
        scores = inputs.stream(
            testset, responses or (), metric, block, drop_unusable, resamples, seed
        )
    else:
        items, replies = inputs.read(
            testset, reference, responses, testset_format, responses_format
        )
        if explain is not None:
            show.explanations(inputs.explain(items, replies, explain, system, metric))
            return
        scores = inputs.measure(
            items, replies, metric, missing.value, drop_unusable, resamples, seed
        )
    if save is not None:
        scores.save(save)
    if segments:
        show.segments(scores)
    elif by is not None:
        show.groups(scores, by)
    else:
        show.systems(scores)
