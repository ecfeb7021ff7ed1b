"""``rejoinder recipe tao2018``: how far RUBER, its halves and n-grams agree with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.recipes.tao2018.study import Study
    from rejoinder.tables.testset import TestSet

TRANSFER = "transfer"
"""What the second set is called, in tables and as a folder of plots."""


@click.command(short_help="Tao et al. (2018): does RUBER agree with people?")
@click.argument("testset", type=options.PATH)
@options.responses
@options.references
@options.ratings
@options.ratings_format
@options.criterion
@click.option(
    "--raters",
    type=click.Choice(["mean", "median", "z"]),
    default="mean",
    show_default=True,
    help="How the ratings of a reply are combined. mean, median, or z: mean of each rater's "
    "standardised ratings.",
)
@click.option(
    "--model",
    metavar="FOLDER",
    type=options.PATH,
    required=True,
    help="Model folder that 'rejoinder train ruber' wrote.",
)
@click.option(
    "--referenced",
    type=click.Choice(["pooled", "encoder"]),
    default="pooled",
    show_default=True,
    help="Which s_R is blended. pooled: the paper's pooled word vectors; encoder: the "
    "model's sentence encoder.",
)
@click.option(
    "--unreferenced",
    type=click.Choice(["logit", "sigmoid"]),
    default="logit",
    show_default=True,
    help="Which s_U is blended. logit: before the sigmoid of the model's last unit; sigmoid: "
    "after it, as in the paper.",
)
@click.option(
    "--bounds",
    "scale",
    metavar="HOW",
    default="training",
    show_default=True,
    help="Source of the bounds of s_R and s_U. training; scored: fitted to these replies, as "
    "in the paper; or four numbers, 'low;high;low;high'.",
)
@click.option(
    "--leave-one-out",
    is_flag=True,
    help="Exclude a reference that is the reply itself. For people whose replies became "
    "references.",
)
@options.without
@options.metrics
@click.option(
    "--tokenizer",
    metavar="NAME",
    default="13a",
    show_default=True,
    help="Tokenizer of the n-gram metrics.",
)
@click.option(
    "--lowercase", is_flag=True, help="Lowercase texts first. For BLEU; ROUGE always does."
)
@click.option(
    "--smoothing",
    metavar="NAME",
    default="none",
    show_default=True,
    help="Smoothing of sentence BLEU: none, floor, add-k or exp.",
)
@options.missing
@click.option(
    "--drop-unusable",
    is_flag=True,
    help="Exclude items that cannot be scored, and count them. They lack a context or a reference.",
)
@click.option(
    "--least-weight",
    metavar="T",
    type=float,
    help="Exclude references of a lower weight; the metrics of the table ignore weights.",
)
@click.option(
    "--transfer",
    metavar="TESTSET",
    type=options.PATH,
    help="Another test set, scored with the same model.",
)
@click.option(
    "--transfer-responses",
    metavar="FILE",
    type=options.PATH,
    multiple=True,
    help="File of responses to the transfer set; may be repeated.",
)
@click.option(
    "--transfer-ratings",
    metavar="FILE",
    type=options.PATH,
    multiple=True,
    help="File of human ratings of these responses; may be repeated.",
)
@click.option(
    "--transfer-criterion",
    metavar="NAME",
    help="Rating criterion of the transfer set. Required if its ratings have several.",
)
@click.option(
    "--transfer-without",
    metavar="NAME",
    multiple=True,
    help="Exclude this system of the transfer set; may be repeated.",
)
@click.option(
    "--transfer-bounds",
    "transfer_scale",
    metavar="HOW",
    help="Source of the bounds for the transfer set (default: that of --bounds).",
)
@click.option(
    "--cases",
    metavar="N",
    type=int,
    default=2,
    show_default=True,
    help="Number of contexts, sampled at random, whose replies are shown with all scores.",
)
@click.option(
    "--case",
    "ids",
    metavar="ID",
    multiple=True,
    help="Id of a context whose replies are shown, instead of random ones; may be repeated.",
)
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    default=1000,
    show_default=True,
    help="Number of permutations of the significance tests. 0: no tests.",
)
@options.resamples
@options.seed
@click.option(
    "--save",
    type=options.PATH,
    help="Save the results to this file. All rows of all groups, as CSV.",
)
@click.option(
    "--plots",
    metavar="DIR",
    type=options.PATH,
    help="Draw figures into this folder, as PNG and SVG. Scatter plots with their densities.",
)
@options.testset_format
@options.responses_format
@options.as_json
def tao2018(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    ratings: tuple[Path, ...],
    ratings_format: str | None,
    criterion: str | None,
    model: Path,
    referenced: str,
    unreferenced: str,
    scale: str,
    leave_one_out: bool,
    without: tuple[str, ...],
    metrics: tuple[str, ...],
    tokenizer: str,
    lowercase: bool,
    smoothing: str,
    transfer: Path | None,
    transfer_responses: tuple[Path, ...],
    transfer_ratings: tuple[Path, ...],
    transfer_criterion: str | None,
    transfer_without: tuple[str, ...],
    transfer_scale: str | None,
    cases: int,
    ids: tuple[str, ...],
    save: Path | None,
    plots: Path | None,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
    **shared: Any,
) -> None:
    """Tables 2, 3 and 4 of Tao et al. (2018): does RUBER agree with people?

    Correlates BLEU, ROUGE, RUBER's referenced and unreferenced halves and its four blends with human
    ratings of single replies, pooled and within each system, beside a random baseline and human
    agreement. With --transfer also on data that the model was not trained for.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import recipe_tao2018 as show
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.recipes.tao2018 import Model, Texts
    from rejoinder.recipes.tao2018 import cases as replies_of
    from rejoinder.recipes.tao2018 import tao2018 as study

    _check(testset, responses, transfer, transfer_responses, transfer_ratings)
    own = ("transfer_criterion", "transfer_without", "transfer_scale")
    check_needs(transfer is not None, "--transfer TESTSET", *own)
    targets.check_file(save, targets.STUDY)
    targets.check_drawings(plots)
    formats = (testset_format, responses_format, ratings_format)
    sets = {"": _Set(testset, references, responses, ratings, criterion, without, scale, formats)}
    if transfer is not None:
        targets.check_drawings(plots and plots / TRANSFER)
        sets[TRANSFER] = _Set(
            transfer, (), transfer_responses, transfer_ratings, transfer_criterion,
            transfer_without, transfer_scale or scale,
        )  # fmt: skip
    tables = {name: each.read() for name, each in sets.items()}
    _check_cases(cases, ids, tables[""][0])
    studies: dict[str, Study] = {}
    for name, each in sets.items():
        with Progress("measuring and correlating") as tick:
            studies[name] = study(
                *tables[name],
                Model(str(model), referenced, each.bounds, leave_one_out, unreferenced),
                further=metrics,
                texts=Texts(tokenizer, lowercase, smoothing),
                criterion=each.criterion,
                without=each.without,
                progress=tick,
                **shared,
            )
    shown = replies_of(studies[""], cases, ids)
    with Outputs() as outputs:
        outputs.save(save, lambda path: _save(studies, path))
        drawn = outputs.make(lambda: _drawn(studies, plots), ([], []))
        (show.write if json else show.show)(studies, shown, drawn)


class _Set(NamedTuple):
    """The files of a test set with its replies and ratings, and what to do with them."""

    testset: Path
    references: tuple[Path, ...]
    responses: tuple[Path, ...]
    ratings: tuple[Path, ...]
    criterion: str | None
    without: tuple[str, ...]
    bounds: str
    formats: tuple[str | None, str | None, str | None] = (None, None, None)

    def read(self) -> tuple[TestSet, pl.DataFrame, pl.DataFrame]:
        """The test set, the replies and the ratings."""
        from rejoinder.cli.inputs import read, read_rated

        of_testset, of_responses, of_ratings = self.formats
        texts = read(self.testset, self.references, self.responses, of_testset, of_responses)
        return *texts, read_rated(self.ratings, of_ratings, self.criterion, None)


def _check(
    testset: Path,
    responses: tuple[Path, ...],
    transfer: Path | None,
    transfer_responses: tuple[Path, ...],
    transfer_ratings: tuple[Path, ...],
) -> None:
    """Raises a ParameterError where a set lacks its replies or ratings."""
    from rejoinder.cli import inputs
    from rejoinder.errors import ParameterError

    inputs.check_named(testset, responses, "recipe tao2018", "--ratings FILE --model FOLDER")
    together = (transfer, transfer_responses, transfer_ratings)
    if any(together) and not all(together):
        raise ParameterError(
            "a transfer needs three things: --transfer TESTSET, --transfer-responses FILE and "
            "--transfer-ratings FILE"
        )


def _check_cases(n: int, ids: tuple[str, ...], testset: TestSet) -> None:
    """Raises a ParameterError where a case cannot be shown: before the work, not after it."""
    from rejoinder.errors import ParameterError

    if n < 0:
        raise ParameterError(f"--cases {n} must be 0 or more")
    for name in ids:
        if name not in testset.ids:
            raise ParameterError(f"--case {name}: the test set has no such item; see its ids")


def _save(studies: dict[str, Study], path: Path) -> None:
    import polars as pl

    from rejoinder.files.replacing import replacing
    from rejoinder.tables.write import without_formulas

    frames = [
        study.rows().select(pl.lit(name or "test set").alias("data"), pl.all())
        for name, study in studies.items()
    ]
    with replacing(path) as temporary:
        temporary.write_bytes(without_formulas(pl.concat(frames)).write_csv().encode())


def _drawn(studies: dict[str, Study], folder: Path | None) -> tuple[list[Path], list[str]]:
    """The files, and what the pictures cannot show."""
    paths: list[Path] = []
    notes: list[str] = []
    if folder is None:
        return paths, notes
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.recipes.tao2018.figures import draw

    for name, study in studies.items():
        with Progress("drawing") as tick:
            made = draw(study, folder / name, progress=tick)
        paths += made.paths
        notes += made.notes
    return paths, notes
