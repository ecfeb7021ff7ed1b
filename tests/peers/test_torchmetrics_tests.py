"""torchmetrics' own tests of its text metrics, run on Rejoinder's through ``torchmetrics_adapter``.

What differs is listed here by what the test asks for; none of it is another number for a text.
docs/bridges.md says the same in words. Their tests of two processes need a pool that is not started.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from peers.checkouts import checkout

TESTS = Path(__file__).parents[1]
EMPTY = (
    "expected one list per hypothesis"  # no reply at all, or replies that are lists: they give 0
)
DIFFERENT = {
    "test_bleu.py": ["expected a string"],
    "test_sacre_bleu.py": ["MissingExtraError"],  # tokenizers that need a package or a model
    "test_chrf.py": [EMPTY, "return_sentence_level_score"],
    "test_ter.py": [EMPTY, "has no reference", "return_sentence_level_score"],
    "test_rouge.py": ["accumulate='avg'", "'normalizer'", "Regex pattern did not match"],
}
PASSED = {
    "test_bleu.py": 16,
    "test_sacre_bleu.py": 33,
    "test_chrf.py": 18,
    "test_ter.py": 18,
    "test_rouge.py": 39,
}


@pytest.mark.parametrize("file", DIFFERENT)
def test_their_numbers_are_ours(file, tmp_path):
    pytest.importorskip("torchmetrics")
    folder = checkout("REJOINDER_TORCHMETRICS_TESTS") / "tests"
    report = tmp_path / "report.xml"
    paths = [str(TESTS), str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [
        sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "-p", "peers.torchmetrics_adapter", "-c", os.devnull, "--rootdir", str(folder),
        f"--junitxml={report}", f"unittests/text/{file}",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "USE_PYTEST_POOL": "0"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert report.is_file(), done.stdout + done.stderr
    passed, unexpected = 0, {}
    for case in ET.parse(report).getroot().iter("testcase"):
        wrong = [each for kind in ("failure", "error") for each in case.iter(kind)]
        reasons = " ".join(f"{each.get('message')} {each.text}" for each in wrong)
        passed += not wrong and case.find("skipped") is None
        if wrong and not any(reason in reasons for reason in DIFFERENT[file]):
            unexpected[case.get("name")] = reasons[:500]
    assert unexpected == {}
    assert passed >= PASSED[file]
