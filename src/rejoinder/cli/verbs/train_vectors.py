"""``rejoinder train vectors``: word vectors from a corpus."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import command, integer


class WordVectorsOptions(options.SeedOptions):
    """How the vectors are trained."""

    width: int = integer("--set width", default=50, help="Dimension of the vectors.")
    language: str = options.LANGUAGE
    min_count: int = integer(
        "--set min_count", default=5, help="Minimum count of a word; rarer words get no vector."
    )
    epochs: int = options.epochs("", default=5)


class VectorsOptions(options.CorpusOptions, WordVectorsOptions):
    """The options of 'train vectors'."""

    output: Path = options.output("A folder for the vectors.", "FOLDER")


@command(VectorsOptions)
def vectors(given: VectorsOptions) -> None:
    """Train word vectors (word2vec) on the utterances of a corpus.

    Then: rejoinder score TESTSET RESPONSES -m pooled:vectors=FOLDER -m greedy:vectors=FOLDER
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import json_output
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import note, say
    from rejoinder.statistics.draws import check_draws
    from rejoinder.training.vectors import train_vectors

    check_draws(0, given.seed)
    targets.check_model(given.output)
    with Progress("reading"):
        conversations = inputs.read_corpus(given)
    with Progress("training"):
        result = train_vectors(conversations, given.output, **given.of(WordVectorsOptions))
    with Outputs(result) as outputs:
        if result.trained:
            outputs.wrote(given.output)
        if given.json:
            json_output.write(result.as_json())
            return
        for each in result.notes:
            note(each)
        line = "{folder} (hash {hash}): {words} words, {width} numbers each"
        say(line.format(**result.as_json()), err=False)
