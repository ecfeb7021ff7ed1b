"""``rejoinder correlate`` as a user meets it."""

import csv
import json
import subprocess
import sys

import polars as pl
import pytest

from rejoinder import correlate, load_scores, read_ratings
from rejoinder.cli.app import run
from shared_data import EXAMPLES, ROOT, SYSTEMS, TESTSET

RATINGS = ["--ratings", str(EXAMPLES / "ratings.csv")]
FEW = ["--permutations", "50", "--resamples", "100"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "kept.parquet"
    metrics = ["-m", "deltableu", "-m", "bleu", "-m", "length"]
    assert run(["score", TESTSET, *SYSTEMS, *metrics, "--save", str(path), "--json"]) == 0
    return path


def test_a_table_of_metrics_chance_and_people(command):
    status, out, err = command("correlate", TESTSET, *SYSTEMS, *RATINGS, *FEW, "-m", "deltableu")
    assert (status, err) == (0, "")
    rows = [line.split()[0] for line in out.splitlines() if line]
    assert rows.index("deltaBLEU-2") < rows.index("random") < rows.index("human")
    assert "198 observations" in out
    assert "within systems" in out
    assert "protocol:turn|correlations:pearson+spearman+kendall-b|criterion:relevance" in out
    assert "deltableu|order:2" in out


def test_saved_scores_and_fresh_ones_agree(command, kept):
    _, fresh, _ = command(
        "correlate", TESTSET, *SYSTEMS, *RATINGS, *FEW, "-m", "deltableu", "-m", "bleu",
        "-m", "length", "--json",
    )  # fmt: skip
    status, saved, _ = command("correlate", kept, *RATINGS, *FEW, "--json")
    assert status == 0
    told = json.loads(saved)
    assert told["agreement"] == json.loads(fresh)["agreement"]
    assert set(told) == {
        "json_version",
        "agreement",
        "within",
        "comparisons",
        "signature",
        "signatures",
        "notes",
        "files",
    }
    ratings = read_ratings(EXAMPLES / "ratings.csv")
    table = correlate(load_scores(kept), ratings, permutations=50, resamples=100).table()
    values = [row["value"] for row in told["agreement"]]
    assert values == pytest.approx(table["value"].to_list())
    assert told["agreement"][-1]["low"] is None  # people have no interval


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["-p", "unit", "--set", "unit_size=11", "--set", "assignments=20"],
            "18 units of 11 items",
        ),
        (["-p", "system"], "fewer than 8 systems to resample"),
        (["-p", "pairwise", "--set", "epsilon=best"], "people rate 8 of 198 pairs alike"),
        (["-c", "kendall-c", "--raters", "z", "--without", "tuned"], "raters:z|without:tuned"),
        (["--rater-effects", "random", "--criterion", "relevance"], "rater_effects:random"),
    ],
)
def test_protocols_and_their_options(command, kept, arguments, words):
    status, out, err = command("correlate", kept, *RATINGS, *FEW, *arguments)
    assert (status, err) == (0, "")
    assert words in " ".join(out.split())


def test_the_star_stands_at_the_mean_within_systems_alone(command, kept):
    # All that is printed below "pooled" is without p and without a star.
    status, out, _ = command("correlate", kept, *RATINGS, *FEW, "-c", "spearman", "--compare")
    assert status == 0
    within, pooled = out.split("\npooled ")
    pooled = pooled.split("\n\n")[0]
    assert within.splitlines()[0].split() == ["within", "systems", "┃", "spearman", "┃", "p"]
    assert "*" in within
    assert "*" not in pooled
    assert len(pooled.splitlines()[0].split("┃")) == 2  # the name and the value
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, "-c", "spearman", "--json")
    rows = [row for row in json.loads(out)["agreement"] if not row["metric"].startswith("human")]
    assert all(row["p"] is None and 0 < row["within_p"] <= 1 for row in rows)
    starred = {row["metric"] for row in rows if row["within_p"] < 0.05} - {"random"}
    for row in rows:
        line = next(each for each in within.splitlines() if each.startswith(row["metric"]))
        assert ("*" in line) == (row["metric"] in starred)


def test_the_chance_of_a_pairwise_accuracy_stands_beside_it(command, kept, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")  # at 80 the second accuracy has a part of its own
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, "-p", "pairwise", "--json")
    rows = json.loads(out)["agreement"]
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, "-p", "pairwise")
    assert out.splitlines()[0].split().count("chance") == 2
    for row in rows:
        assert 0 < row["chance"] < 1
        line = next(each for each in out.splitlines() if each.startswith(row["metric"]))
        assert f"{row['chance']:.3f}" in line
    assert "chance: the mean accuracy when the ratings change places" in " ".join(out.split())
    n = {row["correlation"]: row["n"] for row in rows}
    assert n["decided"] < n["accuracy"]
    assert (
        f"{n['accuracy']} pairs of replies (accuracy), of which people rate {n['decided']} "
        "differently (decided);" in " ".join(out.split())
    )
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, "-p", "soft", "--without", "generic")
    assert "1 pair of systems;" in " ".join(out.split())


def test_metrics_in_pairs(command, kept):
    status, out, _ = command("correlate", kept, *RATINGS, *FEW, "--compare", "-c", "spearman")
    assert status == 0
    assert "difference of the means within systems of spearman" in " ".join(out.split())
    assert "Williams" not in out  # it is a test of the replies of all systems pooled
    one = ["--without", "generic", "--without", "retrieval"]
    status, out, _ = command("correlate", kept, *RATINGS, *FEW, "--compare", "-c", "spearman", *one)
    assert status == 0
    assert "Williams" in out
    assert "difference of spearman" in out
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, "--compare", "--json")
    pairs = json.loads(out)["comparisons"]
    assert [(row["a"], row["b"]) for row in pairs] == [
        ("deltaBLEU-2", "BLEU-2"),
        ("deltaBLEU-2", "length"),
        ("BLEU-2", "length"),
    ]
    assert {row["correlation"] for row in pairs} == {"pearson"}


def test_the_table_is_kept_as_csv(command, kept, tmp_path):
    path = tmp_path / "table.csv"
    assert command("correlate", kept, *RATINGS, *FEW, "--save", path)[0] == 0
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        *("metric", "correlation", "value", "low", "high", "p", "n", "reason"),
        *("within", "within_low", "within_high", "within_p", "within_reason", "pooled_p"),
    ]
    assert len(rows) == 3 * (3 + 1 + 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--ratings"),
        ([*RATINGS, "--missing", "drop"], "without texts; name the test set"),
        ([*RATINGS, "--criterion", "style"], "choose 'relevance'"),
        ([*RATINGS, "--without", "nobody"], "choose 'generic', 'retrieval' or 'tuned'"),
        ([*RATINGS, "-p", "unit"], "the most is 66"),
        ([*RATINGS, "-p", "unit", "--set", "unit_size=0"], "--set unit_size=0 must be"),
        ([*RATINGS, "-p", "unit", "--set", "assignments=-1"], "--set assignments=-1"),
        ([*RATINGS, "-p", "pairwise", "-c", "pearson"], "without --correlation"),
        ([*RATINGS, "-p", "pairwise", "--set", "epsilon=most"], "--set epsilon=most must"),
        ([*RATINGS, "-p", "pairwise", "--set", "epsilon=nan"], "--set epsilon=nan"),
        ([*RATINGS, "--raters", "best"], "best"),
        ([*RATINGS, "--permutations", "-1"], "--permutations -1"),
        (["--ratings", "nothing.csv"], "nothing.csv"),
    ],
)
def test_mistakes_are_one_message_and_status_2(command, kept, arguments, words):
    status, out, err = command("correlate", kept, *arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def written(folder):
    return sorted(path.stem for path in folder.iterdir() if path.suffix == ".svg")


def test_plots_of_saved_scores(command, unrendered, kept, tmp_path):
    folder = tmp_path / "new" / "plots"
    status, _, err = command("correlate", kept, *RATINGS, *FEW, "--plots", folder)
    assert (status, err) == (0, f"Wrote 16 figure files in {folder}.\n")
    assert written(folder) == [
        "agreement",
        "agreement-within",
        "heatmap",
        "scatter-BLEU-2",
        "scatter-all",
        "scatter-deltaBLEU-2",
        "scatter-length",
        "scatter-people",
    ]
    assert (folder / "heatmap.png").exists()


def test_plots_of_units_sweep_what_can_be_swept(command, unrendered, kept, tmp_path):
    units = ["-p", "unit", "--set", "unit_size=11", "--set", "assignments=20", "--json"]
    status, out, err = command("correlate", kept, *RATINGS, *FEW, *units, "--plots", tmp_path / "a")
    assert status == 0
    assert json.loads(out)["agreement"]  # what was written is told beside it
    assert "note: figure: size 25, 50, 100 left out" in err
    assert "note: figure: saved scores hold no texts" in err
    assert [name for name in written(tmp_path / "a") if name.startswith("sweep")] == ["sweep-size"]
    fresh = ["correlate", TESTSET, *SYSTEMS, *RATINGS, *FEW, *units, "-m", "deltableu"]
    assert command(*fresh, "--plots", tmp_path / "b")[0] == 0
    assert [name for name in written(tmp_path / "b") if name.startswith("sweep")] == [
        "sweep-order",
        "sweep-size",
        "sweep-threshold",
    ]


def test_a_folder_of_plots_that_cannot_be_made(command, kept, tmp_path):
    (tmp_path / "taken").write_text("mine")
    status, out, err = command("correlate", kept, *RATINGS, "--plots", tmp_path / "taken" / "plots")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "no folder to draw into" in err


def test_several_criteria_must_be_told_apart(command, kept, tmp_path):
    ratings = read_ratings(EXAMPLES / "ratings.csv")
    other = ratings.with_columns(pl.lit("fluency").alias("criterion"))
    pl.concat([ratings, other]).write_csv(tmp_path / "both.csv")
    status, _, err = command("correlate", kept, "--ratings", tmp_path / "both.csv")
    assert status == 2
    assert "choose 'relevance' or 'fluency' with --criterion" in err


def test_help_needs_nothing_heavy():
    program = (
        "import sys; from rejoinder.cli.app import run; run(['correlate', '--help']);"
        "assert not {'numba', 'polars', 'pyarrow', 'numpy'} & set(sys.modules), 'heavy import'"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=ROOT)


def test_the_legend_says_what_a_reader_of_the_table_asks(command, kept):
    status, out, _ = command("correlate", kept, *RATINGS, *FEW, "-c", "spearman")
    flat = " ".join(out.split())
    assert status == 0
    assert "random: one random draw of scores, shown for comparison; it never has a star" in flat
    assert "human (max) is the best of them, so it is high by selection" in flat
    unit = ["-p", "unit", "--set", "unit_size=11", "--set", "assignments=20"]
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, *unit)
    flat = " ".join(out.split())
    assert "a value with a star may have an interval that contains 0" in flat
    assert "human (max)" not in flat


@pytest.mark.parametrize(("given", "shown"), [(["--set", "epsilon=best"], True), ([], False)])
def test_the_epsilon_of_each_metric_is_a_column(command, kept, given, shown):
    _, out, _ = command("correlate", kept, *RATINGS, *FEW, "-p", "pairwise", *given)
    assert ("epsilon:" in " ".join(out.split()).partition("protocol:")[0]) == shown
    _, told, _ = command("correlate", kept, *RATINGS, *FEW, "-p", "pairwise", *given, "--json")
    row = next(
        row
        for row in json.loads(told)["agreement"]
        if row["metric"] == "random" and row["correlation"] == "accuracy"
    )
    line = next(line for line in out.splitlines() if line.startswith("random"))
    assert (f" {row['epsilon']:.3g} " in line) == shown


def test_a_mean_over_fewer_systems_says_how_many(command):
    # 'generic' gives distinct-1 one value throughout, so two of the three systems are left.
    scored = [TESTSET, *SYSTEMS, "-m", "distinct", "-c", "spearman"]
    _, out, _ = command("correlate", *scored, *RATINGS, *FEW)
    flat = " ".join(out.split())
    assert "the mean over 3 systems (over fewer where a note says so)" in flat
    assert "undefined within 1 of 3 systems, left out; the row is the mean over the other 2" in flat
    _, out, _ = command("correlate", TESTSET, *SYSTEMS, "-m", "bleu", *RATINGS, *FEW)
    assert "(over fewer" not in out


def test_counts_of_one_have_a_singular(command, tmp_path):
    # Two systems and four items: one unit of three items, and one item is left over.
    few = tmp_path / "few.csv"
    rows = (EXAMPLES / "ratings.csv").read_text().splitlines()
    header, *rest = csv.reader(rows)
    ids = list(dict.fromkeys(row[header.index("id")] for row in rest))[:4]
    names = ("tuned", "generic")
    system, item = header.index("system"), header.index("id")
    chosen = [row for row in rest if row[system] in names and row[item] in ids]
    with few.open("w", newline="") as file:
        csv.writer(file).writerows([header, *chosen])
    scored = [TESTSET, *SYSTEMS, "-m", "bleu", "--ratings", str(few), *FEW]
    _, out, _ = command("correlate", *scored, "-p", "unit", "--set", "unit_size=3")
    flat = " ".join(out.split())
    assert (
        "unit: 1 unit of 3 items from 1 pair of systems with 4 items each; 1 item of a pair is"
        in flat
    )
    assert "there is 1: choose a --set unit_size of at most 1," in flat
    assert "1 observation;" in flat
    assert not any(f" 1 {noun}" in flat for noun in ("units", "observations", "pairs", "systems "))
