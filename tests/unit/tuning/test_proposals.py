"""Sweeps that Optuna leads: to the end, cut off, and for more trials."""

import json

import pytest

from rejoinder.tuning.grid import ParameterGrid
from rejoinder.tuning.sweep import Search, run_trials
from rejoinder.tuning.trial import Trial, write_with_checksum
from tiny_sweep import BASE, files, held

pytestmark = pytest.mark.usefixtures("short_replies")
GRID = ParameterGrid(BASE.changed(epochs=2), {"learning_rate": (1e-2, 1e-4), "dropout": (0.0, 0.3)})


class Killed(BaseException):
    """What no code catches: as good as a kill, in one process."""


def led(folder, trials, report=None):
    pytest.importorskip("optuna")
    pytest.importorskip("torch")
    search = Search("optuna", trials, reduction=2, first_epochs=1)
    return run_trials(held(), GRID, search, folder, report=report)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Twelve trials of four settings: eight proposals at least repeat an earlier one."""
    said = []
    folder = tmp_path_factory.mktemp("optuna")
    return led(folder, 12, lambda *told: said.append(told)), said


def test_a_sweep_to_the_end(whole):
    found, said = whole
    assert set(found.trials["status"]) <= {"finished", "pruned"}
    assert found.trials["trial"].n_unique() == found.trials.height <= 4
    repeats = 12 - found.trials.height
    assert f"{repeats} proposals of 12 repeated an earlier trial" in found.notes
    # The first ten are drawn at random, so that the estimator proposed the last two.
    assert not any("at random" in note and "Optuna" in note for note in found.notes)
    epochs = {"finished": 2, "pruned": 1}
    assert found.trials["epochs"].to_list() == [epochs[each] for each in found.trials["status"]]
    assert found.parameters["sampler"].startswith("optuna ")
    done = [each[0] for each in said]
    assert done == sorted(done)
    assert done[-1] <= said[-1][1]


@pytest.mark.parametrize("moment", [20, pytest.param(45, marks=pytest.mark.slow)])
def test_what_is_cut_off_ends_as_if_it_were_not(whole, tmp_path, moment):
    calls = iter(range(moment))

    def report(*_told):
        if next(calls, None) is None:
            raise Killed

    with pytest.raises(Killed):
        led(tmp_path, 12, report)
    led(tmp_path, 12)
    assert files(tmp_path) == files(whole[0].folder)


def test_more_trials_of_a_finished_sweep(whole, tmp_path):
    first = led(tmp_path, 2)
    assert any("2 proposals of Optuna's drawn at random" in note for note in first.notes)
    assert json.loads((tmp_path / "sweep.json").read_text("utf-8"))["trials"] == 2
    led(tmp_path, 12)
    assert files(tmp_path) == files(whole[0].folder)


def test_a_repetition_that_is_pruned_leaves_a_finished_trial_as_it_is(tmp_path):
    for epochs, bits in ((1, 3.0), (2, 2.5)):
        write_with_checksum(tmp_path / f"epochs-{epochs}.json", {"bits_per_character": bits})
    trial = Trial(1, GRID.setting(0), tmp_path, GRID, held())
    for epochs, last in ((1, False), (2, True), (1, False)):
        assert trial.train(epochs, last, 60.0, None)
    assert (trial.epochs, trial.bits) == (2, 2.5)
