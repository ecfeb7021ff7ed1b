"""``rejoinder respond``: the replies of a system to a test set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import argument, command, integer, number, option, path
from rejoinder.cli.shard_option import ShardOptions, in_shards
from rejoinder.responders.registry import BUILT_IN, RERANKING, kind_of_system

if TYPE_CHECKING:
    from rejoinder.responders.replies import Replies


class ReplyingOptions(options.SeedOptions):
    """How the replies are found."""

    name: str | None = option(
        "--name",
        metavar="NAME",
        help=f"Name of the system (default: its folder's name, {' or '.join(BUILT_IN)}).",
    )
    beam: int = options.BEAM
    length_penalty: float = number(
        "--set length_penalty",
        default=1.0,
        help="Log-probabilities are divided by the length to this power. 0 favours short replies.",
    )
    scorer: Path | None = path(
        "--scorer",
        metavar="FOLDER",
        help="Model folder of 'rejoinder train ruber' that re-ranks retrieved replies. With "
        f"{' or '.join(RERANKING)}.",
    )
    candidates: int = integer(
        "--candidates",
        type=click.IntRange(min=1),
        default=20,
        help="Number of candidate replies. The scorer re-ranks them.",
    )
    tokenizer: str = option(
        "--set tokenizer",
        metavar="NAME",
        default="13a",
        help="Tokenizer. Texts are lower-cased. With retrieval.",
    )
    nbest: int = options.nbest(1)


class ChatOptions(options.Options):
    """How a model behind a server replies."""

    instructions: str = option(
        "--instructions",
        metavar="TEXT",
        default="",
        show_default=False,
        help="Text that a server's model is told before each conversation.",
    )
    turns: int | None = options.TURNS
    answer_tokens: int = options.answer_tokens(128)
    work: Path | None = options.WORK


class RespondOptions(
    ReplyingOptions,
    options.ServedModelOptions,
    ChatOptions,
    options.TestsetFileOptions,
    options.JsonOptions,
    ShardOptions,
):
    """The options of 'respond'."""

    device: str = options.DEVICE
    system: str = argument("system", metavar="|".join(("URL", "FOLDER", *BUILT_IN)))
    testset: Path = argument("testset", type=options.PATH)
    output: Path = options.output("A file of responses: .jsonl, .csv, .tsv or .parquet.")
    weights: str | None = option(
        "--set weights",
        metavar="FILE",
        help="File of weights of features: what 'rejoinder tune --json' printed, or an object of JSON with "
        "a weight for each feature. With a phrase-based system; default: weights by hand.",
    )
    corpus: Path | None = path(
        "--corpus",
        help=f"Corpus from which {' and '.join(BUILT_IN)} take their replies. Pairs that also occur "
        "in the test set are excluded.",
    )


@command(RespondOptions)
@in_shards
def respond(given: RespondOptions) -> None:
    """Reply to every item of a test set.

    The replies come from a trained system or a transformers model (its folder), or from a chat model
    behind an OpenAI-compatible server (its URL), or are taken from a corpus: at random, or by retrieval
    of the most similar message. A server's key is read from the environment variable REJOINDER_API_KEY.
    """
    from rejoinder.cli.candidate_options import read_weights
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.corpora.pairs import check_holds_pairs
    from rejoinder.models.chat.asking import Limits
    from rejoinder.models.likelihood.backend import LocalModel
    from rejoinder.responders import replies
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.testset import read_testset
    from rejoinder.tables.write import write_responses

    check_draws(0, given.seed)
    inputs.check_model_first([given.system], given.testset)
    _check(given)
    targets.check_file(given.output, targets.RESPONSES, "--output")
    targets.check_folder(given.work, "--work")
    with Progress("reading"):
        testset = inputs.read_items(given)
        corpus = given.corpus and read_testset(given.corpus)
        if corpus is not None:
            check_holds_pairs(corpus, str(given.corpus))
    with Progress("replying", "messages") as tick:
        result = replies.respond(
            given.system,
            testset,
            corpus=corpus,
            local=LocalModel(given.device),
            limits=Limits(**given.of(options.ServedModelOptions)),
            **given.of(ReplyingOptions, ChatOptions),
            weights=read_weights(Path(given.weights)) if given.weights else None,
            progress=tick,
        )
    with Outputs(result) as outputs:
        table = result.table
        written = outputs.save(
            given.output, lambda path: write_responses(table, path), table.height
        )
        if given.json:
            _write(result, given.output if written else None)
        else:
            _print(result)


def _check(given: RespondOptions) -> None:
    """Raises a ParameterError where an option would be ignored, or one is missing."""
    from rejoinder.cli.needs import check_needs
    from rejoinder.errors import ParameterError
    from rejoinder.messages import meant
    from rejoinder.models.training.folder import kind_of
    from rejoinder.responders.replies import PHRASE_BASED

    near = "" if Path(given.system).exists() else meant(given.system, BUILT_IN)
    if near not in ("", given.system):
        raise ParameterError(f"{given.system}: no such system or folder; did you mean '{near}'?")
    kind = kind_of_system(given.system)
    built_in, trained = kind == "built-in", kind in ("trained", "transformers")
    phrases = trained and kind_of(given.system) == PHRASE_BASED
    check_needs(phrases, "a phrase-based system", "nbest", "weights")
    check_needs(trained, "a trained system", "beam")
    neural = trained and not phrases
    network = "a trained neural network" if phrases else "a trained system"
    check_needs(neural, network, "length_penalty")
    served = given.of(ChatOptions, options.ServedModelOptions)
    whole = ("turns", "answer_tokens")
    language = "the URL of a server or the folder of a transformers model"
    check_needs(kind in ("server", "transformers"), language, *whole)
    only = [name for name in served if name not in whole]
    check_needs(kind == "server", "the URL of a server", *only)
    check_needs(given.work is not None, "--work FOLDER", "max_calls", "max_tokens")
    check_needs(given.scorer is not None, "--scorer FOLDER", "candidates")
    check_needs(given.system == "retrieval", "retrieval", "tokenizer")
    learned = neural or given.scorer is not None
    check_needs(learned, f"{network} or --scorer FOLDER", "device")
    if given.beam < 1:
        raise ParameterError(f"--set beam: got {given.beam}; expected 1 or more")
    if built_in and given.corpus is None:
        raise ParameterError(f"{given.system}: needs --corpus, to take replies from")
    if not built_in and given.corpus is not None:
        raise ParameterError(f"--corpus: only {' and '.join(BUILT_IN)} take replies from a corpus")
    if given.scorer is not None and given.system not in RERANKING:
        raise ParameterError(f"--scorer: only {' and '.join(RERANKING)} re-ranks its replies")


def _write(replies: Replies, output: Path | None) -> None:
    from rejoinder.cli.show import json_output

    json_output.write(
        {
            "system": replies.system,
            "replies": replies.table.height,
            "distinct": replies.table["text"].n_unique(),
            "hash": replies.hash,
            "file": output and str(output),
            "notes": list(replies.notes),
        }
    )


def _print(replies: Replies) -> None:
    from rejoinder.cli.terminal.console import console, print_notes

    out = console()
    count, distinct = replies.table.height, replies.table["text"].n_unique()
    out.print(
        f"{replies.system}: {count} replies, {distinct} of them distinct (hash {replies.hash})",
    )
    print_notes(out, replies.notes)
