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


TUNES = """
    import json
    import sys
    sys.path.insert(0, sys.argv[1])
    from rejoinder.recipes.systems2015 import systems2015
    from rejoinder.tables.testset import TestSet
    from tiny_corpora import DRINKS, PLACES, little_corpus

    rows = [(a, b) for a in DRINKS[:2] for b in PLACES[:3]]
    references = [[f"Yes, the {b} has {a}.", f"Yes, it has {a}."] for a, b in rows]
    items = TestSet.from_lists(references, contexts=[[f"Is there any {a} at the {b}?"] for a, b in rows])
    print("begins", flush=True)
    result = systems2015(
        little_corpus(), items, sys.argv[2], validation=items, settings={"external": 0}, rounds=2,
        nbest=4, starts=1, beam=4, resamples=0,
    )
    found = result.as_json()
    found.pop("notes")  # one says that the model was finished before
    print(json.dumps(found))
"""


def phrases(folder, what):
    """A process that trains, or trains and tunes; its first line is its first step."""
    script = textwrap.dedent(TRAINS if what == "training" else TUNES)
    command = [sys.executable, "-c", script, str(CORPORA), str(folder), "phrase"]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


@pytest.mark.parametrize("what", ["training", "training and tuning"])
def test_twenty_kills_of_a_phrase_based_system_change_nothing(what, tmp_path):
    with phrases(tmp_path / "whole", what) as process:
        process.stdout.readline()
        begin = time.monotonic()
        expected = process.stdout.read()
        lasts = time.monotonic() - begin

    def check(output):
        assert output == expected
        assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")

    generator = np.random.default_rng(18)
    kills = 0
    while kills < 20:  # at any instant from the first step to the end
        with phrases(tmp_path / "killed", what) as process:
            process.stdout.readline()
            # What was interrupted has less and less left to do.
            time.sleep(float(generator.uniform(0, lasts / (1 + kills % 5))))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            output = process.stdout.read()
        if process.returncode == 0:
            check(output)
            shutil.rmtree(tmp_path / "killed")
    with phrases(tmp_path / "killed", what) as process:
        process.stdout.readline()
        check(process.stdout.read())
    assert process.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]
