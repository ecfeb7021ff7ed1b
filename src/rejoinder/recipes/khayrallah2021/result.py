"""The result of the recipe ``khayrallah2021``: what was trained, asked and measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rejoinder.human_evaluation.preference_summary import PreferenceSummary
from rejoinder.human_evaluation.rating_summary import RatingSummary
from rejoinder.recipes.khayrallah2021.metrics import Automatic
from rejoinder.recipes.khayrallah2021.settings import LABEL, Settings
from rejoinder.result import Result
from rejoinder.utterance_quantity.result import Quantity


@dataclass(frozen=True, repr=False)
class Study(Result):
    """The result of a run.

    Attributes:
        settings: How large it was.
        systems: The systems trained, in the paper's order.
        train: RUQ on trained pairs, by corpus: each system on what it was trained on.
        test: RUQ on test prompts, the original reference alone.
        automatic: What the metrics say of the replies to these.
        ratings: Human ratings, where given, without the raters who were removed.
        several: Whether the test set has several references for each item.
        files: The files written.
        notes: What was left out, sampled, or is missing.
        preferences: People's choices between two systems' replies, where given.
    """

    settings: Settings
    systems: tuple[str, ...]
    train: dict[str, Quantity]
    test: Quantity
    automatic: Automatic
    ratings: RatingSummary | None
    several: bool
    files: tuple[Path, ...]
    notes: tuple[str, ...]
    preferences: PreferenceSummary | None = None

    def compared(self) -> pl.DataFrame:
        """BEST against BASE of each corpus, RUQ on train and on test, paired over prompts.

        Returns:
            ``prompts`` (train or test), and the columns of ``Scores.compare``; empty where there
            is no such pair, or no resamples.
        """
        if not self.test.scores.resamples:
            return pl.DataFrame()
        tables = []
        for corpus in self.train:
            pair = (f"{corpus}-BEST", f"{corpus}-BASE")
            if not set(pair) <= set(self.systems):
                continue
            for where, quantity in (("train", self.train[corpus]), ("test", self.test)):
                table = quantity.scores.compare(*pair).filter(pl.col("metric") == LABEL)
                tables.append(table.select(pl.lit(where).alias("prompts"), pl.all()))
        return pl.concat(tables) if tables else pl.DataFrame()

    def signatures(self) -> dict[str, str]:
        """Of RUQ on each set of prompts, of the metrics, and of the ratings."""
        trained = {f"RUQ train {name}": each for name, each in self.train.items()}
        signatures = {
            name: each.scores.measured[LABEL].signature
            for name, each in {**trained, "RUQ test": self.test}.items()
        }
        measured = self.automatic.scores.measured
        signatures |= {label: each.signature for label, each in measured.items()}
        people = {"Table 4": self.ratings, "Table 5": self.preferences}
        return signatures | {name: each.signature for name, each in people.items() if each}
