"""Ledgers of a few runs, recorded on known days."""

from __future__ import annotations

from pathlib import Path

from rejoinder.ledger.ledger import append
from rejoinder.ledger.numbers import Number
from rejoinder.ledger.runs import freeze_run

RUN = {
    "verb": "score", "version": "1.0.0", "seed": 1, "command": ["rejoinder", "score", "t.jsonl", "a.jsonl"],
    "settings": {"missing": "error"}, "signatures": {}, "lower": ["TER"], "notes": [],
    "inputs": [{"as": "TESTSET", "name": "t.jsonl", "path": "t.jsonl", "content": "0" * 64}],
}  # fmt: skip
SIGNATURE = "bleu|order:2|tok:13a|case:mixed|bs:1000|seed:1|version:1.0.0"


def numbers(values, metric="BLEU-2", half=0.0625):
    """The value of each system, with an interval, and its number of items."""
    return [
        number
        for system, value in values.items()
        for number in (
            Number("", "value", system, metric, "", value, value - half, value + half),
            Number("", "n", system, metric, "", 66.0),
        )
    ]


def record(
    path, day, values, metric="BLEU-2", half=0.0625, signature=SIGNATURE, responses="1", **facts
):
    """Appends a run on a day of a month, of replies of this content."""
    replies = {"as": "RESPONSES", "name": "a.jsonl", "path": "a.jsonl", "content": responses * 64}
    run = {
        **RUN, "at": f"2026-10-{day:02}T08:00:00Z", "signatures": {metric: signature},
        "inputs": [*RUN["inputs"], replies], **facts,
    }  # fmt: skip
    return append(path, run, numbers(values, metric, half))


def ledger(path: Path) -> Path:
    """Four runs: the third is of another signature, the fourth of a later version; run 1 is frozen."""
    record(path, 1, {"a": 0.5, "b": 0.25})
    record(path, 2, {"a": 0.5625, "b": 0.25}, responses="2")
    lower = SIGNATURE.replace("mixed", "lc")
    command = [*RUN["command"], "--metric", "bleu:lowercase=true"]
    record(path, 3, {"a": 0.625, "b": 0.375}, signature=lower, responses="2", command=command)
    command = [*RUN["command"], "--metric", "bleu"]
    record(path, 4, {"a": 0.25, "b": 0.25}, responses="3", version="1.1.0", seed=2, command=command)
    freeze_run(path, "first", 1)
    return path
