"""``rejoinder filter``: a corpus without the pairs that go with everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.corpora.entropy_filter import FilteredPairs


@click.command("filter")
@click.argument("corpus", type=options.PATH)
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    required=True,
    help="Output path. A file: .jsonl or .parquet.",
)
@click.option(
    "--side",
    type=click.Choice(["source", "target", "both"]),
    default="target",
    show_default=True,
    help="Side whose entropy is measured.",
)
@click.option(
    "--threshold",
    metavar="BITS",
    type=float,
    default=1.0,
    show_default=True,
    help="Entropy threshold in bits; pairs above it are dropped.",
)
@click.option(
    "--longest",
    metavar="WORDS",
    type=float,
    help="Keep utterances (clusters) of at least this many words, whatever their entropy.",
)
@click.option(
    "--sentence-vectors",
    "vectors",
    metavar="SOURCES.npy TARGETS.npy",
    type=(options.PATH, options.PATH),
    help="Sentence vectors of both sides, one row for each pair. Utterances are then "
    "clustered by meaning (k-means).",
)
@click.option(
    "--detokenize",
    is_flag=True,
    help="Detokenise and recase utterances, for DailyDialog. For the comparison alone; the "
    "written text stays as it is.",
)
@click.option(
    "--clusters",
    metavar="K",
    type=int,
    help="Number of clusters of each side. With --sentence-vectors.",
)
@click.option(
    "--show",
    metavar="N",
    type=int,
    default=10,
    show_default=True,
    help="Number of utterances to list.",
)
@options.seed
@options.corpus_format
@options.as_json
def filter_corpus(
    corpus: Path,
    output: Path,
    side: str,
    threshold: float,
    longest: float | None,
    vectors: tuple[Path, Path] | None,
    detokenize: bool,
    clusters: int | None,
    show: int,
    seed: int,
    corpus_format: str | None,
    json: bool,
) -> None:
    """Drop the pairs of a corpus whose entropy is too high.

    The entropy filter of Csaky et al. (2019): the entropy of a reply is that of the messages it was
    said to, and of a message that of the replies it got, in bits. Equal utterances count as one, or
    utterances of one cluster of sentence vectors.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import machine
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.corpora import filtering
    from rejoinder.errors import ParameterError
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.testset import read_testset
    from rejoinder.tables.write import write_testset

    check_draws(0, seed)
    if (vectors is None) != (clusters is None):
        raise ParameterError("--sentence-vectors and --clusters go together; give both or neither")
    targets.check_file(output, targets.CORPUS, "--output")
    with Progress("reading"):
        items = read_testset(corpus, format=corpus_format)
    with Progress("filtering"):
        made = filtering.filter_corpus(
            items, side=side, threshold=threshold, longest=longest, vectors=vectors,
            clusters=clusters, detokenize=detokenize, show=show, seed=seed,
        )  # fmt: skip
    with Outputs() as outputs:
        written = outputs.save(output, lambda path: write_testset(made.testset, path))
        file = output if written else None
        if json:
            machine.write(made.as_json(file and str(file)))
        else:
            _print(made.filtered, made.notes, file)


def _print(told: FilteredPairs, notes: tuple[str, ...], output: Path | None) -> None:
    from rejoinder.cli.terminal.console import bare_table, console, print_notes

    out = console()
    total = len(told.kept) + told.dropped
    share = 100 * told.dropped / total
    out.print(
        f"{told.dropped} of {total} pairs dropped ({share:.1f}%): entropy of the "
        f"{'source or the target' if told.side == 'both' else told.side} above {told.threshold} bits"
    )
    out.print()
    shown = bare_table()
    shown.add_column("highest entropy")
    for name in ("side", "bits", "pairs"):
        shown.add_column(name, justify="right")
    for row in told.highest.iter_rows(named=True):
        bits = f"{row['entropy']:.2f}"
        shown.add_row(row["utterance"], row["side"], bits, str(row["pairs"]))
    out.print(shown)
    out.print()
    print_notes(out, notes)
    if output is not None:
        out.print(f"written: {output}", soft_wrap=True)
