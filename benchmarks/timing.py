"""Fair timing on a noisy machine: rivals take turns, medians are compared, the spread is told."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of several rounds: by the clock, and of the processor (all threads together)."""

    rounds: tuple[float, ...]
    processor: tuple[float, ...] = ()

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def __str__(self) -> str:
        low, high = min(self.rounds), max(self.rounds)
        return f"{show(self.median)} ({show(low)} to {show(high)}, {len(self.rounds)} rounds)"


def show(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def interleaved(rivals: dict[str, Callable[[], object]], rounds: int) -> dict[str, Timing]:
    """Runs all rivals in turn, round after round.

    A rival that ran before has filled the processor's caches with its own data: so each turn is one
    run to warm up and one that is timed, for all alike.
    """
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    processor: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            run()
            began, used = time.perf_counter(), time.process_time()
            run()
            seconds[name].append(time.perf_counter() - began)
            processor[name].append(time.process_time() - used)
    return {name: Timing(tuple(each), tuple(processor[name])) for name, each in seconds.items()}
