"""What is shown of units must hold where systems differ: a small simulation of each number."""

import numpy as np
import pytest
from simulations import unit_protocol
from simulations.unit_protocol import PAIRED, WORLDS, units

# Of 40 sets at 5% an honest test errs in 8 or more with probability 0.0007. Fisher's interval for
# independent units leaves 0 out in about 25 of the 40, and a coin for each pair of systems errs in
# 12 to 18.
RUNS, MOST = 40, 7


@pytest.mark.parametrize("world", WORLDS[1:3], ids=lambda world: world.name)
def test_interval_and_p_of_unrelated_scores(world):
    rng = np.random.default_rng(1)
    left_out = significant = 0
    for run in range(RUNS):
        x, y = world.drawn(7, rng)
        row = units({"m": x}, y, 40, run).row("m", "spearman")
        left_out += not row.low <= 0 <= row.high
        significant += row.p <= 0.05
    assert left_out <= MOST
    assert significant <= MOST


@pytest.mark.parametrize("world", PAIRED[1:3], ids=lambda world: world.name)
def test_comparison_of_equally_good_metrics(world):
    rng = np.random.default_rng(2)
    left_out = significant = 0
    for run in range(RUNS):
        one, other, y = unit_protocol.two_metrics(world, 7, rng)
        evidence = units({"a": one, "b": other}, y, 0, run)
        evidence.prepare(["spearman"])
        evidence.draws = evidence.draws._replace(permutations=64)
        pair = evidence.pair("a", "b", "spearman")
        left_out += not pair.low <= 0 <= pair.high
        significant += pair.p <= 0.05
    assert left_out <= MOST
    assert significant <= MOST
