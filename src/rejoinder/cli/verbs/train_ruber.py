"""``rejoinder train ruber``: how well a reply fits its query, learned without a label."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.training.ruber import RuberTraining

DEFAULT_SIZES = ("gru",)


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
    "--size",
    "sizes",
    type=click.Choice(["paper", "gru", "encoder", "cross"]),
    multiple=True,
    help="Kind of scorer; may be repeated for an ensemble. paper: as published; gru: "
    "improved by measurement (default); encoder, cross: over a sentence encoder's "
    "vectors or tokens.",
)
@click.option(
    "--seeds",
    metavar="N",
    type=int,
    default=3,
    show_default=True,
    help="Number of scorers of each size, with different seeds.",
)
@click.option(
    "--encoder",
    metavar="PATH",
    default="",
    help="Sentence encoder: its folder, or its name in the local cache. Nothing is downloaded.",
)
@click.option(
    "--vectors",
    metavar="PATH",
    type=options.PATH,
    help="Word vectors: word2vec, GloVe, fastText, or a folder of 'rejoinder train vectors'. "
    "For s_R and the GRU sizes (default: word2vec on the corpus).",
)
@click.option(
    "--exclude",
    metavar="TESTSET",
    type=options.PATH,
    multiple=True,
    help="Test set whose items are excluded from training; may be repeated. Conversations "
    "that share long utterances or pairs with it are excluded, and counted.",
)
@click.option(
    "--validation",
    metavar="CORPUS",
    type=options.PATH,
    help="Validation corpus. Its conversations choose the epochs (default: a twentieth of "
    "the corpus).",
)
@click.option(
    "--language",
    default="en",
    show_default=True,
    help="Word segmentation: en, zh, char or none.",
)
@click.option(
    "--epochs", metavar="N", type=int, help="Maximum number of epochs. Default: the size's."
)
@click.option(
    "--save-every",
    metavar="SECONDS",
    type=float,
    default=30.0,
    show_default=True,
    help="Seconds between two checkpoints.",
)
@options.device
@options.corpus_format
@options.as_json
def ruber(
    corpus: Path,
    output: Path,
    sizes: tuple[str, ...],
    seeds: int,
    encoder: str,
    vectors: Path | None,
    exclude: tuple[Path, ...],
    validation: Path | None,
    language: str,
    epochs: int | None,
    device: str,
    save_every: float,
    corpus_format: str | None,
    json: bool,
) -> None:
    """Train RUBER's scorer on conversations, without any label.

    CORPUS is conversations in any format of docs/formats.md: contexts, each with its reply.
    Interrupted runs resume: repeat the command. Then: rejoinder score TESTSET RESPONSES
    -m ruber:model=FOLDER
    """
    from rejoinder.cli import targets
    from rejoinder.cli.show import machine
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.testset import read_testset
    from rejoinder.training.ruber import train_ruber

    targets.check_model(output)
    with Progress("reading"):
        conversations = read_testset(corpus, format=corpus_format)
        held_out = None if validation is None else read_testset(validation)
        excluded = [read_testset(path) for path in exclude]
    scorers = seeds * len(sizes or DEFAULT_SIZES)
    with Progress("preparing conversations and word vectors") as tick:
        begun: list[str] = []

        def report(name: str) -> Callable[[int, int, str], None]:
            begun.append(name)
            before = len(begun) - 1  # scorers are trained one after the other

            def tell(done: int, total: int, words: str) -> None:
                tick.what = f"training {name} (scorer {before + 1} of {scorers}): {words}"
                steps = max(total, 1)
                tick(before * steps + done, scorers * steps)

            return tell

        result = train_ruber(
            conversations,
            output,
            sizes=sizes or DEFAULT_SIZES,
            seeds=seeds,
            validation=held_out,
            exclude=excluded,
            encoder=encoder,
            vectors=vectors or "",
            language=language,
            epochs=epochs,
            save_every=save_every,
            report=report,
            device=device,
        )
    if json:
        machine.write(result.as_json())
    else:
        _print(result)


def _print(result: RuberTraining) -> None:
    from rejoinder.cli.terminal.console import bare_table, console, print_notes

    out = console()
    shown = bare_table()
    for name in (
        "scorer",
        "epoch",
        "above a random reply",
        "above nine",
        "above its own talk",
        "weight",
    ):
        shown.add_column(name, justify="left" if name == "scorer" else "right")
    for row in result.log:
        reached = [f"{100 * row[name]:.1f}" for name in ("accuracy", "first", "own")]
        shown.add_row(row["member"], str(row["epoch"]), *reached, f"{row['weight']:.2f}")
    out.print(shown)
    out.print()
    out.print(
        "how often, in %, the true reply of a held-out query scores above one random reply, above "
        "nine, and above another utterance of its conversation; weight: in the score, from the same "
        "queries",
        style="dim",
    )
    print_notes(out, result.notes)
    line = "{folder} (hash {hash}): score with -m ruber:model={folder}".format(**result.as_json())
    out.print(line, soft_wrap=True)
