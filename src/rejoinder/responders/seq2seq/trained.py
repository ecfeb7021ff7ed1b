"""Replying systems that are trained: from a corpus to a model's folder, and from there to replies."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.corpora.pairs import Pairs, as_pairs
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.content import folder_hash
from rejoinder.files.locks import alone
from rejoinder.files.replacing import remove_parts
from rejoinder.models.devices import chosen_device
from rejoinder.models.training.checkpoints import Checkpoint
from rejoinder.models.training.folder import (
    FAULTS,
    FINISHED,
    ModelFolder,
    Record,
    check_free,
    finished,
    foreign,
    read_folder,
    versions,
    write_folder,
)
from rejoinder.models.training.threads import INEXACT
from rejoinder.responders.seq2seq.model import Model, build, check_described, check_installed
from rejoinder.responders.seq2seq.parameters import KINDS, Parameters, chosen_parameters
from rejoinder.responders.seq2seq.validation import divided
from rejoinder.tables.testset import TestSet
from rejoinder.text.detokenize import plain

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from rejoinder.models.training.loop import Report

LONGEST_REPLY = 100
_AT_ONCE = 32  # messages whose replies are searched together
_SUFFIX = "-responder"


@dataclass(frozen=True)
class ResponderTraining:
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
    corpus: TestSet | Pairs,
    path: str | os.PathLike[str],
    parameters: Parameters | str = "tiny",
    validation: TestSet | Pairs | None = None,
    save_every: float = 60.0,
    report: Report | None = None,
    device: str = "auto",
    *,
    exclude: Sequence[TestSet | Pairs] = (),
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
        validation: What chooses the best epoch; None: pairs held out of the corpus.
        save_every: Seconds between two checkpoints.
        report: Called after every update.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.
        exclude: Test sets; pairs that also occur in them are excluded from training.
        settings: Settings that differ from ``parameters``, by the names of ``Parameters``.

    Raises:
        InputError: Something else stands at ``path``; the corpus is too small; a checkpoint of
            another run is there, or another run trains this model now.
        ParameterError: A setting is unknown or out of range; the vocabulary does not suit the corpus.
        MissingExtraError: A package of the extra ``models`` is not installed.
    """
    check_installed()
    chosen_device(device)
    final = Path(os.path.realpath(path))
    check_free(final)
    parameters = chosen_parameters(parameters, **settings)
    corpus = as_pairs(corpus, exclude)
    validation = None if validation is None else as_pairs(validation)
    identity = _identity(corpus, validation, parameters)
    checkpoint = Checkpoint(final.with_name(f"{final.name}.training"), identity)
    checkpoint.check_place()
    with alone(checkpoint.folder):
        remove_parts(final.parent, final.name)
        if before := finished(final, identity):
            checkpoint.remove()  # left by a kill between the folder's last file and here
            return ResponderTraining(before, (FINISHED,))
        return _trained(
            corpus, final, parameters, validation, checkpoint, save_every, report, device
        )


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
    held = encode(tokenizer, held_out, parameters.longest)
    for what, encoded in (("corpus", data), ("validation", held)):
        if encoded.left_out:
            notes.append(
                f"{what}: {encoded.left_out} pairs of more than {parameters.longest} subwords left out"
            )
    with torch.random.fork_rng():
        torch.manual_seed(parameters.seed)
        model = build(parameters, len(tokenizer))
        trained = train(model, data, held, parameters, checkpoint, save_every, report, device)
    if trained.resumed:
        notes.append(f"went on from {checkpoint.folder}: {trained.resumed}")
    notes += _stopped(trained.log, parameters)
    record = Record(
        kind=parameters.kind + _SUFFIX,
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


@dataclass(frozen=True)
class TrainedResponder:
    """A replying system from a folder that ``train_responder`` wrote.

    Attributes:
        model: on the device that is here, ready to reply.
        tokenizer: its subwords.
        parameters: how it was trained.
        hash: of the folder, for signatures.
    """

    model: Model
    tokenizer: PreTrainedTokenizerFast
    parameters: Parameters
    hash: str

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: str = "auto") -> TrainedResponder:
        """Loads a system.

        Args:
            path: the folder.
            device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

        Raises:
            InputError: no such folder, or not of a replying system; a file is cut or altered.
            MissingExtraError: a package of the extra ``models`` is not installed.
        """
        check_installed()
        from rejoinder.responders.seq2seq.subwords import load_tokenizer

        folder = read_folder(path)
        if folder.record.kind.removesuffix(_SUFFIX) not in KINDS:
            raise InputError(
                f"{path}: is a model of kind '{folder.record.kind}'; expected a replying system, "
                "which 'rejoinder train responder' makes"
            )
        config: dict[str, Any] = dict(folder.record.config)
        try:
            size, _ = config.pop("subwords"), config.pop("identity")
            parameters = _described(config)
            check_described(parameters, size, folder.shapes())
            model = build(parameters, size)
            model.module.load_state_dict(folder.tensors())
            tokenizer = load_tokenizer(folder.path)
            if (last := max(tokenizer.get_vocab().values())) >= size:
                raise ValueError(f"tokenizer.json has a subword {last}; expected 0 to {size - 1}")
        except FAULTS as error:  # files whose hashes hold, and which hold something else
            raise foreign(os.fspath(path), error) from error
        model.module.to(chosen_device(device)).eval()
        return cls(model, tokenizer, parameters, folder_hash(path))

    def respond(
        self,
        messages: Sequence[str],
        beam: int = 10,
        length_penalty: float = 1.0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[str]:
        """The reply to each message, by beam search.

        Args:
            messages: one for each item; prepared as the training corpus was.
            beam: sequences kept; 10 in Khayrallah & Sedoc.
            length_penalty: log-probabilities are summed and divided by the length to this power; 1
                is fairseq's neutral value, and the paper's "no length penalty".
            progress: told how many messages of how many are answered.

        Returns:
            Replies; a message longer than the model's window is answered by its last part.
        """
        import torch

        from rejoinder.responders.seq2seq.batches import padded

        texts = [self.prepared(message) for message in messages]
        longest = self.parameters.longest
        ids: list[list[int]] = (
            [row[-longest:] for row in self.tokenizer(texts).input_ids] if texts else []
        )
        device = next(self.model.module.parameters()).device
        replies = [""] * len(ids)
        order = np.argsort([len(row) for row in ids], kind="stable")
        with torch.no_grad():
            for begin in range(0, len(order), _AT_ONCE):
                places = order[begin : begin + _AT_ONCE]
                sources, mask = padded([ids[i] for i in places], device)
                found = self.model.search(sources, mask, beam, length_penalty, LONGEST_REPLY)
                for place, reply in zip(places, found, strict=True):
                    replies[place] = str(self.tokenizer.decode(reply, skip_special_tokens=True))
                if progress is not None:
                    progress(min(begin + _AT_ONCE, len(order)), len(order))
        return replies

    def prepared(self, text: str) -> str:
        """A text as the model was trained on it: detokenised and recased, or as it is."""
        return plain(text) if self.parameters.detokenize else text


def _described(config: Mapping[str, Any]) -> Parameters:
    """The parameters that a folder describes; a value out of range is one of its ``config.json``."""
    try:
        return Parameters(**config)
    except ParameterError as error:
        raise ValueError(f"config.json: {error}") from None


def _identity(corpus: Pairs, validation: Pairs | None, parameters: Parameters) -> dict[str, Any]:
    held_out = None if validation is None else validation.hash
    return {**parameters.as_json(), "corpus": corpus.hash, "validation": held_out}


def _stopped(log: Sequence[Mapping[str, Any]], parameters: Parameters) -> list[str]:
    """That the training ended before its last epoch for want of patience."""
    last, best = log[-1]["epoch"], max(entry["epoch"] for entry in log if entry["best"])
    if last >= parameters.epochs or not 0 < parameters.patience <= last - best:
        return []
    return [f"stopped after epoch {last} of {parameters.epochs}: no better since epoch {best}"]


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
