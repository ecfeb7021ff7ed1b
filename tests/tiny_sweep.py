"""What a sweep of seconds needs: a corpus of ten words, and a Transformer of one layer."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.responders.seq2seq.parameters import Parameters
from rejoinder.tables.testset import TestSet
from rejoinder.tuning.data import SweepMaterial, material

WORDS = "the ferry leaves from an old harbour at six in winter".split()
BASE = Parameters(
    vocabulary=60, layers=1, width=16, heads=2, feed_forward=16, warmup=5, tokens=300,
    accumulate=1, epochs=3, patience=0, longest=60, seed=3,
)  # fmt: skip


def corpus() -> Pairs:
    """A hundred messages and replies of four words."""
    rng = np.random.default_rng(1)
    sources, targets = ([" ".join(rng.choice(WORDS, 4)) for _ in range(100)] for _ in range(2))
    return Pairs([str(i) for i in range(100)], sources, targets)


def held(base: Parameters = BASE, **given) -> SweepMaterial:
    """The corpus, eight of its messages as a test set, and BLEU."""
    pairs = corpus()
    testset = TestSet.from_lists(
        [[text, "at six"] for text in pairs.targets[:8]], contexts=pairs.sources[:8]
    )
    settings = {"metric": "bleu", "beam": 1, "train_prompts": 8, "resamples": 100, **given}
    return material(pairs, testset, base, **settings)


def files(folder: Path) -> dict[str, bytes]:
    """All that stands in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
