"""The corpus that is timed: the DSTC7 half in ../shared, with all its ragged references."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("REJOINDER_SHARED", Path(__file__).parents[2] / "shared"))


@dataclass(frozen=True)
class Corpus:
    """Ten systems' replies to the same items."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    weights: list[list[float]]

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.references)

    @property
    def streams(self) -> Any:
        """The references as sacreBLEU wants them: one list for each stream, None where it ends."""
        most = max(map(len, self.references))
        return [[few[j] if j < len(few) else None for few in self.references] for j in range(most)]

    @property
    def raw_bytes(self) -> int:
        """The text of all references and replies, in UTF-8."""
        texts = [text for few in self.references for text in few]
        return sum(len(text.encode()) for each in (texts, *self.systems.values()) for text in each)

    def items(self, n: int) -> Corpus:
        """The corpus repeated, or cut, to ``n`` items."""
        times = -(-n // self.size)
        return Corpus(
            {name: (replies * times)[:n] for name, replies in self.systems.items()},
            (self.references * times)[:n],
            (self.weights * times)[:n],
        )


def dstc7() -> Corpus:
    """All ten systems on the items that have a reference, weights falling with the place."""
    from rejoinder import read_responses, read_testset

    folder = SHARED / "data" / "dstc7-task2"
    if not folder.is_dir():
        sys.exit(f"benchmarks: no {folder}; set REJOINDER_SHARED to where the real data lies")
    testset = read_testset(folder)
    responses = read_responses(folder / "dstc7-task2-system_responses.tsv", ids=testset.ids)
    grouped = testset.references.group_by("id", maintain_order=True).agg("text")
    references = dict(grouped.iter_rows())
    kept = [item for item in testset.ids if item in references]
    replies = {(system, item): text for system, item, text in responses.iter_rows()}
    names = responses["system"].unique(maintain_order=True).to_list()
    return Corpus(
        {name: [replies[name, item] for item in kept] for name in names},
        [references[item] for item in kept],
        [
            [round(1 - 1.5 * j / len(references[i]), 4) for j in range(len(references[i]))]
            for i in kept
        ],
    )
