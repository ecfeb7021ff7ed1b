"""The files that the commands of goldens read: the examples, cut to a few items, and what is made of them."""

from __future__ import annotations

import csv
import itertools
import json
from functools import cached_property
from pathlib import Path
from unittest import mock

from settings.world import NAMES, World
from shared_data import EXAMPLES

ITEMS = (
    "c002 c003 c012 c034 c066 c001 c006 c015 c018 c024 c026 c036 c039 c047 c062"
).split()  # fmt: skip
"""Of every topic some; 13 have ratings in some-ratings.csv, and 8 have comparisons."""

REFERENCES = 2
"""How many references of an item are kept: the first ones."""


class SmallWorld(World):
    """Files under names relative to the working folder, which is theirs.

    Args:
        items: Of so many of these items.
    """

    def __init__(self, items: int) -> None:
        self.kept = ITEMS[:items]
        super().__init__(Path())
        rows = map(json.loads, (EXAMPLES / "testset.jsonl").read_text("utf-8").splitlines())
        kept = [
            {**row, "references": row["references"][:REFERENCES]}
            for row in rows
            if row["id"] in self.kept
        ]
        self.testset = self.examples_testset = self._lines("testset.jsonl", kept)
        self.ratings, self.some_ratings, self.preferences = (
            self._cut(name) for name in ("ratings.csv", "some-ratings.csv", "preferences.csv")
        )
        self.corpus = self._text("corpus.txt", (EXAMPLES / "corpus.txt").read_text("utf-8"))
        self._text("rubric.toml", (EXAMPLES / "rubric.toml").read_text("utf-8"))
        for name in NAMES:
            rows = map(
                json.loads,
                (EXAMPLES / "responses" / f"{name}.jsonl").read_text("utf-8").splitlines(),
            )
            self._lines(f"{name}.jsonl", [row for row in rows if row["id"] in self.kept])
        self.examples = sorted(Path().iterdir())
        self.third_system, self.other_system, self.tuned = self.systems

    @property
    def systems(self) -> list[Path]:
        return [Path(f"{name}.jsonl") for name in NAMES]

    @property
    def rubric(self) -> Path:
        return Path("rubric.toml")

    @cached_property
    def answered(self) -> Path:
        with mock.patch("time.time", itertools.count(1e9, 2.5).__next__):
            return super().answered

    def _cut(self, name: str) -> Path:
        """The rows of these items."""
        with (EXAMPLES / name).open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        place = header.index("id")
        return self._csv(name, header, [row for row in rows if row[place] in self.kept])
