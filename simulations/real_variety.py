"""Variety on published data: what docs/studies/variety.md says.

Run it as ``python simulations/real_variety.py``, with REJOINDER_SHARED naming the folder of the data and,
for cosines, REJOINDER_ENCODER a sentence encoder.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from rejoinder import TestSet, variety  # noqa: E402
from rejoinder.diversity.variety import Variety  # noqa: E402
from shared_data import dstc7  # noqa: E402  # pyright: ignore[reportMissingImports]

SHARED = Path(os.environ.get("REJOINDER_SHARED", ROOT.parent / "shared")) / "data"
ENCODER = os.environ.get("REJOINDER_ENCODER") or None
MOST = 1_500 if ENCODER is None else 1_000
"""So many prompts are taken."""


def main() -> None:
    """Prints a table for each data set."""
    for title, results in (
        ("DailyDialog, five references", dailydialog()),
        ("DailyDialog++, good and bad replies", plus_plus()),
        ("DSTC7, systems with one reply each", task2()),
    ):
        print(f"\n## {title}\n")
        for result in results:
            table = result.systems.filter(pl.col("measure").str.contains("overage|closeness|Vendi"))
            for row in table.iter_rows(named=True):
                ends = "" if row["low"] is None else f" [{row['low']:.4f}, {row['high']:.4f}]"
                print(
                    f"k {result.k} {row['system']:12} {row['measure']:32} {row['value']:.4f}{ends}"
                )


def dailydialog() -> Iterator[Variety]:
    """Three people against two others, beside noise, a constant and copies, for each k."""
    rng = np.random.default_rng(0)
    items = []
    path = SHARED / "dailydialog-multiref" / "multireftest.json"
    for talk, line in enumerate(path.read_text("utf-8").splitlines()):
        for turn, each in enumerate(json.loads(line)["dialogue"]):
            if len(each.get("responses", ())) == 5:
                items.append((f"{talk}_{turn}", str(talk), each["responses"]))
    items = items[:MOST]
    pool = [text for _, _, replies in items for text in replies]
    said = {
        "people": lambda replies: replies[:3],
        "random": lambda _: [pool[k] for k in rng.integers(len(pool), size=3)],
        "constant": lambda _: ["i do n't know ."] * 3,
        "copies": lambda replies: replies[:1] * 3,
    }
    samples = [
        (name, id, str(k), text)
        for id, _, replies in items
        for name, say in said.items()
        for k, text in enumerate(say(replies))
    ]
    contexts = pl.DataFrame(
        {
            "id": [id for id, *_ in items],
            "context": [["?"]] * len(items),
            "conversation": [c for _, c, _ in items],
        }
    )
    references = pl.DataFrame(
        [(id, text) for id, _, replies in items for text in replies[3:]],
        ["id", "text"],
        orient="row",
    )
    for k in (1, 2, 3):
        yield _measured(samples, TestSet(contexts, references), k)


def plus_plus() -> Iterator[Variety]:
    """The last of each kind of replies, against the other good ones and the other adversarial ones."""
    kinds = {"good": "positive", "adversarial": "adversarial_negative", "random": "random_negative"}
    path = SHARED / "dailydialog-plusplus" / "dev.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()][:MOST]
    samples = [
        (name, str(row["id"]), str(k), text)
        for row in rows
        for name, kind in kinds.items()
        for k, text in enumerate(row[f"{kind}_responses"][3:])
    ]
    testset = TestSet.from_lists(
        [row["positive_responses"][:3] + row["adversarial_negative_responses"][:3] for row in rows],
        [[1.0] * 3 + [-1.0] * 3] * len(rows),
        ids=[str(row["id"]) for row in rows],
    )
    yield _measured(samples, testset, 2)


def task2() -> Iterator[Variety]:
    """The systems of DSTC7 with the one reply that each gave."""
    replies, references = dstc7()
    ids = [id for id in references if references[id]]
    samples = [
        (name, id, "0", said[id]) for name, said in replies.items() for id in ids if id in said
    ]
    yield _measured(samples, TestSet.from_lists([references[id] for id in ids], ids=ids), 1)


def _measured(samples: list[tuple[str, ...]], testset: TestSet, k: int) -> Variety:
    table = pl.DataFrame(samples, ["system", "id", "sample", "text"], orient="row")
    return variety(table, testset, samples=k, encoder=ENCODER, permutations=0)


if __name__ == "__main__":
    main()
