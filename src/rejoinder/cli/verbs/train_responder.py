"""``rejoinder train responder``: a replying system from a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.training.responder import ResponderTraining

_MOST = 20  # epochs that are shown, one and all


@click.command()
@click.argument("corpus", type=options.PATH)
@click.option(
    "--output",
    "-o",
    metavar="FOLDER",
    type=options.PATH,
    required=True,
    help="Output path. A folder for the model.",
)
@click.option(
    "--kind",
    type=click.Choice(["transformer", "gru"]),
    default="transformer",
    show_default=True,
    help="Kind of model. transformer: encoder and decoder; gru: with attention.",
)
@click.option(
    "--preset",
    "scale",
    type=click.Choice(["tiny", "small", "paper"]),
    default="tiny",
    show_default=True,
    help="Preset of model sizes and training settings. tiny: minutes on one core; small: an "
    "hour on a few; paper: the paper's, for a GPU.",
)
@click.option(
    "--validation",
    metavar="CORPUS",
    type=options.PATH,
    help="Validation corpus. Its pairs choose the best epoch (default: pairs held out of the "
    "corpus).",
)
@click.option(
    "--exclude",
    metavar="TESTSET",
    type=options.PATH,
    multiple=True,
    help="Test set whose items are excluded from training; may be repeated. Pairs that also "
    "occur in it are excluded.",
)
@click.option(
    "--detokenize", is_flag=True, help="Detokenise and recase utterances, for DailyDialog."
)
@click.option("--vocabulary", metavar="N", type=int, help="Number of subwords.")
@click.option(
    "--layers", metavar="N", type=int, help="Number of layers of encoder and decoder each."
)
@click.option(
    "--width", metavar="N", type=int, help="Dimension of the vectors. Embeddings and hidden states."
)
@click.option("--dropout", metavar="P", type=float, help="Dropout rate.")
@click.option(
    "--other-dropout",
    metavar="P",
    type=float,
    help="Dropout rate of attention weights and after the ReLU.",
)
@click.option("--label-smoothing", metavar="P", type=float, help="Label smoothing.")
@click.option("--learning-rate", metavar="X", type=float, help="Highest learning rate.")
@click.option(
    "--warmup", metavar="N", type=int, help="Number of updates over which the learning rate rises."
)
@click.option("--tokens", metavar="N", type=int, help="Number of tokens in a batch.")
@click.option("--accumulate", metavar="N", type=int, help="Number of batches in an update.")
@click.option(
    "--epochs", metavar="N", type=int, help="Maximum number of epochs. Default: the preset's."
)
@click.option(
    "--updates",
    metavar="N",
    type=int,
    help="Maximum number of updates; 0: no limit. Default: the preset's.",
)
@click.option(
    "--patience",
    metavar="N",
    type=int,
    help="Number of epochs without improvement after which training stops; 0: never.",
)
@click.option(
    "--pairs",
    metavar="N",
    type=int,
    help="Number of pairs of the corpus, sampled at random; 0: all.",
)
@click.option("--seed", metavar="N", type=int, help="Random seed.")
@click.option(
    "--save-every",
    metavar="SECONDS",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds between two checkpoints.",
)
@options.device
@options.corpus_format
@options.as_json
def responder(
    corpus: Path,
    output: Path,
    kind: str,
    scale: str,
    validation: Path | None,
    exclude: tuple[Path, ...],
    corpus_format: str | None,
    device: str,
    save_every: float,
    json: bool,
    **given: Any,
) -> None:
    """Train a replying system on a corpus.

    The pairs are adjacent utterances of its dialogues. The same command after a kill goes on where
    it was. Settings that are not given are the scale's; those of 'paper' are DD-BASE of Khayrallah
    & Sedoc (2021).
    """
    from rejoinder.cli import targets
    from rejoinder.cli.show import machine
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.responders.seq2seq.parameters import chosen_parameters
    from rejoinder.tables.testset import read_testset
    from rejoinder.training.responder import train_responder

    parameters = chosen_parameters(scale, kind=kind, **given)
    targets.check_model(output)
    with Progress("reading"):
        conversations = read_testset(corpus, format=corpus_format)
        held_out = None if validation is None else read_testset(validation)
        excluded = [read_testset(path) for path in exclude]
    with Progress("training") as tick:

        def report(done: int, total: int, words: str) -> None:
            tick.what = f"training: {words}"
            tick(done, total)

        result = train_responder(
            conversations,
            output,
            parameters,
            held_out,
            save_every,
            report,
            device,
            exclude=excluded,
        )
    if json:
        machine.write(result.as_json())
    else:
        _print(result)


def _telling(log: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The epochs that fit a screen: where there are many, the latest that were best, and the last.

    >>> long = [{"epoch": i, "best": i < 90} for i in range(1, 101)]
    >>> [row["epoch"] for row in _telling(long)]
    [80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 100]
    """
    if len(log) <= _MOST:
        return list(log)
    best = [row for row in log[:-1] if row["best"]]
    return [*best[-_MOST // 2 :], log[-1]]


def _print(result: ResponderTraining) -> None:
    from rejoinder.cli.terminal.console import bare_table, console, print_notes

    out = console()
    shown = bare_table()
    for name in ("epoch", "updates", "loss", "validation loss", "perplexity", ""):
        shown.add_column(name, justify="right")
    log = result.folder.record.log
    rows = _telling(log)
    for row in rows:
        numbers = [f"{row[name]:.3f}" for name in ("loss", "validation_loss")]
        perplexity = f"{row['validation_perplexity']:.1f}"
        best = "best so far" if row["best"] else ""
        shown.add_row(str(row["epoch"]), str(row["updates"]), *numbers, perplexity, best)
    out.print(shown)
    out.print()
    out.print("losses in nats per subword; that of the training is label-smoothed", style="dim")
    if len(rows) < len(log):
        some = f"{len(rows)} of {len(log)} epochs shown: the latest that were best, and the last"
        out.print(f"{some}; --json gives all", style="dim")
    print_notes(out, result.notes)
    line = f"written: {result.folder.path} (hash {result.folder.hash})"
    out.print(line, soft_wrap=True)
