"""``rejoinder recipe negative-references``: do negative references help?"""

from __future__ import annotations

import click

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import Options, command, flag, integer, number


class NegativeScoringOptions(Options):
    """How the replies held out are scored and compared."""

    factor: float = number(
        "--set factor",
        default=1.0,
        help="Multiply the weights of bad references by this, from 0 (only their lengths count) to 1.",
    )
    tokenizer: str = options.TOKENIZER
    lowercase: bool = flag("--set lowercase", help="Lowercase texts first.")
    permutations: int = options.permutations(10_000)


class NegativeReferencesOptions(
    options.TestsetFilesOptions,
    NegativeScoringOptions,
    options.SamplingOptions,
    options.PrintedOptions,
    options.LedgerOptions,
):
    """The options of 'recipe negative-references'."""

    order: int = integer(
        "--set order",
        type=click.IntRange(1, 4),
        default=2,
        help="Longest n-gram. Of the printed table; --json has 1 to 4.",
    )


@command(
    NegativeReferencesOptions,
    "negative-references",
    short_help="Galley et al. (2015): do negative references help?",
)
def negative_references(given: NegativeReferencesOptions) -> None:
    """Test whether negative references help a metric.

    Holds out a good reference and a bad one (of negative weight) of each context, and scores both
    against the others: deltaBLEU against good and bad ones, BLEU against the good ones alone.
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.recipes.negative_references import study as recipe

    with Progress("reading"):
        testset = inputs.read_items(given)
    with Progress("separating") as tick:
        result = recipe.negative_references(
            testset, **given.of(NegativeScoringOptions, options.SamplingOptions), progress=tick
        )
    with Outputs(result) as outputs:
        outputs.show(given, lambda: result.document(order=given.order), result.as_json)
