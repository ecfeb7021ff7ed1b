"""``rejoinder variety``: how varied a system's replies to one prompt are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import PATH, argument, command, integer, option
from rejoinder.cli.terminal.progress import Progress

if TYPE_CHECKING:
    from rejoinder.tables.testset import TestSet
    from rejoinder.tables.types import Responses

EXAMPLES = """\b
Examples:
  rejoinder variety samples.jsonl
  rejoinder variety testset.jsonl samples.jsonl --encoder models/encoder
  rejoinder variety testset.jsonl a.jsonl b.jsonl --samples 10 --plots figures
"""


class VarietyOptions(
    options.TextsOptions,
    options.ScoreFilesOptions,
    options.PrintedOptions,
    options.LedgerOptions,
    options.SeedOptions,
):
    """The options of 'variety'."""

    scores: tuple[options.ScoreFile, ...] = options.scores(
        "They are the quality beside variety, as a judge sees it."
    )

    testset: Path = argument("testset", metavar="[TESTSET]", type=PATH)
    responses: tuple[Path, ...] = argument("responses", type=PATH, nargs=-1)
    encoder: str | None = option(
        "--encoder",
        metavar="FOLDER",
        help="Sentence encoder: its folder, or its name in the local cache. Adds measures by its "
        "cosines, and tests pairs of systems by them.",
    )
    samples: int | None = integer(
        "--samples",
        help="Number of samples of each prompt that the measures are of. Default: the smallest number that a "
        "prompt with several samples has; prompts with fewer are left out.",
    )
    tokenizer: str = options.TOKENIZER
    permutations: int = options.permutations(1000)
    without: tuple[str, ...] = options.without()
    cluster: str | None = options.CLUSTER
    plots: Path | None = options.plots("Quality against variety.")


@command(VarietyOptions, epilog=EXAMPLES)
def variety(given: VarietyOptions) -> None:
    """Measure how varied several replies to one prompt are.

    Over the samples of each prompt, at one number of samples for all: distinct-n, the likeness of
    pairs by chrF and sentence BLEU, the effective number of different replies (Vendi score), and for
    two systems whether one is more varied and whether they say the same. RESPONSES have a column
    'sample', or are logs with repeats. With a TESTSET before them: coverage of the references above
    chance, and closeness to them, which is the quality beside variety.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.diversity.variety import variety as measured

    targets.check_drawings(given.plots)
    testset, responses = _read(given)
    scores = inputs.external(given, given.without) if given.scores else ()
    with Progress("comparing samples") as tick:
        result = measured(
            responses,
            testset,
            encoder=given.encoder,
            scores=scores,
            samples=given.samples,
            tokenizer=given.tokenizer,
            cluster=given.cluster,
            permutations=given.permutations,
            seed=given.seed,
            progress=tick,
        )
    with Outputs(result) as outputs:
        outputs.plot(result, given.plots, "variety")
        outputs.show(given, result.document, result.as_json)


def _read(given: VarietyOptions) -> tuple[TestSet | None, Responses]:
    """The test set, None where all files hold replies alone, and the responses."""
    from rejoinder.tables import types
    from rejoinder.tables.in_memory import read_as

    if given.replies and not inputs.holds_only_replies(given.testset):
        return inputs.read(given, given.without)
    if not inputs.holds_only_replies(given.testset):
        inputs.check_named(given)
    with Progress("reading"):
        files = [given.testset, *given.responses]
        replies = read_as(types.Responses, files, format=given.format, columns=given.columns)
    return None, replies.without(given.without)
