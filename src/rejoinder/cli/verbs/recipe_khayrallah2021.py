"""``rejoinder recipe khayrallah2021``: do systems prefer "I don't know.", and what helps."""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import judging, options


@click.command(short_help="Khayrallah & Sedoc (2021): RUQ of trained systems.")
@click.argument("data", metavar="DAILYDIALOG_DIR", type=options.PATH)
@click.option(
    "--multiref",
    metavar="FILE",
    type=options.PATH,
    help="Multi-reference test set of Gupta et al. (multireftest.json), for Tables 2, 7 and 8.",
)
@click.option(
    "--ratings",
    metavar="FILE",
    type=options.PATH,
    multiple=True,
    help="File of human ratings; may be repeated. For a table like Table 4.",
)
@judging.filter_raters
@click.option(
    "--vectors",
    metavar="FILE",
    type=options.PATH,
    help="Word vectors: word2vec, GloVe, fastText, or a folder of 'rejoinder train vectors'. "
    "For Tables 8 and 10.",
)
@click.option(
    "--preset",
    "scale",
    type=click.Choice(["tiny", "small", "paper"]),
    default="tiny",
    show_default=True,
    help="Preset of model sizes and training settings. tiny: minutes on two cores; small: "
    "hours on a few; paper: the paper's own, for a GPU.",
)
@click.option(
    "--system",
    "systems",
    metavar="NAME",
    multiple=True,
    help="Only this system. DD-BASE, DD-BEST, EF-BASE or EF-BEST; may be repeated (default: all).",
)
@click.option(
    "--output",
    "-o",
    metavar="OUTDIR",
    type=options.PATH,
    required=True,
    help="Output path. A folder for the run, which resumes: repeat the command.",
)
@options.resamples
@options.seed
@options.as_json
def khayrallah2021(
    data: Path,
    multiref: Path | None,
    ratings: tuple[Path, ...],
    filter_raters: float | None,
    vectors: Path | None,
    scale: str,
    systems: tuple[str, ...],
    output: Path,
    resamples: int,
    seed: int,
    json: bool,
) -> None:
    """Tables and Figure 1 of Khayrallah & Sedoc (2021): relative utterance quantity.

    Trains a base and a tuned system on DailyDialog and on its entropy-filtered part, generates
    replies, and measures how often the systems find the reference likelier than "I don't know.".
    Ratings: raters whose kappa is below 0.1 are removed, as in the paper (--filter-raters=-1 keeps
    all). Interrupted runs resume: repeat the command.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.show import recipe_khayrallah2021 as show
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.human_evaluation.rater_exclusion import THRESHOLD
    from rejoinder.recipes.khayrallah2021 import study as recipe
    from rejoinder.recipes.khayrallah2021.corpora import RUN
    from rejoinder.tables.ratings import read_ratings

    targets.check_folder(output, markers=(RUN, "corpora"))
    if filter_raters is not None and not ratings:
        raise ParameterError("--filter-raters removes raters of --ratings; give --ratings FILE too")
    rated = read_ratings(*ratings) if ratings else None
    with Progress("reading") as tick:

        def tell(what: str, done: int, total: int) -> None:
            tick.what = what
            tick(done, total)

        study = recipe.khayrallah2021(
            data,
            output,
            scale,
            multiref=multiref,
            ratings=rated,
            rater_threshold=THRESHOLD if filter_raters is None else filter_raters,
            vectors=vectors,
            systems=systems or recipe.SYSTEMS,
            resamples=resamples,
            seed=seed,
            tell=tell,
        )
    (show.write if json else show.show)(study)
