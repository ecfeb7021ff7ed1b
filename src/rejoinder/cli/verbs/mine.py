"""``rejoinder mine``: candidate references from a corpus of conversations."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import argument, command, flag, number, option, path
from rejoinder.cli.shard_option import ShardOptions, in_shards


class MineOptions(options.TestsetFileOptions, options.PrintedOptions, ShardOptions):
    """The options of 'mine'."""

    corpus: Path = argument("corpus", type=options.PATH)
    testset: Path = argument("testset", type=options.PATH)
    output: Path = options.output("A file of candidates: .jsonl, .csv, .tsv or .parquet.")
    candidates: int = options.CANDIDATES
    alpha: float = number(
        "--set response_weight",
        metavar="ALPHA",
        default=0.5,
        help="Weight of the similarity of responses, 0 to 1.",
    )
    epsilon: float = number(
        "--set response_smoothing",
        metavar="EPSILON",
        default=1.0,
        help="Constant that is added to the similarity of responses, with the weight 1 - ALPHA. 0: responses "
        "that share no word with the item's own are no candidates.",
    )
    k1: float = number("--set k1", default=1.5, help="Saturation of word counts in BM25.")
    b: float = number("--set b", default=0.75, help="Length normalisation of BM25, 0 to 1.")
    tokenizer: str = option(
        "--set tokenizer", metavar="NAME", default="13a", help="Tokenizer. Texts are lower-cased."
    )
    parrot: bool = flag(
        "--set parrot", help="Add the item's own message as a candidate, as Galley et al. did."
    )
    index: Path | None = path(
        "--index",
        writes=True,
        metavar="FOLDER",
        help="Folder that keeps the index of the corpus. It is made once, and used by later commands.",
    )


@command(MineOptions)
@in_shards
def mine(given: MineOptions) -> None:
    """Mine candidate references for a test set from a corpus.

    For an item with message m and response r, each response r2 to a message m2 of the corpus is scored
    by d(m2, m) (ALPHA d(r2, r) + (1 - ALPHA) EPSILON), where d is BM25 (Sordoni et al. 2015; Galley et
    al. 2015). Equal responses count once. Conversations of the corpus that share an utterance of 8
    words or a pair of message and response with the test set are left out.
    """
    from rejoinder.cli.outputs import save_and_print
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.corpora.mining.files import index_corpus, passing_index
    from rejoinder.corpora.mining.mine import check_parameters
    from rejoinder.corpora.mining.mine import mine as mined
    from rejoinder.files.arrays import RECORD
    from rejoinder.tables.write import write_candidates

    parameters = {
        name: getattr(given, name) for name in ("candidates", "alpha", "epsilon", "k1", "b")
    }
    check_parameters(**parameters)
    targets.check_file(given.output, targets.CANDIDATES, "--output")
    targets.check_folder(given.index, "--index", (RECORD,))
    with Progress("reading"):
        testset = inputs.read_items(given)
        inputs.check_corpus_first(given.corpus, given.testset, testset)
    with ExitStack() as stack:
        with Progress("indexing", "items") as tick:
            index = (
                stack.enter_context(passing_index(given.corpus, given.tokenizer, tick))
                if given.index is None
                else index_corpus(
                    given.corpus, given.index, tokenizer=given.tokenizer, progress=tick
                )
            )
        with Progress("mining", "items") as tick:
            result = mined(index, testset, **parameters, parrot=given.parrot, progress=tick)
    save_and_print(
        result,
        given.output,
        lambda path: write_candidates(result.table, path),
        result.table.height,
        given=given,
        show=type(result).document,
    )
