"""``rejoinder train ruber``: how well a reply fits its query, learned without a label."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command, integer, option
from rejoinder.cli.shard_option import FolderShardOptions, in_shards
from rejoinder.cli.terminal.progress import Progress

if TYPE_CHECKING:
    from rejoinder.document.parts import Document
    from rejoinder.training.ruber import RuberTraining

DEFAULT_SIZES = ("gru",)


class RuberOptions(options.TrainingOptions, FolderShardOptions):
    """The options of 'train ruber'."""

    output: Path = options.output("A folder for the model.", "FOLDER")
    sizes: tuple[str, ...] = choice(
        "--size",
        of=("paper", "gru", "encoder", "cross"),
        multiple=True,
        help="Kind of scorer; may be repeated for an ensemble. paper: as published; gru: "
        "improved by measurement (default); encoder, cross: over a sentence encoder's "
        "vectors or tokens.",
    )
    seeds: int = integer(
        "--set seeds", default=3, help="Number of scorers of each size, with different seeds."
    )
    encoder: str = option(
        "--encoder",
        holds="path",
        metavar="FOLDER",
        default="",
        show_default=False,
        help="Sentence encoder: its folder, or its name in the local cache. Nothing is downloaded.",
    )
    vectors: Path | None = options.vectors(
        "For s_R and the GRU sizes (default: word2vec on the corpus)."
    )
    language: str = options.LANGUAGE
    epochs: int | None = options.epochs("Default: the size's.")
    save_every: float = options.save_every(30.0)


@command(RuberOptions)
@in_shards
def ruber(given: RuberOptions) -> None:
    """Train RUBER's scorer on conversations, without any label.

    CORPUS is conversations in any format of docs/formats.md: contexts, each with its reply.
    Conversations that share long utterances or pairs with a test set of --exclude are excluded, and
    counted; without --validation a twentieth of them is held out. Interrupted runs resume: repeat
    the command. Then: rejoinder score TESTSET RESPONSES -m ruber:model=FOLDER
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import json_output
    from rejoinder.training.ruber import train_ruber

    targets.check_model(given.output)
    conversations, held_out, excluded = inputs.read_training(given)
    sizes = given.sizes or DEFAULT_SIZES
    with Progress("preparing conversations and word vectors") as tick:
        result = train_ruber(
            conversations,
            given.output,
            sizes=sizes,
            seeds=given.seeds,
            validation=held_out,
            exclude=excluded,
            encoder=given.encoder,
            vectors=given.vectors or "",
            language=given.language,
            epochs=given.epochs,
            save_every=given.save_every,
            report=_reports(tick, given.seeds * len(sizes)),
            device=given.device,
        )
    with Outputs(result) as outputs:
        outputs.wrote(given.output)
        if given.json:
            json_output.write(result.as_json())
        else:
            from rejoinder.cli.terminal.showing import show

            show(_document(result))


def _reports(tick: Progress, scorers: int) -> Callable[[str], Callable[[int, int, str], None]]:
    """The reports of scorers that are trained one after the other, as one progress."""
    names: list[str] = []

    def report(name: str) -> Callable[[int, int, str], None]:
        names.append(name)
        before = len(names) - 1

        def steps(done: int, total: int, words: str) -> None:
            tick.what = f"training {name} (scorer {before + 1} of {scorers}): {words}"
            tick(before * max(total, 1) + done, scorers * max(total, 1))

        return steps

    return report


def _document(result: RuberTraining) -> Document:
    """How often each scorer finds the true reply, and how the model is used."""
    import polars as pl

    from rejoinder.document.numbers import decimals, times100
    from rejoinder.document.parts import GAP, Line, lines
    from rejoinder.document.table import Table, key, number

    columns = [
        key("scorer", "member"),
        number("epoch"),
        number("above a random reply", "accuracy", times100),
        number("above nine", "first", times100),
        number("above its own dialogue", "own", times100),
        number("weight", show=decimals(2)),
    ]
    legend = (
        "how often, in %, the true reply of a held-out query scores above one random reply, above "
        "nine, and above another utterance of its dialogue; weight: in the score, from the same "
        "queries"
    )
    line = "{folder} (hash {hash}): score with -m ruber:model={folder}".format(**result.as_json())
    return [
        Table(pl.DataFrame(result.log), columns),
        GAP,
        Line(legend, "legend"),
        *lines(result.notes, "note"),
        Line(line, "command"),
    ]
