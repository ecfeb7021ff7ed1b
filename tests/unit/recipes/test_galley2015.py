"""Table 2 and Figure 2 of Galley et al. (2015) on the example data."""

import json
import math
import subprocess
import sys

import polars as pl
import pytest

from rejoinder import correlate, read_ratings, read_responses, read_testset, score
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.errors import InputError, ParameterError
from rejoinder.figures.style import save
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.recipes.galley2015.figures import ORDERS, draw, figure2
from rejoinder.recipes.galley2015.tables import table1, table2
from rejoinder.tables.testset import TestSet
from shared_data import EXAMPLES, ROOT, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")
FEW = [
    "--set",
    "unit_size=11",
    "--set",
    "assignments=20",
    "--permutations",
    "20",
    "--drop-unusable",
]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def data():
    testset = read_testset(TESTSET)
    return testset, read_responses(*SYSTEMS, ids=testset.ids), read_ratings(RATINGS)


@pytest.fixture(scope="module")
def unweighted(data):
    testset, *rest = data
    bare = testset.references.with_columns(pl.lit(None, pl.Float64).alias("weight"))
    return TestSet(testset.contexts, bare), *rest


@pytest.fixture(scope="module")
def swept(data):
    return figure2(*data, unit_size=11, assignments=20)


@pytest.fixture
def command(capfd, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)  # a busy machine must not add words

    def call(*arguments):
        status = run(["recipe", "galley2015", TESTSET, *SYSTEMS, "--ratings", RATINGS, *arguments])
        streams = capfd.readouterr()
        return status, streams.out, streams.err

    return call


def test_the_table_is_one_call_of_correlate(data):
    testset, replies, ratings = data
    found = table2(*data, unit_size=11, assignments=20, permutations=20, drop_unusable=True)
    table = found.table()
    assert table.rows_by_key(["metric", "references"]).keys() == {
        *((m, r) for m in ("BLEU", "sBLEU", "deltaBLEU") for r in ("single", "w>=0.6", "all")),
        ("random", None),
    }
    rules = [f"{name}:references={r}" for name in ("bleu", "deltableu") for r in ("w>=0.6", "all")]
    scores = score(testset, replies, [*rules, "deltableu:references=single"], drop_unusable=True)
    told = correlate(
        scores, ratings, Unit(11, 20), correlations=["spearman", "kendall-b"], permutations=20
    ).table()
    for label, row in {"BLEU-2 w>=0.6": 1, "deltaBLEU-2 w>=0.6": 7, "deltaBLEU-2": 8}.items():
        for name in ("spearman", "kendall-b"):
            expected = told.row(
                by_predicate=(pl.col("metric") == label) & (pl.col("correlation") == name),
                named=True,
            )
            held = table.row(row, named=True)
            assert held[name] == pytest.approx(expected["value"], abs=1e-12)
            assert held[f"{name}_low"] == pytest.approx(expected["low"], abs=1e-12, nan_ok=True)
            assert held[f"{name}_p"] == expected["p"]
            assert held["n"] == expected["n"]


def test_an_item_without_such_a_reference_is_an_error_or_is_counted(data):
    # From the file itself: the first reference of some items has no positive weight.
    testset = data[0].references.with_columns(pl.col("weight").fill_null(1.0))
    best = testset.group_by("id").agg(
        pl.col("weight").max().alias("best"), pl.col("weight").first().alias("first")
    )
    lacking = best.filter((pl.col("best") < 0.6) | (pl.col("first") <= 0)).height
    made = testset.with_columns(
        pl.when(pl.col("id") == "c001").then(-0.5).otherwise(pl.col("weight")).alias("weight")
    )
    several = TestSet(data[0].contexts, made), *data[1:]
    with pytest.raises(InputError, match="drop_unusable"):
        table2(*several, unit_size=11, assignments=2, permutations=0)
    found = table2(*several, unit_size=11, assignments=2, permutations=0, drop_unusable=True)
    assert any(note.startswith(f"{lacking + 1} rated items left out") for note in found.notes)


def test_without_weights_the_rows_are_alike_and_that_is_said(unweighted):
    found = table2(*unweighted, unit_size=11, assignments=5, permutations=0)
    rows = found.table().rows_by_key(["metric", "references"], unique=True)
    for rule in ("single", "w>=0.6", "all"):
        assert str(rows["deltaBLEU", rule]) == str(rows["BLEU", rule])
    assert str(rows["BLEU", "w>=0.6"]) == str(rows["BLEU", "all"])
    assert "carry no weights" in found.notes[0]


def test_what_every_row_leaves_out_is_said_once(data):
    testset, *rest = data
    none_of_c001 = TestSet(testset.contexts, testset.references.filter(pl.col("id") != "c001"))
    notes = table2(
        none_of_c001, *rest, unit_size=11, assignments=2, permutations=0, drop_unusable=True
    ).notes
    assert "1 of 66 items dropped: no reference that any row could use" in notes
    assert not any(note.startswith(("BLEU-2", "sBLEU-2", "deltaBLEU-2")) for note in notes)


def test_a_sweep_checks_what_it_is_given(data):
    with pytest.raises(ParameterError, match=r"criterion='taste' is unknown"):
        figure2(*data, criterion="taste", unit_size=11, assignments=2)
    with pytest.raises(ParameterError, match="nobody"):
        figure2(*data, without=["nobody"], unit_size=11, assignments=2)
    with pytest.raises(ParameterError, match="size=0"):
        figure2(*data, unit_size=0)


def test_units_larger_than_the_data_name_the_largest(data):
    with pytest.raises(ParameterError, match="66"):
        table2(*data, assignments=2, drop_unusable=True)


def test_the_panels_meet_where_their_settings_do(swept, data):
    def at(panel, x):
        rows = swept.points.filter((pl.col("panel") == panel) & (pl.col("x") == x))
        return rows.drop("panel", "x")

    assert at("threshold", -1.0).equals(at("size", 11))
    assert at("order", 2).equals(at("size", 11))
    assert at("order", 2).height == 3
    # three systems have no interval, and that is said
    assert "figure: no interval: fewer than 4 systems" in swept.notes
    assert swept.points.filter(pl.col("panel") == "order")["x"].unique().to_list() == list(ORDERS)
    # 66 items of 3 pairs: 6 units of 25, 3 of 50, none of 100.
    sizes = swept.points.filter(pl.col("panel") == "size")
    assert sizes["x"].unique().to_list() == [1.0, 10.0, 11.0]
    assert "figure: size 25, 50, 100 left out: fewer than 10 units" in swept.notes
    assert sizes.filter(pl.col("x") == 1)["n"].to_list() == [198] * 3
    assert sizes["assignments"].to_list() == [20] * 9
    kept = data[0].references.filter(pl.col("weight") >= 0.8)["id"].n_unique()
    at_08 = swept.points.filter((pl.col("panel") == "threshold") & (pl.col("x") == 0.8))
    assert at_08["items"].to_list() == [kept] * 3


def test_a_threshold_whose_items_nobody_rated_is_left_out(data):
    testset, replies, ratings = data
    best = testset.references.filter(pl.col("weight") >= 1)["id"].unique()
    assert 0 < len(best) < 33
    unrated = ratings.filter(~pl.col("id").is_in(best.implode()))
    figure = figure2(testset, replies, unrated, unit_size=10, assignments=2)
    assert "figure: threshold 1 left out: fewer than 10 units" in figure.notes


def test_small_units_have_fewer_assignments(data):
    points = figure2(*data, unit_size=11, assignments=66).points
    sizes = points.filter((pl.col("panel") == "size") & (pl.col("metric") == "BLEU"))
    # 66 / 11 = 6, and at least 20; 10 * 66 / 11 = 60; 66.
    assert sizes["assignments"].to_list() == [20, 60, 66]


def test_figures_are_whole_and_the_same_again(swept, tmp_path):
    folder = tmp_path / "new" / "plots"
    first = [path.read_bytes() for path in save(draw(swept, 11, 2), folder, "figure")]
    again = [path.read_bytes() for path in save(draw(swept, 11, 2), folder, "figure")]
    assert first == again
    png, svg = first
    assert png.startswith(PNG)
    assert png.endswith(b"IEND\xaeB`\x82")
    assert svg.startswith(b"<?xml")
    assert svg.rstrip().endswith(b"</svg>")
    assert sorted(path.name for path in folder.iterdir()) == ["figure.png", "figure.svg"]


def test_a_figure_of_nothing_is_still_a_figure(data, tmp_path):
    empty = figure2(*data, unit_size=60, assignments=2, without=["generic"])
    assert empty.points.filter(pl.col("panel") != "size").is_empty()
    assert any(note.startswith("figure: order 1, 2, 3, 4 left out") for note in empty.notes)
    save(draw(empty, 60, 2), tmp_path, "figure")


def test_a_folder_that_is_a_file(command, tmp_path):
    (tmp_path / "taken").write_text("mine")
    status, _, err = command(*FEW, "--plots", str(tmp_path / "taken"))
    assert (status, (tmp_path / "taken").read_text()) == (2, "mine")
    assert "no folder to draw into" in err


def test_the_command(command, tmp_path):
    status, out, err = command(*FEW, "--plots", str(tmp_path))
    assert (status, err) == (0, f"Wrote 2 figure files in {tmp_path}.\n")
    assert "deltaBLEU │ w>=0.6" in out.replace("  ", " ")
    assert "units of 11 items from 3 systems" in out
    for suffix in ("png", "svg"):
        assert (tmp_path / f"galley2015-figure2.{suffix}").exists()


def test_json(command):
    status, out, _ = command(*FEW, "--json")
    told = json.loads(out)
    assert status == 0
    assert (len(told["table"]), told["figure"], told["files"]) == (10, [], [])
    assert all(math.isfinite(row["spearman"]) for row in told["table"])
    assert "protocol:unit|size:11|assignments:20" in told["signature"]
    assert len(told["signatures"]) == 9


def test_no_responses_is_a_message(capfd):
    assert run(["recipe", "galley2015", TESTSET, "--ratings", RATINGS]) == 2
    assert "name the systems' replies too" in capfd.readouterr().err


def test_matplotlib_waits_until_something_is_drawn():
    code = (
        "import sys, rejoinder.cli.app, rejoinder.recipes.galley2015.tables\n"
        "import rejoinder.recipes.galley2015.figures\n"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_table_1_lists_references_with_their_weights(data):
    testset = data[0]
    made = table1(testset, 2)
    ids = made["id"].unique(maintain_order=True).to_list()
    assert len(ids) == 2
    # Every reference of the item, in the order of the test set, and the turns in front of them.
    for id in ids:
        own = testset.references.filter(id=id)
        rows = made.filter(id=id)
        assert (
            rows.select("reference", "weight", "source").rows()
            == own.select("text", "weight", "source").rows()
        )
        turns = testset.contexts.filter(id=id)["context"].to_list()[0]
        assert rows["message"].unique().to_list() == [turns[-1]]
        assert [each for each in rows["context"][0].split("\n") if each] == turns[:-1]
    assert table1(testset, 2).equals(made)
    assert not table1(testset, 2, seed=1).equals(made)
    assert table1(testset, 5, ids=[ids[1], ids[0]])["id"].unique(maintain_order=True).to_list() == [
        ids[1],
        ids[0],
    ]
    assert table1(testset, 0).is_empty()
    with pytest.raises(ParameterError, match="case 'zz': the test set has no such item"):
        table1(testset, ids=["zz"])
    with pytest.raises(ParameterError, match="cases=-1 must be 0 or more"):
        table1(testset, -1)


def test_an_item_with_one_reference_is_no_sample_and_one_without_context_has_no_message():
    testset = TestSet.from_lists([["one"], ["two", "three"]])
    made = table1(testset, 5)
    assert made.select("id", "context", "message", "reference").rows() == [
        ("2", "", None, "two"),
        ("2", "", None, "three"),
    ]


def test_the_command_shows_table_1(command):
    few = [
        "--set",
        "unit_size=5",
        "--set",
        "assignments=10",
        "--permutations",
        "0",
        "--drop-unusable",
    ]
    status, out, _ = command(*few, "--case", "c001")
    assert status == 0
    assert "-0.80" in out
    assert "The nights are getting longer." in out
    assert "Did you manage to get tickets for the night train?" in out
