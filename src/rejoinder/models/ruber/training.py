"""How an unreferenced scorer is trained: its schedule, its steps and its validation.

Everything random in a step follows from the seed, the epoch and the step: the order of the items, the
wrong replies. Dropout draws from torch's generator, whose state is in the checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from rejoinder.kernels.arrays import Indices
from rejoinder.models.devices import chosen_device, mixed_precision
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.models.ruber.ranking import RECALL_AT_1, Ranking
from rejoinder.models.ruber.scorer import UnreferencedScorer
from rejoinder.models.training.checkpoints import Checkpoint
from rejoinder.models.training.loop import Loop, TrainedWeights, TrainingProgress, TrainingTask
from rejoinder.progress import Report


@dataclass(frozen=True)
class Schedule:
    """How a scorer is trained.

    Attributes:
        rate: Learning rate of Adam; it rises over the first part of all steps.
        batch: Items to a step.
        epochs: Maximum number of epochs.
        patience: Training ends after so many epochs in a row without a better ranking.
        warmup: That part, as a share. Without it the tanh layers of an MLP can saturate for good in
            the first few steps.
        linear_decay: Whether the rate then falls in a straight line to zero after the last step.
        decay: Weight decay.
        clip: Limit of the gradient's norm.
    """

    rate: float = 1e-3
    batch: int = 128
    epochs: int = 10
    patience: int = 2
    warmup: float = 0.0
    linear_decay: bool = False
    decay: float = 0.0
    clip: float = 5.0

    def as_json(self) -> dict[str, Any]:
        """All values by name."""
        return asdict(self)


def train(
    task: ScorerTask,
    checkpoint: Checkpoint | None = None,
    save_every: float = 30.0,
    report: Report | None = None,
) -> TrainedWeights:
    """Trains a scorer in place, from its checkpoint on if there is one.

    After each epoch the scorer ranks true replies among wrong ones; the weights of the best epoch
    by ``RECALL_AT_1`` are what is returned.

    Args:
        task: Its scorer is fresh; its weights and texts must follow from the same seed and corpus.
        checkpoint: Where the training is saved; None: nowhere.
        save_every: Seconds between two saves; it does not change the result.
        report: Called after every step.

    Raises:
        InputError: The loss is no longer finite; the checkpoint is damaged, or of another run.
    """
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(task.seed)
        return Loop(task, checkpoint, save_every, report).run()


@dataclass(eq=False)
class ScorerTask(TrainingTask[Indices]):
    """A scorer with its corpus; a step is the rows of its items."""

    name: ClassVar[str] = "scorer"

    scorer: UnreferencedScorer
    corpus: Conversations
    prepared: Any
    ranking: Ranking
    validating: Any
    schedule: Schedule
    seed: int
    device: str = "auto"

    def __post_init__(self) -> None:
        import torch

        schedule = self.schedule
        self.others = self.corpus.others()
        self.module = self.scorer.module.to(chosen_device(self.device))
        trained = [each for each in self.module.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(
            trained, lr=schedule.rate, weight_decay=schedule.decay, fused=True
        )
        self.epochs, self.patience, self.clip = schedule.epochs, schedule.patience, schedule.clip

    @property
    def steps(self) -> int:
        """The number of steps in an epoch."""
        return max(1, len(self.corpus) // self.schedule.batch)

    def epoch_steps(self, epoch: int) -> list[Indices]:
        """The items in a new order, cut into batches; a corpus of less than a batch is repeated."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.corpus))
        size = self.steps * self.schedule.batch
        return np.split(np.resize(order, max(order.size, size))[:size], self.steps)

    def learning_rate(self, done: int, total: int) -> float:
        """It rises over the share ``warmup`` of all steps; with ``linear_decay`` it ends at zero."""
        schedule = self.schedule
        rising = min(1.0, (done + 1) / max(1.0, schedule.warmup * total))
        share = min(rising, 1.0 - done / total) if schedule.linear_decay else rising
        return schedule.rate * share

    def backward(self, step: Indices, progress: TrainingProgress) -> tuple[float, int]:
        """The loss of the items; every step counts alike."""
        rng = np.random.default_rng([self.seed, progress.epoch, progress.step])
        with mixed_precision(next(self.module.parameters()).device):
            loss = self.scorer.loss(self.prepared, self.corpus, step, self.others, rng)
        loss.backward()
        return float(loss.detach()), 1

    def validate(self) -> dict[str, float]:
        """How well true replies rank among wrong ones."""
        return self.ranking.accuracies(self.ranking.scores(self.scorer, self.validating))

    def score(self, measures: Mapping[str, Any]) -> float:
        """How often the true reply comes first."""
        return measures[RECALL_AT_1]

    def shown(self, entry: Mapping[str, Any]) -> str:
        """How often the true reply came first."""
        return f"true reply first in {100 * entry[RECALL_AT_1]:.1f}%"
