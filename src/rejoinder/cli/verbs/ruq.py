"""``rejoinder ruq``: would a model rather say what people said, or nothing at all?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rejoinder.cli import options
from rejoinder.cli.terminal.speech import note, say

if TYPE_CHECKING:
    from rejoinder.models.likelihood.backend import LikelihoodBackend
    from rejoinder.tables.testset import TestSet
    from rejoinder.utterance_quantity.ruq import Quantity


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
    help="A gate: exit with status 1 where the strongest generic reply is at least as likely as the "
    "reference on a greater share of the prompts than this (0 to 1).",
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
    """Measure whether a model prefers "I don't know." (RUQ).

    MODEL is a folder of a transformers model, a model's name (used where it is on this machine
    already), the URL of an OpenAI-compatible server, or a .jsonl file of scores made elsewhere.
    TESTSET holds prompts and references. RUQ is the share of prompts whose reference the model
    finds likelier, token by token, than the generic reply.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import ruq as ruq_tables
    from rejoinder.models.likelihood.prompts import Prompting

    urls = [model.startswith(("http://", "https://")) for model in models]
    kept = [Path(model).suffix.lower() == ".jsonl" for model in models]
    check_needs(any(urls), "the URL of a server", "end_text")
    check_needs(not all(kept), "a model or a server", "turns", "turn_end", "template", "no_end")
    local = not all(map(any, zip(urls, kept, strict=True)))
    of_model = ("device", "dtype", "batch_tokens", "download")
    check_needs(local, "a model on this machine", *of_model)
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
    items, replies, own = _read(testset, references, testset_format, generic, outputs)
    _check_by(items, by)
    opened = _opened(
        models,
        prompting,
        device=device,
        dtype=dtype,
        batch_tokens=batch_tokens,
        download=download,
        end_text=end_text,
    )
    found = _asked(items, opened, replies, reference_rule, own, work, resamples, seed)
    failed = {} if fail_above is None else _failed(found, fail_above)
    with Outputs() as written:
        written.save(save, found.scores.save)
        written.save(save_tokens, found.save_tokens)
        drawn = written.make(lambda: _drawn(found, testset.stem, plots), ())
        if json:
            ruq_tables.machine(found, by, worst, failed)
        else:
            ruq_tables.people(found, items, by, worst)
            for path in (*written.saved, *drawn):
                say(f"written: {path}", err=False)
        for name, share in failed.items():
            say(
                f"rejoinder: {name}: the reference does not beat the strongest generic reply on "
                f"{share:.3f} of the prompts, above {fail_above}"
            )
    if failed:
        raise SystemExit(1)


def _read(
    testset: Path,
    references: Sequence[Path],
    format: str | None,
    generic: Path | None,
    outputs: Path | None,
) -> tuple[TestSet, list[str], dict[str, dict[str, str]]]:
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.responses import read_responses
    from rejoinder.tables.testset import read_testset
    from rejoinder.utterance_quantity.generic import generic_replies

    with Progress("reading"):
        items = read_testset(testset, *references, format=format)
        own: dict[str, dict[str, str]] = {}
        if outputs is not None:
            table = read_responses(outputs, ids=items.ids)
            for system, id, text in table.select("system", "id", "text").iter_rows():
                own.setdefault(system, {})[id] = text
    return items, generic_replies(generic), own


def _check_by(items: TestSet, by: str | None) -> None:
    """Raises a ParameterError, before the work and not after it, where there is no such column."""
    from rejoinder.errors import ParameterError, one_of
    from rejoinder.utterance_quantity.requests import BY_LENGTH

    columns = {BY_LENGTH, *items.contexts.columns} - {"id", "context"}
    if by is not None and by not in columns:
        raise ParameterError(
            f"the contexts have no column '{by}'; choose {one_of(sorted(columns))}"
        )


def _opened(models: Sequence[str], prompting: Any, **settings: Any) -> list[LikelihoodBackend]:
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.models.likelihood.opening import open_backend

    ends = [Path(model).name for model in models]
    with Progress("loading"):
        return [
            # Two checkpoints of one name are told apart by their paths.
            open_backend(model, prompting, name=model if ends.count(end) > 1 else None, **settings)
            for model, end in zip(models, ends, strict=True)
        ]


def _asked(
    items: TestSet,
    opened: Sequence[LikelihoodBackend],
    generic: Sequence[str],
    rule: str,
    own: Mapping[str, Mapping[str, str]],
    work: Path | None,
    resamples: int,
    seed: int,
) -> Quantity:
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError, one_of
    from rejoinder.utterance_quantity.ruq import ruq as asked

    names = [model.name for model in opened]
    if not set(own) <= set(names):
        if len(own) == len(names) == 1:
            note(f"the outputs of '{next(iter(own))}' are taken for {names[0]}'s")
            own = {names[0]: next(iter(own.values()))}
        else:
            raise ParameterError(
                f"--outputs: systems {one_of(own)}, models {one_of(names)}; give the outputs the "
                "models' names in their column 'system'"
            )
    with Progress("measuring likelihoods", "prompts") as tick:
        return asked(
            items,
            opened,
            generic=generic,
            references=rule,
            outputs=own,
            work=work,
            resamples=resamples,
            seed=seed,
            progress=tick,
        )


def _drawn(found: Quantity, name: str, folder: Path | None) -> Sequence[Path]:
    """The pictures; none where no folder is given."""
    if folder is None:
        return ()
    from rejoinder.figures.ruq import ruq_plot

    return ruq_plot({name: found.replies}, folder)


def _failed(found: Quantity, above: float) -> dict[str, float]:
    """The models that fail the gate, and their shares."""
    shares = found.preferred()
    # A NaN fails too: what is undefined passes no gate.
    return {name: share for name, share in shares.items() if not share <= above}
