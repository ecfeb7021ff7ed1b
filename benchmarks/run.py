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
    mining,
    pairs,
    processes,
    ruber,
    ruq,
    scoring,
    significance,
    tuning,
    variety,
)
from benchmarks.corpus import Corpus, dstc7  # noqa: E402

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PARTS: dict[str, tuple[str, Callable[[Corpus], Iterator[str]]]] = {
    "scoring": ("From in-memory strings to score", scoring.run),
    "significance": ("Intervals and paired tests", significance.run),
    "external": ("A million scores of another tool", external.run),
    "correlation": ("Unit-level correlation with people: the paper's Table 2", correlation.run),
    "pairs": ("Pairs of samples, by chrF and sentence BLEU", pairs.run),
    "variety": ("Variety: 50 samples of 1,000 prompts by ten systems", variety.run),
    "tuning": ("Tuning and reranking", tuning.run),
    "ruq": ("RUQ: four replies to a prompt of 100 tokens", ruq.run),
    "processes": ("Whole processes, BLEU-4", processes.run),
    "ruber": ("RUBER: training and scoring with GRUs", ruber.run),
    "mining": ("Mining candidates: 29 million triples, and beside other BM25", mining.run),
    "memory": ("Memory, and ten million segments", memory.run),
}


def main() -> None:
    """Prints every part as it goes; with --write also replaces RESULTS.md, or its parts named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    wanted = parser.parse_args()
    head = list(heading())
    print("\n".join(head), flush=True)
    corpus, parts = dstc7(), {}
    for name in wanted.parts or PARTS:
        title, run = PARTS[name]
        parts[title] = [""]
        print(f"\n## {title}\n", flush=True)
        for line in run(corpus):
            print(line, flush=True)
            parts[title].append(line)
    if wanted.write:
        lines = "\n".join([*head, *_sections(parts)]) + "\n"
        text = _replaced(parts) if wanted.parts else lines
        RESULTS.write_text(text, encoding="utf-8")


def _sections(parts: dict[str, list[str]]) -> Iterator[str]:
    for title, lines in parts.items():
        yield from ("", f"## {title}", *lines)


def _replaced(parts: dict[str, list[str]]) -> str:
    """The page with these parts anew, each with its commit; the other parts and the head stay."""
    head, *kept = RESULTS.read_text(encoding="utf-8").rstrip("\n").split("\n\n## ")
    sections = {title: body for title, _, body in (each.partition("\n") for each in kept)}
    for title, lines in parts.items():
        when = f"(This part is of commit {_commit()}, {datetime.now(UTC):%Y-%m-%d}.)"
        sections[title] = "\n".join(["", when, *lines])
    order = [title for title, _ in PARTS.values() if title in sections]
    return "\n\n".join([head, *(f"## {title}\n{sections[title]}" for title in order)]) + "\n"


def _commit() -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()


def heading() -> Iterator[str]:
    """What was run, where, and against what."""
    rivals = ", ".join(f"{name} {version(name)}" for name in ("sacrebleu", "bleuscore"))
    used = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "polars", "pyarrow"))
    yield "# Benchmark results"
    yield ""
    yield (
        "Written by `make bench`. The corpus is the shared half of DSTC7 task 2, ten systems, every "
        "human reference, 13a, BLEU-4; warm; rivals take turns; medians (least to most)."
    )
    yield ""
    yield f"- commit {_commit()}, {datetime.now(UTC):%Y-%m-%d}"
    yield (
        f"- {os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python "
        f"{platform.python_version()}, {used}"
    )
    yield f"- rivals: {rivals}"


if __name__ == "__main__":
    main()
