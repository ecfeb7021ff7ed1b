"""``rejoinder ratings`` and ``rejoinder preferences`` as a user meets them."""

# One case per line reads best.
# ruff: noqa: E501

import json

import polars as pl
import pytest

from rejoinder import read_ratings
from rejoinder.files.provenance import record_path
from rejoinder.human_evaluation.preference_summary import preferences as summarise_preferences
from rejoinder.human_evaluation.rating_summary import ratings as summarise_ratings
from rejoinder.tables.preferences import read_preferences
from shared_data import EXAMPLES, shared

RATINGS = EXAMPLES / "ratings.csv"
PREFERENCES = EXAMPLES / "preferences.csv"
LONG = "id,system,rater,criterion,score\n"
PAIR = "id,a,b,rater,winner\n"


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


NO_EFFECT = "note: --resamples has no effect: 'ratings' draws nothing at random\n"


def test_ratings_for_people(command):
    status, out, err = command("ratings", RATINGS, "--resamples", 100)
    assert (status, err) == (0, NO_EFFECT)
    assert "66 items, 3 systems, 198 rated replies; 5 raters, 990 ratings from 1 to 5" in out
    assert "every rater judged all rated replies" in " ".join(out.split())
    words = [line.split() for line in out.splitlines() if line]
    assert ["alpha", "interval"] in [line[:2] for line in words]
    assert any(line[:1] == ["tuned"] and "4.19" in line for line in words)
    assert "human (avg)" in out
    assert "ratings|criterion:relevance|raters:mean|kappa:below 0.1|least:10|bs:100" in out


def test_ratings_for_machines_are_those_of_python(command):
    status, out, err = command("ratings", RATINGS, "--resamples", 100, "--json")
    assert (status, err) == (0, NO_EFFECT)
    told = json.loads(out)
    ours = summarise_ratings(read_ratings(RATINGS), resamples=100)
    for name in ("counts", "raters", "systems", "distribution"):
        assert len(told[name]) == getattr(ours, name).height, name
    assert [row["value"] for row in told["agreement"]] == ours.agreement["value"].to_list()
    assert told["agreement"][-1]["low"] is None  # the mean kappa has no interval
    assert told["signature"] == ours.signature


def test_the_filter_names_whom_it_drops(command, tmp_path):
    good = ("ann", "ben", "cem", "dan")
    rows = [f"c{i},bot,{r},overall,{1 + i % 5}" for i in range(20) for r in good]
    rows += [f"c{i},bot,bad,overall,{5 - i % 5}" for i in range(20)]
    path = tmp_path / "some.csv"
    path.write_text(LONG + "\n".join(rows) + "\n")
    saved = tmp_path / "kept.csv"

    status, out, _ = command("ratings", path)
    assert status == 0
    assert "1 of 5 raters below a kappa of 0.1, not left out: bad" in out
    for option in (["--filter-raters"], ["--filter-raters", "0.3"], ["--filter-raters=0.3"]):
        status, out, _ = command("ratings", path, *option, "--save", saved)
        assert status == 0
        assert "left out with 20 ratings: bad" in out
        assert set(read_ratings(saved)["rater"]) == set(good)

    status, _, _ = command("ratings", path, "--save", saved, "--aggregated", "--raters", "median")
    table = read_ratings(saved)
    assert (status, table.height, set(table["rater"])) == (0, 20, {"median"})
    assert sorted(tmp_path.iterdir()) == [saved, record_path(saved), path]


def test_a_wide_file_of_several_criteria(command, tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"c{i},bot,{r},{1 + i % 5},{1 + i % 2}" for i in range(12) for r in ("ann", "ben")]
    path.write_text("id,system,rater,fluency,relevance\n" + "\n".join(rows) + "\n")
    status, out, _ = command("ratings", path, "--json")
    assert status == 0
    assert [row["criterion"] for row in json.loads(out)["counts"]] == ["fluency", "relevance"]
    status, out, _ = command("ratings", path, "--criterion", "fluency", "--json")
    assert [row["criterion"] for row in json.loads(out)["counts"]] == ["fluency"]


EDGES = {
    "one rater": (LONG + "".join(f"c{i},bot,ann,x,{i % 5}\n" for i in range(12)), "fewer than 2 raters"),
    "one item": (LONG + "c1,bot,ann,x,1\nc1,bot,ben,x,2\n", "fewer than 2 units with two ratings"),
    "all ties": (LONG + "".join(f"c{i},bot,{r},x,3\n" for i in range(12) for r in "pq"), "no variation: all ratings are equal"),
    "missing cells": (LONG + "c1,bot,ann,x,1\nc2,bot,ben,x,2\nc3,bot,ann,x,\n", "2 of 4 possible judgements (raters x rated replies), 2 missing"),
    "means": (LONG + "c1,bot,mean,x,1.5\nc2,bot,mean,x,2.5\n", "the single ratings behind the means are not known"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_edges_are_stated(command, tmp_path, name):
    content, words = EDGES[name]
    path = tmp_path / "edge.csv"
    path.write_text(content)
    status, out, _ = command("ratings", path)
    assert status == 0
    assert words in " ".join(out.split())
    status, out, _ = command("ratings", path, "--json")
    told = json.loads(out)
    assert all(row["value"] is not None or row["reason"] for row in told["agreement"])


def test_preferences_for_people(command):
    status, out, err = command("preferences", PREFERENCES, "--resamples", 100)
    assert (status, err) == (0, "")
    assert "22 items, 3 systems, 3 pairs; 5 raters" in out
    assert "items W/T/L" in out
    lines = [line.split()[0] for line in out.splitlines() if line]
    assert lines.index("tuned") < len(lines)  # the best of the strengths
    assert "preferences|criterion:overall|kappa:below 0.1|least:10|test:sign by item" in out


def test_preferences_for_machines_are_those_of_python(command):
    status, out, err = command("preferences", PREFERENCES, "--filter-raters", "--json")
    assert (status, err) == (0, "")
    told = json.loads(out)
    ours = summarise_preferences(read_preferences(PREFERENCES), drop=True)
    assert told["pairs"] == ours.pairs.to_dicts()
    assert told["strengths"] == ours.strengths.to_dicts()
    assert [row["rater"] for row in told["raters"] if row["verdict"] == "dropped"] == ["j5"]
    status, out, _ = command("preferences", PREFERENCES, "--without", "generic", "--json")
    assert [{row["a"], row["b"]} for row in json.loads(out)["pairs"]] == [{"retrieval", "tuned"}]


PREFERENCE_EDGES = {
    "one rater": (PAIR + "".join(f"c{i},x,y,ann,{'aab'[i % 3]}\n" for i in range(12)), "fewer than 2 raters"),
    "one item": (PAIR + "c1,x,y,ann,a\n", "'x' never loses: its strength has no bound"),
    "all ties": (PAIR + "".join(f"c{i},x,y,ann,tie\n" for i in range(12)), "no item is decided: there is nothing to test"),
    "apart": (PAIR + "c1,x,y,ann,a\nc2,x,y,ann,b\nc1,v,w,ann,a\nc2,v,w,ann,b\n", "no chain of wins leads from 'x' to 'v'"),
}  # fmt: skip


@pytest.mark.parametrize("name", PREFERENCE_EDGES)
def test_edges_of_preferences_are_stated(command, tmp_path, name):
    content, words = PREFERENCE_EDGES[name]
    path = tmp_path / "edge.csv"
    path.write_text(content)
    status, out, _ = command("preferences", path)
    assert status == 0
    assert words in " ".join(out.split())
    status, out, _ = command("preferences", path, "--json")
    assert json.loads(out)["strengths"][0]["reason"] is not None or name == "one rater"


def test_help_has_an_example(command):
    for verb in ("ratings", "preferences"):
        status, out, _ = command(verb, "--help")
        assert status == 0
        assert f"rejoinder {verb} {verb}.csv --filter-raters" in out


@pytest.mark.parametrize(
    ("name", "raters", "alpha"),
    # The alphas are those of the krippendorff package on the same tables (test_agreement_summary).
    [("grade-dailydialog", 11, 0.0843), ("dstc7-task2", 310, 0.1894), ("dailydialog-multiref", 0, None)],
)  # fmt: skip
def test_published_ratings(command, name, raters, alpha):
    status, out, _ = command("ratings", shared("data", name), "--resamples", 0, "--json")
    assert status == 0
    told = json.loads(out)
    assert told["counts"][0]["raters"] == raters
    row = pl.DataFrame(told["agreement"]).filter(measure="alpha interval").row(0, named=True)
    assert row["value"] == (None if alpha is None else pytest.approx(alpha, abs=5e-5))


@pytest.mark.parametrize(("systems", "words"), [(3, "shared items"), (7, "21 differences of two")])
def test_systems_rated_on_different_items_are_compared(command, tmp_path, systems, words):
    path = tmp_path / "ratings.csv"
    rows = [
        f"c{i},s{s},ann,{1 + (i * s) % 5}" for s in range(systems) for i in range(12) if (i + s) % 3
    ]
    path.write_text("\n".join(["id,system,rater,score", *rows]))
    status, out, _ = command("ratings", path)
    assert (status, words in out) == (0, True)
    _, out, _ = command("ratings", path, "--json")
    assert len(json.loads(out)["differences"]) == systems * (systems - 1) / 2


def test_the_counts_add_up_and_say_what_they_are_of(command, tmp_path):
    path = tmp_path / "few.csv"
    # c1 to c6 of a, each by one of three raters; c7 to c12 of b, all by r1.
    rows = [f"c{i},a,r{i % 3},x,{i % 5 + 1}\n" for i in range(1, 7)]
    rows += [f"c{i},b,r1,x,{i % 5 + 1}\n" for i in range(7, 13)]
    path.write_text(LONG + "".join(rows))
    out = " ".join(command("ratings", path)[1].split())
    assert "12 items, 2 systems, 12 of 24 replies (items x systems) rated; 3 raters" in out
    assert "12 of 36 possible judgements (raters x rated replies), 24 missing" in out
    assert "3 of 3 raters kept without a kappa: r1, r2, r0 (nothing shared with others)" in out
    assert "not judged" not in out
    assert "none shared" in out


def test_a_rater_who_shares_too_few_replies_is_not_called_unjudged(command, tmp_path):
    path = tmp_path / "new.csv"
    rows = [f"c{i},a,{r},x,{(i + k) % 5 + 1}\n" for i in range(20) for k, r in enumerate("pq")]
    path.write_text(LONG + "".join(rows) + "".join(f"c{i},a,new,x,3\n" for i in range(4)))
    status, out, _ = command("ratings", path)
    assert status == 0
    line = next(line for line in out.splitlines() if line.startswith("new"))
    assert "too few shared" in line
    rows = json.loads(command("ratings", path, "--json")[1])["raters"]
    assert {row["rater"]: row["verdict"] for row in rows}["new"] == "not judged"
