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


GAPS = {"best": [5] * 6 + [1, 1, 1, 2] + [None] * 6, "next": [None] * 6 + [2, 2, 2, 3] + [1] * 6}


def test_a_lead_names_the_items_that_both_systems_answered(shown, table):
    out = shown("score", "--scores", table(GAPS), "--missing", "pairwise")
    (lead,) = re.findall(r"best +│ next +│ +(\d+) │ +(\S+) │", out)
    assert lead == ("4", "-1.00")  # 3.50 against 1.50, each on its own items
    assert "detectable is n/a for fewer than 8 items" in out
    assert "read the differences, not the values" in out
    assert "not multiplied by 100" in out
    assert "unpaired" not in out


def test_what_is_said_of_two_systems_is_of_these_alone(shown, table):
    scores = table(GAPS | {"other": [1] * 16})
    words = "compare", "--scores", scores, "--missing", "pairwise"
    assert "10 to 16 items (by system)" in shown(*words)
    out = shown(*words, "-a", "best", "-b", "next")
    assert "\n10 items" in out
    assert "unpaired" not in out
    apart = {"one": [1, 2, 1, 2, 1] + [None] * 5, "two": [None] * 5 + [3, 2, 3, 2, 3]}
    assert "unpaired (5, 5)" in shown(*words[:2], table(apart, "apart"), *words[3:])


def test_the_least_possible_p_is_marked(shown, table):
    draws = {"a": [k % 5 + 3 for k in range(60)], "b": [k % 3 for k in range(60)]}
    out = shown("compare", "--scores", table(draws), "--permutations", "99")
    assert re.search(r"│ <0\.01 │ <0\.01\* │ <0\.001 │", out)
    assert "<0.0001 │ better" in shown("score", "--scores", table(draws))
    alike = {"a": [1, 2, 3, 4, 5, 6], "b": [2, 2, 2, 5, 5, 5]}
    assert "│ <" not in shown("compare", "--scores", table(alike))
