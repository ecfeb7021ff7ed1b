"""``rejoinder compare``: pairs of systems on the same items."""

from __future__ import annotations

from rejoinder.cli import options
from rejoinder.cli.declarations import command, flag, integer, number, option


class CompareOptions(options.ScoringOptions):
    """The options of 'compare'."""

    a: str | None = option("-a", metavar="NAME", help="First system of a single comparison.")
    b: str | None = option("-b", metavar="NAME", help="Second system of a single comparison.")
    margin: float | None = number(
        "--margin",
        help="Largest difference that does not matter. In the metrics' own range: 0.01 is one point "
        "of BLEU. Adds tests of equivalence and of non-inferiority of a.",
    )
    all_pairs: bool = flag(
        "--all-pairs",
        help="Print a row for every pair of systems. Default: up to 6 systems; more have a matrix of "
        "signs.",
    )
    resamples: int = options.resamples("")
    permutations: int | None = integer(
        "--permutations",
        help="Number of permutations of the significance tests. Default: 10,000, or 100 for each "
        "pair if that is more.",
    )


@command(CompareOptions)
def compare(given: CompareOptions) -> None:
    """Compare systems pair by pair, with intervals and tests.

    For every pair and metric: the difference, its 95% interval, two paired tests, and how many
    items each system won, tied and lost; of more than 6 systems, a matrix of the pairs that differ.
    With -a and -b, the items that other systems did not answer count too. Give a test set and
    responses, or scores kept with 'rejoinder score --save'.
    """
    from rejoinder.cli import inputs
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.scoring.compare import compare as pairs

    inputs.check_together(given, "digits", "json")
    if given.all_pairs and given.json:
        raise ParameterError(
            "--all-pairs and --json do not go together: JSON has every pair; leave --all-pairs out"
        )
    unused = ("without", "resamples", "seed")
    only = () if given.a is None or given.b is None else (given.a, given.b)
    scores, _ = inputs.measured(
        given, given.without, cluster=given.cluster, unused=unused, only=only
    )
    if not scores.resamples:
        raise ParameterError(
            f"--resamples 0: '{given.testset}' was measured without resamples, and a comparison needs "
            f"them; give {options.FEWEST_RESAMPLES} or more when measuring, or leave --resamples out"
        )
    with Progress("comparing"):
        compared = pairs(
            scores,
            given.a,
            given.b,
            permutations=given.permutations,
            cluster=given.cluster,
            margin=given.margin,
        )
    if given.json:
        write(compared.as_json(given.ranks))
    else:
        from rejoinder.cli.show.compare import comparison

        comparison(compared, given.ranks, given.digits, given.all_pairs)
