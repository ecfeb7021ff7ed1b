"""``rejoinder sweep``: replying systems over a grid of settings, by METEOR and by RUQ."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, flag, integer, option, path
from rejoinder.cli.shard_option import FolderShardOptions, in_shards


class SearchOptions(options.SamplingOptions):
    """What is tried, and how it is measured."""

    grid: str | None = choice(
        "--grid", of=("paper",), help="Grid of settings. paper: that of Khayrallah & Sedoc (2021)."
    )
    preset: str = options.preset("Of all settings that are not swept.")
    kind: str = choice(
        "--kind",
        of=("transformer", "gru", "phrase"),
        default="transformer",
        help="Kind of model. transformer: encoder and decoder; gru: with attention; phrase: phrase-based "
        "translation.",
    )
    detokenize: bool = options.DETOKENIZE
    sampler: str | None = choice(
        "--sampler",
        of=("grid", "random", "optuna"),
        help="How settings are chosen. grid: all; random; optuna. Default: grid, or random with "
        "--trials.",
    )
    trials: int | None = integer(
        "--trials", help="Number of trials. With --sampler random or optuna."
    )
    prune: str = choice(
        "--set prune",
        of=("halving", "none"),
        default="halving",
        help="Which trials continue. halving: the best by validation loss (successive halving); "
        "none: all.",
    )
    reduction: int = integer(
        "--set reduction", default=3, help="One trial in N continues, to N times the epochs."
    )
    first_epochs: int | None = integer(
        "--set first_epochs", help="Number of epochs before trials are pruned for the first time."
    )
    proposals: int = integer(
        "--set proposals",
        default=1,
        help="Number of settings that Optuna proposes at a time; --engine trains them side by side.",
    )
    metric: str | None = choice(
        "--reply-metric",
        of=("meteor", "bleu"),
        help="Metric of the replies (default: METEOR, or BLEU where Java is missing or does not "
        "run).",
    )
    generic: str = option(
        "--set generic_reply", metavar="TEXT", default="I don't know.", help="Generic reply of RUQ."
    )
    train_prompts: int = integer(
        "--set train_prompts",
        default=1000,
        help="Number of pairs of the corpus for RUQ on train, sampled at random. 0: all.",
    )
    beam: int = options.BEAM
    keep: int = integer(
        "--set keep_models", default=1, help="Number of models that are kept: the best."
    )


class SweepOptions(
    options.TrainingOptions, SearchOptions, options.PrintedOptions, FolderShardOptions
):
    """The options of 'sweep'."""

    testset: Path = path(
        "--testset",
        metavar="TESTSET",
        required=True,
        help="Test set. Finished trials reply to it: messages with references, the original reference "
        "first.",
    )
    output: Path = options.output(
        "A folder for the sweep, which resumes: repeat the command.", "FOLDER"
    )
    settings: tuple[str, ...] = options.TRAINED_SETTINGS
    draw: bool = flag(
        "--draw", help="Draw METEOR against RUQ into the output folder, as PNG and SVG."
    )


@command(SweepOptions)
@in_shards
def sweep(given: SweepOptions) -> None:
    """Train replying systems over a grid of settings.

    The result shows how METEOR and RUQ go together over the trials. A trial that is not pruned is scored
    by METEOR with all references and, of a Transformer, by RUQ on train and on test. Interrupted runs
    resume: repeat the command.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.speech import note
    from rejoinder.tables.testset import read_testset
    from rejoinder.tuning.folder import IDENTITY
    from rejoinder.tuning.grid import parsed, settable_of
    from rejoinder.tuning.sweep import sweep as swept
    from rejoinder.tuning.table import draw

    check_needs(given.prune == "halving", "--set prune=halving", "reduction", "first_epochs")
    targets.check_folder(given.output, markers=[IDENTITY])
    settings = parsed(given.settings, settable_of(given.kind))
    conversations, held_out, excluded = inputs.read_training(given)
    with Progress("reading"):
        testset = read_testset(given.testset)
    with Progress("sweeping") as tick:
        result = swept(
            conversations,
            testset,
            given.output,
            settings=settings,
            validation=held_out,
            exclude=excluded,
            save_every=given.save_every,
            report=tick.steps,
            note=note,
            device=given.device,
            **given.of(SearchOptions),
        )
    paths: tuple[Path, ...] = ()
    if given.draw:
        with Progress("drawing"):
            paths = draw(result, result.folder)
    with Outputs(result) as outputs:
        for name in ("trials.csv", "results.json"):
            outputs.wrote(result.folder / name)
        outputs.drew(result.folder, paths)
        outputs.show(given, result.document, lambda: result.as_json(paths))
