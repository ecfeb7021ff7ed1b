"""A trained replying system: from the folder of its model to replies."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.errors import InputError
from rejoinder.files.content import folder_hash
from rejoinder.models.batching import padded
from rejoinder.models.devices import chosen_device
from rejoinder.models.training.folder import FAULTS, foreign, read_folder
from rejoinder.responders.batches_of_messages import in_batches
from rejoinder.responders.seq2seq.model import Seq2SeqModel, build, check_described, check_installed
from rejoinder.responders.seq2seq.parameters import KINDS, Parameters
from rejoinder.text.detokenize import plain

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


LONGEST_REPLY = 100
_AT_ONCE = 32  # messages whose replies are searched together
SUFFIX = "-responder"


@dataclass(frozen=True)
class TrainedResponder:
    """A replying system from a folder that ``train_responder`` wrote.

    Attributes:
        model: On the device that is here, ready to reply.
        tokenizer: Its subwords.
        parameters: How it was trained.
        hash: Hash of the folder, for signatures.
    """

    model: Seq2SeqModel
    tokenizer: PreTrainedTokenizerFast
    parameters: Parameters
    hash: str

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: str = "auto") -> TrainedResponder:
        """Loads a system.

        Args:
            path: The folder.
            device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

        Raises:
            InputError: No such folder, or not of a replying system; a file is cut or altered.
            MissingExtraError: A package of the extra ``models`` is not installed.
        """
        check_installed()
        from rejoinder.responders.seq2seq.subwords import load_tokenizer

        folder = read_folder(path)
        if folder.record.kind.removesuffix(SUFFIX) not in KINDS:
            raise InputError(
                f"{path}: is a model of kind '{folder.record.kind}'; expected a replying system, "
                "which 'rejoinder train responder' makes"
            )
        config: dict[str, Any] = dict(folder.record.config)
        try:
            size, _ = config.pop("subwords"), config.pop("identity")
            parameters = Parameters.of_config(config)
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
            messages: One for each item; prepared as the training corpus was.
            beam: Sequences kept; 10 in Khayrallah & Sedoc.
            length_penalty: Log-probabilities are summed and divided by the length to this power; 1
                is fairseq's neutral value, and the paper's "no length penalty".
            progress: Told how many messages of how many are answered.

        Returns:
            Replies; a message longer than the model's window is answered by its last part.
        """
        import torch

        from rejoinder.responders.seq2seq.subwords import PAD

        texts = [self.prepared(message) for message in messages]
        longest = self.parameters.longest
        ids: list[list[int]] = (
            [row[-longest:] for row in self.tokenizer(texts).input_ids] if texts else []
        )
        device = next(self.model.module.parameters()).device
        order = np.argsort([len(row) for row in ids], kind="stable")

        def reply_to(places: Sequence[int]) -> list[str]:
            with torch.no_grad():
                sources, mask = padded([ids[i] for i in places], device, filler=PAD)
                searched = self.model.search(sources, mask, beam, length_penalty, LONGEST_REPLY)
                decode = self.tokenizer.decode
                return [str(decode(reply, skip_special_tokens=True)) for reply in searched]

        content = [self.hash, beam, length_penalty, list(messages)]
        return in_batches(order.tolist(), _AT_ONCE, reply_to, str, content, progress)

    def prepared(self, text: str) -> str:
        """A text as the model was trained on it: detokenised and recased, or as it is."""
        return plain(text) if self.parameters.detokenize else text
