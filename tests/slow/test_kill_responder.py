"""kill -9 while a replying system is trained, twenty times: the model is the one of no kill at all."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from rejoinder.files.content import folder_hash

pytestmark = pytest.mark.slow

TRAINS = """
    import sys
    sys.path.insert(0, sys.argv[1])
    from tiny_corpora import little, little_corpus
    from rejoinder.responders.phrase.parameters import PhraseParameters
    from rejoinder.training.responder import train_responder

    def report(done, total, words):
        print(done, flush=True)

    if sys.argv[3] == "phrase":
        settings = PhraseParameters(iterations=100, external=0)
    else:
        import torch

        torch.set_num_threads(1)
        settings = little(kind=sys.argv[3], epochs=8, tokens=120, accumulate=1)
    train_responder(little_corpus(), sys.argv[2], settings, save_every=0.0, report=report)
"""
CORPORA = Path(__file__).parents[1]


def trained(folder, kind):
    command = [sys.executable, "-c", textwrap.dedent(TRAINS), str(CORPORA), str(folder), kind]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


@pytest.mark.parametrize("kind", ["transformer", "gru"])
def test_twenty_kills_change_nothing(kind, tmp_path):
    with trained(tmp_path / "whole", kind) as process:
        updates = len(process.stdout.readlines())
    assert process.returncode == 0
    generator = np.random.default_rng(17)
    kills = 0
    for _ in range(10):
        with trained(tmp_path / "killed", kind) as process:
            # Some updates (none at all sometimes), then at any instant of the next few.
            for _ in range(int(generator.integers(0, updates // 8))):
                if not process.stdout.readline():
                    break
            time.sleep(float(generator.uniform(0, 0.02)))
            if process.poll() is not None:
                break
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
    with trained(tmp_path / "killed", kind) as process:
        process.stdout.read()
    assert process.returncode == 0
    assert kills >= 5
    assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]


def test_twenty_kills_of_a_phrase_based_training_change_nothing(tmp_path):
    with trained(tmp_path / "whole", "phrase") as process:
        process.stdout.readline()
        begin = time.monotonic()
        process.wait()
        lasts = time.monotonic() - begin
    generator = np.random.default_rng(18)
    kills = 0
    while kills < 20:  # at any instant from the first step to the end
        with trained(tmp_path / "killed", "phrase") as process:
            process.stdout.readline()
            time.sleep(float(generator.uniform(0, lasts)))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
        if process.returncode == 0 and kills < 20:
            assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")
            shutil.rmtree(tmp_path / "killed")
    with trained(tmp_path / "killed", "phrase") as process:
        process.stdout.read()
    assert process.returncode == 0
    assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]
