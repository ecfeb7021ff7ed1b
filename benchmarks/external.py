"""A million scores of another tool: all intervals, all pairs with Holm, beside a plain loop over pandas."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from benchmarks.corpus import Corpus
from benchmarks.timing import interleaved, show
from rejoinder import Scores, TestSet

SYSTEMS, NAMES, TURNS = 10, 5, 10
PERMUTATIONS = 1000


def run(_: Corpus, items: int = 20_000) -> Iterator[str]:
    """Yields the lines of the report; 20,000 items are a million scores in 2,000 conversations."""
    frame = scores_of(items)
    contexts = frame.head(items).select(
        "id", context=pl.lit(["?"]), conversation=(pl.int_range(items) // TURNS).cast(pl.String)
    )
    testset = TestSet(contexts, contexts.select("id", text=pl.lit("yes")))
    table: Any = frame.to_pandas()
    table["conversation"] = table["id"].astype(int) // TURNS

    def ours(cluster: str) -> object:
        scores = Scores.from_segments(frame, testset, cluster=cluster)
        return scores.systems(), scores.compare(permutations=PERMUTATIONS)

    loop = "pandas and numpy, a plain loop over systems and pairs, by conversation"
    timed = interleaved(
        {
            "rejoinder, table to intervals and all pairs, by conversation": lambda: ours(
                "conversation"
            ),
            "rejoinder, the same, every item by itself": lambda: ours("none"),
            loop: lambda: plain(table),
        },
        rounds=3,
    )
    yield f"{frame.height:,} scores: {SYSTEMS} systems, {NAMES} metrics, {items:,} items in conversations of "
    yield f"{TURNS}; {PERMUTATIONS:,} permutations, Holm over 45 pairs. Load of the machine when done: "
    yield f"{os.getloadavg()[0]:.1f}."
    yield ""
    yield "| | time | processor time, least | the loop takes |"
    yield "|---|---|---|---|"
    for name, each in timed.items():
        ratio = timed[loop].median / each.median
        yield f"| {name} | {each} | {show(min(each.processor))} | {ratio:.1f}x |"


def scores_of(items: int) -> pl.DataFrame:
    """The long table: system, id, name, value."""
    rng = np.random.default_rng(0)
    ids = [str(i) for i in range(items)]
    return pl.concat(
        pl.DataFrame({"system": f"s{s}", "id": ids, "name": f"m{m}", "value": rng.random(items)})
        for m in range(NAMES)
        for s in range(SYSTEMS)
    )


def plain(table: Any) -> list[tuple[object, ...]]:
    """Means, clustered errors, and sign flips of whole conversations for each pair, one after another."""
    rng, rows = np.random.default_rng(0), []
    for name, of_name in table.groupby("name"):
        sums: dict[str, Any] = {}
        for system, own in of_name.groupby("system"):
            deviation = own["value"] - own["value"].mean()
            groups = deviation.groupby(own["conversation"]).sum()
            error = np.sqrt(len(groups) / (len(groups) - 1) * (groups**2).sum()) / len(own)
            rows.append((name, system, own["value"].mean(), error))
            sums[system] = own.groupby("conversation")["value"].sum().to_numpy()
        p_values = []
        for a, b in combinations(sums, 2):
            differences = sums[a] - sums[b]
            observed = abs(differences.sum())
            reached = 0
            for _ in range(PERMUTATIONS):
                signs = rng.choice([-1, 1], size=differences.size)
                reached += abs((signs * differences).sum()) >= observed
            p_values.append((reached + 1) / (PERMUTATIONS + 1))
        largest = 0.0
        for rank, p in enumerate(sorted(p_values)):  # Holm
            largest = max(largest, min(1.0, p * (len(p_values) - rank)))
            rows.append((name, rank, p, largest))
    return rows
