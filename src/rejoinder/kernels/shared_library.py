"""Machine code as a shared library: the operating system loads it in less than a millisecond.

llvmlite links an object file in a few milliseconds, but importing it takes thirty. So where the
machine has a linker, a kernel's object file is also made a shared library, once, when the kernel is
compiled. Such a library is loaded without llvmlite; where there is none, nothing changes but the time.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path
from typing import BinaryIO

import numpy as np

LINUX = sys.platform == "linux"

_FACTS = (
    "vendor_id", "cpu family", "model", "stepping", "flags",  # x86
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features",  # ARM
)  # fmt: skip
"""What tells one processor from another in /proc/cpuinfo; the rest changes while it runs."""

_BLOCK = 1 << 14  # bytes that hold what is said of the first core

_LIBRARIES: list[ctypes.CDLL] = []
"""The libraries of this process: they stay loaded as long as it lives."""


@cache
def processor() -> str:
    """What the operating system and the processor itself say of it; empty where that is not enough.

    Machine code is made for the instructions of one processor, and must not run on another one. Where
    one is emulated, the operating system may tell of the real one, so that NumPy, which asks the
    processor, is asked too.
    """
    of_numpy = getattr(getattr(np, "_core", None), "_multiarray_umath", None)
    asked: dict[str, bool] = getattr(of_numpy, "__cpu_features__", {})
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            block, end, _ = file.read(_BLOCK).partition("\n\n")
    except OSError:
        return ""
    lines = (line.partition(":") for line in block.splitlines())
    facts = {name.strip(): value.strip() for name, _, value in lines}
    if not end or not asked or not {"flags", "Features"} & facts.keys():
        return ""
    known = [f"{name}: {facts[name]}" for name in _FACTS if name in facts]
    features = " ".join(sorted(name for name, there in asked.items() if there))
    return "; ".join([os.uname().machine, *known, features])


def linked(code: bytes, unused: str) -> bytes | None:
    """An object file as a shared library; None where this machine has no linker that makes one.

    Args:
        code: The object file, of position-independent code.
        unused: A function that the code names and never calls.
    """
    import shutil
    import subprocess
    import tempfile

    linker = shutil.which("ld") if LINUX else None
    if linker is None or not os.path.isabs(linker):  # one of the current folder may be anybody's
        return None
    # Every name is looked up within the library, before it runs; its data are never run.
    options = ["-Bsymbolic", "-z", "now", "-z", "noexecstack", f"--defsym={unused}=0"]
    try:
        with tempfile.TemporaryDirectory() as folder:
            before, after = Path(folder, "kernel.o"), Path(folder, "kernel.so")
            before.write_bytes(code)
            subprocess.run(
                [linker, "-shared", *options, "-o", str(after), str(before)],
                check=True,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=60,
            )
            return after.read_bytes()
    except (OSError, subprocess.SubprocessError):
        return None


def address(file: BinaryIO, symbol: str) -> int | None:
    """Where a function of a shared library lies in memory; None where it cannot be loaded.

    The open file itself is loaded, and not what bears its name by now. Its descriptor is never closed:
    the loader knows a library by the name that it was opened under, and the next one must have another.

    Args:
        file: The library, which is closed.
        symbol: The name of the function.
    """
    with file:
        descriptor = os.dup(file.fileno())
    try:
        library = ctypes.CDLL(f"/proc/self/fd/{descriptor}")
        function = getattr(library, symbol)
    except (OSError, AttributeError):
        return None
    _LIBRARIES.append(library)
    return ctypes.cast(function, ctypes.c_void_p).value
