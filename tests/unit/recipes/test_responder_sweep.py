"""Grids, rungs and whole little sweeps."""

import json

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.recipes.responder_grid import PAPER, Grid, grid_of, parsed
from rejoinder.recipes.responder_material import material
from rejoinder.recipes.responder_sweep import Search, sweep
from rejoinder.responders.parameters import Parameters, scaled
from rejoinder.tables.dialogues import Pairs
from rejoinder.tables.testset import TestSet

WORDS = "the ferry leaves from an old harbour at six in winter".split()
BASE = Parameters(
    vocabulary=60, layers=1, width=16, heads=2, feed_forward=16, warmup=5, tokens=300,
    accumulate=1, epochs=3, patience=0, longest=60, seed=3,
)  # fmt: skip


def corpus():
    rng = np.random.default_rng(1)
    texts = [[" ".join(rng.choice(WORDS, 4)) for _ in range(100)] for _ in range(2)]
    return Pairs([str(i) for i in range(100)], *texts)


def held(base=BASE, **given):
    pairs = corpus()
    testset = TestSet.from_lists(
        [[text, "at six"] for text in pairs.targets[:8]], contexts=pairs.sources[:8]
    )
    settings = {"metric": "bleu", "beam": 1, "train_prompts": 8, "resamples": 20, **given}
    return material(pairs, testset, base, **settings)


def test_the_paper_s_grid():
    # 4 x 3 x 7 x 5 x 9
    assert grid_of(scaled("paper"), "paper").size == 3780
    assert PAPER["label_smoothing"][-1] == 0.8


def test_rungs():
    assert Search().rungs(9) == (1, 3, 9)
    assert Search(first_epochs=2, reduction=2).rungs(8) == (2, 4, 8)
    assert Search(prune="none").rungs(9) == (9,)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["height=1"], "--set 'height=1'"),
        (["dropout=x"], "expected a number"),
        (["layers=1.5"], "whole number"),
        (["dropout=0,0"], "stands there twice"),
        (["dropout=0", "dropout=1"], "stands there twice"),
    ],
)
def test_values_that_cannot_be(texts, words):
    with pytest.raises(ParameterError, match=words):
        parsed(texts)


def test_every_setting_is_checked_first():
    with pytest.raises(ParameterError, match="dropout: got 1"):
        Grid(BASE, {"dropout": (0.0, 1.0)})
    with pytest.raises(ParameterError, match="no setting"):
        grid_of(BASE)


def test_a_sweep_prunes_scores_and_does_nothing_twice(tmp_path):
    pytest.importorskip("torch")
    # 4,000 subwords do not suit a corpus of ten words: that trial fails, and is told.
    grid = Grid(BASE, {"learning_rate": (1e-2, 1e-4), "vocabulary": (60, 4000)})
    search = Search(reduction=2, first_epochs=1)
    found = sweep(held(), grid, search, tmp_path / "s")
    status = found.trials["status"].to_list()
    assert sorted(status) == ["failed", "failed", "finished", "pruned"]
    assert status[0] == "finished"
    losses = dict(zip(status, found.trials["bits_per_character"].to_list(), strict=True))
    assert losses["finished"] < losses["pruned"]
    assert 0 <= found.trials["ruq_train"][0] <= 1
    assert any("2 trials of 4 failed" in note for note in found.notes)
    before = (tmp_path / "s" / "results.json").read_bytes()
    assert json.loads(before)["trials"][0]["status"] == "finished"
    sweep(held(), grid, search, tmp_path / "s")
    assert (tmp_path / "s" / "results.json").read_bytes() == before
    with pytest.raises(InputError, match="holds another sweep"):
        sweep(held(beam=2), grid, search, tmp_path / "s")
