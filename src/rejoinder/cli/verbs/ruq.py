"""``rejoinder ruq``: does a model prefer a generic reply to what people said?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import Options, argument, command, flag, integer, option, path
from rejoinder.cli.shard_option import ShardOptions, in_shards
from rejoinder.cli.terminal.speech import note, say

if TYPE_CHECKING:
    from rejoinder.models.likelihood.prompts import Prompting
    from rejoinder.utterance_quantity.result import Quantity


class PromptOptions(Options):
    """How the turns of a context become a prompt."""

    turns: int | None = options.TURNS
    turn_end: str = option(
        "--set turn_end",
        metavar="TEXT",
        default="\\n",
        help="Text after every turn of a plain prompt (\\n: a line end).",
    )
    template: str = options.TEMPLATE
    no_end: bool = flag("--set no_end", help="Do not count the end of sequence as a token.")


class RuqOptions(
    PromptOptions,
    options.LocalModelOptions,
    options.TestsetFilesOptions,
    options.SamplingOptions,
    options.PrintedOptions,
    options.LedgerOptions,
    ShardOptions,
):
    """The options of 'ruq'."""

    models: tuple[str, ...] = argument("models", metavar="MODEL...", nargs=-1, required=True)
    testset: Path = argument("testset", type=options.PATH)
    generic: Path | None = path(
        "--generic",
        help="File of generic replies, one on each line (default: a set of English ones).",
    )
    reference_rule: str = option(
        "--reference-rule",
        metavar="RULE",
        default="w>=0",
        help="References that count: all, single (the first), or w>=T.",
    )
    outputs: Path | None = path(
        "--outputs",
        help="Responses of the models themselves, for the plot. Systems are named like the models.",
    )
    by: str | None = options.by("topic or reference_words")
    worst: int = integer(
        "--worst",
        type=click.IntRange(0),
        default=5,
        help="Number of prompts to show for each model: those where a generic reply wins by most.",
    )
    fail_above: float | None = option(
        "--fail-above",
        metavar="X",
        type=click.FloatRange(0, 1),
        help="Threshold from 0 to 1: exit with status 1 if the strongest generic reply is at least "
        "as likely as the reference on a greater share of the prompts.",
    )
    end_text: str = option(
        "--set end_text",
        metavar="TEXT",
        default="",
        show_default=False,
        help="End-of-sequence token of a server's model.",
    )
    work: Path | None = options.WORK
    cluster: str | None = options.CLUSTER
    save: Path | None = options.save("Wins and ties without texts, as Parquet.")
    save_tokens: Path | None = path(
        "--save-tokens",
        writes=True,
        help="Save the log-probability of every token to this file, as Parquet.",
    )
    plots: Path | None = options.plots("The RUQ plot.")


@command(RuqOptions)
@in_shards
def ruq(given: RuqOptions) -> None:
    """Measure how often the reference beats a generic reply (RUQ).

    MODEL is a folder of a transformers model, the name of a model that is on this machine, the URL
    of an OpenAI-compatible server, or a .jsonl file of likelihoods computed elsewhere.
    TESTSET holds prompts and references. RUQ (relative utterance quantity) is the share of prompts
    whose reference has a higher mean log-probability per token than the generic reply.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.models.likelihood.backend import LocalModel
    from rejoinder.models.likelihood.registry import open_backends
    from rejoinder.tables.responses import read_responses
    from rejoinder.utterance_quantity.generic import generic_replies
    from rejoinder.utterance_quantity.requests import check_column
    from rejoinder.utterance_quantity.ruq import ruq as measure

    inputs.check_model_first(given.models, given.testset)
    _check(given)
    with Progress("reading"):
        testset = inputs.read_items(given)
        responses = given.outputs and read_responses(
            given.outputs, ids=testset.ids, columns=given.columns
        )
        replies = generic_replies(given.generic)
    check_column(testset, given.by)
    with Progress("loading"):
        backends = open_backends(
            given.models,
            _prompting(given),
            local=LocalModel(**given.of(options.LocalModelOptions)),
            end_text=given.end_text,
        )
    targets.announce_replacements()
    with Progress("measuring likelihoods", "prompts") as tick:
        result = measure(
            testset,
            backends,
            generic=replies,
            references=given.reference_rule,
            outputs=responses,
            work=given.work,
            cluster=given.cluster,
            **given.of(options.SamplingOptions),
            progress=tick,
        )
    for each in result.notes:
        note(each)
    failed = {} if given.fail_above is None else result.failed(given.fail_above)
    with Outputs(result) as outputs:
        outputs.save(given.save, result.scores.save)
        outputs.save(given.save_tokens, result.save_tokens)
        pictures = outputs.make(lambda: _drawn(result, given.testset.stem, given.plots), ())
        outputs.drew(given.plots, pictures)
        outputs.show(
            given,
            lambda: result.document(testset=testset, by=given.by, worst=given.worst),
            lambda: result.as_json(given.by, given.worst, given.fail_above),
        )
        for name, share in failed.items():
            say(
                f"rejoinder: {name}: the reference does not beat the strongest generic reply on "
                f"{share:.3f} of the prompts, above {given.fail_above}"
            )
    if failed:
        raise SystemExit(1)


def _check(given: RuqOptions) -> None:
    """Raises where an option would be ignored, or a file cannot be written."""
    from rejoinder.cli.needs import check_needs
    from rejoinder.models.likelihood.registry import kind_of_backend

    kinds = {kind_of_backend(model) for model in given.models}
    check_needs("endpoint" in kinds, "the URL of a server", "end_text")
    check_needs(kinds != {"recording"}, "a model or a server", *given.of(PromptOptions))
    check_needs(
        "transformer" in kinds, "a model on this machine", *given.of(options.LocalModelOptions)
    )
    targets.check_file(given.save, targets.SCORES)
    targets.check_file(given.save_tokens, targets.TOKENS, "--save-tokens")
    targets.check_drawings(given.plots)
    targets.check_folder(given.work, "--work")


def _prompting(given: RuqOptions) -> Prompting:
    from rejoinder.models.likelihood.prompts import Prompting

    return Prompting(
        given.turn_end.replace("\\n", "\n").replace("\\t", "\t"),
        given.turns,
        cast("Any", given.template),
        end=not given.no_end,
    )


def _drawn(result: Quantity, name: str, folder: Path | None) -> Sequence[Path]:
    """The paths of the pictures; none where no folder is given."""
    if folder is None:
        return ()
    from rejoinder.figures.ruq import ruq_plot

    return ruq_plot({name: result.replies}, folder)
