"""A scoring run in a process of its own, to be killed at a random moment and taken up again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import torch
torch.set_num_threads(1)
import killed_scoring
killed_scoring.score(sys.argv[1], {pause})
print("done", flush=True)
"""
FILE = "m.scores.jsonl"


def score(work, pause=0.0):
    """Scores all requests in this process, with a pause before each batch."""
    import tiny_language_models as tiny
    from rejoinder.models.likelihood.store import likelihoods
    from rejoinder.models.likelihood.transformer.causal import CausalBackend

    class Slow(CausalBackend):
        def measure(self, batch):
            time.sleep(pause)
            return super().measure(batch)

    model = Slow(tiny.model("gpt2"), tiny.tokenizer(), batch_tokens=24, name="m")
    likelihoods(model, requests(), work=work)


def requests():
    from rejoinder.models.likelihood.backend import LikelihoodRequest

    rng = random.Random(5)
    words = "the night train leaves from an old harbour at six in the morning".split()
    return [
        LikelihoodRequest(
            f"c{i}",
            (" ".join(rng.choices(words, k=rng.randint(1, 8))),),
            (" ".join(rng.choices(words, k=rng.randint(2, 6))), "I don't know."),
        )
        for i in range(60)
    ]


def start(work, pause=0.0):
    code = SCRIPT.format(tests=str(Path(__file__).parent), pause=pause)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(work)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def finish(work):
    process = start(work)
    out, err = process.communicate(timeout=300)
    assert "done" in out, err


def kill(work, rng, whole):
    """Starts a run, kills it once it has written a random share more, and says how much that was.

    Args:
        work: The folder of the run, perhaps with what an earlier one left.
        rng: Picks the moment.
        whole: The size of the file of a whole run.
    """
    process = start(work, pause=0.004)
    file = Path(work) / FILE
    wanted = _size(file) + (whole - _size(file)) * rng.uniform(0.05, 0.4)
    while process.poll() is None and _size(file) < wanted:
        time.sleep(0.0005)
    time.sleep(rng.uniform(0, 0.005))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    return _size(file)


def _size(file):
    return file.stat().st_size if file.exists() else 0
