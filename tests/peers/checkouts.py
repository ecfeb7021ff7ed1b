"""Where checkouts of other people's repositories lie: an environment variable names each folder.

No code and no data of theirs is part of this repository. A test that needs a checkout is skipped
where its variable is not set, and says how to set it.
"""

import os
from pathlib import Path

import pytest

CHECKOUTS = {
    "REJOINDER_SACREBLEU_TESTS": (
        "https://github.com/mjpost/sacrebleu (the folder that holds test/)",
        "test/test_bleu.py",
    ),
    "REJOINDER_TORCHMETRICS_TESTS": (
        "https://github.com/Lightning-AI/torchmetrics (the folder that holds tests/)",
        "tests/unittests/text/test_bleu.py",
    ),
    "REJOINDER_ROUGE_SCORE_TESTS": (
        "https://github.com/google-research/google-research, folder rouge (the folder that holds it "
        "under the name rouge_score)",
        "rouge_score/rouge_scorer_test.py",
    ),
    "REJOINDER_DELTABLEU_CODE": (
        "https://github.com/mgalley/sacreBLEU (the folder that holds test_deltableu.py)",
        "test_deltableu.py",
    ),
}


def checkout(variable: str) -> Path:
    """The folder that an environment variable names; skips the test where none is named."""
    source, file = CHECKOUTS[variable]
    named = os.environ.get(variable)
    if not named:
        pytest.skip(f"{variable} names no checkout of {source}")
    folder = Path(named).resolve()
    if not (folder / file).is_file():
        pytest.fail(f"{variable}={named} holds no {file}; name a checkout of {source}")
    return folder
