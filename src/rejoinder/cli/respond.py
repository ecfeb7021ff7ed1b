"""``rejoinder respond``: the replies of a system to a test set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.cli.progress import Progress
    from rejoinder.responders.retrieval import Scorer
    from rejoinder.tables.dialogues import Pairs
    from rejoinder.tables.testset import TestSet

BUILT_IN = ("random", "retrieval")


@click.command()
@click.argument("system", metavar="FOLDER|random|retrieval")
@click.argument("testset", type=options.PATH)
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    required=True,
    help="The file of responses to write: .jsonl, .csv, .tsv or .parquet.",
)
@click.option(
    "--corpus",
    type=options.PATH,
    help="Where random and retrieval take their replies from; pairs of the test set are left out.",
)
@click.option(
    "--name", metavar="NAME", help="Of the system; else its folder's, random or retrieval."
)
@click.option("--beam", metavar="N", type=int, default=10, show_default=True, help="Of the search.")
@click.option(
    "--length-penalty",
    metavar="X",
    type=float,
    default=1.0,
    show_default=True,
    help="Log-probabilities are divided by the length to this power; 0 favours short replies.",
)
@click.option(
    "--scorer",
    metavar="FOLDER",
    type=options.PATH,
    help="With retrieval: the model of 'rejoinder train ruber' that re-ranks what was found.",
)
@click.option(
    "--candidates",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Replies that a scorer re-ranks.",
)
@options.seed
@options.testset_format
@options.as_json
def respond(
    system: str,
    testset: Path,
    output: Path,
    corpus: Path | None,
    name: str | None,
    beam: int,
    length_penalty: float,
    scorer: Path | None,
    candidates: int,
    seed: int,
    testset_format: str | None,
    json: bool,
) -> None:
    """Reply to every item of a test set.

    The replies come from a trained system (its folder), or are taken from a corpus: at random, or by
    retrieval of the most similar message.
    """
    import polars as pl

    from rejoinder.cli import inputs
    from rejoinder.cli.progress import Progress
    from rejoinder.errors import InputError, ParameterError
    from rejoinder.kernels.draws import check_draws
    from rejoinder.tables.testset import read_testset
    from rejoinder.tables.write import TABLES, write_responses

    check_draws(0, seed)
    if beam < 1:
        raise ParameterError(f"--beam: got {beam}; expected 1 or more")
    if (system in BUILT_IN) != (corpus is not None):
        raise ParameterError(
            f"{system}: needs --corpus, to take replies from"
            if system in BUILT_IN
            else "--corpus: only random and retrieval take replies from a corpus"
        )
    if scorer is not None and system != "retrieval":
        raise ParameterError("--scorer: only retrieval re-ranks its replies")
    read = (testset, *((corpus,) if corpus else ()))
    inputs.check_save(output, *read, option="--output", suffixes=TABLES)
    with Progress("reading"):
        items = read_testset(testset, format=testset_format)
    messages = items.contexts.get_column("context").list.last().to_list()
    without = [name for name, message in zip(items.ids, messages, strict=True) if message is None]
    if without:
        raise InputError(
            f"{testset}: {len(without)} of {len(items)} items have no context to reply to, "
            f"{without[0]!r} the first; expected a message for each"
        )
    with Progress("replying") as tick:
        if system in BUILT_IN:
            assert corpus is not None
            held = _without_items(corpus, items)
            texts, notes = _from_corpus(system, held, messages, scorer, candidates, seed, tick)
            held_hash = held.hash
        else:
            texts, notes, held_hash = _trained(system, messages, beam, length_penalty, tick)
    label = name or (system if system in BUILT_IN else Path(system).resolve().name)
    replies = pl.DataFrame({"system": [label] * len(texts), "id": items.ids, "text": texts})
    write_responses(replies, output)
    distinct = len(set(texts))
    (_write if json else _print)(label, len(texts), distinct, held_hash, output, notes)


def _without_items(corpus: Path, items: TestSet) -> Pairs:
    from rejoinder.errors import InputError
    from rejoinder.tables.dialogues import adjacent_pairs
    from rejoinder.tables.testset import read_testset

    pairs = adjacent_pairs(read_testset(corpus)).without(adjacent_pairs(items))
    if not len(pairs):
        raise InputError(f"{corpus}: all its pairs are the test set's own; name another corpus")
    return pairs


def _from_corpus(
    system: str,
    corpus: Pairs,
    messages: list[str],
    scorer: Path | None,
    candidates: int,
    seed: int,
    tick: Progress,
) -> tuple[list[str], list[str]]:
    notes = list(corpus.notes)
    if system == "random":
        from rejoinder.responders.random import RandomResponder

        return RandomResponder(corpus, seed).respond(messages), notes
    from rejoinder.responders.retrieval import RetrievalResponder

    responder = RetrievalResponder(corpus, _scorer(scorer), candidates)
    texts = responder.respond(messages, tick)
    if responder.unmatched:
        notes.append(
            f"{responder.unmatched} messages share no word with the corpus; they got its most "
            "frequent reply"
        )
    return texts, notes


def _scorer(folder: Path | None) -> Scorer | None:
    if folder is None:
        return None
    from rejoinder.models.unreferenced.model import load

    model = load(str(folder))
    return lambda messages, replies: model.score([[each] for each in messages], replies)


def _trained(
    folder: str, messages: list[str], beam: int, length_penalty: float, tick: Progress
) -> tuple[list[str], list[str], str]:
    from rejoinder.responders.trained import TrainedResponder

    responder = TrainedResponder.load(folder)
    texts = responder.respond(messages, beam, length_penalty, tick)
    empty = sum(not text.strip() for text in texts)
    return texts, [f"{empty} replies are empty"] if empty else [], responder.hash


def _write(
    label: str, count: int, distinct: int, held_hash: str, output: Path, notes: list[str]
) -> None:
    from rejoinder.cli import machine

    machine.write(
        {
            "system": label,
            "replies": count,
            "distinct": distinct,
            "hash": held_hash,
            "file": str(output),
            "notes": notes,
        }
    )


def _print(
    label: str, count: int, distinct: int, held_hash: str, output: Path, notes: list[str]
) -> None:
    from rejoinder.cli.console import console, print_notes

    out = console()
    out.print(
        f"{label}: {count} replies, {distinct} of them distinct (hash {held_hash})", markup=False
    )
    print_notes(out, notes)
    out.print(f"written: {output}", markup=False, soft_wrap=True)
