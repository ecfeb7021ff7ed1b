"""``rejoinder train vectors``: word vectors from a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import options
from rejoinder.cli.terminal.speech import say


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
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.files.content import folder_hash
    from rejoinder.models.training.folder import check_new
    from rejoinder.models.vectors.word_vectors import train_vectors
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.testset import read_testset

    check_draws(0, seed)
    targets.check_model(output)
    check_new(output)
    with Progress("reading"):
        conversations = read_testset(corpus, format=corpus_format)
        turns = conversations.contexts.get_column("context").explode().drop_nulls().to_list()
        replies = conversations.references.get_column("text").to_list()
    with Progress("training"):
        trained = train_vectors(
            dict.fromkeys([*turns, *replies]),
            size=width,
            language=language,
            min_count=least,
            epochs=epochs,
            seed=seed,
        )
        trained.save(output)
    told = {
        "folder": str(output),
        "hash": folder_hash(output),
        "words": len(trained),
        "width": width,
    }
    if json:
        from rejoinder.cli.show import machine

        machine.write(told)
    else:
        line = "written: {folder} (hash {hash}): {words} words, {width} numbers each"
        say(line.format(**told), err=False)
