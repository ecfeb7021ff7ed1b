"""``rejoinder respond``: the replies of a system to a test set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.responders.replies import Replies


@click.command()
@click.argument("system", metavar="FOLDER|random|retrieval")
@click.argument("testset", type=options.PATH)
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    required=True,
    help="Output path. A file of responses: .jsonl, .csv, .tsv or .parquet.",
)
@click.option(
    "--corpus",
    type=options.PATH,
    help="Corpus from which random and retrieval take their replies. Pairs that also occur "
    "in the test set are excluded.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the system (default: its folder's name, random or retrieval).",
)
@click.option("--beam", metavar="N", type=int, default=10, show_default=True, help="Beam size.")
@click.option(
    "--length-penalty",
    metavar="X",
    type=float,
    default=1.0,
    show_default=True,
    help="Log-probabilities are divided by the length to this power. 0 favours short replies.",
)
@click.option(
    "--scorer",
    metavar="FOLDER",
    type=options.PATH,
    help="Model folder of 'rejoinder train ruber' that re-ranks retrieved replies. With retrieval.",
)
@click.option(
    "--candidates",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Number of replies that a scorer re-ranks.",
)
@options.seed
@options.device
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
    device: str,
    testset_format: str | None,
    json: bool,
) -> None:
    """Reply to every item of a test set.

    The replies come from a trained system (its folder), or are taken from a corpus: at random, or by
    retrieval of the most similar message.
    """
    from rejoinder.cli import targets
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.responders import replies
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.testset import read_testset
    from rejoinder.tables.write import write_responses

    check_draws(0, seed)
    built_in = system in replies.BUILT_IN
    check_needs(not built_in, "a trained system", "beam", "length_penalty")
    check_needs(scorer is not None, "--scorer FOLDER", "candidates")
    learned = not built_in or scorer is not None
    check_needs(learned, "a trained system or --scorer FOLDER", "device")
    if beam < 1:
        raise ParameterError(f"--beam: got {beam}; expected 1 or more")
    if built_in != (corpus is not None):
        raise ParameterError(
            f"{system}: needs --corpus, to take replies from"
            if built_in
            else "--corpus: only random and retrieval take replies from a corpus"
        )
    if scorer is not None and system != "retrieval":
        raise ParameterError("--scorer: only retrieval re-ranks its replies")
    targets.check_file(output, targets.RESPONSES, "--output")
    with Progress("reading"):
        items = read_testset(testset, format=testset_format)
        source = None if corpus is None else read_testset(corpus)
    with Progress("replying", "messages") as tick:
        found = replies.respond(
            system,
            items,
            corpus=source,
            name=name,
            beam=beam,
            length_penalty=length_penalty,
            scorer=scorer,
            candidates=candidates,
            seed=seed,
            progress=tick,
            device=device,
        )
    with Outputs() as outputs:
        written = outputs.save(output, lambda path: write_responses(found.table, path))
        (_write if json else _print)(found, output if written else None)


def _write(replies: Replies, output: Path | None) -> None:
    from rejoinder.cli.show import machine

    machine.write(
        {
            "system": replies.system,
            "replies": replies.table.height,
            "distinct": replies.table["text"].n_unique(),
            "hash": replies.hash,
            "file": output and str(output),
            "notes": list(replies.notes),
        }
    )


def _print(replies: Replies, output: Path | None) -> None:
    from rejoinder.cli.terminal.console import console, print_notes

    out = console()
    count, distinct = replies.table.height, replies.table["text"].n_unique()
    out.print(
        f"{replies.system}: {count} replies, {distinct} of them distinct (hash {replies.hash})",
    )
    print_notes(out, replies.notes)
    if output is not None:
        out.print(f"written: {output}", soft_wrap=True)
