"""Our examples, and where real data lies, if it is here: its terms keep it out of the repository."""

import csv
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("REJOINDER_SHARED", ROOT.parent / "shared"))
EXAMPLES = ROOT / "examples"
TESTSET = str(EXAMPLES / "testset.jsonl")
SYSTEMS = [
    str(EXAMPLES / "responses" / f"{name}.jsonl") for name in ("generic", "retrieval", "tuned")
]


def shared(*parts):
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"real data is not here: {'/'.join(parts)} (set REJOINDER_SHARED)")
    return path


def dstc7():
    """Replies by system and references by item of the DSTC7 half, read without Rejoinder."""
    folder = shared("data", "dstc7-task2")

    def rows(name):
        with open(folder / name, encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]

    references = {
        row[0]: [r for r in row[1:] if r] for row in rows("dstc7-task2-gold_responses.tsv")
    }
    replies = {}
    for system, item, reply in rows("dstc7-task2-system_responses.tsv"):
        replies.setdefault(system, {})[item] = reply
    return replies, references


def streams(references):
    """Ragged references as sacreBLEU wants them: one list for each stream, None where it ends."""
    most = max(map(len, references))
    return [[few[j] if j < len(few) else None for few in references] for j in range(most)]
