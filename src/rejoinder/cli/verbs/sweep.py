"""``rejoinder sweep``: replying systems over a grid of settings, by METEOR and by RUQ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options
from rejoinder.cli.terminal.speech import note

if TYPE_CHECKING:
    from rejoinder.tuning.result import SweepResult


@click.command()
@click.argument("corpus", type=options.PATH)
@click.option(
    "--testset",
    metavar="TESTSET",
    type=options.PATH,
    required=True,
    help="Test set that finished trials reply to. Messages with references, the original "
    "reference first.",
)
@click.option(
    "--output",
    "-o",
    metavar="DIR",
    type=options.PATH,
    required=True,
    help="Output path. A folder for the sweep, which resumes: repeat the command.",
)
@click.option(
    "--grid",
    type=click.Choice(["paper"]),
    help="Grid of settings. paper: that of Khayrallah & Sedoc (2021).",
)
@click.option(
    "--set",
    "given",
    metavar="NAME=VALUE,...",
    multiple=True,
    help="Values of a setting (dropout=0,0.2) instead of the grid's; may be repeated. A "
    "single value holds for all trials.",
)
@click.option(
    "--sampler",
    type=click.Choice(["grid", "random", "optuna"]),
    help="How settings are chosen. grid: all; random; optuna. Default: grid, or random with "
    "--trials.",
)
@click.option(
    "--trials", metavar="N", type=int, help="Number of trials. With --sampler random or optuna."
)
@click.option(
    "--prune",
    type=click.Choice(["halving", "none"]),
    default="halving",
    show_default=True,
    help="Which trials continue. halving: the best by validation loss (successive halving); "
    "none: all.",
)
@click.option(
    "--reduction",
    metavar="N",
    type=int,
    default=3,
    show_default=True,
    help="One trial in N continues, to N times the epochs.",
)
@click.option(
    "--first-epochs",
    metavar="N",
    type=int,
    help="Number of epochs before trials are pruned for the first time.",
)
@click.option(
    "--preset",
    "scale",
    type=click.Choice(["tiny", "small", "paper"]),
    default="tiny",
    show_default=True,
    help="Preset of model sizes and training settings. Of all settings that are not swept.",
)
@click.option(
    "--validation",
    metavar="CORPUS",
    type=options.PATH,
    help="Validation corpus. Its pairs choose epochs and trials (default: pairs held out of "
    "the corpus).",
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
@click.option(
    "--reply-metric",
    "metric",
    type=click.Choice(["meteor", "bleu"]),
    help="Metric of the replies (default: METEOR, or BLEU where Java is missing or does not run).",
)
@click.option(
    "--generic-reply",
    "generic",
    metavar="TEXT",
    default="I don't know.",
    show_default=True,
    help="Generic reply of RUQ.",
)
@click.option(
    "--train-prompts",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of pairs of the corpus for RUQ on train, sampled at random. 0: all.",
)
@click.option("--beam", metavar="N", type=int, default=10, show_default=True, help="Beam size.")
@click.option(
    "--keep-models",
    "keep",
    metavar="N",
    type=int,
    default=1,
    show_default=True,
    help="Number of models that are kept: the best.",
)
@options.resamples
@options.seed
@click.option(
    "--save-every",
    metavar="SECONDS",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds between two checkpoints.",
)
@click.option(
    "--draw",
    "plots",
    is_flag=True,
    help="Draw METEOR against RUQ into the output folder, as PNG and SVG.",
)
@options.device
@options.corpus_format
@options.as_json
def sweep(
    corpus: Path,
    testset: Path,
    output: Path,
    given: tuple[str, ...],
    scale: str,
    prune: str,
    reduction: int,
    first_epochs: int | None,
    validation: Path | None,
    exclude: tuple[Path, ...],
    corpus_format: str | None,
    plots: bool,
    json: bool,
    **further: Any,
) -> None:
    """Train replying systems over a grid of settings.

    The result shows how METEOR and RUQ go together over the trials. Every trial trains a
    Transformer; a trial that is not pruned is scored by METEOR with all references, and by RUQ on
    train and on test. Interrupted runs resume: repeat the command.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.show import sweep as sweep_tables
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.testset import read_testset
    from rejoinder.tuning.folder import IDENTITY
    from rejoinder.tuning.grid import parsed
    from rejoinder.tuning.sweep import sweep as swept

    check_needs(prune == "halving", "--prune halving", "reduction", "first_epochs")
    targets.check_folder(output, markers=[IDENTITY])
    settings = parsed(given)
    with Progress("reading"):
        conversations = read_testset(corpus, format=corpus_format)
        items = read_testset(testset)
        held_out = None if validation is None else read_testset(validation)
        excluded = [read_testset(path) for path in exclude]
    with Progress("sweeping") as tick:

        def report(done: int, total: int, words: str) -> None:
            tick.what = f"sweeping: {words}"
            tick(done, total)

        result = swept(
            conversations,
            items,
            output,
            settings=settings,
            preset=scale,
            prune=prune,
            reduction=reduction,
            first_epochs=first_epochs,
            validation=held_out,
            exclude=excluded,
            report=report,
            note=note,
            **further,
        )
    paths = _drawn(result) if plots else ()
    if json:
        sweep_tables.machine(result, paths)
    else:
        sweep_tables.people(result, paths)


def _drawn(result: SweepResult) -> tuple[Path, ...]:
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tuning.table import draw

    with Progress("drawing"):
        return draw(result, result.folder)
