"""A sweep over the settings of a replying system, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from rejoinder.corpora.pairs import Pairs, as_pairs
from rejoinder.progress import Report
from rejoinder.responders.seq2seq.parameters import scaled
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet
from rejoinder.tuning.data import material
from rejoinder.tuning.grid import Number, ParameterGrid, grid_of
from rejoinder.tuning.result import SweepResult
from rejoinder.tuning.search import Search
from rejoinder.tuning.trials import run_trials


def sweep(
    corpus: TestSet | Pairs,
    testset: TestSet,
    path: str | os.PathLike[str],
    *,
    grid: str | None = None,
    settings: Mapping[str, Sequence[Number]] | None = None,
    preset: str = "tiny",
    detokenize: bool = False,
    sampler: str | None = None,
    trials: int | None = None,
    prune: str = "halving",
    reduction: int = 3,
    first_epochs: int | None = None,
    validation: TestSet | Pairs | None = None,
    exclude: Sequence[TestSet | Pairs] = (),
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

    Every trial trains a Transformer; a trial that is not pruned is scored by METEOR with all
    references and by RUQ on train and on test (Khayrallah and Sedoc 2021, section 5.1). Everything is
    kept in the folder; an interrupted sweep resumes with the same call.

    Args:
        corpus: Dialogues, or pairs of messages and replies.
        testset: Messages with references, the original reference first.
        path: The output folder: a new one, or that of the same sweep.
        grid: ``paper``, the grid of Khayrallah and Sedoc; None: only ``settings``.
        settings: The values of each setting, by the names of ``Parameters``; they replace those of
            ``grid``. A single value holds for all trials.
        preset: ``tiny``, ``small`` or ``paper``: the settings that are not swept.
        detokenize: Whether utterances are detokenised and recased, for DailyDialog.
        sampler: ``grid`` (all settings), ``random`` or ``optuna``; None: ``grid``, or ``random`` where
            ``trials`` is given.
        trials: Number of trials, with ``random`` and ``optuna``.
        prune: ``halving`` (successive halving by validation loss) or ``none``.
        reduction: One trial in so many continues, to so many times the epochs.
        first_epochs: Number of epochs before trials are pruned for the first time.
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
    search = Search(
        sampler or ("grid" if trials is None else "random"), trials, prune, reduction, first_epochs
    )
    base = scaled(preset).changed(detokenize=detokenize, seed=seed)
    values = {name: tuple(each) for name, each in (settings or {}).items()}
    axes = grid_of(base, grid, values)
    chosen = material(
        as_pairs(corpus, exclude),
        testset,
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
