"""How many cores this process may use."""

from __future__ import annotations

import os
from functools import cache


@cache
def cores() -> int:
    """How many cores this process may use; ``REJOINDER_THREADS`` sets another number."""
    wanted = os.environ.get("REJOINDER_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return usable_cores()


def usable_cores() -> int:
    """How many cores the operating system lets this process use, whatever ``REJOINDER_THREADS`` is."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
