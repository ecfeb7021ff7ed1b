"""``rejoinder train responder``: a replying system from a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import choice, command

if TYPE_CHECKING:
    from rejoinder.document.parts import Document
    from rejoinder.training.responder import ResponderTraining

_MOST = 20  # epochs that are shown, one and all


class ResponderOptions(options.TrainingOptions):
    """The options of 'train responder'."""

    kind: str = choice(
        "--kind",
        of=("transformer", "gru", "phrase"),
        default="transformer",
        help="Kind of model. transformer: encoder and decoder; gru: with attention; phrase: phrase-based "
        "translation of the message, without a neural network.",
    )
    preset: str = options.preset(
        "tiny: minutes on one core; small: an hour on a few; paper: the paper's, for a GPU."
    )
    detokenize: bool = options.DETOKENIZE
    settings: tuple[str, ...] = options.TRAINED_SETTINGS
    output: Path = options.output("A folder for the model.", "FOLDER")


@command(ResponderOptions)
def responder(given: ResponderOptions) -> None:
    """Train a replying system on a corpus.

    The pairs are adjacent utterances of its dialogues. Interrupted runs resume: repeat the command.
    Settings that --set does not name are the preset's; those of 'paper' are DD-BASE of Khayrallah &
    Sedoc (2021).
    """
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import json_output
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.cli.terminal.showing import show
    from rejoinder.responders.phrase.parameters import KIND
    from rejoinder.training.responder import responder_parameters, train_responder
    from rejoinder.tuning.grid import settable_of, single_values

    parameters = responder_parameters(
        given.preset,
        kind=given.kind,
        detokenize=given.detokenize,
        **single_values(given.settings, settable_of(given.kind)),
    )
    targets.check_model(given.output)
    conversations, held_out, excluded = inputs.read_training(given)
    with Progress("training") as tick:
        result = train_responder(
            conversations,
            given.output,
            parameters,
            held_out,
            given.save_every,
            tick.steps,
            given.device,
            exclude=excluded,
        )
    with Outputs(result) as outputs:
        outputs.wrote(given.output)
        if given.json:
            json_output.write(result.as_json())
        else:
            show((_phrase_document if given.kind == KIND else _document)(result))


def _phrase_document(result: ResponderTraining) -> Document:
    """What was extracted and dropped, and where the model is."""
    import polars as pl

    from rejoinder.document.numbers import NONE, decimals
    from rejoinder.document.parts import GAP, Line, lines
    from rejoinder.document.table import Table, number, text

    (log,) = result.folder.record.log
    columns = [
        text("aligner"),
        number("pairs"),
        number("phrase pairs", "extracted"),
        number("by chance", "chance"),
        number("copies"),
        number("kept", "phrase_pairs"),
        number("perplexity", show=lambda value: NONE if value is None else decimals(1)(value)),
    ]
    rows = pl.DataFrame([log], schema_overrides={"perplexity": pl.Float64}).drop("ngrams")
    legend = (
        "by chance: dropped by Fisher's exact test; copies: one side holds the other; perplexity: of the "
        "validation replies under the language model"
    )
    return [
        Table(rows, columns),
        GAP,
        *lines([legend], "legend"),
        *lines(result.notes, "note"),
        Line(f"{result.folder.path} (hash {result.folder.hash})", "command"),
    ]


def _selected(log: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The epochs that fit a screen: where there are many, the latest that were best, and the last.

    >>> long = [{"epoch": i, "best": i < 90} for i in range(1, 101)]
    >>> [row["epoch"] for row in _selected(long)]
    [80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 100]
    """
    if len(log) <= _MOST:
        return list(log)
    best = [row for row in log[:-1] if row["best"]]
    return [*best[-_MOST // 2 :], log[-1]]


def _document(result: ResponderTraining) -> Document:
    """The epochs, and where the model is."""
    import polars as pl

    from rejoinder.document.numbers import decimals
    from rejoinder.document.parts import GAP, Line, lines
    from rejoinder.document.table import Table, number

    log = result.folder.record.log
    rows = _selected(log)
    columns = [
        number("epoch", key=True),
        number("updates"),
        number("loss", show=decimals(3)),
        number("validation loss", "validation_loss", decimals(3)),
        number("perplexity", "validation_perplexity", decimals(1)),
        number("", "best", lambda best: "best so far" if best else ""),
    ]
    legends = ["losses in nats per subword; that of the training is label-smoothed"]
    if len(rows) < len(log):
        legends.append(
            f"{len(rows)} of {len(log)} epochs are shown: the latest that were best, and the last; "
            "--json prints all"
        )
    return [
        Table(pl.DataFrame(rows), columns),
        GAP,
        *lines(legends, "legend"),
        *lines(result.notes, "note"),
        Line(f"{result.folder.path} (hash {result.folder.hash})", "command"),
    ]
