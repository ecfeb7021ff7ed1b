"""The training loop of unreferenced scorers, which goes on exactly where it was after a kill.

Everything random of a step follows from the seed, the epoch and the step: the order of the items,
the wrong replies. Dropout draws from torch's generator, whose state is in the checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.errors import InputError
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.models.ruber.ranking import Ranking
from rejoinder.models.ruber.scorer import UnreferencedScorer, to_device
from rejoinder.models.training.checkpoints import Checkpoint, Run
from rejoinder.models.training.threads import as_begun

if TYPE_CHECKING:
    from torch import Tensor, optim

Report = Callable[[int, int, str], None]
"""Told steps done, steps in all, and how it goes."""


@dataclass(frozen=True)
class Schedule:
    """How a scorer is trained.

    Attributes:
        rate: learning rate of Adam; it rises over the first part of all steps.
        batch: items to a step.
        epochs: at most.
        patience: training ends after so many epochs in a row without a better ranking.
        warmup: that part, as a share. Without it the tanh layers of an MLP can saturate for good in
            the first few steps.
        falling: whether the rate then falls in a straight line to zero after the last step.
        decay: weight decay.
        clip: of the gradient's norm.
    """

    rate: float = 1e-3
    batch: int = 128
    epochs: int = 10
    patience: int = 2
    warmup: float = 0.0
    falling: bool = False
    decay: float = 0.0
    clip: float = 5.0


@dataclass(frozen=True)
class Trained:
    """What training gives.

    Attributes:
        weights: those of the best epoch.
        log: an entry for each epoch: ``steps``, mean ``loss``, the accuracies of ``Ranking``, and
            whether it was the ``best`` so far.
        resumed: where it went on from a checkpoint, in words; empty: it began anew.
    """

    weights: Mapping[str, Tensor]
    log: list[dict[str, Any]]
    resumed: str = ""


@dataclass
class _Progress:
    epoch: int = 0
    step: int = 0
    loss: float = 0.0
    best: float = -1.0
    since: int = 0
    over: bool = False
    log: list[dict[str, Any]] = field(default_factory=list)


def train(
    scorer: UnreferencedScorer,
    corpus: Conversations,
    prepared: Any,
    ranking: Ranking,
    schedule: Schedule,
    seed: int,
    validating: Any = None,
    checkpoint: Checkpoint | None = None,
    save_every: float = 30.0,
    report: Report | None = None,
) -> Trained:
    """Trains a scorer in place, from its checkpoint on if there is one.

    After each epoch the scorer ranks true replies among wrong ones; the weights of the best epoch
    by ``first`` are what is returned.

    Args:
        scorer: fresh; its weights and ``prepared`` must follow from the same seed and corpus.
        corpus: what to train on.
        prepared: the corpus' texts, as the scorer's ``prepare`` made them.
        ranking: of items held out.
        schedule: the settings.
        seed: of the order of items and of wrong replies.
        validating: the prepared texts of ``ranking``; None: it is over those of the corpus.
        checkpoint: where the run is saved; None: nowhere.
        save_every: seconds between two saves; no influence on the result.
        report: told about every step.

    Raises:
        InputError: the loss is no longer finite; the checkpoint is unsound.
    """
    validating = prepared if validating is None else validating
    return Loop(
        scorer,
        corpus,
        prepared,
        ranking,
        validating,
        schedule,
        seed,
        checkpoint,
        save_every,
        report,
    ).run()


class Loop:
    """A training run: what it works on, and how far it is."""

    def __init__(
        self,
        scorer: UnreferencedScorer,
        corpus: Conversations,
        prepared: Any,
        ranking: Ranking,
        validating: Any,
        schedule: Schedule,
        seed: int,
        checkpoint: Checkpoint | None = None,
        save_every: float = 30.0,
        report: Report | None = None,
    ) -> None:
        self.scorer, self.corpus, self.prepared = scorer, corpus, prepared
        self.ranking, self.validating = ranking, validating
        self.schedule, self.seed = schedule, seed
        self.checkpoint, self.save_every, self.report = checkpoint, save_every, report
        self.others = corpus.others()
        to_device(scorer.module)
        self.optimizer = _optimizer(scorer, schedule)
        self.state = Run({"scorer": scorer.module}, {"adam": self.optimizer})
        self.at = _Progress()
        self.best: dict[str, Tensor] = {}
        self.steps = max(1, len(corpus) // schedule.batch)

    def run(self) -> Trained:
        """Trains to the end, from the checkpoint on if there is one."""
        import torch

        begun = self.checkpoint.machine if self.checkpoint is not None else None
        with as_begun(begun) as threads, torch.random.fork_rng():
            torch.manual_seed(self.seed)
            resumed = self._resumed(threads)
            while not self.at.over:
                self._epoch()
        return Trained(self.best, self.at.log, resumed)

    def _resumed(self, threads: str) -> str:
        """Brings the run to where its checkpoint is, and says where that is and on what it goes on."""
        if self.checkpoint is None or not self.checkpoint.exists:
            return ""
        progress, kept = self.checkpoint.load(self.state)
        progress.pop("machine", None)  # older checkpoints have it here
        self.at, self.best = _Progress(**progress), kept.get("best", {})
        epoch = f"at epoch {self.at.epoch + (not self.at.over)}"
        return f"{epoch} ({threads})" if threads else epoch

    def _epoch(self) -> None:
        at, b = self.at, self.schedule.batch
        order = np.random.default_rng([self.seed, at.epoch]).permutation(len(self.corpus))
        order = np.resize(order, max(order.size, self.steps * b))
        saved = time.monotonic()
        while at.step < self.steps:
            at.loss += self.step(order[at.step * b : (at.step + 1) * b])
            at.step += 1
            self._tell()
            if time.monotonic() - saved > self.save_every:
                self._save()
                saved = time.monotonic()
        self._rank()
        self._save()

    def step(self, rows: np.ndarray) -> float:
        """Learns from some items, and gives the loss."""
        import torch

        at = self.at
        rng = np.random.default_rng([self.seed, at.epoch, at.step])
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.rate * self._rate()
        self.scorer.module.train()
        with self._precision():
            loss = self.scorer.loss(self.prepared, self.corpus, rows, self.others, rng)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.scorer.module.parameters(), self.schedule.clip)
        self.optimizer.step()
        value = float(loss.detach())
        if not np.isfinite(value):
            raise InputError(
                f"the loss is {value} at epoch {at.epoch + 1}, step {at.step + 1}; train anew with a "
                "lower learning rate"
            )
        return value

    def _precision(self) -> AbstractContextManager[Any]:
        """bfloat16 on a GPU, whose units are made for it; a processor stays with float32."""
        import torch

        device = next(self.scorer.module.parameters()).device.type
        mixed = device == "cuda" and torch.cuda.is_bf16_supported()
        return torch.autocast(device, torch.bfloat16, enabled=mixed)

    def _rate(self) -> float:
        """The share of the learning rate at this step."""
        done = self.at.epoch * self.steps + self.at.step
        total = self.schedule.epochs * self.steps
        rising = min(1.0, (done + 1) / max(1.0, self.schedule.warmup * total))
        return min(rising, 1.0 - done / total) if self.schedule.falling else rising

    def _rank(self) -> None:
        at = self.at
        reached = self.ranking.accuracies(self.ranking.scores(self.scorer, self.validating))
        better = reached["first"] > at.best
        at.log.append(
            {
                "epoch": at.epoch + 1,
                "steps": (at.epoch + 1) * self.steps,
                "loss": at.loss / self.steps,
                **reached,
                "best": better,
            }
        )
        if better:
            weights = self.scorer.module.state_dict()
            self.best = {name: tensor.detach().clone() for name, tensor in weights.items()}
            at.best, at.since = reached["first"], 0
        else:
            at.since += 1
        at.epoch, at.step, at.loss = at.epoch + 1, 0, 0.0
        at.over = at.epoch >= self.schedule.epochs or at.since >= self.schedule.patience

    def _save(self) -> None:
        if self.checkpoint is not None:
            self.checkpoint.save(self.state, asdict(self.at), {"best": self.best})

    def _tell(self) -> None:
        if self.report is None:
            return
        at = self.at
        last = at.log[-1] if at.log else None
        reached = f", true reply first in {100 * last['first']:.1f}%" if last else ""
        done, total = at.epoch * self.steps + at.step, self.schedule.epochs * self.steps
        place = (
            f"epoch {at.epoch + 1} of {self.schedule.epochs}, step {at.step:,} of {self.steps:,}"
        )
        self.report(done, total, f"{place}, loss {at.loss / at.step:.3f}{reached}")


def _optimizer(scorer: UnreferencedScorer, schedule: Schedule) -> optim.Optimizer:
    import torch

    trained = [each for each in scorer.module.parameters() if each.requires_grad]
    return torch.optim.AdamW(trained, lr=schedule.rate, weight_decay=schedule.decay, fused=True)
