"""A sweep over the settings of a replying system (Khayrallah & Sedoc 2021, section 5.1, appendix A.1).

Every trial trains a Transformer; those that are not pruned are scored by METEOR with all references
and by RUQ on train and on test. Does the one tell what the other does?
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.locks import alone
from rejoinder.files.replacing import remove_parts
from rejoinder.messages import counted
from rejoinder.tables.write import write_table
from rejoinder.tuning.data import Material
from rejoinder.tuning.folder import opened
from rejoinder.tuning.grid import Grid, Setting, check_trials
from rejoinder.tuning.table import correlations, table
from rejoinder.tuning.trial import Trial, write_json

FORMAT = "rejoinder sweep 1"
RESULTS, TRIALS, TABLE = "results.json", "trials", "trials.csv"
SAMPLERS = ("grid", "random", "optuna")
PRUNINGS = ("halving", "none")

Sampler: TypeAlias = Literal["grid", "random", "optuna"]
Report: TypeAlias = Callable[[int, int, str], None]
"""Told what is done, of how much, and what is being done."""


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
            raise _refused("sampler", self.sampler, one_of(SAMPLERS))
        if self.prune not in PRUNINGS:
            raise _refused("prune", self.prune, one_of(PRUNINGS))
        if self.reduction < 2:
            raise _refused("reduction", self.reduction, "2 or more")
        if self.first_epochs is not None and self.first_epochs < 1:
            raise _refused("first_epochs", self.first_epochs, "1 or more")
        if self.sampler == "grid" and self.trials is not None:
            raise ParameterError(
                f"--trials {self.trials} (trials={self.trials}): a grid has all its settings; try "
                "--sampler random (sampler='random')"
            )
        if self.sampler != "grid":
            if self.trials is None:
                raise ParameterError(
                    f"--sampler {self.sampler} (sampler='{self.sampler}'): needs --trials N "
                    "(trials=N), how many"
                )
            check_trials(self.trials)

    @property
    def extensible(self) -> bool:
        """Whether more trials leave those before as they are: none of them waits for all others."""
        return self.sampler == "optuna" or (self.sampler == "random" and self.prune == "none")

    def rungs(self, epochs: int) -> tuple[int, ...]:
        """The epochs after which trials are held against each other; the last is all of them.

        >>> Search().rungs(100), Search(prune="none").rungs(100), Search().rungs(1)
        ((12, 36, 100), (100,), (1,))
        """
        if self.prune == "none":
            return (epochs,)
        first = self.first_epochs or math.ceil(epochs / self.reduction**2)
        found = []
        while first < epochs:
            found.append(first)
            first *= self.reduction
        return (*found, epochs)


@dataclass(frozen=True)
class Sweep:
    """What came of it.

    Attributes:
        folder: Where it stands.
        trials: A row for each, the best first; the columns are those of ``responder_table.table``.
        correlations: Spearman's rho of pairs of measures, over the finished trials.
        notes: What was left out, and what to beware of.
        parameters: What the sweep was.
    """

    folder: Path
    trials: pl.DataFrame
    correlations: pl.DataFrame
    notes: tuple[str, ...]
    parameters: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """All of it; values are 0 to 1."""
        return {
            "trials": self.trials.to_dicts(),
            "correlations": self.correlations.to_dicts(),
            "notes": list(self.notes),
            "parameters": dict(self.parameters),
        }


def sweep(
    material: Material,
    grid: Grid,
    search: Search,
    path: str | os.PathLike[str],
    *,
    keep: int = 1,
    save_every: float = 60.0,
    report: Report | None = None,
) -> Sweep:
    """Trains, prunes and scores replying systems.

    Successive halving (Jamieson & Talwalkar 2016): after each rung's epochs the third of the trials
    with the lowest validation loss goes on, in bits per character, which vocabularies of any size
    share. With Optuna trials come one by one, and its asynchronous form of the same rule prunes.

    Everything stands in the folder as it is made, and the same call after a kill goes on there; its
    result is the one of a call that was never cut off. So is that of a call for more trials, with
    Optuna, or at random without pruning.

    Args:
        material: Corpora, test set, measures.
        grid: The settings.
        search: Which of them are tried, and which go on.
        path: A new folder, or the one of a sweep that was cut off or is to have more trials.
        keep: Models kept, those of the best replies.
        save_every: Seconds between two checkpoints of a training.
        report: Told about everything that goes on.

    Raises:
        InputError: Something else stands at ``path``, or it cannot be written; another run writes
            there; every trial failed.
        ParameterError: Trials differ in epochs, and are to be pruned.
        MissingExtraError: A package of the extras ``models`` or ``sweep`` is not installed.
    """
    from rejoinder.responders.seq2seq.model import check_installed

    check_installed()
    if keep < 0:
        raise _refused("keep", keep, "0 or more")
    if "epochs" in grid.axes and search.prune != "none":
        raise ParameterError(
            "--set epochs (axes['epochs']): pruning compares trials after equal epochs; give one "
            "value, or --prune none (prune='none')"
        )
    if search.sampler == "optuna":
        from rejoinder.tuning.proposals import check_optuna, tried
    else:
        check_optuna, tried = None, _tried
    parameters = _parameters(material, grid, search, check_optuna() if check_optuna else None)
    with alone(Path(path)):
        folder = opened(Path(path), parameters, search.extensible, material.fallback)
        remove_parts(folder)
        run = Run(material, grid, search, folder, keep, save_every, report)
        notes = [*material.notes, *tried(run)]
        return _told(run, notes, parameters)


@dataclass
class Run:
    """A sweep under way: its trials, made as they are asked for."""

    material: Material
    grid: Grid
    search: Search
    folder: Path
    keep: int
    save_every: float
    report: Report | None
    trials: list[Trial] = field(default_factory=list)
    spent: int = 0
    total: int = 0

    def trial(self, setting: Setting) -> Trial:
        """The trial of a setting: a new one, or the one that there is."""
        for each in self.trials:
            if each.setting == setting:
                return each
        number = len(self.trials) + 1
        folder = self.folder / TRIALS / f"{number:04d}"
        self.trials.append(Trial(number, setting, folder, self.grid, self.material))
        return self.trials[-1]

    def rungs(self, setting: Setting) -> tuple[int, ...]:
        """The rungs of a trial."""
        return self.search.rungs(self.grid.parameters(setting).epochs)

    def train(self, trial: Trial, epochs: int, last: bool) -> bool:
        """Trains for so many epochs; whether that went well."""
        what = f"trial {trial.number} of {self.expected}, {counted(epochs, 'epoch')}"

        def told(done: int, total: int, words: str) -> None:
            self._tell(epochs * done / max(total, 1), f"{what}: {words}")

        self._tell(0, what)
        well = trial.train(epochs, last, self.save_every, told)
        self.spent += epochs
        return well

    def measure(self, trial: Trial) -> bool:
        """Scores a trial; models that are not among the best go."""
        what = f"trial {trial.number} of {self.expected}: scoring"
        self._tell(0, what)
        well = trial.measure(
            lambda done, total: self._tell(0, f"{what}, {done} of {total} replies")
        )
        for each in self.finished[self.keep :]:
            each.forget()
        return well

    @property
    def expected(self) -> int:
        """How many trials there will be."""
        return self.search.trials or self.grid.size

    @property
    def finished(self) -> list[Trial]:
        """The trials that were scored, the best first."""
        some = [each for each in self.trials if each.scores is not None]
        return sorted(some, key=_rank)

    def _tell(self, within: float, words: str) -> None:
        if self.report is not None:
            self.report(round(100 * (self.spent + within)), 100 * max(self.total, 1), words)


def _tried(run: Run) -> list[str]:
    """All settings or some at random, by successive halving."""
    search, grid = run.search, run.grid
    if search.sampler == "grid":
        settings: Iterator[Setting] = (grid.setting(place) for place in range(grid.size))
    else:
        assert search.trials is not None
        settings = iter(grid.drawn(search.trials, run.material.seed))
    going = [run.trial(setting) for setting in settings]
    if search.prune == "none":
        run.total = sum(grid.parameters(each.setting).epochs for each in going)
    else:
        run.total = _epochs(len(going), search.rungs(grid.base.epochs), search.reduction)
    # Without pruning the trials may differ in epochs: each has one rung of its own.
    rounds = max(len(run.rungs(each.setting)) for each in going)
    for rung in range(rounds - 1):
        going = [each for each in going if run.train(each, run.rungs(each.setting)[rung], False)]
        going.sort(key=lambda each: (each.bits, each.number))
        going = sorted(going[: -(-len(going) // search.reduction)], key=lambda each: each.number)
    for each in going:
        if run.train(each, run.rungs(each.setting)[-1], True):
            run.measure(each)
    return []


def _epochs(trials: int, rungs: Sequence[int], reduction: int) -> int:
    """What successive halving trains in all.

    >>> _epochs(9, (1, 3, 8), 3)
    26
    """
    total = 0
    for epochs in rungs:
        total += trials * epochs
        trials = -(-trials // reduction)
    return total


def _told(run: Run, notes: list[str], parameters: Mapping[str, Any]) -> Sweep:
    failed = [each for each in run.trials if each.status == "failed"]
    if not run.finished:
        reasons = f"{failed[0].name}: {failed[0].failed}" if failed else "all were pruned"
        raise InputError(f"{run.folder}: no trial could be finished; {reasons}")
    if failed:
        notes.append(f"{counted(len(failed), 'trial')} of {len(run.trials)} failed")
    pruned = sum(each.status == "pruned" for each in run.trials)
    if pruned:
        notes.append(
            f"{counted(pruned, 'trial')} of {len(run.trials)} pruned by validation loss and not "
            "scored: the correlations are over the others, which are more alike"
        )
    notes += [*_without_model(run), *_of_trials(run.finished), *_unsealed(run)]
    trials = table(run.trials, run.finished, run.grid)
    told = correlations(run.finished, run.material)
    made = Sweep(run.folder, trials, told, tuple(dict.fromkeys(notes)), parameters)
    write_table(trials, run.folder / TABLE)
    write_json(run.folder / RESULTS, made.as_json())
    return made


def _without_model(run: Run) -> list[str]:
    """A note where an earlier call was to keep fewer models than this one."""
    gone = [each.name for each in run.finished[: run.keep] if not each.model.exists()]
    if not gone:
        return []
    return [
        f"{', '.join(gone)}: no model, because an earlier call was to keep fewer; to have it, train "
        "with the trial's settings"
    ]


def _unsealed(run: Run) -> list[str]:
    """A note where files of an earlier version hold no hash."""
    count = sum(each.unsealed for each in run.trials)
    if not count:
        return []
    return [
        f"{counted(count, 'trial')} of {len(run.trials)} kept by an earlier version, without a hash: "
        "damage to these files cannot be found"
    ]


def _of_trials(finished: Sequence[Trial]) -> list[str]:
    """The notes of trials, each once, with whose it is."""
    held: dict[str, list[str]] = {}
    for each in finished:
        for note in (each.scores or {})["notes"]:
            held.setdefault(note, []).append(each.name)
    size = len(finished)
    return [
        f"{names[0] if len(names) == 1 else f'{len(names)} of {size} finished trials'}: {note}"
        for note, names in held.items()
    ]


def _rank(trial: Trial) -> tuple[float, int]:
    """The best first; an undefined score is the last."""
    value = trial.value("metric")
    return (math.inf if math.isnan(value) else -value, trial.number)


def _parameters(
    material: Material, grid: Grid, search: Search, optuna: str | None
) -> dict[str, Any]:
    """What a sweep is: with all of this the same, its results are the same."""
    return {
        "format": FORMAT,
        "data": material.hashes,
        "base": grid.base.as_json(),
        "grid": {name: list(values) for name, values in grid.axes.items()},
        "sampler": search.sampler if optuna is None else f"optuna {optuna}",
        "trials": search.trials or grid.size,
        "rungs": list(search.rungs(grid.base.epochs)) if search.prune != "none" else [],
        "reduction": search.reduction,
        "metric": material.metric.label,
        "generic": material.generic,
        "beam": material.beam,
        "resamples": material.resamples,
        "seed": material.seed,
    }


def _refused(name: str, got: Any, expected: str) -> ParameterError:
    """The error of a value, by its name on the command line and in Python."""
    option = f"--{name.replace('_', '-')} {got}"
    return ParameterError(f"{option} ({name}={got!r}): expected {expected}")
