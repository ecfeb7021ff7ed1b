"""kill -9 during a sweep, at random moments: its results are those of no kill at all."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tiny_sweep import files

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

CODE = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
torch.set_num_threads(1)
from tiny_sweep import BASE, held
from rejoinder.tuning.grid import ParameterGrid
from rejoinder.tuning.sweep import Search, run_trials
grid = ParameterGrid(BASE, {"learning_rate": (1e-2, 1e-3, 1e-4), "dropout": (0.0, 0.3)})
print("ready", flush=True)
sampler, trials = sys.argv[3], int(sys.argv[4]) or None
search = Search(sampler, trials, reduction=2, first_epochs=1)
run_trials(held(), grid, search, sys.argv[2], save_every=0.0)
"""
TESTS = Path(__file__).parents[1]


def started(folder, sampler, trials):
    command = [sys.executable, "-c", CODE, str(TESTS), str(folder), sampler, str(trials)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)


# Optuna's first ten proposals are drawn at random: of fourteen its estimator makes some. A sweep that
# is killed again and again is also asked for more trials on the way.
@pytest.mark.parametrize(("sampler", "first", "trials"), [("grid", 0, 0), ("optuna", 3, 14)])
def test_kills_change_nothing(sampler, first, trials, tmp_path):
    if sampler == "optuna":
        pytest.importorskip("optuna")
    with started(tmp_path / "whole", sampler, trials) as process:
        process.stdout.readline()
        begun = time.monotonic()
        process.stdout.read()
    seconds = time.monotonic() - begun
    assert process.returncode == 0
    rng = random.Random(7)
    for attempt in range(10):
        with started(tmp_path / "cut", sampler, first if attempt < 4 else trials) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, seconds / 2))
            os.kill(process.pid, signal.SIGKILL)
    with started(tmp_path / "cut", sampler, trials) as process:
        process.stdout.read()
    assert process.returncode == 0
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
