"""What a sweep varies: the grid of Khayrallah & Sedoc (2021), and the user's own values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from rejoinder.errors import ParameterError, check_least, one_of
from rejoinder.messages import Argument, Placeholder, quoted
from rejoinder.responders.phrase.parameters import KIND, PhraseParameters
from rejoinder.responders.seq2seq.parameters import Parameters

Number: TypeAlias = int | float
Setting: TypeAlias = dict[str, Number]
"""A value for each swept name."""


def _tenths(last: int) -> tuple[float, ...]:
    return tuple(tenth / 10 for tenth in range(last + 1))


PAPER: dict[str, tuple[Number, ...]] = {
    "vocabulary": (1000, 4000, 8000, 16000),
    "learning_rate": (1e-2, 1e-3, 1e-4),
    "dropout": _tenths(6),
    "attention_dropout": _tenths(4),
    "label_smoothing": _tenths(8),
}
"""Appendix A.1 of the paper; ``attention_dropout`` is that of attention and ReLU. 3,780 settings."""

GRIDS: dict[str, dict[str, tuple[Number, ...]]] = {"paper": PAPER}

AnyParameters: TypeAlias = Parameters | PhraseParameters
"""The settings of a replying system of any kind."""

Settable: TypeAlias = Mapping[str, type[int] | type[float]]


def settable(parameters: type[AnyParameters]) -> Settable:
    """What ``--set`` can name of a kind: all that is a number in its parameters, and of which type."""
    return {
        each.name: int if each.type == "int" else float
        for each in fields(parameters)
        if each.type in ("int", "float")
    }


SETTABLE = settable(Parameters)
"""What the settings of a sweep can name."""


def settable_of(kind: str) -> Settable:
    """What ``--set`` can name of a replying system of this kind."""
    return settable(PhraseParameters) if kind == KIND else SETTABLE


MOST = 1_000_000
"""Settings of a grid, which are all looked at before the first is trained."""


@dataclass(frozen=True)
class ParameterGrid:
    """All combinations of some values.

    Attributes:
        base: What is not swept.
        axes: For each swept name its values, two at least.

    Raises:
        ParameterError: There is nothing to sweep, too much of it, or a combination that no replying
            system can have.

    >>> grid = ParameterGrid(Parameters(), {"dropout": (0.0, 0.2), "warmup": (100, 200, 300)})
    >>> grid.size, grid.setting(4)
    (6, {'dropout': 0.2, 'warmup': 200})
    """

    base: AnyParameters
    axes: Mapping[str, tuple[Number, ...]]

    def __post_init__(self) -> None:
        """Checks every combination: not after hours that one of them cannot be."""
        if not self.axes:
            raise ParameterError(
                f"sweep: no setting has two values or more; give {Argument('grid', 'paper')}, or values "
                f"such as {Argument('settings', {'dropout': Placeholder('0,0.2')})}"
            )
        if self.size > MOST:
            raise ParameterError(
                f"sweep: {self.size:,} settings; give fewer values, {MOST:,} at most"
            )
        for place in range(self.size):
            self.parameters(self.setting(place))

    @property
    def size(self) -> int:
        """The number of settings."""
        return math.prod(len(values) for values in self.axes.values())

    def setting(self, place: int) -> Setting:
        """The values at a place from 0 to ``size - 1``; the last name changes fastest."""
        return self.values(np.unravel_index(place, [len(each) for each in self.axes.values()]))

    def values(self, places: Sequence[int | np.integer]) -> Setting:
        """The values at a place on each axis."""
        return {
            name: values[int(place)]
            for (name, values), place in zip(self.axes.items(), places, strict=True)
        }

    def parameters(self, setting: Mapping[str, Number]) -> AnyParameters:
        """The parameters of a setting."""
        return self.base.changed(**setting)

    def epochs(self, setting: Mapping[str, Number] = MappingProxyType({})) -> int:
        """The number of epochs of a setting; 1 where a kind has none."""
        return getattr(self.parameters(setting), "epochs", 1)

    def drawn(self, trials: int, seed: int) -> list[Setting]:
        """So many different settings, at random.

        Raises:
            ParameterError: There are not so many, or less than one is asked for.
        """
        check_least(1, trials=trials)
        if trials > self.size:
            raise ParameterError(
                Argument("trials", trials), f": the grid has {self.size} settings; expected no more"
            )
        places = np.random.default_rng(seed).permutation(self.size)[:trials]
        return [self.setting(int(place)) for place in places]


def grid_of(
    base: AnyParameters,
    name: str | None = None,
    given: Mapping[str, tuple[Number, ...]] | None = None,
) -> ParameterGrid:
    """The named grid, with the values given in place of its own.

    A name with one value is not swept: the value holds for all trials.

    Args:
        base: The settings that are not named.
        name: ``paper``, or None for no grid but the values given.
        given: By name the values, as ``parsed`` reads them.

    Raises:
        ParameterError: As with ``ParameterGrid``; or there is no such grid.

    >>> grid = grid_of(Parameters(), "paper", {"vocabulary": (4000,), "dropout": (0.0, 0.4)})
    >>> grid.size, grid.base.vocabulary
    (270, 4000)
    """
    if name is not None and name not in GRIDS:
        raise ParameterError(Argument("grid", name), f": expected {one_of(GRIDS)}")
    axes = {**(GRIDS[name] if name else {}), **(given or {})}
    fixed = {key: values[0] for key, values in axes.items() if len(values) == 1}
    swept = {key: values for key, values in axes.items() if len(values) > 1}
    return ParameterGrid(base.changed(**fixed), swept)


SET = Argument("settings")


def parsed(texts: Sequence[str], names: Settable = SETTABLE) -> dict[str, tuple[Number, ...]]:
    """Values as the command line has them, by name.

    Args:
        texts: ``name=value,value,...``, each name once.
        names: As ``settable`` gives them.

    Raises:
        ParameterError: An unknown name, a name twice, no values, one twice, or no number.

    >>> parsed(["learning-rate=1e-3,1e-4", "layers=2"])
    {'learning_rate': (0.001, 0.0001), 'layers': (2,)}
    """
    axes: dict[str, tuple[Number, ...]] = {}
    for text in texts:
        key, _, values = text.partition("=")
        name = key.strip().replace("-", "_")
        if name not in names:
            raise ParameterError(
                f"{SET} {quoted(text)}: expected NAME=VALUE with NAME {one_of(names)}"
            )
        if name in axes:
            raise ParameterError(f"{SET} {name}: stands there twice; give all its values at once")
        axes[name] = tuple(_number(name, value, names[name]) for value in values.split(","))
        if len(set(axes[name])) < len(axes[name]):
            raise ParameterError(
                f"{SET} {quoted(text)}: a value stands there twice; give each once"
            )
    return axes


def single_values(texts: Sequence[str], names: Settable = SETTABLE) -> Setting:
    """Values of one model as the command line has them, by name; of a name given twice the last holds.

    Raises:
        ParameterError: As with `parsed`; or a setting has several values.

    >>> single_values(["dropout=0.2", "layers=2"])
    {'dropout': 0.2, 'layers': 2}
    """
    axes = {name: values for text in texts for name, values in parsed([text], names).items()}
    for name, values in axes.items():
        if len(values) > 1:
            given = ",".join(map(str, values))
            raise ParameterError(
                f"{SET} {name}: got {given}; expected one value: 'rejoinder sweep' tries several"
            )
    return {name: values[0] for name, values in axes.items()}


def _number(name: str, text: str, kind: type[int] | type[float]) -> Number:
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        what = "a whole number" if kind is int else "a number"
        raise ParameterError(f"{SET} {name}: got {quoted(text.strip())}; expected {what}")
    return value


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
        proposals: How many settings Optuna proposes at a time, before it knows how well any of them does.

    Raises:
        ParameterError: A value that cannot be.
    """

    sampler: str = "grid"
    trials: int | None = None
    prune: str = "halving"
    reduction: int = 3
    first_epochs: int | None = None
    proposals: int = 1

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
        if self.proposals < 1 or (self.proposals > 1 and self.sampler != "optuna"):
            raise ParameterError(
                Argument("proposals", self.proposals),
                f": expected 1, or more with {Argument('sampler', 'optuna')}",
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
            check_least(1, trials=self.trials)

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
