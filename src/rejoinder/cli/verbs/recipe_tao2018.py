"""``rejoinder recipe tao2018``: how far RUBER, its halves and n-grams agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli import options
from rejoinder.cli.declarations import Options, choice, command, flag, number, option, path

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.document.parts import Document
    from rejoinder.recipes.tao2018.study import Study
    from rejoinder.tables.testset import TestSet

TRANSFER = "transfer"
"""What the second set is called, in tables and as a folder of plots."""


class CorrelatingOptions(options.GapsOptions, options.SamplingOptions):
    """What both test sets share."""

    raters: str = options.RATERS
    least_weight: float | None = number(
        "--least-weight",
        metavar="T",
        help="Exclude references of a lower weight; the metrics of the table ignore weights.",
    )
    permutations: int = options.permutations(1000)


class TransferOptions(Options):
    """Another test set, for the same model."""

    transfer: Path | None = path(
        "--transfer", metavar="TESTSET", help="Another test set, scored with the same model."
    )
    transfer_responses: tuple[Path, ...] = path(
        "--transfer-responses",
        multiple=True,
        help="File of responses to the transfer set; may be repeated.",
    )
    transfer_ratings: tuple[Path, ...] = path(
        "--transfer-ratings",
        multiple=True,
        help="File of human ratings of these responses; may be repeated.",
    )
    transfer_criterion: str | None = option(
        "--transfer-criterion",
        metavar="NAME",
        help="Rating criterion of the transfer set. Required if its ratings have several.",
    )
    transfer_without: tuple[str, ...] = option(
        "--transfer-without",
        metavar="NAME",
        multiple=True,
        help="Exclude this system of the transfer set; may be repeated.",
    )
    transfer_bounds: str | None = option(
        "--transfer-bounds",
        metavar="HOW",
        help="Source of the bounds for the transfer set (default: that of --bounds).",
    )


class Tao2018Options(
    options.TextsOptions,
    options.MetricsOptions,
    options.RatingFilesOptions,
    CorrelatingOptions,
    TransferOptions,
    options.PrintedOptions,
):
    """The options of 'recipe tao2018'."""

    model: Path = path(
        "--model",
        metavar="FOLDER",
        required=True,
        help="Model. The folder that 'rejoinder train ruber' wrote.",
    )
    referenced: str = choice(
        "--referenced",
        of=("pooled", "encoder"),
        default="pooled",
        help="Which s_R is blended. pooled: the paper's pooled word vectors; encoder: the "
        "model's sentence encoder.",
    )
    unreferenced: str = choice(
        "--unreferenced",
        of=("logit", "sigmoid"),
        default="logit",
        help="Which s_U is blended. logit: before the sigmoid of the model's last unit; sigmoid: "
        "after it, as in the paper.",
    )
    bounds: str = option(
        "--bounds",
        metavar="HOW",
        default="training",
        help="Source of the bounds of s_R and s_U. training; scored: fitted to these replies, as "
        "in the paper; or four numbers, 'low;high;low;high'.",
    )
    leave_one_out: bool = flag(
        "--leave-one-out",
        help="Exclude a reference that is the reply itself. For people whose replies became "
        "references.",
    )
    tokenizer: str = options.TOKENIZER
    lowercase: bool = flag(
        "--lowercase", help="Lowercase texts first. For BLEU; ROUGE always does."
    )
    smoothing: str = option(
        "--smoothing",
        metavar="NAME",
        default="none",
        help="Smoothing of sentence BLEU: none, floor, add-k or exp.",
    )
    cases: int = options.cases(2, "Their replies with all scores.")
    ids: tuple[str, ...] = options.case_ids()
    without: tuple[str, ...] = options.without()
    save: Path | None = options.save("All rows of all groups, as CSV.")
    plots: Path | None = options.plots("Scatter plots with their densities.")

    def sets(self) -> dict[str, Tao2018Options]:
        """The options of the test set, and of the transfer set if there is one, by name."""
        if self.transfer is None:
            return {"": self}
        changed = {
            "testset": self.transfer,
            "references": (),
            "responses": self.transfer_responses,
            "ratings": self.transfer_ratings,
            "criterion": self.transfer_criterion,
            "without": self.transfer_without,
            "bounds": self.transfer_bounds or self.bounds,
            "format": None,
        }
        return {"": self, TRANSFER: Tao2018Options(self.of(Tao2018Options) | changed)}


@command(Tao2018Options, short_help="Tao et al. (2018): does RUBER agree with people?")
def tao2018(given: Tao2018Options) -> None:
    """Tables 2, 3 and 4 of Tao et al. (2018): does RUBER agree with people?

    Correlates BLEU, ROUGE, RUBER's referenced and unreferenced halves and its four blends with human
    ratings of single replies, pooled and within each system, beside a random baseline and human
    agreement. With --transfer also on data that the model was not trained for.
    """
    from rejoinder.cli import inputs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.recipes.tao2018 import Model, Texts
    from rejoinder.recipes.tao2018 import cases as replies_of
    from rejoinder.recipes.tao2018 import tao2018 as study

    _check(given)
    sets = given.sets()
    tables = {name: (*inputs.read(each), inputs.read_rated(each)) for name, each in sets.items()}
    _check_cases(given, tables[""][0])
    studies: dict[str, Study] = {}
    for name, each in sets.items():
        model = Model(
            str(each.model), each.referenced, each.bounds, each.leave_one_out, each.unreferenced
        )
        with Progress("measuring and correlating") as tick:
            studies[name] = study(
                *tables[name],
                model,
                further=given.metrics,
                texts=Texts(given.tokenizer, given.lowercase, given.smoothing),
                criterion=each.criterion,
                without=each.without,
                **given.of(CorrelatingOptions),
                progress=tick,
            )
    shown = replies_of(studies[""], given.cases, given.ids)
    with Outputs(studies[""]) as outputs:
        outputs.save(given.save, lambda path: _save(studies, path))
        pictures = outputs.make(lambda: _drawn(studies, given.plots), ([], []))
        outputs.drew(given.plots, pictures[0])
        outputs.show(
            given,
            lambda: _document(studies, shown, pictures[1]),
            lambda: _as_json(studies, shown, *pictures),
        )


def _check(given: Tao2018Options) -> None:
    """Raises where a set lacks its replies or ratings, or a file must not be written."""
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.errors import ParameterError

    inputs.check_named(given, "--ratings FILE --model FOLDER")
    together = (given.transfer, given.transfer_responses, given.transfer_ratings)
    if any(together) and not all(together):
        raise ParameterError(
            "a transfer needs three things: --transfer TESTSET, --transfer-responses FILE and "
            "--transfer-ratings FILE"
        )
    own = ("transfer_criterion", "transfer_without", "transfer_bounds")
    check_needs(given.transfer is not None, "--transfer TESTSET", *own)
    targets.check_file(given.save, targets.STUDY)
    targets.check_drawings(given.plots)
    if given.transfer is not None:
        targets.check_drawings(given.plots and given.plots / TRANSFER)


def _check_cases(given: Tao2018Options, testset: TestSet) -> None:
    """Raises a ParameterError where a case cannot be shown: before the work, not after it."""
    from rejoinder.errors import ParameterError

    if given.cases < 0:
        raise ParameterError(f"--cases {given.cases} must be 0 or more")
    for name in given.ids:
        if name not in testset.ids:
            raise ParameterError(f"--case {name}: the test set has no such item; see its ids")


def _save(studies: dict[str, Study], path: Path) -> None:
    import polars as pl

    from rejoinder.files.replacing import replacing
    from rejoinder.rendering.comma_separated import without_formulas

    frames = [
        study.rows().select(pl.lit(name or "test set").alias("data"), pl.all())
        for name, study in studies.items()
    ]
    with replacing(path) as temporary:
        temporary.write_bytes(without_formulas(pl.concat(frames)).write_csv().encode())


def _document(studies: dict[str, Study], cases: pl.DataFrame, undrawn: Sequence[str]) -> Document:
    """What is shown of all test sets, and what the pictures cannot show."""
    from rejoinder.document.parts import GAP, Line, lines
    from rejoinder.document.text import styled
    from rejoinder.recipes.tao2018.figures import paper_labels
    from rejoinder.recipes.tao2018.study_tables import CASES

    first = studies[""]
    shown = first.document(cases=cases.select(*CASES, *paper_labels(first)))
    for name, study in studies.items():
        if name:
            words = f"{name}: another test set, the same model"
            shown += [GAP, Line(styled(words, "bold")), *study.document(data=name)]
    return [*shown, *lines(undrawn, "note")]


def _as_json(
    studies: dict[str, Study], cases: pl.DataFrame, files: Sequence[Path], undrawn: Sequence[str]
) -> dict[str, Any]:
    """What ``--json`` prints."""
    first, *others = (study.as_json() for study in studies.values())
    return {
        **first,
        "notes": [*first["notes"], *undrawn],
        "cases": cases.to_dicts(),
        "transfer": others[0] if others else None,
        "files": [str(path) for path in files],
    }


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
            album = draw(study, folder / name, progress=tick)
        paths += album.paths
        notes += album.notes
    return paths, notes
