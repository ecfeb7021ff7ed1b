"""The numbers of the recipe ``khayrallah2021``, table by table, beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.human_evaluation.preference_summary import PreferenceSummary
from rejoinder.human_evaluation.rating_summary import RatingSummary
from rejoinder.messages import Argument
from rejoinder.recipes.khayrallah2021.metrics import Automatic, values
from rejoinder.recipes.khayrallah2021.published import COLUMNS, PUBLISHED
from rejoinder.recipes.khayrallah2021.settings import CORPORA, KINDS, LABEL, Settings
from rejoinder.result import Result
from rejoinder.utterance_quantity.result import Quantity


@dataclass(frozen=True, repr=False)
class KhayrallahStudy(Result):
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
        return pl.concat(tables, how="diagonal") if tables else pl.DataFrame()

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


TITLES = {
    "2": "multi-reference METEOR",
    "3": "RUQ on trained pairs",
    "4": "people's ratings (mean)",
    "5": "people's choices between two systems' replies",
    "6": "what differs between the systems",
    "7": "word overlap, several references",
    "8": "embeddings, several references",
    "9": "word overlap, single reference",
    "10": "embeddings, single reference",
    "11": "distinct n-grams over all n-grams (type/token ratios)",
    "12": "RUQ on trained pairs and on test prompts",
}
"""Each table of the paper, and what it holds here."""

TIMES_100 = ("2", "3", "5", "7", "8", "9", "10", "11", "12")
"""Tables of shares and metrics: 0 to 1 in files, x100 for people."""

INSTEAD = "BLEU-4"
"""What Table 2 holds where METEOR cannot be had."""

_SCHEMA = {
    "table": pl.String,
    "row": pl.String,
    "column": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "paper": pl.Float64,
}


def cells(study: KhayrallahStudy) -> pl.DataFrame:
    """Every number of every table.

    Returns:
        One row for each: ``table`` (as the paper numbers it), ``row`` (a system, or the data),
        ``column``, ``value`` with its 95% interval ``low`` and ``high`` (over prompts;
        NaN where there is none), ``n`` (prompts, replies, choices), ``paper`` (the paper's figure for the
        same place, null where it has none). Values are 0 to 1 but in Tables 4 and 6.
    """
    rows = [
        {"table": table, "row": row, "column": column, **cell, "paper": _paper(table, row, column)}
        for table, row, column, cell in _all(study)
    ]
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    if study.automatic.label("7", "METEOR") is None:
        other = pl.when(pl.col("table") != "2").then("paper")
        frame = frame.with_columns(paper=other)  # which is a METEOR
    return frame.sort(pl.col("table").cast(pl.Int64), maintain_order=True)


def as_json(study: KhayrallahStudy) -> dict[str, Any]:
    """What ``rejoinder recipe khayrallah2021 --json`` prints."""
    return {
        "cells": cells(study).to_dicts(),
        "compared": study.compared().to_dicts(),
        "absent": absent(study),
        "settings": study.settings.as_json(),
        "signatures": study.signatures(),
        "notes": study.notes,
        "files": [str(path) for path in study.files],
    }


def absent(study: KhayrallahStudy) -> dict[str, str]:
    """The tables that are not there, wholly or in part, and why."""
    present = set(cells(study).get_column("table"))
    missing: dict[str, str] = {}
    if not study.several:
        for table in ("2", "7", "8"):
            missing[table] = f"no multi-reference test set was given ({Argument('multiref')})"
    if study.ratings is None:
        missing["4"] = f"no ratings were given ({Argument('ratings')})"
    if study.preferences is None:
        missing["5"] = (
            f"no choices between two systems' replies were given ({Argument('preferences')})"
        )
    if "10" not in present:
        for table in ("8", "10"):
            missing.setdefault(table, f"no word vectors were given ({Argument('vectors')})")
    else:
        for table in ("8", "10"):
            missing.setdefault(
                table, "its column SkipThought is left out: there is no such encoder"
            )
    if study.automatic.label("9", "METEOR") is None:
        for table in ("2", "7", "9"):
            why = f"METEOR could not be had; {INSTEAD} of Table 7 stands in its place"
            missing.setdefault(table, why if table == "2" else "without METEOR, which needs Java")
    return {table: missing[table] for table in TITLES if table in missing}


Cell = tuple[str, str, str, dict[str, Any]]


def _all(study: KhayrallahStudy) -> Iterator[Cell]:
    """Table, row, column and number, in any order of tables."""
    measured = values(study.automatic)
    for (table, column, system), row in measured.items():
        yield table, system, column, _cell(row)
    for system in study.systems:
        yield from _parameters(study, system)
        name, kind = _place(system)
        for where, quantity in (("train", study.train[system[:2]]), ("test", study.test)):
            cell = _ruq(quantity.scores.systems(), system)
            yield "12", system, f"RUQ-{where}", cell
            if where == "train":
                yield "3", name, kind, cell
        metric = "METEOR" if ("7", "METEOR", system) in measured else INSTEAD
        if ("7", metric, system) in measured:
            yield "2", name, kind, _cell(measured["7", metric, system])
    if study.ratings is not None:
        for row in study.ratings.systems.iter_rows(named=True):
            cell = {key: row[key] for key in ("low", "high", "n")}
            yield "4", row["system"], row["criterion"], {"value": row["mean"], **cell}
    if study.preferences is not None:
        yield from _choices(study.preferences)


def _choices(preferences: PreferenceSummary) -> Iterator[Cell]:
    """Table 5: how often the first of two systems was chosen, the second, and neither.

    A pair stands in the paper's order where the paper has it. With several criteria each row names its
    own, and no figure of the paper stands beside it.
    """
    several = preferences.pairs.get_column("criterion").n_unique() > 1
    for row in preferences.pairs.iter_rows(named=True):
        columns = {"first": "win", "second": "loss", "tie": "tie"}
        name = f"{row['a']} - {row['b']}"
        if f"{row['b']} - {row['a']}" in PUBLISHED["5"]:
            name = f"{row['b']} - {row['a']}"
            columns = {"first": "loss", "second": "win", "tie": "tie"}
        for column, rate in columns.items():
            cell = {end: row[f"{rate}_rate_{end}"] for end in ("low", "high")}
            cell |= {"value": row[f"{rate}_rate"], "n": row["comparisons"]}
            yield "5", f"{row['criterion']}: {name}" if several else name, column, cell


def _place(system: str) -> tuple[str, str]:
    """Where a system stands in Tables 2 and 3.

    >>> _place("EF-BEST")
    ('entropy-filtered', 'BEST')
    """
    corpus, _, kind = system.partition("-")
    assert kind in KINDS
    return CORPORA[corpus], kind


def _parameters(study: KhayrallahStudy, system: str) -> Iterator[Cell]:
    given = study.settings.systems[system]
    numbers = (
        given.vocabulary,
        given.learning_rate,
        given.dropout,
        given.attention_dropout,
        given.label_smoothing,
    )
    none = {"low": math.nan, "high": math.nan, "n": None}
    for column, value in zip(COLUMNS["6"], numbers, strict=True):
        yield "6", system, column, {"value": float(value), **none}


def _ruq(table: pl.DataFrame, system: str) -> dict[str, Any]:
    row = table.row(
        by_predicate=(pl.col("metric") == LABEL) & (pl.col("system") == system), named=True
    )
    return _cell(row)


def _cell(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("value", "low", "high", "n")}


def _paper(table: str, row: str, column: str) -> float | None:
    """The paper's figure, 0 to 1."""
    printed = PUBLISHED.get(table, {}).get(row)
    if printed is None or column not in COLUMNS[table]:
        return None
    return round(printed[COLUMNS[table].index(column)] / 100, 6)
