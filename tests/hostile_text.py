"""Files whose every text would steer a terminal, hide, or be read as markup."""

from __future__ import annotations

import csv
import json
import re
from functools import cached_property
from pathlib import Path

from rejoinder.visible import escapes
from settings.world import World
from shared_data import EXAMPLES

STYLE = "\x1b[95;7m"
"""A style that no table of ours has."""

SEQUENCES = f"{STYLE}\x1b]0;t\x07\x9bJ\x7f\u202e\u2066"
"""Escape sequences (CSI and OSC), one that begins with a character of C1, DEL, directions."""

MARKUP = "[/x][red]:eyes:"
"""What rich takes for the end of a style that never began, for a style, and for a picture."""


def hostile(word: str) -> str:
    """A word with all of these behind it."""
    return f"{word}{SEQUENCES}{MARKUP}"


class HostileWorld(World):
    """The example files, every text of theirs made hostile, in a folder of such a name.

    Args:
        folder: Where they are made.
    """

    def __init__(self, folder: Path) -> None:
        inside = folder / f"path{SEQUENCES}[red]"
        inside.mkdir()
        super().__init__(inside)

    @cached_property
    def testset(self) -> Path:
        """Ids, topics, turns, texts and sources."""
        rows = [
            {
                "id": hostile(each["id"]),
                "topic": hostile(each["topic"]),
                "context": [hostile(turn) for turn in each["context"]],
                "references": [
                    {**one, "text": hostile(one["text"]), "source": hostile(one["source"])}
                    for one in each["references"]
                ],
            }
            for each in map(json.loads, World.testset.read_text("utf-8").splitlines())
        ]
        return self._lines("testset.jsonl", rows)

    @cached_property
    def systems(self) -> list[Path]:
        """Replies with a column of systems."""
        rows = [
            {"system": hostile(path.stem), "id": hostile(row["id"]), "text": hostile(row["text"])}
            for path in World(self.folder).systems
            for row in map(json.loads, path.read_text("utf-8").splitlines())
        ]
        return [self._lines(f"replies{SEQUENCES}.jsonl", rows)]

    @cached_property
    def ratings(self) -> Path:
        return self._columns("ratings.csv", World.ratings, "id", "system", "rater", "criterion")

    @cached_property
    def judge(self) -> Path:
        """Marks that follow the ratings, so that errors by system are printed."""
        return self._columns("judge.csv", EXAMPLES / "judge.csv", "system", "id")

    @cached_property
    def preferences(self) -> Path:
        names = ("id", "a", "b", "rater", "criterion")
        return self._columns("preferences.csv", World.preferences, *names)

    @cached_property
    def corpus(self) -> Path:
        path = self.folder / "corpus.txt"
        text = World.corpus.read_text("utf-8")
        path.write_text(
            re.sub(r"(?<! __eou__)\n| __eou__", lambda m: SEQUENCES + MARKUP + m[0], text)
        )
        return path

    def _columns(self, name: str, of: Path, *columns: str) -> Path:
        with of.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        places = {header.index(column) for column in columns}
        made = [[hostile(v) if i in places else v for i, v in enumerate(row)] for row in rows]
        return self._csv(name, header, made)


def raw(shown: str, ours: str = r"\x1b\[[0-9;]*m") -> list[str]:
    """The characters that steer a terminal in what was printed, besides our own styles."""
    assert STYLE not in shown
    rest = re.sub(ours, "", shown)
    return sorted({repr(each) for each in rest if ord(each) in escapes() and each not in "\n\t"})
