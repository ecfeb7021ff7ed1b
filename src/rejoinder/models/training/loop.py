"""The one training loop: epochs of steps, a validation after each epoch, and an exact resume.

A checkpoint has everything that decides a step, or it follows from the seed: the weights, the
optimizer's moments, torch's generators (for dropout), the epoch and the step within it. The order of
an epoch's steps follows from the seed and the epoch's number, and the learning rate from the number of
steps, so neither has a state that could be lost.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rejoinder.errors import InputError
from rejoinder.models.training.checkpoints import Checkpoint, Run
from rejoinder.models.training.threads import as_begun
from rejoinder.progress import Report

if TYPE_CHECKING:
    from torch import Tensor, nn, optim

Step = TypeVar("Step")


@dataclass(frozen=True)
class TrainedWeights:
    """The result of a training.

    Attributes:
        weights: The weights of the best epoch, on the processor.
        log: An entry for each epoch: the steps so far, the mean training loss, the measures of the
            validation, and whether it was the best epoch so far.
        resumed: Where it resumed from a checkpoint, in words; empty where it began anew.
    """

    weights: Mapping[str, Tensor]
    log: list[dict[str, Any]]
    resumed: str = ""

    def stopped(self, epochs: int, patience: int) -> list[str]:
        """Where a training ended before its last epoch, because none was better for so long."""
        last = self.log[-1]["epoch"]
        best = max(each["epoch"] for each in self.log if each["best"])
        if last >= epochs or not 0 < patience <= last - best:
            return []
        return [f"stopped after epoch {last} of {epochs}: no better since epoch {best}"]


@dataclass
class TrainingProgress:
    """How far a training is.

    Attributes:
        epoch: Finished epochs.
        step: Finished steps of the running epoch.
        steps: Finished steps in all.
        loss: The losses of the running epoch, summed with their weights.
        weight: The sum of these weights.
        best: The highest validation score so far; None before the first.
        epochs_since_best: Finished epochs since the best one.
        over: Whether the training has ended.
        log: See ``TrainedWeights``.
    """

    epoch: int = 0
    step: int = 0
    steps: int = 0
    loss: float = 0.0
    weight: int = 0
    best: float | None = None
    epochs_since_best: int = 0
    over: bool = False
    log: list[dict[str, Any]] = field(default_factory=list)


class TrainingTask(ABC, Generic[Step]):
    """What the loop trains: a network with its data, its losses and its validation.

    Attributes:
        module: The network, on its device.
        optimizer: Of its weights.
        epochs: Maximum number of epochs.
        patience: The training ends after so many epochs without a better one; 0: it does not.
        clip: Maximum norm of the gradient; 0: no limit.
        most_steps: Maximum number of steps; 0: no limit.
    """

    name: ClassVar[str]
    """What checkpoints call the network."""
    steps_key: ClassVar[str] = "steps"
    """What the log calls the number of steps."""

    module: nn.Module
    optimizer: optim.Optimizer
    epochs: int
    patience: int
    clip: float
    most_steps: int = 0

    @abstractmethod
    def epoch_steps(self, epoch: int) -> Sequence[Step]:
        """The steps of an epoch in their order, which follows from the seed and the epoch's number."""

    @abstractmethod
    def learning_rate(self, done: int, total: int) -> float:
        """The learning rate of the step after ``done`` of ``total``."""

    @abstractmethod
    def backward(self, step: Step, progress: TrainingProgress) -> tuple[float, int]:
        """Adds the gradient of a step's loss; the loss, and how much it counts in the epoch's mean."""

    @abstractmethod
    def validate(self) -> dict[str, float]:
        """The measures of the held-out data, for the log."""

    @abstractmethod
    def score(self, measures: Mapping[str, Any]) -> float:
        """The number among the measures that chooses the best epoch; higher is better."""

    @abstractmethod
    def shown(self, entry: Mapping[str, Any]) -> str:
        """The last validation, for the progress bar."""


@dataclass(eq=False)
class Loop:
    """A training: its task, and how far it is."""

    task: TrainingTask[Any]
    checkpoint: Checkpoint | None = None
    save_every: float = 60.0
    report: Report | None = None

    def __post_init__(self) -> None:
        self.state = Run({self.task.name: self.task.module}, {"adam": self.task.optimizer})
        self.progress = TrainingProgress()
        self.best: dict[str, Tensor] = {}
        self.saved = time.monotonic()

    def run(self) -> TrainedWeights:
        """Trains to the end."""
        begun = self.checkpoint.machine if self.checkpoint is not None else None
        device = next(self.task.module.parameters()).device
        with as_begun(begun, device) as threads:
            resumed = self._resumed(threads)
            while not self.progress.over:
                self._epoch()
        return TrainedWeights(self.best, self.progress.log, resumed)

    def _resumed(self, threads: str) -> str:
        """Loads the checkpoint, if there is one; where it was, and what is computed on now."""
        if self.checkpoint is None or not self.checkpoint.exists:
            return ""
        record, saved = self.checkpoint.load(self.state)
        self.progress, self.best = TrainingProgress(**record), saved.get("best", {})
        epoch = f"at epoch {self.progress.epoch + (not self.progress.over)}"
        return f"{epoch} ({threads})" if threads else epoch

    def _epoch(self) -> None:
        task, progress = self.task, self.progress
        steps = task.epoch_steps(progress.epoch)
        total = len(steps) * task.epochs
        total = min(total, task.most_steps) if task.most_steps else total
        task.module.train()
        while progress.step < len(steps) and progress.steps < total:
            loss, weight = self.step(steps[progress.step], total)
            progress.loss += loss * weight
            progress.weight += weight
            progress.step += 1
            progress.steps += 1
            self._tell(len(steps), total)
            if time.monotonic() - self.saved >= self.save_every:
                self._save()
        self._validate(total)
        self._save()

    def step(self, step: Any, total: int) -> tuple[float, int]:
        """Changes the weights by one step; its loss, and how much that counts.

        Raises:
            InputError: The loss is not finite.
        """
        import torch

        task, progress = self.task, self.progress
        for group in task.optimizer.param_groups:
            group["lr"] = task.learning_rate(progress.steps, total)
        task.optimizer.zero_grad()
        loss, weight = task.backward(step, progress)
        if not math.isfinite(loss):
            raise InputError(
                f"training: the loss is {loss} at epoch {progress.epoch + 1}, step "
                f"{progress.step + 1}; train anew with a lower learning rate"
            )
        if task.clip:
            torch.nn.utils.clip_grad_norm_(task.module.parameters(), task.clip)
        task.optimizer.step()
        return loss, weight

    def _validate(self, total: int) -> None:
        """Ends an epoch: its entry in the log, the best weights, and whether the training ends."""
        task, progress = self.task, self.progress
        measures = task.validate()
        score = task.score(measures)
        better = progress.best is None or score > progress.best
        if better:
            weights = task.module.state_dict()
            self.best = {name: each.detach().cpu().clone() for name, each in weights.items()}
            progress.best = score
        progress.epoch += 1
        progress.epochs_since_best = 0 if better else progress.epochs_since_best + 1
        progress.log.append(
            {
                "epoch": progress.epoch,
                task.steps_key: progress.steps,
                "loss": progress.loss / max(progress.weight, 1),
                **measures,
                "best": better,
            }
        )
        progress.step, progress.loss, progress.weight = 0, 0.0, 0
        progress.over = (
            progress.steps >= total
            or progress.epoch >= task.epochs
            or 0 < task.patience <= progress.epochs_since_best
        )

    def _tell(self, steps: int, total: int) -> None:
        if self.report is None:
            return
        progress = self.progress
        validation = f", {self.task.shown(progress.log[-1])}" if progress.log else ""
        place = (
            f"epoch {progress.epoch + 1} of {self.task.epochs}, step {progress.step:,} of {steps:,}"
        )
        loss = progress.loss / progress.weight
        self.report(progress.steps, total, f"{place}, loss {loss:.3f}{validation}")

    def _save(self) -> None:
        if self.checkpoint is not None:
            self.checkpoint.save(self.state, asdict(self.progress), {"best": self.best})
            self.saved = time.monotonic()
