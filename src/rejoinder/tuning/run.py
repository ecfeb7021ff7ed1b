"""A sweep under way: its trials, and how far it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rejoinder.files.shards import make_files
from rejoinder.messages import counted
from rejoinder.progress import Report
from rejoinder.tuning.data import SweepMaterial
from rejoinder.tuning.grid import ParameterGrid, Search, Setting
from rejoinder.tuning.trial import Trial

TRIALS = "trials"


@dataclass
class SweepRun:
    """A sweep under way: its trials, made as they are asked for."""

    material: SweepMaterial
    grid: ParameterGrid
    search: Search
    folder: Path
    keep: int
    save_every: float
    report: Report | None
    device: str
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
        self.trials.append(
            Trial(number, setting, folder, self.grid, self.material, device=self.device)
        )
        return self.trials[-1]

    def rungs(self, setting: Setting) -> tuple[int, ...]:
        """The rungs of a trial."""
        return self.search.rungs(self.grid.epochs(setting))

    def reach(self, trials: Sequence[Trial], rung: int) -> list[Trial]:
        """Trains trials to a rung of theirs, and scores them at the last (-1); those that went well."""
        steps = [(each, self.rungs(each.setting)[rung], rung == -1) for each in trials]
        well = {}

        def make(place: int) -> None:
            trial, epochs, last = steps[place]
            well[place] = self.train(trial, epochs, last) and (not last or self.measure(trial))

        def there(place: int) -> bool:
            trial, epochs, last = steps[place]
            return trial.has_reached(epochs, last)

        make_files(self.folder / TRIALS, [each.folder.name for each in trials], there, make)
        return [each for place, each in enumerate(trials) if well[place]]

    def train(self, trial: Trial, epochs: int, last: bool) -> bool:
        """Trains for so many epochs; whether that went well."""
        what = f"trial {trial.number} of {self.expected}, {counted(epochs, 'epoch')}"

        def tell(done: int, total: int, words: str) -> None:
            self._tell(epochs * done / max(total, 1), f"{what}: {words}")

        self._tell(0, what)
        well = trial.train(epochs, last, self.save_every, tell)
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
        scored = [each for each in self.trials if each.scores is not None]
        return sorted(scored, key=_rank)

    def _tell(self, within: float, words: str) -> None:
        if self.report is not None:
            self.report(round(100 * (self.spent + within)), 100 * max(self.total, 1), words)


def _rank(trial: Trial) -> tuple[float, int]:
    """The best first; an undefined score is the last."""
    value = trial.value("metric")
    return (math.inf if math.isnan(value) else -value, trial.number)
