"""Ctrl-C ends a command with status 130 wherever it comes, within callbacks and finalizers too."""

import signal
import subprocess
import sys
import time

import pytest

HEAD = """
import ctypes, os, signal, time, weakref
from rejoinder.cli import app

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
    sum(range(100))

class Finalized:
    def __del__(self):
        interrupt()

class Plain:
    pass

def work(*_, **__):
    begin()
    time.sleep(30)

app.app.main = work
"""
CALLBACKS = {
    "in plain code": "begin = interrupt",
    "in a finalizer": "begin = Finalized",
    "in a callback of a weak reference": """
def begin():
    held = Plain()
    reference = weakref.ref(held, interrupt)
    del held
""",
    "in a callback of C": "begin = ctypes.CFUNCTYPE(None)(interrupt)",
    "in both": """
def begin():
    Finalized()
    ctypes.CFUNCTYPE(None)(lambda: Finalized())()
""",
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize("where", CALLBACKS)
def test_an_interrupt_is_never_ignored(where):
    program = f"{HEAD}{CALLBACKS[where]}\napp.main()\n"
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.startswith("rejoinder: interrupted; nothing was left half-written")
    assert "ignored" not in done.stderr
    assert time.monotonic() - begun < 25


def test_other_errors_that_are_ignored_are_still_shown():
    program = f"{HEAD}\nclass Faulty:\n    def __del__(self):\n        raise ValueError('seven')\n"
    program += "def begin():\n    Faulty()\n    interrupt()\napp.main()\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 130
    assert "ValueError: seven" in done.stderr
