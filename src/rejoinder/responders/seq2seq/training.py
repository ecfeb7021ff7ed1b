"""How a replying system is trained: its losses, its learning rate and its validation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rejoinder.errors import InputError
from rejoinder.models.devices import chosen_device, mixed_precision
from rejoinder.models.training.checkpoints import Checkpoint
from rejoinder.models.training.loop import Loop, TrainedWeights, TrainingProgress, TrainingTask
from rejoinder.progress import Report
from rejoinder.responders.seq2seq.batches import (
    IGNORED,
    Encoded,
    SubwordBatch,
    collate,
    token_batches,
)
from rejoinder.responders.seq2seq.model import Seq2SeqModel
from rejoinder.responders.seq2seq.parameters import Parameters

if TYPE_CHECKING:
    import torch
    from torch import Tensor

FIRST_RATE = 1e-7


def train(
    model: Seq2SeqModel,
    data: Encoded,
    validation: Encoded,
    parameters: Parameters,
    checkpoint: Checkpoint | None = None,
    save_every: float = 60.0,
    report: Report | None = None,
    device: str = "auto",
) -> TrainedWeights:
    """Trains a model in place, from its checkpoint on if there is one.

    Adam with (0.9, 0.98), label-smoothed cross-entropy per subword, batches of about equal length,
    an inverse-square-root schedule; see ``Parameters``. The best epoch has the lowest validation loss.

    Args:
        model: Fresh, its weights drawn from torch's generator.
        data: What to train on.
        validation: What chooses the epoch.
        parameters: All settings.
        checkpoint: Where the training is saved; None: nowhere.
        save_every: Seconds between two saves; it does not change the result.
        report: Called after every step.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        InputError: There is nothing to train on or to validate on; the loss is no longer finite; the
            checkpoint is damaged, or of another run.
    """
    for what, encoded in (("corpus", data), ("validation", validation)):
        if not len(encoded):
            raise InputError(f"{what}: no pair of at most {parameters.longest} subwords a side")
    task = ResponderTask(model, data, validation, parameters, device)
    return Loop(task, checkpoint, save_every, report).run()


def learning_rate(parameters: Parameters, update: int) -> float:
    """The learning rate of an update, counted from 1 (fairseq's ``inverse_sqrt``).

    Example:
        >>> settings = Parameters(learning_rate=1e-3, warmup=4000)
        >>> [learning_rate(settings, update) for update in (1, 4001, 16001)]
        [1e-07, 0.001, 0.0005]
    """
    peak, warmup, done = parameters.learning_rate, parameters.warmup, update - 1
    if done < warmup:
        return FIRST_RATE + done * (peak - FIRST_RATE) / warmup
    return peak * math.sqrt(max(warmup, 1) / max(done, 1))


def validation_loss(
    model: Seq2SeqModel, encoded: Encoded, tokens: int, device: torch.device
) -> float:
    """The mean negative log-likelihood per subword in nats, ends of replies included.

    Args:
        model: The model.
        encoded: The encoded pairs.
        tokens: Maximum number of subwords of a batch.
        device: Where the model is.
    """
    import torch
    from torch.nn.functional import cross_entropy

    model.module.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for places in token_batches(encoded, tokens):
            batch = collate(encoded, places, device)
            logits = model.logits(batch).float().flatten(0, 1)
            labels = batch.labels.flatten()
            total += float(cross_entropy(logits, labels, ignore_index=IGNORED, reduction="sum"))
            count += batch.count
    return total / count


class ResponderTask(TrainingTask[list[np.ndarray]]):
    """A model with its pairs; a step is the places of the pairs of one or more batches."""

    name: ClassVar[str] = "model"
    steps_key: ClassVar[str] = "updates"

    def __init__(
        self,
        model: Seq2SeqModel,
        data: Encoded,
        validation: Encoded,
        parameters: Parameters,
        device: str = "auto",
    ) -> None:
        import torch

        self.model, self.data, self.validation, self.settings = model, data, validation, parameters
        self.device = torch.device(chosen_device(device))
        self.module = model.module.to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.module.parameters(),
            lr=parameters.learning_rate,
            betas=(0.9, 0.98),
            eps=1e-8,
            weight_decay=parameters.weight_decay,
        )
        self.epochs, self.patience = parameters.epochs, parameters.patience
        self.clip, self.most_steps = parameters.clip, parameters.updates

    def epoch_steps(self, epoch: int) -> list[list[np.ndarray]]:
        """All pairs in batches of a new order, ``accumulate`` of them to a step."""
        generator = np.random.default_rng([self.settings.seed, epoch])
        batches = token_batches(self.data, self.settings.tokens, generator)
        step = self.settings.accumulate
        return [batches[i : i + step] for i in range(0, len(batches), step)]

    def learning_rate(self, done: int, total: int) -> float:
        """See ``learning_rate``."""
        return learning_rate(self.settings, done + 1)

    def backward(self, step: list[np.ndarray], progress: TrainingProgress) -> tuple[float, int]:
        """The loss per subword of all batches together; it counts by their subwords."""
        batches = [collate(self.data, each, self.device) for each in step]
        count = sum(batch.count for batch in batches)
        total = 0.0
        for batch in batches:
            loss = self.loss(batch) / count
            loss.backward()
            total += float(loss.detach())
        return total, count

    def loss(self, batch: SubwordBatch) -> Tensor:
        """The label-smoothed cross-entropy, summed over subwords."""
        from torch.nn.functional import cross_entropy

        with mixed_precision(self.device):
            logits = self.model.logits(batch)
        return cross_entropy(
            logits.float().flatten(0, 1),
            batch.labels.flatten(),
            ignore_index=IGNORED,
            reduction="sum",
            label_smoothing=self.settings.label_smoothing,
        )

    def validate(self) -> dict[str, float]:
        """The loss per subword of the held-out pairs, and its exponential."""
        loss = validation_loss(self.model, self.validation, self.settings.tokens, self.device)
        return {"validation_loss": loss, "validation_perplexity": math.exp(min(loss, 700.0))}

    def score(self, measures: Mapping[str, Any]) -> float:
        """The lowest loss is the best."""
        return -measures["validation_loss"]

    def shown(self, entry: Mapping[str, Any]) -> str:
        """The last validation loss."""
        return f"validation loss {entry['validation_loss']:.3f}"
