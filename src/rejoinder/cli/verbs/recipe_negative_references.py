"""``rejoinder recipe negative-references``: do negative references help?"""

from __future__ import annotations

from pathlib import Path

import click

from rejoinder.cli import options


@click.command(
    "negative-references", short_help="Galley et al. (2015): do negative references help?"
)
@click.argument("testset", type=options.PATH)
@options.references
@click.option(
    "--order",
    metavar="N",
    type=click.IntRange(1, 4),
    default=2,
    show_default=True,
    help="Longest n-gram. Of the printed table; --json has 1 to 4.",
)
@click.option(
    "--factor",
    metavar="X",
    type=float,
    default=1.0,
    show_default=True,
    help="Multiply the weights of bad references by this, from 0 (only their lengths count) to 1.",
)
@click.option(
    "--tokenizer",
    metavar="NAME",
    default="13a",
    show_default=True,
    help="Tokenizer of the n-gram metrics.",
)
@click.option("--lowercase", is_flag=True, help="Lowercase texts first.")
@options.resamples
@click.option(
    "--permutations",
    metavar="N",
    type=int,
    default=10_000,
    show_default=True,
    help="Number of permutations of the significance tests. 0: no tests.",
)
@options.seed
@options.testset_format
@options.as_json
def negative_references(
    testset: Path,
    references: tuple[Path, ...],
    order: int,
    factor: float,
    tokenizer: str,
    lowercase: bool,
    resamples: int,
    permutations: int,
    seed: int,
    testset_format: str | None,
    json: bool,
) -> None:
    """Test whether negative references help a metric.

    Holds out a good reference and a bad one (of negative weight) of each context, and scores both
    against the others: deltaBLEU against good and bad ones, BLEU against the good ones alone.
    """
    from rejoinder.cli.show import recipe_negative_references as show
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.recipes.negative_references import study as recipe
    from rejoinder.tables.testset import read_testset

    with Progress("reading"):
        items = read_testset(testset, *references, format=testset_format)
    with Progress("separating") as tick:
        found = recipe.negative_references(
            items,
            factor=factor,
            tokenizer=tokenizer,
            lowercase=lowercase,
            resamples=resamples,
            permutations=permutations,
            seed=seed,
            progress=tick,
        )
    show.write(found) if json else show.show(found, order)
