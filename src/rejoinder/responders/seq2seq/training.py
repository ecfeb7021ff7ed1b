"""The training loop of replying systems, which goes on exactly where it was after a kill.

Everything that decides a step is in the checkpoint or follows from the seed: the weights, Adam's
moments, torch's generators (for dropout), the epoch and the place in it. The order of batches is
drawn afresh for each epoch from the seed and the epoch's number, and the learning rate is a function
of the number of updates, so neither has a state that could be lost.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.errors import InputError
from rejoinder.models.training.checkpoints import Checkpoint, Run
from rejoinder.models.training.threads import as_begun
from rejoinder.responders.seq2seq.batches import IGNORED, Batch, Encoded, collate, token_batches
from rejoinder.responders.seq2seq.model import Model
from rejoinder.responders.seq2seq.parameters import Parameters

if TYPE_CHECKING:
    import torch
    from torch import Tensor

FIRST_RATE = 1e-7

Report = Callable[[int, int, str], None]
"""Told updates done, updates in all, and how it goes."""


@dataclass(frozen=True)
class Trained:
    """What training gives.

    Attributes:
        weights: those of the best epoch by validation loss.
        log: one entry for each epoch: updates, the mean loss per subword (smoothed, in nats), the
            validation loss (not smoothed) and perplexity, and whether it was the best so far.
        resumed: where it went on from a checkpoint, in words; empty: it began anew.
    """

    weights: Mapping[str, Tensor]
    log: list[dict[str, Any]]
    resumed: str = ""


@dataclass
class Progress:
    """How far a run is. JSON."""

    epoch: int = 0
    position: int = 0
    update: int = 0
    loss: float = 0.0
    subwords: int = 0
    best: float | None = None
    best_epoch: int = 0
    over: bool = False
    log: list[dict[str, Any]] = field(default_factory=list)


def train(
    model: Model,
    data: Encoded,
    validation: Encoded,
    parameters: Parameters,
    checkpoint: Checkpoint | None = None,
    save_every: float = 60.0,
    report: Report | None = None,
) -> Trained:
    """Trains a model in place, from its checkpoint on if there is one.

    Adam with (0.9, 0.98), label-smoothed cross-entropy per subword, batches of about equal length,
    an inverse-square-root schedule; see ``Parameters``. One GPU is used if there is one, with
    bfloat16 where it computes in that.

    Args:
        model: fresh, its weights drawn from torch's generator.
        data: what to train on.
        validation: what chooses the epoch.
        parameters: all settings.
        checkpoint: where the run is saved; None: nowhere.
        save_every: seconds between two saves; no influence on the result.
        report: told about every update.

    Raises:
        InputError: there is nothing to train on or to validate on; the loss is no longer finite;
            the checkpoint is unsound.
    """
    for what, encoded in (("corpus", data), ("validation", validation)):
        if not len(encoded):
            raise InputError(f"{what}: no pair of at most {parameters.longest} subwords a side")
    loop = _Loop(model, data, validation, parameters, checkpoint, save_every, report)
    return loop.run()


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


def validation_loss(model: Model, encoded: Encoded, tokens: int, device: torch.device) -> float:
    """The mean negative log-likelihood per subword in nats, ends of replies included."""
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


def device_here() -> torch.device:
    """The first GPU, or the processor."""
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class _Loop:
    """One run: the model and its optimizer, and how far they are."""

    def __init__(
        self,
        model: Model,
        data: Encoded,
        validation: Encoded,
        parameters: Parameters,
        checkpoint: Checkpoint | None,
        save_every: float,
        report: Report | None,
    ) -> None:
        import torch

        self.model, self.data, self.validation, self.settings = model, data, validation, parameters
        self.checkpoint, self.save_every, self.report = checkpoint, save_every, report
        self.device = device_here()
        model.module.to(self.device)
        self.adam = torch.optim.AdamW(
            model.module.parameters(),
            lr=parameters.learning_rate,
            betas=(0.9, 0.98),
            eps=1e-8,
            weight_decay=parameters.weight_decay,
        )
        self.parts = Run({"model": model.module}, {"adam": self.adam})
        self.progress = Progress()
        self.best: dict[str, Tensor] = {}
        self.saved = time.monotonic()

    def run(self) -> Trained:
        begun = self.checkpoint.machine if self.checkpoint is not None else None
        with as_begun(begun) as threads:
            resumed = self._resumed(threads)
            while not self.progress.over:
                self._epoch()
        return Trained(self.best, self.progress.log, resumed)

    def _resumed(self, threads: str) -> str:
        """Brings the run to where its checkpoint is, and says where that is and on what it goes on."""
        if self.checkpoint is None or not self.checkpoint.exists:
            return ""
        progress, kept = self.checkpoint.load(self.parts)
        self.progress, self.best = Progress(**progress), kept.get("best", {})
        epoch = f"at epoch {self.progress.epoch + (not self.progress.over)}"
        return f"{epoch} ({threads})" if threads else epoch

    def _epoch(self) -> None:
        generator = np.random.default_rng([self.settings.seed, self.progress.epoch])
        batches = token_batches(self.data, self.settings.tokens, generator)
        step = self.settings.accumulate
        groups = [batches[i : i + step] for i in range(0, len(batches), step)]
        total = len(groups) * self.settings.epochs
        if self.settings.updates:
            total = min(total, self.settings.updates)
        self.model.module.train()
        while self.progress.position < len(groups) and self.progress.update < total:
            loss = self._update(groups[self.progress.position])
            self.progress.position += 1
            self._tell(total, loss)
            self._save()
        self._validate(self.progress.update >= total)

    def _update(self, places: list[np.ndarray]) -> float:
        """One update from one or more batches: the loss per subword."""
        import torch

        progress = self.progress
        progress.update += 1
        for group in self.adam.param_groups:
            group["lr"] = learning_rate(self.settings, progress.update)
        batches = [collate(self.data, each, self.device) for each in places]
        count = sum(batch.count for batch in batches)
        self.adam.zero_grad(set_to_none=True)
        total = 0.0
        for batch in batches:
            loss = self._loss(batch) / count
            loss.backward()
            total += float(loss.detach())
        if not math.isfinite(total):
            raise InputError(
                f"training: the loss is {total} at update {progress.update}; lower --learning-rate"
            )
        if self.settings.clip:
            torch.nn.utils.clip_grad_norm_(self.model.module.parameters(), self.settings.clip)
        self.adam.step()
        progress.loss += total * count
        progress.subwords += count
        return total

    def _loss(self, batch: Batch) -> Tensor:
        """The label-smoothed cross-entropy, summed over subwords."""
        import torch
        from torch.nn.functional import cross_entropy

        mixed = self.device.type == "cuda" and torch.cuda.is_bf16_supported()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
            logits = self.model.logits(batch)
        return cross_entropy(
            logits.float().flatten(0, 1),
            batch.labels.flatten(),
            ignore_index=IGNORED,
            reduction="sum",
            label_smoothing=self.settings.label_smoothing,
        )

    def _validate(self, last: bool) -> None:
        """Ends an epoch."""
        progress = self.progress
        held_out = validation_loss(self.model, self.validation, self.settings.tokens, self.device)
        better = progress.best is None or held_out < progress.best
        progress.epoch += 1
        if better:
            progress.best, progress.best_epoch = held_out, progress.epoch
            state = self.model.module.state_dict()
            self.best = {name: tensor.detach().cpu().clone() for name, tensor in state.items()}
        progress.log.append(
            {
                "epoch": progress.epoch,
                "updates": progress.update,
                "loss": progress.loss / max(progress.subwords, 1),
                "validation_loss": held_out,
                "validation_perplexity": math.exp(min(held_out, 700.0)),
                "best": better,
            }
        )
        progress.position, progress.loss, progress.subwords = 0, 0.0, 0
        waited = progress.epoch - progress.best_epoch
        patient = not self.settings.patience or waited < self.settings.patience
        progress.over = last or progress.epoch >= self.settings.epochs or not patient
        self._save(now=progress.over)

    def _tell(self, total: int, loss: float) -> None:
        if self.report is not None:
            best = "" if self.progress.best is None else f", validation {self.progress.best:.3f}"
            place = f"epoch {self.progress.epoch + 1} of {self.settings.epochs}"
            update = f"update {self.progress.update:,} of {total:,}"
            self.report(self.progress.update, total, f"{place}, {update}, loss {loss:.3f}{best}")

    def _save(self, now: bool = False) -> None:
        if self.checkpoint is None:
            return
        if now or time.monotonic() - self.saved >= self.save_every:
            self.checkpoint.save(self.parts, asdict(self.progress), {"best": self.best})
            self.saved = time.monotonic()
