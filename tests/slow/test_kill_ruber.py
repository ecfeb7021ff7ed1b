"""kill -9 while RUBER is trained, ten times: the model is the one of no kill at all."""

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")

import killed_training
from rejoinder.files.content import folder_hash

pytestmark = pytest.mark.slow


def test_two_kills_change_nothing(tmp_path):
    steps = killed_training.finish(tmp_path / "whole")
    first = killed_training.kill(tmp_path / "killed", 3, 0.005)
    assert first.startswith("gru-1 ")
    # Behind the steps of the first seed: the second kill falls into the second member.
    of_one = sum(step.startswith("gru-1 ") for step in steps)
    second = killed_training.kill(tmp_path / "killed", of_one, 0.01)
    assert second.startswith("gru-2 ")
    rest = killed_training.finish(tmp_path / "killed")
    assert not any(step.startswith("gru-1 ") for step in rest)
    assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")
    assert not (tmp_path / "killed.work").exists()


def test_ten_kills_change_nothing(tmp_path):
    steps = len(killed_training.finish(tmp_path / "whole"))
    generator = np.random.default_rng(4)
    for _ in range(10):
        # Some steps further each time, then at any instant of the next ones.
        done = int(generator.integers(1, max(2, steps // 10)))
        killed_training.kill(tmp_path / "killed", done, float(generator.uniform(0, 0.05)))
    killed_training.finish(tmp_path / "killed")
    assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]
