"""A training of RUBER in a process of its own, to be killed at a random moment and taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import killed_training
killed_training.train(sys.argv[1], lambda step: print(step, flush=True), save_every=0.0)
"""


def train(folder, tell=lambda step: None, save_every=1e9):
    """Trains in this process, on one thread; the names of the steps that were reported."""
    import torch

    import tiny_ruber
    from rejoinder.models.ruber import registry

    steps = []

    def report(name):
        def step(done, total, words):
            if done:
                steps.append(f"{name} {done}")
                tell(steps[-1])

        return step

    before, threads = dict(registry.SIZES), torch.get_num_threads()
    torch.set_num_threads(1)
    for name, size in before.items():  # many steps of a few items each
        registry.SIZES[name] = replace(size, schedule=replace(size.schedule, batch=8))
    try:
        with tiny_ruber.narrow():
            tiny_ruber.trained(
                folder, sizes=("gru",), seeds=2, epochs=3, save_every=save_every, report=report
            )
    finally:
        registry.SIZES.update(before)
        torch.set_num_threads(threads)
    return steps


def start(folder):
    code = SCRIPT.format(tests=str(Path(__file__).parent))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "random"},
    )


def finish(folder):
    """Trains to the end, and says which steps it told of."""
    process = start(folder)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out.split("\n")[:-1]


def kill(folder, steps, wait):
    """Starts a training and kills it ``wait`` seconds after so many steps; the last step told of."""
    process = start(folder)
    assert process.stdout is not None
    last = ""
    for _ in range(steps):
        last = process.stdout.readline().strip() or last
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    return last
