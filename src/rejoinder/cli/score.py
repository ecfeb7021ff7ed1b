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
    missing: options.Missing = options.MissingReplies.error,
    drop_unusable: options.DropUnusable = False,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 12345,
    testset_format: options.Format = None,
    responses_format: options.ResponsesFormat = None,
    json: options.AsJson = False,
) -> None:
    """Score systems on a test set: value, 95% interval, and whether the best is really better."""
    from rejoinder.cli import inputs, render

    items, replies = inputs.read(testset, reference, responses, testset_format, responses_format)
    if explain is not None:
        render.explanations(_explanations(items, replies, explain, system, metric), json)
        return
    scores = inputs.measure(items, replies, metric, missing.value, drop_unusable, resamples, seed)
    if save is not None:
        scores.save(save)
    if segments:
        render.segments(scores, json)
    elif by is not None:
        render.groups(scores, by, json)
    else:
        render.systems(scores, json)


def _explanations(items, replies, explain, system, metric):  # noqa: ANN001, ANN202
    from rejoinder.metrics import registry
    from rejoinder.scoring.explain import explain as explained

    systems = [system] if system else replies["system"].unique(maintain_order=True).to_list()
    wanted = metric or ["deltableu"]
    return [
        explained(items, replies, explain, one, registry.metric(each))
        for each in wanted
        for one in systems
    ]
