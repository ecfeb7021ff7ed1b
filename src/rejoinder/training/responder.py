"""Training a replying system on a corpus, and the folder that holds it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.corpora.pairs import Pairs, as_pairs, divided
from rejoinder.errors import ParameterError, one_of
from rejoinder.files.locks import alone
from rejoinder.files.replacing import remove_parts
from rejoinder.messages import Argument
from rejoinder.models.devices import chosen_device
from rejoinder.models.training.checkpoints import Checkpoint
from rejoinder.models.training.folder import (
    FINISHED,
    ModelFolder,
    Record,
    check_free,
    finished,
    versions,
    write_folder,
)
from rejoinder.models.training.threads import INEXACT
from rejoinder.responders.phrase.parameters import KIND, PHRASE_PRESETS, PhraseParameters
from rejoinder.responders.seq2seq.model import build, check_installed
from rejoinder.responders.seq2seq.parameters import Parameters, chosen_parameters
from rejoinder.responders.seq2seq.trained import SUFFIX
from rejoinder.result import Result
from rejoinder.tables.testset import TestSetLike
from rejoinder.text.detokenize import plain
from rejoinder.training.phrase import tools, trained_phrases

if TYPE_CHECKING:
    from rejoinder.progress import Report


@dataclass(frozen=True, repr=False)
class ResponderTraining(Result):
    """The result of training a replying system.

    Attributes:
        folder: The folder of the model; its record holds the settings and the training log.
        notes: What was excluded, held out or resumed.
    """

    folder: ModelFolder
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The folder with its hash, the settings, the training log and the notes."""
        record = self.folder.record
        return {
            "folder": str(self.folder.path),
            "kind": record.kind,
            "hash": self.folder.hash,
            "corpus_hash": record.corpus_hash,
            "config": dict(record.config),
            "log": list(record.log),
            "notes": list(self.notes),
        }

    @property
    def inexact(self) -> list[str]:
        """The note that an uninterrupted training would have ended with another model, if it would."""
        return [note for note in self.notes if INEXACT in note]


def train_responder(
    corpus: TestSetLike | Pairs,
    path: str | os.PathLike[str],
    parameters: Parameters | PhraseParameters | str = "tiny",
    validation: TestSetLike | Pairs | None = None,
    save_every: float = 60.0,
    report: Report | None = None,
    device: str = "auto",
    *,
    exclude: Sequence[TestSetLike | Pairs] = (),
    **settings: Any,
) -> ResponderTraining:
    """Trains a replying system and writes its folder.

    While it runs, its checkpoint stands beside, in ``<path>.training``. An interrupted run resumes
    with the same call and gives the same model, bit for bit on the same machine. Where the folder
    holds the finished model of the same call already, nothing is done.

    Args:
        corpus: Dialogues, or pairs of messages and replies.
        path: The output folder.
        parameters: All settings, or the name of a preset (``tiny``, ``small``, ``paper``).
        validation: What chooses the best epoch; None: pairs held out of the corpus. Of kind ``phrase``,
            replies whose perplexity is noted; None: none.
        save_every: Seconds between two checkpoints.
        report: Called after every update.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.
        exclude: Test sets; pairs that also occur in them are excluded from training.
        settings: Settings that differ from ``parameters``, by the names of ``Parameters``, or with
            ``kind="phrase"`` of ``PhraseParameters``.

    Raises:
        InputError: Something else stands at ``path``; the corpus is too small; a checkpoint of
            another run is there, or another run trains this model now.
        ParameterError: A setting is unknown or out of range; the vocabulary does not suit the corpus.
        MissingExtraError: A package of the extra ``models`` is not installed.
    """
    parameters = responder_parameters(parameters, **settings)
    if isinstance(parameters, Parameters):
        check_installed()
        chosen_device(device)
    elif device != "auto":
        raise ParameterError(
            Argument("device", device), f": kind '{KIND}' needs no device; leave it out"
        )
    final = Path(os.path.realpath(path))
    check_free(final)
    corpus = as_pairs(corpus, exclude)
    validation = None if validation is None else as_pairs(validation)
    identity = _identity(corpus, validation, parameters)
    checkpoint = Checkpoint(final.with_name(f"{final.name}.training"), identity)
    if isinstance(parameters, Parameters):
        checkpoint.check_place()
    with alone(checkpoint.folder):
        remove_parts(final.parent, final.name)
        if before := finished(final, identity):
            checkpoint.remove()  # left by a kill between the folder's last file and here
            return ResponderTraining(before, (FINISHED,))
        if isinstance(parameters, PhraseParameters):
            folder, notes = trained_phrases(corpus, final, parameters, validation, identity, report)
            checkpoint.remove()  # the place of the lock that a killed run has left
            return ResponderTraining(folder, tuple(notes))
        return _trained(
            corpus, final, parameters, validation, checkpoint, save_every, report, device
        )


def responder_parameters(
    base: Parameters | PhraseParameters | str, **given: Any
) -> Parameters | PhraseParameters:
    """All settings of a kind: those of ``base``, or of the preset of that name, and what is given.

    Raises:
        ParameterError: There is no such preset, kind or setting, or a value is out of range.

    >>> responder_parameters("tiny", kind="phrase", order=4).order
    4
    """
    kind = given.get("kind")
    if isinstance(base, PhraseParameters) or (isinstance(base, str) and kind == KIND):
        given.pop("kind", None)
        if isinstance(base, str):
            if base not in PHRASE_PRESETS:
                raise ParameterError(f"preset: got {base!r}; expected {one_of(PHRASE_PRESETS)}")
            base = PhraseParameters(**PHRASE_PRESETS[base])
        return base.changed(**given)
    return chosen_parameters(base, **given)


def _trained(
    corpus: Pairs,
    path: Path,
    parameters: Parameters,
    validation: Pairs | None,
    checkpoint: Checkpoint,
    save_every: float,
    report: Report | None,
    device: str,
) -> ResponderTraining:
    import torch

    from rejoinder.responders.seq2seq.batches import encode
    from rejoinder.responders.seq2seq.subwords import tokenizer_files, train_subwords
    from rejoinder.responders.seq2seq.training import train

    notes = list(corpus.notes)
    pairs, held_out = _parts(corpus, validation, parameters, notes)
    tokenizer = train_subwords([*pairs.sources, *pairs.targets], parameters.vocabulary)
    data = encode(tokenizer, pairs, parameters.longest)
    encoded_validation = encode(tokenizer, held_out, parameters.longest)
    for what, encoded in (("corpus", data), ("validation", encoded_validation)):
        if encoded.left_out:
            notes.append(
                f"{what}: {encoded.left_out} pairs of more than {parameters.longest} subwords left out"
            )
    with torch.random.fork_rng():
        torch.manual_seed(parameters.seed)
        model = build(parameters, len(tokenizer))
        trained = train(
            model, data, encoded_validation, parameters, checkpoint, save_every, report, device
        )
    if trained.resumed:
        notes.append(f"went on from {checkpoint.folder}: {trained.resumed}")
    notes += trained.stopped(parameters.epochs, parameters.patience)
    record = Record(
        kind=parameters.kind + SUFFIX,
        config={
            **parameters.as_json(),
            "subwords": len(tokenizer),
            "identity": dict(checkpoint.identity),
        },
        corpus_hash=corpus.hash,
        log=trained.log,
        versions=versions("numpy", "safetensors", "sentencepiece", "torch", "transformers"),
    )
    folder = write_folder(path, record, trained.weights, tokenizer_files(tokenizer), model.keys)
    checkpoint.remove()
    return ResponderTraining(folder, tuple(notes))


def _identity(
    corpus: Pairs, validation: Pairs | None, parameters: Parameters | PhraseParameters
) -> dict[str, Any]:
    held_out = None if validation is None else validation.hash
    more = tools(parameters) if isinstance(parameters, PhraseParameters) else {}
    return {**more, **parameters.as_json(), "corpus": corpus.hash, "validation": held_out}


def _parts(
    corpus: Pairs, validation: Pairs | None, parameters: Parameters, notes: list[str]
) -> tuple[Pairs, Pairs]:
    """What to train on and what to validate on, prepared."""
    order, validation, held_out = divided(corpus, validation, parameters.seed)
    notes += held_out
    if parameters.pairs and parameters.pairs < len(order):
        notes.append(f"corpus: {parameters.pairs} pairs of {len(order)} used, drawn at random")
        order = order[: parameters.pairs]
    parts = corpus.take(np.sort(order)), validation
    if parameters.detokenize:
        return parts[0].map(plain), parts[1].map(plain)
    return parts
