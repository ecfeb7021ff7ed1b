"""Models of a worker: it runs many commands of one job, and loads each model for the first alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from rejoinder.files.content import stamp

T = TypeVar("T")

IS_WORKER = "REJOINDER_WORKER"
"""The variable of the environment that a worker of one job sets for itself."""
_LOADED: dict[tuple[object, ...], Any] = {}


def loaded_once(
    path: str | os.PathLike[str], settings: tuple[object, ...], load: Callable[[], T]
) -> T:
    """What was loaded from a path with these settings: again, or by a worker once.

    Args:
        path: A file or folder; what was loaded from it is used again while it stays as it is.
        settings: What else the result depends on, its kind included.
        load: Loads it.
    """
    if IS_WORKER not in os.environ:
        return load()
    state = stamp(path) if os.path.exists(path) else ()
    key = (os.path.realpath(path), state, *settings)
    if key not in _LOADED:
        _LOADED[key] = load()
    return _LOADED[key]
