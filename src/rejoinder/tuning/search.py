"""The settings that a sweep tries, and the rule by which trials are pruned."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument, Placeholder
from rejoinder.tuning.grid import check_trials

SAMPLERS = ("grid", "random", "optuna")
PRUNINGS = ("halving", "none")


@dataclass(frozen=True)
class Search:
    """Which settings are tried, and which of them go on.

    Attributes:
        sampler: ``grid`` tries all settings, ``random`` some of them, ``optuna`` those that its
            tree-structured Parzen estimator proposes from the METEOR of the ones before.
        trials: How many; None with ``grid``.
        prune: ``halving`` (successive halving), or ``none``.
        reduction: One trial in so many goes on to the next rung, which has so many times the epochs.
        first_epochs: Of the first rung; None: a ``reduction``-th of a ``reduction``-th of all.

    Raises:
        ParameterError: A value that cannot be.
    """

    sampler: str = "grid"
    trials: int | None = None
    prune: str = "halving"
    reduction: int = 3
    first_epochs: int | None = None

    def __post_init__(self) -> None:
        """Checks every value."""
        if self.sampler not in SAMPLERS:
            raise ParameterError(
                Argument("sampler", self.sampler), f": expected {one_of(SAMPLERS)}"
            )
        if self.prune not in PRUNINGS:
            raise ParameterError(Argument("prune", self.prune), f": expected {one_of(PRUNINGS)}")
        if self.reduction < 2:
            raise ParameterError(Argument("reduction", self.reduction), ": expected 2 or more")
        if self.first_epochs is not None and self.first_epochs < 1:
            raise ParameterError(
                Argument("first_epochs", self.first_epochs), ": expected 1 or more"
            )
        if self.prune == "none" and (self.reduction != 3 or self.first_epochs is not None):
            name = "reduction" if self.first_epochs is None else "first_epochs"
            raise ParameterError(
                Argument(name),
                f": has no effect without {Argument('prune', 'halving')}; leave {name} out",
            )
        if self.sampler == "grid" and self.trials is not None:
            raise ParameterError(
                Argument("trials", self.trials),
                f": a grid has all its settings; try {Argument('sampler', 'random')}",
            )
        if self.sampler != "grid":
            if self.trials is None:
                raise ParameterError(
                    Argument("sampler", self.sampler),
                    f": needs {Argument('trials', Placeholder('N'))}, how many",
                )
            check_trials(self.trials)

    @property
    def extensible(self) -> bool:
        """Whether more trials leave those before as they are: none of them waits for all others."""
        return self.sampler == "optuna" or (self.sampler == "random" and self.prune == "none")

    def rungs(self, epochs: int) -> tuple[int, ...]:
        """The epochs after which trials are compared with each other; the last is all of them.

        >>> Search().rungs(100), Search(prune="none").rungs(100), Search().rungs(1)
        ((12, 36, 100), (100,), (1,))
        """
        if self.prune == "none":
            return (epochs,)
        first = self.first_epochs or math.ceil(epochs / self.reduction**2)
        rungs = []
        while first < epochs:
            rungs.append(first)
            first *= self.reduction
        return (*rungs, epochs)
