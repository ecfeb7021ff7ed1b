"""``rejoinder score``: every system under every metric, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import command, flag, integer, option
from rejoinder.cli.shard_option import ShardOptions, in_shards

if TYPE_CHECKING:
    from rejoinder.document.parts import Document
    from rejoinder.scoring.explanation import Explanations
    from rejoinder.scoring.scores import Scores


class ScoreOptions(options.ScoringOptions, options.SamplesOptions, ShardOptions):
    """The options of 'score'."""

    by: str | None = options.by("topic")
    segments: bool = flag(
        "--segments",
        help="Print the score of every reply: one row for each system and item. Values are not "
        "multiplied by 100.",
    )
    explain: str | None = option(
        "--explain",
        metavar="ID",
        help="Explain the scores of the item with this id. The metric is deltableu, or those of -m.",
    )
    system: str | None = option(
        "--system",
        metavar="NAME",
        help="Only this system. Its replies that the first metric scores worst are printed below the scores; "
        "--explain explains it alone.",
    )
    block: int | None = integer(
        "--block",
        help="Read Parquet files, or folders of them, in batches, in constant memory, and keep sums of N "
        "consecutive items. Intervals and tests then treat these blocks as items.",
    )
    exact: bool = flag(
        "--exact",
        help="Clopper and Pearson's exact intervals of rates, which cover 95% or more, in the place of "
        "Wilson's, which cover 95% on average and are narrower.",
    )
    resamples: int = options.resamples("0 turns off every interval and the verdict.")
    save: Path | None = options.save("Measured rows without texts, as Parquet.")


@command(ScoreOptions)
@in_shards
def score(given: ScoreOptions) -> None:
    """Score systems on a test set, with intervals and a verdict.

    Every system gets a value and a 95% interval under every metric, and the best system is tested
    against the next one. TESTSET holds contexts and their references, in any format of
    docs/formats.md. RESPONSES are the systems' replies: one or more files; a file that names no
    system is named after itself. Scores kept with --save may stand in place of both, and so may
    --scores, the numbers of another tool.
    """
    from functools import partial  # not imported for --help

    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.plain_files import scores_of_lines
    from rejoinder.cli.show import json_output
    from rejoinder.files.shards import in_shards as merged_or_shard

    inputs.check_together(given, "exact", "segments")
    for other in ("by", "segments", "save", "cluster", "scores", "only", "exact"):
        inputs.check_together(given, "explain", other)
    inputs.check_together(given, "block", "only")
    for other in ("json", "segments", "explain"):
        inputs.check_together(given, "digits", other)
    for other in ("by", "segments", "explain"):
        inputs.check_together(given, "ranks", other)
    for other in ("by", "tables", "ledger"):
        inputs.check_together(given, other, "segments")
    inputs.check_together(given, "explain", "ledger")
    for other in ("by", "segments", "explain"):
        inputs.check_together(given, other, "claim")
    inputs.check_together(given, "explain", "at")
    if given.explain is None:
        for other in ("by", "segments", "block", "ledger", "claim"):
            inputs.check_together(given, "system", other)
    check_needs(bool(given.at), "--at K", "passing")
    targets.check_file(given.save, targets.SCORES)
    inputs.check_given(given)
    if given.block is not None:
        inputs.check_block(
            given.explain, given.by, given.segments, given.cluster, given.references, given.scores,
            given.format, given.columns, given.without, given.at,
            given.missing != "error",
        )  # fmt: skip
        scores = inputs.stream(given, given.block)
    elif given.explain is not None and given.replies:
        texts = inputs.read(given, given.without)
        _explain(inputs.explain(given, *texts, given.explain, given.system), given)
        return
    elif given.json and not merged_or_shard() and (lines := scores_of_lines(given)):
        json_output.write(lines.as_json())
        return
    else:
        unused = ("explain", "system", "resamples", "seed")
        scores, _ = inputs.measured(given, given.without, cluster=given.cluster, unused=unused)
    if given.exact:
        scores = scores.with_exact_rates()
    with Outputs(scores) as outputs:
        outputs.save(given.save, scores.save)
        outputs.show(given, partial(_show, scores, given), partial(_document, scores, given))


def _explain(explanations: Explanations, given: ScoreOptions) -> None:
    from rejoinder.cli.outputs import Outputs

    with Outputs() as outputs:
        outputs.show(given, explanations.document, explanations.as_json)


def _document(scores: Scores, given: ScoreOptions) -> dict[str, Any]:
    """What ``--json`` prints."""
    if given.segments:
        return {"segments": scores.segments().to_dicts(), "notes": scores.notes}
    if given.by is not None:
        return {"groups": scores.by(given.by).to_dicts(), "notes": scores.notes}
    if given.system is None:
        return scores.as_json(given.ranks)
    return scores.as_json(given.ranks) | {"examples": scores.worst_replies(given.system).to_dicts()}


def _show(scores: Scores, given: ScoreOptions) -> Document | None:
    """The systems, or each reply (``--segments``), or the systems for each value of a column (``--by``)."""
    from rejoinder.document.parts import GAP, View
    from rejoinder.scoring.example_items import shown_worst
    from rejoinder.scoring.score_tables import groups

    if given.by is not None:
        return groups(scores, scores.by(given.by), given.by, given.digits)
    if not given.segments:
        document = scores.document(View(given.digits, ranks=given.ranks))
        if given.system is None:
            return document
        worst = scores.worst_replies(given.system)
        return [*document, GAP, *shown_worst(worst, scores.measured, given.digits)]
    from rejoinder.cli.terminal.console import console, print_notes, rows

    rows(scores.segments())
    print_notes(console(stderr=True), scores.notes)
    return None
