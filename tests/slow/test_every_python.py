"""The wheel under every Python of this machine that Rejoinder supports."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_the_wheel_works_under_every_python():
    tried = subprocess.run(
        [".ci/wheel", "every"],
        cwd=ROOT,
        env=os.environ | {"BUILD": sys.executable},
        capture_output=True,
        text=True,
    )
    assert tried.returncode == 0, tried.stdout[-3000:] + tried.stderr[-3000:]
    assert "the wheel works by itself" in tried.stdout.splitlines()[-1]
