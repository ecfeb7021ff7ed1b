"""Trials that Optuna proposes, one by one, from what came of the ones before."""

from __future__ import annotations

import math
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rejoinder.errors import MissingExtraError
from rejoinder.messages import Argument, counted

if TYPE_CHECKING:
    from rejoinder.tuning.run import SweepRun

STARTUP = 10
"""Trials that are drawn at random before the estimator has enough to go by."""


def check_optuna() -> str:
    """Optuna's version: other versions propose other trials.

    Raises:
        MissingExtraError: It is not installed.
    """
    if find_spec("optuna") is None:
        raise MissingExtraError(
            Argument("sampler", "optuna"),
            ' needs optuna; run: pip install "rejoinder[sweep]", or take ',
            Argument("sampler", "random"),
        )
    from importlib.metadata import version

    return version("optuna")


def tried(run: SweepRun) -> list[str]:
    """Trains and scores what Optuna proposes; returns notes.

    Its tree-structured Parzen estimator is to raise the METEOR of the finished trials, once there are
    ``STARTUP`` finished or pruned ones: the trials before are drawn at random. Its
    ``SuccessiveHalvingPruner`` stops a trial that is not among the best third of those that came to
    the same rung before it. Of Optuna itself nothing is kept on disk: with one seed it proposes the
    same trials again, and is told again what the trials' folders hold.

    Several proposals at a time are trained side by side, and Optuna is told of them in their order, so that
    it proposes the same whichever ends first. Until then they count as bad, for the next to be others.
    """
    import optuna
    from optuna.trial import TrialState

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    search = run.search
    rungs = search.rungs(run.grid.epochs())
    pruner = (
        optuna.pruners.NopPruner()
        if len(rungs) == 1
        else optuna.pruners.SuccessiveHalvingPruner(
            min_resource=rungs[0], reduction_factor=search.reduction
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            n_startup_trials=STARTUP, seed=run.material.seed, constant_liar=search.proposals > 1
        )
        study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
    assert search.trials is not None
    run.total = search.trials * sum(rungs)  # a trial that goes on is trained anew at every rung
    known = (TrialState.COMPLETE, TrialState.PRUNED)
    repeated = estimated = 0
    for begin in range(0, search.trials, search.proposals):
        size = min(search.proposals, search.trials - begin)
        before = len(run.trials)
        estimated += size * (len(study.get_trials(deepcopy=False, states=known)) >= STARTUP)
        _some(run, study, size)
        repeated += size - (len(run.trials) - before)
        run.spent = (begin + size) * sum(rungs)
    return _notes(search.trials, repeated, estimated)


def _notes(trials: int, repeated: int, estimated: int) -> list[str]:
    """How far the proposals were what one expects of Optuna."""
    notes = []
    if not estimated:
        notes.append(
            f"{counted(trials, 'proposal')} of Optuna's drawn at random: its estimator proposes once "
            f"{STARTUP} trials are finished or pruned"
        )
    if repeated:
        notes.append(f"{counted(repeated, 'proposal')} of {trials} repeated an earlier trial")
    return notes


def _some(run: SweepRun, study: Any, size: int) -> None:
    """Some trials side by side, from the proposals to what Optuna is told of them."""
    from optuna.trial import TrialState

    going = []
    for proposal in (study.ask() for _ in range(size)):
        # By places: their order says which values are near each other.
        places = [
            proposal.suggest_int(name, 0, len(values) - 1) for name, values in run.grid.axes.items()
        ]
        going.append((proposal, run.trial(run.grid.values(places))))
    rungs = run.search.rungs(run.grid.epochs())
    for rung, epochs in enumerate(rungs):
        last = epochs == rungs[-1]
        tried = [trial for _, trial in going]
        well = {each.number for each in run.reach(tried, -1 if last else rung)}
        going, reached = [], going
        for proposal, trial in reached:
            if trial.number not in well or (last and not math.isfinite(trial.value("metric"))):
                study.tell(proposal, state=TrialState.FAIL)
            elif last:
                study.tell(proposal, trial.value("metric"))
            else:
                proposal.report(-trial.losses[epochs], epochs)
                if proposal.should_prune():
                    study.tell(proposal, state=TrialState.PRUNED)
                else:
                    going.append((proposal, trial))
