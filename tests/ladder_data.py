"""Test sets, replies, ratings and the like of any size, of our own making, for the size ladder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
import polars as pl

WORDS = np.array("the ferry leaves from an old harbour at six in winter yes".split())
GENERIC = "I don't know."
GRADES = 5


class Rung:
    """The files of one size: items x systems; each is written when it is first asked for.

    Args:
        folder: Where to write.
        items: How many items.
        systems: How many systems.
        names: What they are called; else s1, s2, ...
    """

    def __init__(
        self, folder: Path, items: int, systems: int, names: Sequence[str] | None = None
    ) -> None:
        self.names = list(names or (f"s{k + 1}" for k in range(systems)))
        self.items = items
        self.systems = systems
        self.root = folder
        self.folder = folder / f"{items}x{systems}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.given: set[Path] = set()

    def __repr__(self) -> str:
        return f"{self.items} items, {self.systems} systems"

    @property
    def ids(self) -> list[str]:
        """The items: i1, i2, ..."""
        return [f"i{k + 1}" for k in range(self.items)]

    def new(self, name: str) -> str:
        """A path for what a verb writes: another one each time, of a file that is not there."""
        paths = (self.folder / (f"{k}-{name}" if k else name) for k in count())
        path = next(each for each in paths if not each.exists() and each not in self.given)
        self.given.add(path)
        return str(path)

    def testset(self) -> str:
        """JSONL: a message each, two references of positive weight and two of negative weight."""
        path = self.root / f"testset-{self.items}.jsonl"
        if not path.exists():
            references = [texts(self.items, 100 + k) for k in range(4)]
            messages = texts(self.items, 99)
            lines = [
                json.dumps(
                    {
                        "id": id,
                        "topic": "abc"[i % 3],
                        "context": ["Hello.", f"{messages[i]} {i} ?"],
                        "references": [
                            {"text": references[k][i], "weight": weight}
                            for k, weight in enumerate((0.9, 0.5, -0.4, -0.8))
                        ],
                    }
                )
                for i, id in enumerate(self.ids)
            ]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(path)

    def responses(self) -> str:
        """Parquet: the systems' replies, one table."""
        path = self.folder / "responses.parquet"
        if not path.exists():
            self._replies().write_parquet(path)
        return str(path)

    def samples(self) -> str:
        """Parquet: two samples of every system to each item, one table."""
        path = self.folder / "samples.parquet"
        if not path.exists():
            first = self._replies().with_columns(sample=pl.lit("1"))
            other = first.with_columns(text=pl.col("text").reverse(), sample=pl.lit("2"))
            pl.concat([first, other]).write_parquet(path)
        return str(path)

    def _replies(self) -> pl.DataFrame:
        replies = [text for k in range(self.systems) for text in texts(self.items, k)]
        systems = np.repeat(self.names, self.items)
        return pl.DataFrame({"system": systems, "id": self.ids * self.systems, "text": replies})

    def ratings(self) -> str:
        """Parquet: two raters of every reply, 1 to 5; the later systems are a little better."""
        path = self.folder / "ratings.parquet"
        if not path.exists():
            rng = np.random.default_rng([self.items, self.systems])
            keys = self._replies().select("system", "id")
            better = np.repeat(np.arange(self.systems) / 8, self.items)
            quality = 3 + better + rng.normal(0, 1, keys.height)
            grades = np.clip(np.rint(quality + rng.normal(0, 0.5, (2, keys.height))), 1, GRADES)
            pl.concat(
                keys.with_columns(rater=pl.lit(f"r{k + 1}"), score=pl.Series(grades[k]))
                for k in range(2)
            ).write_parquet(path)
        return str(path)

    def preferences(self) -> str:
        """CSV: two raters of every item for every two systems that stand side by side."""
        path = self.folder / "preferences.csv"
        if not path.exists():
            rng = np.random.default_rng([self.items, self.systems, 1])
            frames = [
                pl.DataFrame({"id": self.ids}).with_columns(
                    a=pl.lit(a),
                    b=pl.lit(b),
                    winner=pl.Series(rng.choice(["a", "b", "b", "tie"], self.items)),
                    rater=pl.lit(rater),
                )
                for a, b in zip(self.names, self.names[1:], strict=False)
                for rater in ("r1", "r2")
            ]
            none = {name: [] for name in ("id", "a", "b", "winner", "rater")}
            (pl.concat(frames) if frames else pl.DataFrame(none)).write_csv(path)
        return str(path)

    def likelihoods(self) -> list[str]:
        """JSONL for each system, a model here: likelihoods of references and of a generic reply."""
        good = [texts(self.items, 100 + k) for k in range(2)]
        paths = []
        for k, name in enumerate(self.names):
            path = self.folder / f"{name}.jsonl"
            paths.append(str(path))
            if path.exists():
                continue
            totals = np.random.default_rng([self.items, k, 2]).normal(-8, 2, (self.items, 3))
            lines = [
                json.dumps({"id": id, "text": text, "total": min(total, -0.1), "tokens": 5})
                for i, id in enumerate(self.ids)
                for text, total in zip(
                    dict.fromkeys((good[0][i], good[1][i], GENERIC)),
                    totals[i].tolist(),
                    strict=False,
                )
            ]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return paths

    def generic(self) -> str:
        """A file of one generic reply."""
        path = self.root / "generic.txt"
        path.write_text(f"{GENERIC}\n", encoding="utf-8")
        return str(path)

    def corpus(self, seed: int = 7) -> str:
        """DailyDialog's format: as many pairs of utterances as there are items, one a dialogue."""
        path = self.root / f"corpus-{self.items}-{seed}.txt"
        if not path.exists():
            pairs = zip(texts(self.items, seed), texts(self.items, seed + 1), strict=True)
            lines = [f"{a} {i} ? __eou__ {b} __eou__" for i, (a, b) in enumerate(pairs)]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(path)


@cache
def texts(items: int, seed: int) -> list[str]:
    """Sentences of four words; that of an item does not depend on how many there are."""
    drawn = np.random.default_rng(seed).integers(0, len(WORDS), (items, 4))
    return [" ".join(words) for words in WORDS[drawn].tolist()]
