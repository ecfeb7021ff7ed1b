"""``rejoinder ruq``: does a model prefer a generic reply to what people said?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rejoinder.cli import options
from rejoinder.cli.terminal.speech import note, say

if TYPE_CHECKING:
    from rejoinder.utterance_quantity.result import Quantity


@click.command()
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.argument("testset", type=options.PATH)
@options.references
@click.option(
    "--generic",
    metavar="FILE",
    type=options.PATH,
    help="File of generic replies, one on each line (default: a set of English ones).",
)
@click.option(
    "--reference-rule",
    metavar="RULE",
    default="w>=0",
    show_default=True,
    help="References that count: all, single (the first), or w>=T.",
)
@click.option(
    "--outputs",
    metavar="FILE",
    type=options.PATH,
    help="Responses of the models themselves, for the plot. Systems are named like the models.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Column of the contexts to group by, with a table for each value. For example topic "
    "or reference_words.",
)
@click.option(
    "--worst",
    metavar="N",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Number of prompts to show for each model: those where a generic reply wins by most.",
)
@click.option(
    "--fail-above",
    metavar="X",
    type=click.FloatRange(0, 1),
    help="Threshold from 0 to 1: exit with status 1 if the strongest generic reply is at least as likely "
    "as the reference on a greater share of the prompts.",
)
@click.option(
    "--save",
    type=options.PATH,
    help="Save the results to this file. Wins and ties without texts, as Parquet.",
)
@click.option(
    "--save-tokens",
    type=options.PATH,
    help="Save the log-probability of every token to this file, as Parquet.",
)
@click.option(
    "--plots",
    metavar="DIR",
    type=options.PATH,
    help="Draw figures into this folder, as PNG and SVG. The RUQ plot.",
)
@click.option(
    "--work",
    metavar="DIR",
    type=options.PATH,
    help="Folder in which results are kept as they come. Interrupted runs resume: repeat the "
    "command.",
)
@click.option(
    "--turns",
    metavar="N",
    type=click.IntRange(1),
    help="Number of last turns of the context that are used (default: all).",
)
@click.option(
    "--turn-end",
    metavar="TEXT",
    default="\\n",
    show_default=True,
    help="Text after every turn of a plain prompt (\\n: a line end).",
)
@click.option(
    "--template",
    type=click.Choice(["auto", "chat", "plain"]),
    default="auto",
    show_default=True,
    help="Whether to use the tokenizer's chat template. auto: where there is one; chat: "
    "always; plain: never.",
)
@click.option("--no-end", is_flag=True, help="Do not count the end of sequence as a token.")
@click.option(
    "--end-text",
    metavar="TEXT",
    default="",
    help="End-of-sequence token of a server's model.",
)
@options.device
@click.option(
    "--dtype",
    metavar="NAME",
    default="auto",
    help="Number type of the weights: auto, float32, bfloat16, float16.",
)
@click.option(
    "--batch-tokens",
    metavar="N",
    type=click.IntRange(1),
    help="Maximum number of prompt tokens in a batch.",
)
@click.option("--download", is_flag=True, help="Download a model that is not on this machine.")
@options.resamples
@options.seed
@options.testset_format
@options.as_json
def ruq(
    models: tuple[str, ...],
    testset: Path,
    references: tuple[Path, ...],
    generic: Path | None,
    reference_rule: str,
    outputs: Path | None,
    by: str | None,
    worst: int,
    fail_above: float | None,
    save: Path | None,
    save_tokens: Path | None,
    plots: Path | None,
    work: Path | None,
    turns: int | None,
    turn_end: str,
    template: str,
    no_end: bool,
    end_text: str,
    device: str,
    dtype: str,
    batch_tokens: int | None,
    download: bool,
    resamples: int,
    seed: int,
    testset_format: str | None,
    json: bool,
) -> None:
    """Measure how often a model prefers generic replies (RUQ).

    MODEL is a folder of a transformers model, the name of a model that is on this machine, the URL
    of an OpenAI-compatible server, or a .jsonl file of likelihoods computed elsewhere.
    TESTSET holds prompts and references. RUQ (relative utterance quantity) is the share of prompts
    whose reference has a higher mean log-probability per token than the generic reply.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.show.ruq import people
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.models.likelihood.opening import kind_of_backend, open_backends
    from rejoinder.models.likelihood.prompts import Prompting
    from rejoinder.tables.responses import read_responses
    from rejoinder.tables.testset import read_testset
    from rejoinder.utterance_quantity.generic import generic_replies
    from rejoinder.utterance_quantity.requests import check_column
    from rejoinder.utterance_quantity.ruq import ruq as measure

    kinds = {kind_of_backend(model) for model in models}
    check_needs("endpoint" in kinds, "the URL of a server", "end_text")
    layout = ("turns", "turn_end", "template", "no_end")
    check_needs(kinds != {"recording"}, "a model or a server", *layout)
    local = ("device", "dtype", "batch_tokens", "download")
    check_needs("transformer" in kinds, "a model on this machine", *local)
    targets.check_file(save, targets.SCORES)
    targets.check_file(save_tokens, targets.TOKENS, "--save-tokens")
    targets.check_drawings(plots)
    targets.check_folder(work, "--work")
    prompting = Prompting(
        turn_end.replace("\\n", "\n").replace("\\t", "\t"),
        turns,
        cast("Any", template),
        end=not no_end,
    )
    with Progress("reading"):
        items = read_testset(testset, *references, format=testset_format)
        own = None if outputs is None else read_responses(outputs, ids=items.ids)
        replies = generic_replies(generic)
    check_column(items, by)
    with Progress("loading"):
        backends = open_backends(
            models,
            prompting,
            device=device,
            dtype=dtype,
            batch_tokens=batch_tokens,
            download=download,
            end_text=end_text,
        )
    with Progress("measuring likelihoods", "prompts") as tick:
        result = measure(
            items,
            backends,
            generic=replies,
            references=reference_rule,
            outputs=own,
            work=work,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )
    for each in result.notes:
        note(each)
    failed = {} if fail_above is None else result.failed(fail_above)
    with Outputs() as written:
        written.save(save, result.scores.save)
        written.save(save_tokens, result.save_tokens)
        drawn = written.make(lambda: _drawn(result, testset.stem, plots), ())
        if json:
            write(result.as_json(by, worst, fail_above))
        else:
            people(result, items, by, worst)
            for path in (*written.saved, *drawn):
                say(f"written: {path}", err=False)
        for name, share in failed.items():
            say(
                f"rejoinder: {name}: the reference does not beat the strongest generic reply on "
                f"{share:.3f} of the prompts, above {fail_above}"
            )
    if failed:
        raise SystemExit(1)


def _drawn(result: Quantity, name: str, folder: Path | None) -> Sequence[Path]:
    """The paths of the pictures; none where no folder is given."""
    if folder is None:
        return ()
    from rejoinder.figures.ruq import ruq_plot

    return ruq_plot({name: result.replies}, folder)
