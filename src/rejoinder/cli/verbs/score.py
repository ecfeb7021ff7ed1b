"""``rejoinder score``: every system under every metric, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.scoring.explain import Explanation
    from rejoinder.scoring.scores import Scores


@click.command()
@click.argument("testset", type=options.PATH)
@options.responses
@options.references
@options.metrics
@click.option(
    "--by",
    metavar="COLUMN",
    help="Column of the contexts to group by, with a table for each value. For example topic.",
)
@click.option(
    "--segments",
    is_flag=True,
    help="Print the score of every reply: one row for each system and item.",
)
@click.option(
    "--explain",
    metavar="ID",
    help="Explain the scores of the item with this id. Under deltableu, or the metrics of -m.",
)
@click.option("--system", metavar="NAME", help="Only this system. For --explain (default: all).")
@click.option(
    "--save",
    type=options.PATH,
    help="Save the results to this file. Measured rows without texts, as Parquet.",
)
@click.option(
    "--block",
    metavar="N",
    type=int,
    help="Read Parquet files in batches, in constant memory, and keep sums of N consecutive "
    "items. Intervals and tests then take these blocks for items.",
)
@options.cluster
@options.without
@options.measuring
@options.as_json
def score(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    metrics: tuple[str, ...],
    by: str | None,
    segments: bool,
    explain: str | None,
    system: str | None,
    save: Path | None,
    block: int | None,
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
    """Score systems on a test set, with intervals and a verdict.

    Every system gets a value and a 95% interval under every metric, and the best system is tested
    against the next one. TESTSET holds contexts and their references, in any format of
    docs/formats.md. RESPONSES are the systems' replies: one or more files; a file that names no
    system is named after itself. Scores kept with --save may stand in place of both.
    """
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.scoring.store import holds_scores

    given = {
        "--explain": explain,
        "--by": by,
        "--segments": segments,
        "--save": save,
        "--cluster": cluster,
    }
    inputs.check_together(
        given,
        ("--explain", "--by"),
        ("--explain", "--segments"),
        ("--explain", "--save"),
        ("--explain", "--cluster"),
    )
    inputs.check_together(given, ("--by", "--segments"))
    check_needs(explain is not None, "--explain ID", "system")
    targets.check_file(save, targets.SCORES)
    if block is None:
        responses = inputs.responses_of(testset, responses, testset_format)
    if block is not None:
        inputs.check_block(
            explain, by, segments, cluster, references, testset_format, responses_format, without,
            missing != "error",
        )  # fmt: skip
        scores = inputs.stream(testset, responses, metrics, block, drop_unusable, resamples, seed)
    elif not responses and holds_scores(testset):
        scores = inputs.kept(testset, "explain", "system", "without", "resamples", "seed")
        scores = scores if cluster is None else scores.clustered(cluster)
    else:
        items, replies = inputs.read(
            testset, references, responses, testset_format, responses_format, without
        )
        if explain is not None:
            _explain(inputs.explain(items, replies, explain, system, metrics, missing), json)
            return
        scores = inputs.measure(
            items, replies, metrics, missing, drop_unusable, resamples, seed, cluster
        )
    with Outputs() as outputs:
        outputs.save(save, scores.save)
        _show(scores, segments, by, json)


def _explain(explanations: Sequence[Explanation], json: bool) -> None:
    if json:
        from rejoinder.cli.show.machine import write

        write([each.as_json() for each in explanations])
        return
    from rejoinder.cli.show.explain import explanations as show

    show(explanations)


def _show(scores: Scores, segments: bool, by: str | None, json: bool) -> None:
    """The systems, or each reply (``segments``), or the systems for each value of a column (``by``)."""
    if json:
        from rejoinder.cli.show.machine import write

        if segments:
            write({"segments": scores.segments().to_dicts(), "notes": scores.notes})
        elif by is not None:
            write({"groups": scores.by(by).to_dicts(), "notes": scores.notes})
        else:
            write(scores.as_json())
        return
    from rejoinder.cli.show import score as show

    if segments:
        show.segments(scores)
    elif by is not None:
        show.groups(scores, by)
    else:
        show.systems(scores)
