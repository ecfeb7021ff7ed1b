"""The types of what reports how far a computation is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of steps done and the number of all steps."""

Report: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of steps done, the number of all steps, and what is being done."""
