"""The paper's model at its full size, for 200 updates on the processor: the loss falls."""

import numpy as np
import pytest

pytest.importorskip("torch")

from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.responders.seq2seq.parameters import preset_named
from rejoinder.tables.testset import read_testset
from rejoinder.training.responder import train_responder
from shared_data import shared

pytestmark = pytest.mark.slow


def test_loss_falls(tmp_path):
    # 5 + 5 layers, 512 wide, 4,000 subwords, as the paper has them. Batches are small (256 subwords,
    # one to an update) and the warm-up short, so that 200 updates take minutes and not hours.
    pairs = adjacent_pairs(read_testset(shared("data", "dailydialog", "train.zip")))
    parameters = preset_named("paper").changed(
        tokens=256, longest=64, accumulate=1, warmup=100, updates=200, learning_rate=5e-4, epochs=1,
        detokenize=True,
    )  # fmt: skip
    losses = []
    held_out = pairs.take(np.arange(0, len(pairs), 1000))
    result = train_responder(
        pairs,
        tmp_path / "model",
        parameters,
        held_out,
        report=lambda done, total, words: losses.append(
            float(words.split("loss ")[1].split(",")[0])
        ),
    )
    assert len(losses) == 200
    means = [float(np.mean(losses[i : i + 25])) for i in range(0, 200, 25)]
    entry = result.folder.record.log[-1]
    print("mean loss of each 25 updates:", [round(mean, 2) for mean in means], entry)
    assert means[-1] < means[0] - 1.0
    assert entry["validation_loss"] < np.log(4000) - 1.5  # a uniform guess is ln 4000 = 8.29
