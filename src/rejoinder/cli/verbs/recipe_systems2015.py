"""``rejoinder recipe systems2015``: the phrase-based systems of Galley et al. (2015)."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import Options, argument, command, integer, path


class TuningOptions(Options):
    """How weights are tuned."""

    tuning_items: int = integer(
        "--set tuning_items",
        default=300,
        help="Number of items to tune on, sampled at random; 0: all.",
    )
    nbest: int = options.nbest(30)
    rounds: int = integer(
        "--set rounds",
        default=3,
        help="Maximum number of rounds, in each of which replies and then weights are searched.",
    )
    starts: int = integer("--set starts", default=3, help="Number of starts of each search.")
    beam: int = options.BEAM


class Systems2015Options(
    TuningOptions,
    options.MetricsOptions,
    options.SamplingOptions,
    options.PrintedOptions,
    options.LedgerOptions,
):
    """The options of 'recipe systems2015'."""

    corpus: Path = argument("corpus", type=options.PATH)
    testset: Path = argument("testset", type=options.PATH)
    output: Path = options.output("Folder for the model, weights and replies.", "FOLDER")
    validation: Path | None = path(
        "--validation",
        metavar="CORPUS",
        help="Validation corpus. Weights are tuned on it (default: a part of the corpus is held out).",
    )
    scorer: Path | None = path(
        "--scorer",
        metavar="FOLDER",
        help="Model folder of 'rejoinder train ruber' that re-ranks retrieved replies. Here it re-ranks "
        "n-best lists.",
    )
    preset: str = options.preset("tiny: 4,000 pairs; small, paper: all.")
    detokenize: bool = options.DETOKENIZE
    settings: tuple[str, ...] = options.PHRASE_SETTINGS


@command(Systems2015Options, short_help="Galley et al. (2015): do metrics tune other systems?")
def systems2015(given: Systems2015Options) -> None:
    """Train and tune the phrase-based systems of Galley et al. (2015).

    The system by hand and four variants with more and more features, tuned on BLEU, deltaBLEU and chrF;
    minimum Bayes risk and a neural scorer over their lists; random and people's replies; each scored by
    all metrics. Interrupted runs resume: repeat the command.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.corpora.pairs import check_holds_pairs
    from rejoinder.recipes.systems2015 import systems2015 as study
    from rejoinder.tables.testset import read_testset
    from rejoinder.tables.write import write_responses
    from rejoinder.tuning.grid import settable_of, single_values

    targets.check_folder(given.output, markers=("study.json",))
    with Progress("reading"):
        corpus, testset = read_testset(given.corpus), read_testset(given.testset)
        inputs.check_corpus_first(given.corpus, given.testset, testset)
        check_holds_pairs(corpus, str(given.corpus))
        validation = given.validation and read_testset(given.validation)
    with Progress("training, tuning and replying") as tick:
        result = study(
            corpus,
            testset,
            given.output,
            validation=validation,
            scorer=given.scorer and str(given.scorer),
            preset=given.preset,
            detokenize=given.detokenize,
            settings=single_values(given.settings, settable_of("phrase")),
            metrics=given.metrics,
            **given.of(TuningOptions, options.SamplingOptions),
            progress=tick,
        )
    with Outputs(result) as outputs:
        outputs.wrote(given.output)
        outputs.save(
            given.output / "replies.jsonl",
            lambda path: write_responses(result.replies, path),
            result.replies.height,
        )
        outputs.show(given, result.document, result.as_json)
