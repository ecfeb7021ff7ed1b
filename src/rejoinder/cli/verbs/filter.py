"""``rejoinder filter``: a corpus without its pairs of high entropy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, flag, integer, number, option

if TYPE_CHECKING:
    from rejoinder.corpora.filtering import FilteredCorpus
    from rejoinder.document.parts import Document


class EntropyOptions(options.SeedOptions):
    """How the filter works, and what it lists."""

    side: str = choice(
        "--side",
        of=("source", "target", "both"),
        default="target",
        help="Side whose entropy is measured.",
    )
    threshold: float = number(
        "--threshold",
        metavar="BITS",
        default=1.0,
        help="Entropy threshold in bits; pairs above it are dropped.",
    )
    longest: float | None = number(
        "--longest",
        metavar="WORDS",
        help="Keep utterances (clusters) of at least this many words, whatever their entropy.",
    )
    vectors: tuple[Path, Path] | None = option(
        "--sentence-vectors",
        metavar="SOURCES.npy TARGETS.npy",
        type=(options.PATH, options.PATH),
        help="Sentence vectors of both sides, one row for each pair. Utterances are then "
        "clustered by meaning (k-means).",
    )
    clusters: int | None = integer(
        "--clusters", metavar="K", help="Number of clusters of each side. With --sentence-vectors."
    )
    detokenize: bool = flag(
        "--detokenize",
        help="Detokenise and recase utterances, for DailyDialog. For the comparison alone; the "
        "written text stays as it is.",
    )
    show: int = integer("--show", default=10, help="Number of utterances to list.")


class FilterOptions(options.CorpusOptions, EntropyOptions, options.PrintedOptions):
    """The options of 'filter'."""

    output: Path = options.output("A file: .jsonl or .parquet.")


@command(FilterOptions, "filter")
def filter_corpus(given: FilterOptions) -> None:
    """Drop the pairs of a corpus whose entropy is too high.

    The entropy filter of Csaky et al. (2019). The entropy of a reply is that of the messages that it
    answers, and the entropy of a message is that of the replies that it gets, in bits. Equal
    utterances count as one; with --sentence-vectors, so do utterances of one cluster.
    """
    from rejoinder.cli.outputs import save_and_print
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.corpora import filtering
    from rejoinder.corpora.pairs import check_holds_pairs
    from rejoinder.errors import ParameterError
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.write import write_testset

    check_draws(0, given.seed)
    if (given.vectors is None) != (given.clusters is None):
        raise ParameterError("--sentence-vectors and --clusters go together; give both or neither")
    targets.check_file(given.output, targets.CORPUS, "--output")
    with Progress("reading"):
        corpus = inputs.read_corpus(given)
        check_holds_pairs(corpus, str(given.corpus))
    with Progress("filtering"):
        result = filtering.filter_corpus(corpus, **given.of(EntropyOptions))
    save_and_print(
        result,
        given.output,
        lambda path: write_testset(result.testset, path),
        len(result.testset),
        given=given,
        show=_document,
    )


def _document(result: FilteredCorpus) -> Document:
    """How many pairs are dropped, and the utterances of the highest entropy."""
    from rejoinder.document.numbers import decimals
    from rejoinder.document.parts import GAP, Line, lines
    from rejoinder.document.table import Table, key, number

    filtered = result.filtered
    total = len(filtered.kept) + filtered.dropped
    share = 100 * filtered.dropped / total
    side = "source or the target" if filtered.side == "both" else filtered.side
    dropped = (
        f"{filtered.dropped} of {total} pairs dropped ({share:.1f}%): entropy of the {side} above "
        f"{filtered.threshold} bits"
    )
    columns = [
        key("highest entropy", "utterance"),
        number("side"),
        number("bits", "entropy", decimals(2)),
        number("pairs"),
    ]
    meanings = {
        "utterance": "Utterance, or the one that stands for its cluster.",
        "side": "Source or target.",
        "entropy": "Entropy of what it is paired with, in bits.",
        "pairs": "Number of its pairs.",
    }
    table = Table(filtered.highest, columns, meanings=meanings)
    return [Line(dropped), GAP, table, GAP, *lines(result.notes, "note")]
