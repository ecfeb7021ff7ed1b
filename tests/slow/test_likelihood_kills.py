"""kill -9 at twenty random moments of a scoring run: what is taken up is the same to the byte."""

import random

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import killed_scoring


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_twenty_kills(seed, tmp_path):
    killed_scoring.finish(tmp_path / "whole")
    expected = (tmp_path / "whole" / killed_scoring.FILE).read_bytes()
    rng = random.Random(seed)
    for _ in range(5):
        killed_scoring.kill(tmp_path / "cut", rng, len(expected))
    killed_scoring.finish(tmp_path / "cut")
    assert (tmp_path / "cut" / killed_scoring.FILE).read_bytes() == expected
