"""``rejoinder recipe tao2018``: how far RUBER, its halves and n-grams agree with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, flag, number, option, path
from rejoinder.cli.terminal.progress import Progress

if TYPE_CHECKING:
    from rejoinder.recipes.tao2018.study import TaoStudy
    from rejoinder.tables.testset import TestSet


class CorrelatingOptions(options.GapsOptions, options.SamplingOptions):
    """How metrics are correlated."""

    raters: str = options.RATERS
    least_weight: float | None = number(
        "--set min_weight",
        metavar="T",
        help="Exclude references of a lower weight; the metrics of the table ignore weights.",
    )
    permutations: int = options.permutations(1000)


class Tao2018Options(
    options.TextsOptions,
    options.MetricsOptions,
    options.RatingFilesOptions,
    CorrelatingOptions,
    options.PrintedOptions,
    options.LedgerOptions,
):
    """The options of 'recipe tao2018'."""

    model: Path = path(
        "--model",
        metavar="FOLDER",
        required=True,
        help="Model. The folder that 'rejoinder train ruber' wrote.",
    )
    referenced: str = choice(
        "--set referenced",
        of=("pooled", "encoder"),
        default="pooled",
        help="Which s_R is blended. pooled: the paper's pooled word vectors; encoder: the "
        "model's sentence encoder.",
    )
    unreferenced: str = choice(
        "--set unreferenced",
        of=("logit", "sigmoid"),
        default="logit",
        help="Which s_U is blended. logit: before the sigmoid of the model's last unit; sigmoid: "
        "after it, as in the paper.",
    )
    bounds: str = option(
        "--set bounds",
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
        "--set lowercase", help="Lowercase texts first. For BLEU; ROUGE always does."
    )
    smoothing: str = option(
        "--set smoothing",
        metavar="NAME",
        default="none",
        help="Smoothing of sentence BLEU: none, floor, add-k or exp.",
    )
    cases: int = options.cases(2, "Their replies with all scores.")
    ids: tuple[str, ...] = options.case_ids()
    without: tuple[str, ...] = options.without()
    plots: Path | None = options.plots("Scatter plots with their densities.")


@command(Tao2018Options, short_help="Tao et al. (2018): does RUBER agree with people?")
def tao2018(given: Tao2018Options) -> None:
    """Tables 2, 3 and 4 of Tao et al. (2018): does RUBER agree with people?

    Correlates BLEU, ROUGE, RUBER's referenced and unreferenced halves and its four blends with human
    ratings of single replies, pooled and within each system, beside a random baseline and human
    agreement. For Table 4, repeat the command with the same model on data of another kind.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.document.parts import lines
    from rejoinder.recipes.tao2018 import Model, Texts
    from rejoinder.recipes.tao2018 import cases as replies_of
    from rejoinder.recipes.tao2018 import tao2018 as study
    from rejoinder.recipes.tao2018.figures import paper_labels
    from rejoinder.recipes.tao2018.study_tables import CASES

    inputs.check_named(given, "--ratings FILE --model FOLDER")
    targets.check_drawings(given.plots)
    testset, responses = inputs.read(given)
    ratings = inputs.read_rated(given)
    _check_cases(given, testset)
    with Progress("measuring and correlating") as tick:
        result = study(
            testset,
            responses,
            ratings,
            Model(
                str(given.model),
                given.referenced,
                given.bounds,
                given.leave_one_out,
                given.unreferenced,
            ),
            further=given.metrics,
            texts=Texts(given.tokenizer, given.lowercase, given.smoothing),
            criterion=given.criterion,
            without=given.without,
            **given.of(CorrelatingOptions),
            progress=tick,
        )
    cases = replies_of(result, given.cases, given.ids)
    shown = cases.select(*CASES, *paper_labels(result))
    with Outputs(result) as outputs:
        files, undrawn = outputs.make(lambda: _drawn(result, given.plots), ([], []))
        outputs.drew(given.plots, files)
        outputs.show(
            given,
            lambda: [*result.document(cases=shown), *lines(undrawn, "note")],
            lambda: {
                **result.as_json(),
                "notes": [*result.notes, *undrawn],
                "cases": cases.to_dicts(),
                "files": [str(path) for path in files],
            },
        )


def _check_cases(given: Tao2018Options, testset: TestSet) -> None:
    """Raises a ParameterError where a case cannot be shown: before the work, not after it."""
    from rejoinder.errors import ParameterError

    if given.cases < 0:
        raise ParameterError(f"--cases {given.cases} must be 0 or more")
    for name in given.ids:
        if name not in testset.ids:
            raise ParameterError(f"--case {name}: the test set has no such item; see its ids")


def _drawn(study: TaoStudy, folder: Path | None) -> tuple[list[Path], list[str]]:
    """The files, and what the pictures cannot show."""
    if folder is None:
        return [], []
    from rejoinder.recipes.tao2018.figures import draw

    with Progress("drawing") as tick:
        album = draw(study, folder, progress=tick)
    return list(album.paths), list(album.notes)
