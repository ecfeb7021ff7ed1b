"""A sweep over the settings of a replying system, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rejoinder.corpora.pairs import Pairs, as_pairs
from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.files.replacing import check_folder_target, remove_parts, write_json
from rejoinder.files.shards import alone_with_shards, end_of_shard, shard_of_folder
from rejoinder.messages import Argument, counted
from rejoinder.models.devices import chosen_device
from rejoinder.progress import Report
from rejoinder.responders.phrase.parameters import PhraseParameters
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.write import write_table
from rejoinder.training.responder import responder_parameters
from rejoinder.tuning.data import SweepMaterial, material
from rejoinder.tuning.folder import opened
from rejoinder.tuning.grid import Number, ParameterGrid, Search, Setting, grid_of
from rejoinder.tuning.run import SweepRun
from rejoinder.tuning.table import SweepResult, correlations, table
from rejoinder.tuning.trial import Trial, finite


def sweep(
    corpus: TestSetLike | Pairs,
    testset: TestSetLike,
    path: str | os.PathLike[str],
    *,
    grid: str | None = None,
    settings: Mapping[str, Sequence[Number]] | None = None,
    preset: str = "tiny",
    kind: str = "transformer",
    detokenize: bool = False,
    sampler: str | None = None,
    trials: int | None = None,
    prune: str = "halving",
    reduction: int = 3,
    first_epochs: int | None = None,
    proposals: int = 1,
    validation: TestSetLike | Pairs | None = None,
    exclude: Sequence[TestSetLike | Pairs] = (),
    metric: str | None = None,
    generic: str = "I don't know.",
    train_prompts: int = 1000,
    beam: int = 10,
    keep: int = 1,
    resamples: int = 1000,
    seed: int = 12345,
    save_every: float = 60.0,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    device: str = "auto",
) -> SweepResult:
    """Trains replying systems over a grid of settings, and scores their replies.

    A trial that is not pruned is scored by METEOR with all references and, of a Transformer, by RUQ on train
    and on test (Khayrallah and Sedoc 2021, section 5.1). Everything is
    kept in the folder; an interrupted sweep resumes with the same call.

    Args:
        corpus: Dialogues, or pairs of messages and replies.
        testset: Messages with references, the original reference first.
        path: The output folder: a new one, or that of the same sweep.
        grid: ``paper``, the grid of Khayrallah and Sedoc; None: only ``settings``.
        settings: The values of each setting, by the names of ``Parameters``, or of ``PhraseParameters`` for
            the kind ``phrase``; they replace those of ``grid``. A single value holds for all trials.
        preset: ``tiny``, ``small`` or ``paper``: the settings that are not swept.
        kind: What every trial trains: ``transformer``, ``gru`` or ``phrase``, which has no epochs, so that
            all its trials are scored.
        detokenize: Whether utterances are detokenised and recased, for DailyDialog.
        sampler: ``grid`` (all settings), ``random`` or ``optuna``; None: ``grid``, or ``random`` where
            ``trials`` is given.
        trials: Number of trials, with ``random`` and ``optuna``.
        prune: ``halving`` (successive halving by validation loss) or ``none``.
        reduction: One trial in so many continues, to so many times the epochs.
        first_epochs: Number of epochs before trials are pruned for the first time.
        proposals: Number of settings that Optuna proposes at a time; an engine trains them side by side.
        validation: Its pairs choose epochs and trials; None: pairs held out of the corpus.
        exclude: Test sets; pairs that also occur in them are excluded from training.
        metric: ``meteor`` or ``bleu``; None: METEOR, or BLEU where Java is missing or does not run.
        generic: The generic reply of RUQ.
        train_prompts: Number of pairs of the corpus for RUQ on train, sampled at random; 0: all.
        beam: Beam size.
        keep: Number of models that are kept: the best.
        resamples: Number of bootstrap resamples; 0: no intervals.
        seed: Random seed.
        save_every: Seconds between two checkpoints of a training.
        report: Called with the work done, all of it, and what is being done.
        note: Called before the first training with a note that concerns all trials, if there is one.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        InputError: The corpus is too small; a message is missing; the folder holds other things or
            another sweep, or cannot be written; every trial failed.
        ParameterError: A setting or a number is unknown, out of range, or has no effect.
        MissingExtraError: A package of the extras ``models`` or ``sweep`` is not installed.
    """
    check_draws(resamples, seed)
    sampler = sampler or ("grid" if trials is None else "random")
    search = Search(sampler, trials, prune, reduction, first_epochs, proposals)
    base = responder_parameters(preset, kind=kind, detokenize=detokenize, seed=seed)
    values = {name: tuple(each) for name, each in (settings or {}).items()}
    axes = grid_of(base, grid, values)
    chosen = material(
        as_pairs(corpus, exclude),
        TestSet.of(testset),
        axes.base,
        least_pairs=_least_pairs(axes),
        validation=None if validation is None else as_pairs(validation),
        metric=metric,
        train_prompts=train_prompts,
        generic=generic,
        beam=beam,
        resamples=resamples,
    )
    if chosen.fallback and note is not None:
        note(chosen.fallback)
    return run_trials(
        chosen, axes, search, path, keep=keep, save_every=save_every, report=report, device=device
    )


def _least_pairs(grid: ParameterGrid) -> int:
    """The fewest pairs that a trial trains on; 0: all."""
    counts = grid.axes.get("pairs", (grid.base.pairs,))
    return min((int(count) for count in counts if count), default=0)


FORMAT = "rejoinder sweep 1"
RESULTS, TABLE = "results.json", "trials.csv"


def run_trials(
    material: SweepMaterial,
    grid: ParameterGrid,
    search: Search,
    path: str | os.PathLike[str],
    *,
    keep: int = 1,
    save_every: float = 60.0,
    report: Report | None = None,
    device: str = "auto",
) -> SweepResult:
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
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        InputError: Something else stands at ``path``, or it cannot be written; another run writes
            there; every trial failed.
        ParameterError: Trials differ in epochs, and are to be pruned.
        MissingExtraError: A package of the extras ``models`` or ``sweep`` is not installed.
    """
    from rejoinder.responders.seq2seq.model import check_installed

    if not isinstance(grid.base, PhraseParameters):
        check_installed()
        chosen_device(device)
    elif search.first_epochs or device != "auto":
        raise ParameterError(
            Argument("device" if device != "auto" else "first_epochs"),
            ": has no effect on phrase-based systems; leave it out",
        )
    check_folder_target(path)
    check_least(0, keep=keep)
    if "epochs" in grid.axes and search.prune != "none":
        raise ParameterError(
            Argument("settings"),
            " epochs: pruning compares trials after equal epochs; give one "
            f"value, or {Argument('prune', 'none')}",
        )
    if search.sampler == "optuna":
        from rejoinder.tuning.proposals import check_optuna, tried
    else:
        check_optuna, tried = None, _tried
    parameters = _parameters(material, grid, search, check_optuna() if check_optuna else None)
    with alone_with_shards(Path(path)):
        folder = opened(Path(path), parameters, search.extensible, material.fallback)
        if not shard_of_folder():
            remove_parts(folder)
        run = SweepRun(material, grid, search, folder, keep, save_every, report, device)
        notes = [*material.notes, *tried(run)]
        end_of_shard()
        return _told(run, notes, parameters)


def _tried(run: SweepRun) -> list[str]:
    """All settings or some at random, by successive halving."""
    search, grid = run.search, run.grid
    if search.sampler == "grid":
        settings: Iterator[Setting] = (grid.setting(place) for place in range(grid.size))
    else:
        assert search.trials is not None
        settings = iter(grid.drawn(search.trials, run.material.seed))
    going = [run.trial(setting) for setting in settings]
    if search.prune == "none":
        run.total = sum(grid.epochs(each.setting) for each in going)
    else:
        run.total = _epochs(len(going), search.rungs(grid.epochs()), search.reduction)
    # Without pruning the trials may differ in epochs: each has one rung of its own.
    rounds = max(len(run.rungs(each.setting)) for each in going)
    for rung in range(rounds - 1):
        going = run.reach(going, rung)
        going.sort(key=lambda each: (each.bits, each.number))
        going = sorted(going[: -(-len(going) // search.reduction)], key=lambda each: each.number)
    run.reach(going, -1)
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


def _told(run: SweepRun, notes: list[str], parameters: Mapping[str, Any]) -> SweepResult:
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
    notes += [*_without_model(run), *_trial_notes(run.finished)]
    trials = table(run.trials, run.finished, run.grid)
    correlated = correlations(run.finished, run.material)
    result = SweepResult(run.folder, trials, correlated, tuple(dict.fromkeys(notes)), parameters)
    write_table(trials, run.folder / TABLE)
    write_json(run.folder / RESULTS, finite(result.as_json()))
    return result


def _without_model(run: SweepRun) -> list[str]:
    """A note where an earlier call was to keep fewer models than this one."""
    gone = [each.name for each in run.finished[: run.keep] if not each.model.exists()]
    if not gone:
        return []
    return [
        f"{', '.join(gone)}: no model, because an earlier call was to keep fewer; to have it, train "
        "with the trial's settings"
    ]


def _trial_notes(finished: Sequence[Trial]) -> list[str]:
    """The notes of trials, each once, with whose it is."""
    names_of: dict[str, list[str]] = {}
    for each in finished:
        for note in (each.scores or {})["notes"]:
            names_of.setdefault(note, []).append(each.name)
    size = len(finished)
    return [
        f"{names[0] if len(names) == 1 else f'{len(names)} of {size} finished trials'}: {note}"
        for note, names in names_of.items()
    ]


def _parameters(
    material: SweepMaterial, grid: ParameterGrid, search: Search, optuna: str | None
) -> dict[str, Any]:
    """What a sweep is: with all of this the same, its results are the same."""
    return {
        "format": FORMAT,
        "data": material.hashes,
        "base": grid.base.as_json(),
        "grid": {name: list(values) for name, values in grid.axes.items()},
        "sampler": search.sampler if optuna is None else f"optuna {optuna}",
        "trials": search.trials or grid.size,
        "rungs": list(search.rungs(grid.epochs())) if search.prune != "none" else [],
        "reduction": search.reduction,
        **({"proposals": search.proposals} if search.proposals > 1 else {}),
        "metric": material.metric.label,
        "generic": material.generic,
        "beam": material.beam,
        "resamples": material.resamples,
        "seed": material.seed,
    }
