"""``rejoinder recipe khayrallah2021``: do systems prefer "I don't know.", and what helps."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options, targets
from rejoinder.cli.declarations import argument, command, option, path


class Khayrallah2021Options(options.SamplingOptions, options.PrintedOptions, options.LedgerOptions):
    """The options of 'recipe khayrallah2021'."""

    data: Path = argument("data", metavar="DAILYDIALOG_DIR", type=options.PATH)
    output: Path = options.output(
        "A folder for the run, which resumes: repeat the command.", "FOLDER"
    )
    multiref: Path | None = path(
        "--multiref",
        help="Multi-reference test set of Gupta et al. (multireftest.json), for Tables 2, 7 and 8.",
    )
    ratings: tuple[Path, ...] = path(
        "--ratings",
        multiple=True,
        help="File of human ratings; may be repeated. For a table like Table 4.",
    )
    preferences: tuple[Path, ...] = path(
        "--preferences",
        multiple=True,
        help="File of choices between two systems' replies; may be repeated. For a table like Table 5.",
    )
    filter_raters: float | None = options.FILTER_RATERS
    vectors: Path | None = options.vectors("For Tables 8 and 10.")
    preset: str = options.preset(
        "tiny: minutes on two cores; small: hours on a few; paper: the paper's own, for a GPU."
    )
    systems: tuple[str, ...] = option(
        "--system",
        metavar="NAME",
        multiple=True,
        help="Only this system. DD-BASE, DD-BEST, EF-BASE or EF-BEST; may be repeated (default: all).",
    )


@command(Khayrallah2021Options, short_help="Khayrallah & Sedoc (2021): RUQ of trained systems.")
def khayrallah2021(given: Khayrallah2021Options) -> None:
    """Tables and Figure 1 of Khayrallah & Sedoc (2021): relative utterance quantity.

    Trains a base and a tuned system on DailyDialog and on its entropy-filtered part, generates
    replies, and measures how often the systems find the reference likelier than "I don't know.".
    Ratings: raters whose kappa is below 0.1 are removed, as in the paper (--filter-raters=-1 keeps
    all). Interrupted runs resume: repeat the command.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.human_evaluation.rater_exclusion import THRESHOLD
    from rejoinder.recipes.khayrallah2021 import study as recipe
    from rejoinder.recipes.khayrallah2021.corpora import RUN
    from rejoinder.recipes.khayrallah2021.study_tables import document
    from rejoinder.recipes.khayrallah2021.tables import as_json
    from rejoinder.tables.preferences import read_preferences
    from rejoinder.tables.ratings import read_ratings

    targets.check_folder(given.output, markers=(RUN, "corpora"))
    judged = bool(given.ratings or given.preferences)
    check_needs(judged, "--ratings FILE or --preferences FILE", "filter_raters")
    ratings = read_ratings(*given.ratings) if given.ratings else None
    choices = read_preferences(*given.preferences) if given.preferences else None
    with Progress("reading") as tick:

        def tell(what: str, done: int, total: int) -> None:
            tick.what = what
            tick(done, total)

        study = recipe.khayrallah2021(
            given.data,
            given.output,
            given.preset,
            multiref=given.multiref,
            ratings=ratings,
            preferences=choices,
            rater_threshold=THRESHOLD if given.filter_raters is None else given.filter_raters,
            vectors=given.vectors,
            systems=given.systems or recipe.SYSTEMS,
            **given.of(options.SamplingOptions),
            tell=tell,
        )
    with Outputs(study) as outputs:
        outputs.wrote(given.output)
        outputs.show(given, lambda: document(study), lambda: as_json(study))
