"""``rejoinder recipe references``: from a corpus to weighted references and what they are worth."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import Options, argument, command


class ChainOptions(Options):
    """What the chain varies."""

    candidates: int = options.CANDIDATES
    weights_from: str | None = options.weights_from(
        "With ratings of candidates the weights have the distribution of those by people."
    )
    scale: tuple[float, float] = options.scale((1.0, 5.0))
    filter_raters: float | None = options.FILTER_RATERS
    least_raters: int = options.LEAST_RATERS
    unit_size: int = options.UNIT_SIZE
    assignments: int = options.ASSIGNMENTS
    permutations: int = options.permutations(1000)


class ReferencesOptions(
    options.TextsOptions,
    options.RatingFilesOptions,
    options.MetricsOptions,
    ChainOptions,
    options.SamplingOptions,
    options.PrintedOptions,
    options.LedgerOptions,
):
    """The options of 'recipe references'."""

    corpus: Path = argument("corpus", type=options.PATH)
    testset: Path = argument("testset", type=options.PATH)
    responses: tuple[Path, ...] = argument("responses", type=options.PATH, nargs=-1)
    output: Path = options.output(
        "A folder for the run; repeat the command with more to go on.", "FOLDER"
    )
    ratings: tuple[Path, ...] = options.RATING_FILES
    criterion: str | None = options.criterion("Required if the ratings have several.")


@command(ReferencesOptions, short_help="Galley et al. (2015): references mined, rated, weighed.")
def references(given: ReferencesOptions) -> None:
    """Mine, weigh and use references, as far as the files at hand lead.

    Mines candidate replies from the corpus. With --ratings of candidates, with --weights-from, or with
    both, weighs them; with RESPONSES, scores these systems against them; with --ratings of the systems,
    correlates the metrics with people. Repeat the command with more files to go on: the candidates stay.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import note
    from rejoinder.corpora.pairs import check_holds_pairs
    from rejoinder.files.provenance import record_path
    from rejoinder.recipes.references import references as study
    from rejoinder.recipes.references.candidates import FILE, RUN
    from rejoinder.tables.responses import read_responses
    from rejoinder.tables.testset import read_testset

    targets.check_folder(given.output, markers=(RUN, FILE))
    of_ratings = ("criterion", "scale", "filter_raters", "least_raters")
    check_needs(bool(given.ratings), "--ratings FILE", *of_ratings)
    of_replies = ("metrics", "unit_size", "assignments", "permutations", "resamples")
    check_needs(bool(given.responses), "replies behind the test set", *of_replies)
    with Progress("reading"):
        corpus = read_testset(given.corpus)
        check_holds_pairs(corpus, str(given.corpus))
        testset = inputs.read_items(given)
        inputs.check_corpus_first(given.corpus, given.testset, testset)
        format, columns = given.format, given.columns
        replies = None
        if given.responses:
            replies = read_responses(
                *given.responses, format=format, ids=testset.ids, columns=columns
            )
    ratings = inputs.read_rated(given) if given.ratings else None
    with Progress("working") as tick:
        result = study(
            corpus,
            testset,
            given.output,
            replies,
            ratings,
            criterion=given.criterion,
            metrics=given.metrics,
            **given.of(ChainOptions, options.SamplingOptions),
            progress=tick,
        )
    result = inputs.with_notes(result, given.ratings)
    candidates = given.output / FILE
    if result.reused:
        note(f"{candidates}: the candidates of an earlier run are used")
    with Outputs(result) as outputs:
        if result.reused and not record_path(candidates).exists():
            outputs.wrote(candidates)  # the earlier run ended before it could
        for path in result.files:
            outputs.wrote(path)
        outputs.show(given, result.document, result.as_json)
