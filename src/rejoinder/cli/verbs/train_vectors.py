"""``rejoinder train vectors``: word vectors from a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import options
from rejoinder.cli.terminal.speech import note, say


@click.command()
@click.argument("corpus", type=options.PATH)
@click.option(
    "--output",
    "-o",
    metavar="FOLDER",
    type=options.PATH,
    required=True,
    help="Output path. A folder for the vectors.",
)
@click.option(
    "--width",
    metavar="N",
    type=int,
    default=50,
    show_default=True,
    help="Dimension of the vectors.",
)
@click.option(
    "--language",
    default="en",
    show_default=True,
    help="Word segmentation: en, zh, char or none.",
)
@click.option(
    "--min-count",
    "least",
    metavar="N",
    type=int,
    default=5,
    show_default=True,
    help="Minimum count of a word; rarer words get no vector.",
)
@click.option(
    "--epochs",
    metavar="N",
    type=int,
    default=5,
    show_default=True,
    help="Maximum number of epochs.",
)
@options.seed
@options.corpus_format
@options.as_json
def vectors(
    corpus: Path,
    output: Path,
    width: int,
    language: str,
    least: int,
    epochs: int,
    seed: int,
    corpus_format: str | None,
    json: bool,
) -> None:
    """Train word vectors (word2vec) on the utterances of a corpus.

    Then: rejoinder score TESTSET RESPONSES -m pooled:vectors=FOLDER -m greedy:vectors=FOLDER
    """
    from rejoinder.cli import targets
    from rejoinder.cli.show import machine
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.testset import read_testset
    from rejoinder.training.vectors import train_vectors

    check_draws(0, seed)
    targets.check_model(output)
    with Progress("reading"):
        conversations = read_testset(corpus, format=corpus_format)
    with Progress("training"):
        result = train_vectors(
            conversations,
            output,
            width=width,
            language=language,
            min_count=least,
            epochs=epochs,
            seed=seed,
        )
    if json:
        machine.write(result.as_json())
        return
    for each in result.notes:
        note(each)
    line = "written: {folder} (hash {hash}): {words} words, {width} numbers each"
    say(line.format(**result.as_json()), err=False)
