"""sacreBLEU's own tests, run on Rejoinder through an adapter that looks like sacreBLEU.

Its test of the paired bootstrap is not run: that is another test than Rejoinder's (see
``sacrebleu_adapter.PairedTest``). Its tests of TER, data sets and the command line have nothing to
test here.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from peers.checkouts import checkout

TESTS = Path(__file__).parents[1]


def results(folder, file, selected, report):
    """Outcomes of sacreBLEU's test file, by the name of the test: '' or what failed."""
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    # -P keeps the checkout's own package out of the path; without its pytest.ini, which the options
    # of this project must not meet.
    command = [
        sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "-p", "peers.sacrebleu_adapter", "-c", os.devnull, "--rootdir", str(folder),
        "--import-mode", "importlib", "-k", selected, f"--junitxml={report}", f"test/{file}",
    ]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.is_file(), done.stdout + done.stderr
    outcomes = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        wrong = [case.find(kind) for kind in ("failure", "error", "skipped")]
        outcomes[case.get("name")] = "; ".join(
            str(each.get("message")) for each in wrong if each is not None
        )
    return outcomes


@pytest.mark.parametrize(
    ("file", "selected", "cases"),
    [
        ("test_bleu.py", "test", 27),
        ("test_sentence_bleu.py", "test", 30),
        ("test_chrf.py", "test", 25),
    ],
)
def test_their_scores_are_ours(file, selected, cases, tmp_path):
    folder = checkout("REJOINDER_SACREBLEU_TESTS")
    outcomes = results(folder, file, selected, tmp_path / "report.xml")
    assert {name: why for name, why in outcomes.items() if why} == {}
    assert len(outcomes) >= cases


def test_their_approximate_randomization_is_ours(tmp_path):
    # On the 16 systems of WMT17 (English to German, 3,004 segments) that lie beside the test file,
    # against the p of the multeval toolkit, to 0.01.
    folder = checkout("REJOINDER_SACREBLEU_TESTS")
    if not (folder / "test" / "wmt17_en_de_systems.pkl.bz2").is_file():
        pytest.skip("the checkout holds no wmt17_en_de_systems.pkl.bz2")
    selected = "test_paired_approximate_randomization"
    outcomes = results(folder, "test_significance.py", selected, tmp_path / "report.xml")
    assert {name: why for name, why in outcomes.items() if why} == {}
    assert len(outcomes) == 15
