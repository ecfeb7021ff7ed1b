"""What the tables of ``score`` and ``compare`` say of the numbers in them."""

import json
import re

import polars as pl
import pytest

from rejoinder.cli.app import run

ERRORS = {"good": [1, 2, 1, 2, 1, 2, 1, 2, 1, 1], "bad": [4, 5, 5, 4, 6, 4, 5, 6, 4, 4]}


@pytest.fixture
def shown(capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")

    def show(*words):
        assert run([*map(str, words)]) == 0, capfd.readouterr().err
        return capfd.readouterr().out

    return show


@pytest.fixture
def table(tmp_path):
    def write(values, name="errors"):
        rows = [(s, f"{i}", v) for s, some in values.items() for i, v in enumerate(some)]
        frame = pl.DataFrame(rows, schema=["system", "id", name], orient="row")
        frame.drop_nulls().write_csv(tmp_path / f"{name}.csv")
        return tmp_path / f"{name}.csv"

    return write


def test_the_lead_of_a_metric_whose_lower_values_are_better(shown, table):
    out = shown("score", "--scores", f"{table(ERRORS)}:lower")
    (lead,) = re.findall(r"good +│ bad +│ +(\S+) │ +\[(\S+), (\S+)\]", out)
    ahead, low, high = map(float, lead)
    assert 0 < low < ahead < high
    assert out.count("errors (lower is better)") == 2  # the systems, and the lead
    assert "errors (lower is better)" in shown("compare", "--scores", f"{table(ERRORS)}:lower")
    assert "better)" not in shown("score", "--scores", table(ERRORS))


def test_two_systems_are_chosen_before_items_are_dropped(shown, table):
    gaps = {"a": [1, 2, 1, 4, 2, None], "b": [3, 5, 4, 5, 3, None], "c": [None] * 5 + [1]}
    scores = table(gaps)
    words = ("compare", "--scores", scores, "--missing", "drop", "--json", "-a", "a", "-b", "b")
    (row,) = json.loads(shown(*words))["comparisons"]
    assert (row["n"], row["difference"]) == (5, -2.0)
    del gaps["c"]
    (alone,) = json.loads(shown(*words[:2], table(gaps, "others"), *words[3:]))["comparisons"]
    assert row == alone | {"metric": "errors"}
