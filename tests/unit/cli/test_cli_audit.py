"""``rejoinder audit`` as a user meets it."""

import json
import subprocess
import sys

import pytest

from rejoinder.auditing.trivial_baselines import BASELINES
from shared_data import SYSTEMS, TESTSET


def test_a_table_marks_and_a_sentence_for_each_metric(command):
    status, out, err = command("audit", TESTSET, *SYSTEMS)
    assert (status, err) == (0, "")
    for words in ("random-reference", "shuffled", "lowest system", "median system", "best system"):
        assert words in out
    flat = " ".join(out.split())
    assert (
        "deltaBLEU-2 ranks no trivial baseline at or above the median system; the difference of"
        in flat
    )
    assert "BLEU-2 ranks no trivial baseline at or above the median system; it ranks 'copy'" in flat
    assert "values x100" in flat
    assert max(map(len, out.splitlines())) <= 120


def test_a_baseline_above_the_systems_is_marked(command):
    # Items whose references a constant reply matches better than a system that says "x".
    status, out, _ = command(
        "audit", TESTSET, SYSTEMS[0], "-m", "bleu:order=1", "--constant", "I , you . the it to a"
    )
    assert status == 0
    line = next(line for line in out.splitlines() if line.startswith("constant"))
    assert line.rstrip().endswith("!!")
    assert "BLEU-1 ranks 'constant' at or above the only system" in out


def test_as_json(command):
    status, out, err = command(
        "audit", TESTSET, *SYSTEMS, "-m", "bleu", "-m", "length", "--resamples", "100", "--json"
    )
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert set(told) == {"json_version", "audit", "verdicts", "systems", "parameters", "notes"}
    assert len(told["audit"]) == 14
    row = next(
        row for row in told["audit"] if row["metric"] == "BLEU-2" and row["baseline"] == "copy"
    )
    assert 0 < row["value"] < 1
    assert row["references"] == "leave-one-out"
    assert row["best_system"] == "tuned"
    assert [each["metric"] for each in told["verdicts"]] == ["BLEU-2"]
    assert told["parameters"]["constant"] == "I don't know."
    assert {row["system"] for row in told["systems"]["leave-one-out"]} == {
        "generic",
        "retrieval",
        "tuned",
        "baseline:copy",
        "baseline:shuffled",
    }


def test_without_resamples_nothing_is_claimed_of_chance(command):
    status, out, _ = command("audit", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "0")
    assert status == 0
    assert "(p = " not in out
    status, out, _ = command("audit", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "0", "--json")
    assert json.loads(out)["audit"][0]["p_median"] is None


def test_a_system_is_left_out_by_name(command):
    status, out, _ = command("audit", TESTSET, *SYSTEMS, "-m", "bleu", "--without", "tuned")
    assert status == 0
    assert "tuned" not in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([TESTSET], "rejoinder audit"),
        ([TESTSET, *SYSTEMS, "--turns", "0"], "--turns 0"),
        (
            [TESTSET, *SYSTEMS, "--without", "people"],
            "system 'people' is unknown; choose 'generic'",
        ),
        ([TESTSET, *SYSTEMS, "-m", "blue"], "metric 'blue' is unknown"),
        ([TESTSET, *SYSTEMS, "--seed", "-1"], "--seed -1"),
    ],
)
def test_mistakes_are_one_message_and_status_2(command, arguments, told):
    status, out, err = command("audit", *arguments)
    assert (status, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from rejoinder.cli.app import run; run(['audit', '--help']); "
        "print(sorted({'numpy', 'polars', 'numba', 'rich'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.rstrip().endswith("[]")


def test_two_systems_have_one_row_for_the_lowest_and_the_median(command):
    _, out, _ = command("audit", TESTSET, *SYSTEMS[:2], "-m", "bleu")
    starts = [line.split("\u2502")[0].strip() for line in out.splitlines()]
    assert "lowest, median system" in starts
    assert "median system" not in starts
    _, out, _ = command("audit", TESTSET, SYSTEMS[0], "-m", "bleu")
    assert "lowest, median, best system" in out


def test_the_legend_says_what_marks_and_intervals_mean(command):
    _, out, _ = command("audit", TESTSET, *SYSTEMS, "-m", "bleu")
    flat = " ".join(out.split())
    assert "so equal scores can have different marks" in flat
    assert "is not corrected; p Holm is corrected" in flat


def test_the_names_of_trivial_baselines_are_explained_where_they_are_shown(command):
    flat = " ".join(
        command("audit", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", 100)[1].split()
    )
    line = flat[flat.index("trivial baselines, which are none of the systems: ") :]
    for name, baseline in BASELINES.items():
        assert f"'{name}' ({baseline.meaning})" in line
    rest = ["--resamples", 100, "-q"]
    few = command("audit", TESTSET, *SYSTEMS, "-m", "distinct", *rest)[1]
    assert "trivial baseline" in few
    shown = [name for name in BASELINES if f"\n{name} " in few]
    assert [name for name in BASELINES if f"'{name}' (" in few] == shown
