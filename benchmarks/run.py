"""Runs the benchmarks: ``make bench``, or ``python benchmarks/run.py [part ...] [--write]``."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import (  # noqa: E402
    correlation,
    external,
    memory,
    processes,
    ruber,
    ruq,
    scoring,
    significance,
)
from benchmarks.corpus import Corpus, dstc7  # noqa: E402

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PARTS: dict[str, tuple[str, Callable[[Corpus], Iterator[str]]]] = {
    "scoring": ("From in-memory strings to score", scoring.run),
    "significance": ("Intervals and paired tests", significance.run),
    "external": ("A million scores of another tool", external.run),
    "correlation": ("Unit-level correlation with people: the paper's Table 2", correlation.run),
    "ruq": ("RUQ: four replies to a prompt of 100 tokens", ruq.run),
    "processes": ("Whole processes, ten systems, BLEU-4", processes.run),
    "ruber": ("RUBER: training and scoring with GRUs", ruber.run),
    "memory": ("Memory, and ten million segments", memory.run),
}


def main() -> None:
    """Prints every part as it goes; with --write also replaces RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    wanted = parser.parse_args()
    lines = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    for line in heading():
        say(line)
    corpus = dstc7()
    for name in wanted.parts or PARTS:
        title, run = PARTS[name]
        say(f"\n## {title}\n")
        for line in run(corpus):
            say(line)
    if wanted.write:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def heading() -> Iterator[str]:
    """What was run, where, and against what."""
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    rivals = ", ".join(f"{name} {version(name)}" for name in ("sacrebleu", "bleuscore"))
    used = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "polars", "pyarrow"))
    yield "# Benchmark results"
    yield ""
    yield (
        "Written by `make bench`. The corpus is the shared half of DSTC7 task 2, ten systems, every "
        "human reference, 13a, BLEU-4; warm; rivals take turns; medians (least to most)."
    )
    yield ""
    yield f"- commit {commit}, {datetime.now(UTC):%Y-%m-%d}"
    yield (
        f"- {os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python "
        f"{platform.python_version()}, {used}"
    )
    yield f"- rivals: {rivals}"


if __name__ == "__main__":
    main()
