"""Every public function takes a table in whatever form a user has it, long or wide, with one result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import rejoinder
from rejoinder.result import TableResult

TABLES = ("Frame", "TestSetLike", "ResponsesLike", "CandidatesLike")
"""What annotations call a table that a user may have in memory."""

ELSEWHERE = {
    # read files, or write them
    "read_preferences", "read_ratings", "read_responses", "read_testset", "write_testset",
    # need a model, a corpus or a study; their tables are converted by the same two functions
    "filter_corpus", "follow_design", "mark", "mine", "respond", "ruq", "sweep", "train_ruber",
    "train_responder", "train_vectors", "plan_design", "with_probabilities", "find_settings", "explain_diff",
    "rerank", "tune",
}  # fmt: skip

N, SYSTEMS, RATERS = 24, ("bot", "cat"), ("ann", "bob", "eve")
IDS = [f"c{i}" for i in range(N)]
RNG = np.random.default_rng(0)
WORDS = np.array(["yes", "no", "at", "nine", "maybe", "tomorrow", "sure", "thanks"])
TEXTS = {name: [" ".join(RNG.choice(WORDS, 4)) for _ in IDS] for name in (*SYSTEMS, "ref")}
GRADES = {name: RNG.integers(1, 6, 2 * N).astype(float).tolist() for name in RATERS}
REPLY = {"system": [name for name in SYSTEMS for _ in IDS], "id": IDS * 2}

ITEMS = {"id": IDS, "context": [f"hello {i}" for i in range(N)], "reference": TEXTS["ref"]}
LONG = {
    "responses": REPLY | {"text": [text for name in SYSTEMS for text in TEXTS[name]]},
    "ratings": {
        **{name: [each for each in column for _ in RATERS] for name, column in REPLY.items()},
        "rater": list(RATERS) * 2 * N,
        "score": [GRADES[name][i] for i in range(2 * N) for name in RATERS],
    },
    "scores": REPLY | {"name": ["judge"] * 2 * N, "value": RNG.normal(size=2 * N).tolist()},
    "preferences": {
        "id": IDS * 2, "a": ["bot"] * 2 * N, "b": ["cat"] * 2 * N, "rater": [*["ann"] * N, *["bob"] * N],
        "winner": RNG.choice(np.array(["bot", "cat", "tie"]), 2 * N).tolist(),
    },
}  # fmt: skip
WIDE = {
    "responses": {"id": IDS} | {name: TEXTS[name] for name in SYSTEMS},
    "ratings": REPLY | GRADES,
    "scores": REPLY | {"judge": LONG["scores"]["value"]},
    "preferences": LONG["preferences"],
}
FORMS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "a dictionary of lists": dict,
    "a dictionary of arrays": lambda columns: {k: np.array(v) for k, v in columns.items()},
    "a list of dictionaries": lambda columns: pl.DataFrame(columns).to_dicts(),
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": pa.table,
}
FAST: dict[str, Any] = {"resamples": 0}
CALLS: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "score": lambda items, of: rejoinder.score(items, of["responses"], ["sbleu"], **FAST),
    "compare": lambda _, of: (
        rejoinder.compare(of["scores"]),
        rejoinder.compare(ratings=of["ratings"]),
    ),
    "compare_with_people": lambda _, of: rejoinder.compare_with_people(of["scores"], of["ratings"]),
    "ratings": lambda _, of: rejoinder.ratings(of["ratings"], **FAST),
    "preferences": lambda _, of: rejoinder.preferences(of["preferences"], **FAST),
    "correlate": lambda _, of: rejoinder.correlate(
        of["scores"], of["ratings"], permutations=0, **FAST
    ),
    "judge": lambda _, of: rejoinder.judge(
        of["scores"], of["ratings"], responses=of["responses"]
    ),
    "audit": lambda items, of: rejoinder.audit(items, of["responses"], ["sbleu"]),
    "plan": lambda items, of: rejoinder.plan(
        of["scores"], of["ratings"], testset=items, responses=of["responses"]
    ),
    "next_items": lambda _, of: rejoinder.next_items(of["scores"], 5),
    "weigh": lambda items, of: rejoinder.weigh(items, of["responses"], of["ratings"]),
    "report": lambda items, of: (
        rejoinder.report(items, of["responses"], ["sbleu"], ratings=of["ratings"], **FAST),
        rejoinder.report(scores=of["scores"], ratings=of["ratings"], **FAST),
    ),
    "variety": lambda items, of: rejoinder.variety(
        pl.concat([pl.DataFrame(LONG["responses"]).with_columns(sample=pl.lit(s)) for s in "12"]), items
    ),
}  # fmt: skip


def _frames(result: Any) -> list[pl.DataFrame]:
    """The tables of a result, or of several."""
    if isinstance(result, tuple):
        return [frame for each in result for frame in _frames(each)]
    fields = vars(result).values() if isinstance(result, TableResult) else ()
    return [each for each in fields if isinstance(each, pl.DataFrame)]


@cache
def _expected(call: str) -> list[pl.DataFrame]:
    """The tables of a call with long frames of Polars."""
    frames = {name: pl.DataFrame(columns) for name, columns in LONG.items()}
    return _frames(CALLS[call](pl.DataFrame(ITEMS), frames))


def test_every_function_with_a_table_is_here() -> None:
    takes = {
        name
        for name in rejoinder.__all__
        if inspect.isfunction(call := getattr(rejoinder, name))
        and any(
            table in str(each.annotation)
            for each in inspect.signature(call).parameters.values()
            for table in TABLES
        )
    }
    assert takes - ELSEWHERE == set(CALLS)


# Every call takes every form, with the two shapes in turn; the other half is left to the slow part.
@pytest.mark.parametrize(
    ("call", "shape", "form"),
    [
        pytest.param(call, shape, form, marks=[pytest.mark.slow] * ((i + j + k) % 2))
        for i, call in enumerate(CALLS)
        for j, shape in enumerate(["long", "wide"])
        for k, form in enumerate(FORMS)
    ],
)
def test_a_table_in_every_form(call: str, shape: str, form: str) -> None:
    made = FORMS[form]
    given = {name: made(columns) for name, columns in (LONG if shape == "long" else WIDE).items()}
    expected = _expected(call)
    got = _frames(CALLS[call](made(ITEMS), given))
    assert len(got) == len(expected)
    for each, other in zip(got, expected, strict=True):
        by = [name for name in ("system", "id", "a", "b") if name in each.columns]
        assert_frame_equal(each.sort(by), other.sort(by))


def test_replies_by_system() -> None:
    of = {**LONG, "responses": {name: TEXTS[name] for name in SYSTEMS}}
    for call in ("score", "audit", "weigh", "report"):
        for got, other in zip(_frames(CALLS[call](ITEMS, of)), _expected(call), strict=True):
            assert_frame_equal(got, other)
