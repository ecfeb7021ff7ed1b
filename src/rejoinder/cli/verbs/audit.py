"""``rejoinder audit``: which metrics reward replies that anyone could fake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.tables.responses import Missing


@click.command()
@click.argument("testset", type=options.PATH)
@options.responses
@options.references
@options.metrics
@click.option(
    "--constant",
    metavar="TEXT",
    default="I don't know.",
    show_default=True,
    help="The reply of the trivial baseline 'constant', which says the same to everything.",
)
@click.option(
    "--turns",
    metavar="N",
    type=int,
    default=2,
    show_default=True,
    help="Number of last turns of the context that are used. For the trivial baseline 'context'.",
)
@click.option(
    "--without",
    metavar="NAME",
    multiple=True,
    help="Exclude this system; may be repeated. For systems that are not real ones: people, "
    "baselines.",
)
@options.measuring
@options.as_json
def audit(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    metrics: tuple[str, ...],
    constant: str,
    turns: int,
    without: tuple[str, ...],
    missing: str,
    drop_unusable: bool,
    resamples: int,
    seed: int,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
) -> None:
    """Find the metrics that reward trivial replies.

    Trivial replies are scored beside the systems: one text to everything, the message echoed, the
    last turns pasted together, a random reply, another item's reference, and the item's own
    reference as it is and with its words shuffled (taken out of the references first). A metric is
    in doubt where such a reply scores as high as the systems.
    """
    from rejoinder.auditing.audit import audit as audited
    from rejoinder.cli import inputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError

    responses = inputs.responses_of(testset, responses, testset_format)
    if not responses:
        inputs.refuse_scores(testset, "audit")
        raise ParameterError(
            f"{testset}: a test set alone; name the systems' replies too: "
            f"rejoinder audit {testset} SYSTEM.jsonl ..."
        )
    items, replies = inputs.read(testset, references, responses, testset_format, responses_format)
    with Progress("auditing") as tick:
        result = audited(
            items,
            replies,
            list(metrics) or None,
            constant=constant,
            turns=turns,
            without=without,
            missing=cast("Missing", missing),
            drop_unusable=drop_unusable,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )
    if json:
        write(result.as_json())
        return
    from rejoinder.cli.show.audit import audit as show

    show(result)
