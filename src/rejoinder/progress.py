"""The type of what reports how far a computation is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of steps done and the number of all steps."""
