"""The files that the commands of goldens read: the examples, cut to a few items, and what is made of them."""

from __future__ import annotations

import csv
import itertools
import json
import os
from functools import cached_property
from pathlib import Path
from unittest import mock

import format_examples
from rejoinder.cli.app import run
from settings.world import NAMES, World
from shared_data import EXAMPLES

ITEMS = (
    "c002 c003 c012 c034 c066 c001 c006 c015 c018 c024 c026 c036 c039 c047 c062"
).split()  # fmt: skip
"""Of every topic some; 13 have ratings in some-ratings.csv, and 8 have comparisons."""

REFERENCES = 2
"""How many references of an item are kept: the first ones."""


class OurFiles:
    """Which files are named where the SHA-256 of one stands.

    Attributes:
        examples: What was here first.
        copies: Copies, which are not named.
    """

    def __init__(self) -> None:
        self.examples: list[Path] = []
        self.copies: set[Path] = set()

    def originals(self) -> list[Path]:
        """The files that are here, without what commands write and without copies."""
        found: list[Path] = []
        for folder, below, names in os.walk("."):
            if folder == ".":
                below[:] = [name for name in below if name != "out"]
            found += [path for name in names if (path := Path(folder, name)).is_file()]
        return sorted({*found} - self.copies)


class FormatWorld(OurFiles):
    """A small whole file of every format, in a folder for what it is for and the format."""

    def __init__(self) -> None:
        super().__init__()
        for role, form, name, content in format_examples.examples():
            path = self.path(role, form, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            format_examples.write(path, content)

    @staticmethod
    def path(role: str, form: str, name: str) -> Path:
        """Where a file stands."""
        return Path(role, form, name)


class SmallWorld(OurFiles, World):
    """Files under names relative to the working folder, which is theirs.

    Args:
        items: Of so many of these items.
    """

    def __init__(self, items: int) -> None:
        OurFiles.__init__(self)
        World.__init__(self, Path())
        self.chosen = ITEMS[:items]
        rows = map(json.loads, (EXAMPLES / "testset.jsonl").read_text("utf-8").splitlines())
        kept = [
            {**row, "references": row["references"][:REFERENCES]}
            for row in rows
            if row["id"] in self.chosen
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
            self._lines(f"{name}.jsonl", [row for row in rows if row["id"] in self.chosen])
        self.examples = sorted(Path().iterdir())
        self.third_system, self.other_system, self.tuned = self.systems

    @property
    def systems(self) -> list[Path]:
        return [Path(f"{name}.jsonl") for name in NAMES]

    @property
    def rubric(self) -> Path:
        return Path("rubric.toml")

    @cached_property
    def kept(self) -> Path:
        """Scores of two metrics, as score keeps them."""
        path = Path("kept.parquet")
        read = [str(each) for each in (self.testset, *self.systems)]
        assert run(["score", *read, "-m", "bleu", "-m", "length", "--save", str(path), "-q"]) == 0
        return path

    @cached_property
    def one_item(self) -> Path:
        return self._lines("one_item.jsonl", self.items[:1])

    @cached_property
    def one_reply(self) -> Path:
        return self._lines("one_reply.jsonl", [{"id": self.items[0]["id"], "text": "Yes."}])

    @cached_property
    def other_reply(self) -> Path:
        return self._lines("other_reply.jsonl", [{"id": self.items[0]["id"], "text": "No, never."}])

    @cached_property
    def twin(self) -> Path:
        """The replies of ``tuned`` once more."""
        rows = map(json.loads, self.tuned.read_text("utf-8").splitlines())
        return self._lines("twin.jsonl", [{**row, "system": "twin"} for row in rows])

    @cached_property
    def empty_replies(self) -> Path:
        rows = [{"id": each["id"], "text": ""} for each in self.items]
        return self._lines("empty_replies.jsonl", rows)

    @cached_property
    def one_rater(self) -> Path:
        return self._ratings_of("one_rater.csv", {"r1"})

    @cached_property
    def all_threes(self) -> Path:
        """Ratings that are all the same."""
        header, rows = self._rows_of(self.ratings)
        return self._csv("all_threes.csv", header, [[*row[:-1], "3"] for row in rows])

    @cached_property
    def few_ratings(self) -> Path:
        """Ratings of two items."""
        header, rows = self._rows_of(self.ratings)
        return self._csv("few_ratings.csv", header, [row for row in rows if row[0] in ITEMS[:2]])

    @cached_property
    def all_ties(self) -> Path:
        header, rows = self._rows_of(self.preferences)
        return self._csv("all_ties.csv", header, [[*row[:-1], "tie"] for row in rows])

    @cached_property
    def one_winner(self) -> Path:
        """``tuned`` wins every comparison that it is in."""
        header, rows = self._rows_of(self.preferences)
        won = [[*row[:-1], "a" if row[1] == "tuned" else "b"] for row in rows if "tuned" in row]
        return self._csv("one_winner.csv", header, won)

    @staticmethod
    def _rows_of(path: Path) -> tuple[list[str], list[list[str]]]:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        return header, rows

    @cached_property
    def answered(self) -> Path:
        with mock.patch("time.time", itertools.count(1e9, 2.5).__next__):
            return super().answered

    def _named(self, name: str, of: Path) -> Path:
        self.copies.add(Path(name))
        return super()._named(name, of)

    def _cut(self, name: str) -> Path:
        """The rows of these items."""
        header, rows = self._rows_of(EXAMPLES / name)
        place = header.index("id")
        return self._csv(name, header, [row for row in rows if row[place] in self.chosen])
