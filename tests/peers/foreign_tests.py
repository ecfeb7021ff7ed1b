"""Test files of other people, run by pytest in a process of their own on an adapter of ours."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

TESTS = Path(__file__).parents[1]


def foreign_results(folder, file, adapter, selected, report, own_package=False):
    """Outcomes of a test file in a checkout, by the name of the test: '' or what failed.

    Args:
        folder: The checkout.
        file: The test file in it.
        adapter: The module of ours that stands in the place of theirs, a plugin of pytest.
        selected: What ``-k`` selects.
        report: Where pytest writes its report.
        own_package: Whether the checkout's own package stays there for what the adapter leaves.
    """
    paths = [
        *([str(folder)] if own_package else []),
        str(TESTS),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    # -P keeps the checkout's own package out of the path; without its pytest.ini, which the options
    # of this project must not meet.
    command = [
        sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", adapter,
        "-c", os.devnull, "--rootdir", str(folder), "--import-mode", "importlib", "-k", selected,
        f"--junitxml={report}", file,
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
