"""``rejoinder plan`` as a user meets it."""

import json
import subprocess
import sys

import pytest

from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = ["--ratings", str(EXAMPLES / "ratings.csv")]
FEW = ["-m", "bleu", "--resamples", "200"]


def line(out, start):
    return next(each for each in out.splitlines() if each.strip().startswith(start))


def test_two_tables_what_they_rest_on_and_what_is_odd(command):
    status, out, err = command("plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "-m", "length")
    assert (status, err) == (0, "")
    assert "Telling tuned from retrieval" in out
    flat = " ".join(out.split())
    for words in (
        "66*",
        "528!",
        "people 1 rater",
        "5 raters*",
        "BLEU-2 all references*",
        "1 reference",
        "items for 80%",
        "width of the 95% interval of spearman with people",
        "assumed: further items are drawn like the pilot's",
        "more references than the pilot has (up to 8) cannot be known from it",
        "note: length left out",
        "the same raters throughout",
        "between items",
    ):
        assert words in flat, words
    assert max(map(len, out.splitlines())) <= 120


def test_a_narrow_terminal_gets_all_columns_in_parts_and_whole_numbers(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = command("plan", TESTSET, *SYSTEMS, *FEW)
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    heads = " ".join(line for line in out.splitlines() if "┃" in line).split()
    # From half the pilot's 66 items to eight times as many.
    assert {"33", "66*", "132", "264", "528!", "detects", "power"} <= set(heads)


def test_as_json(command):
    status, out, err = command(
        "plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "-d", "0.3", "-d", "BLEU-2=0.05",
        "--interval-width", "0.1", "--power", "0.9", "--json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert {(row["subject"], row["target"]) for row in told["comparison_needs"]} == {
        ("people", 0.3),
        ("BLEU-2", 0.05),
    }
    assert all(row["given"] for row in told["comparison_needs"])
    assert {row["target"] for row in told["correlation_needs"]} == {0.1}
    assert told["parameters"]["power"] == 0.9
    assert told["parameters"]["difference"] == {"people": 0.3, "BLEU-2": 0.05}
    assert told["items"] == 66
    assert told["assumptions"]
    assert told["signatures"]["BLEU-2"].startswith("bleu|order:2")


def test_saved_scores_tell_the_same_but_for_references(command, tmp_path):
    kept = tmp_path / "kept.parquet"
    assert command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", kept, "--json")[0] == 0
    _, fresh, _ = command("plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "--json")
    status, saved, _ = command("plan", kept, *RATINGS, "--resamples", "200", "--json")
    assert status == 0
    fresh, saved = json.loads(fresh), json.loads(saved)
    of_all = [row for row in fresh["comparisons"] if row["references"] is None]
    assert saved["comparisons"] == of_all
    assert any("fewer are told from a test set" in line for line in saved["assumptions"])


def test_every_pair(command):
    status, out, _ = command("plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "--every-pair")
    assert status == 0
    assert out.count("Telling") == 3
    status, out, _ = command("plan", TESTSET, *SYSTEMS, *FEW, "-a", "generic", "-b", "tuned")
    assert "Telling generic from tuned" in out


def test_a_pilot_too_small_says_so(command, tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"id": "1", "context": ["Now?"], "references": [{"text": "yes at nine"}]}\n'
    )
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"id": "1", "text": "yes"}\n')
    (tmp_path / "r.csv").write_text("id,system,rater,score\n1,a,r1,3\n1,b,r1,4\n")
    status, out, err = command(
        "plan", tmp_path / "t.jsonl", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-m", "rougeL",
        "--ratings", tmp_path / "r.csv",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert "1 item says too little of others: a pilot needs 6 or more" in " ".join(out.split())
    assert "nan" not in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([TESTSET], "is taken for the test set, and no replies are given"),
        ([TESTSET, "-m", "bleu"], "is taken for the test set, and no replies are given"),
        (
            [TESTSET, *SYSTEMS, "--interval-width", "0.1"],
            "--interval-width has no effect without --ratings FILE",
        ),
        ([TESTSET, *SYSTEMS, "-m", "bleu", "-d", "much"], "expected a number, or NAME=NUMBER"),
        ([TESTSET, *SYSTEMS, "-m", "bleu", "-d", "BLEU-2=5"], "0.02 for a difference of 2.0"),
        ([TESTSET, *SYSTEMS, "-m", "length"], "nothing to plan"),
        ([TESTSET, *SYSTEMS, "-m", "bleu", "--power", "2"], "--power 2.0"),
        ([TESTSET, *SYSTEMS, "-m", "bleu", "-a", "people"], "system 'people' is unknown"),
    ],
)
def test_mistakes_are_one_message_and_status_2(command, arguments, told):
    status, out, err = command("plan", *arguments)
    assert (status, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from rejoinder.cli.app import run; run(['plan', '--help']); "
        "print(sorted({'numpy', 'polars', 'numba', 'rich'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.rstrip().endswith("[]")


def test_clusters_are_said_with_the_numbers_of_them(command):
    status, out, _ = command("plan", TESTSET, *SYSTEMS, *FEW, "--cluster", "topic")
    assert status == 0
    flat = " ".join(out.split())
    for words in (
        "66 items in 6 clusters of 'topic': spread, tests and intervals are those of clusters",
        "design effect of the difference: BLEU-2",
        "6 clusters alone: forecasts from so few are rough",
        "clusters of so many items: 33: 3, 66: 6, 132: 12, 264: 24, 528: 48",
        "paired test over clusters of items",
        "fewer than 6 clusters can have no p below 0.05",
    ):
        assert words in flat, words


def test_a_need_at_the_smallest_number_that_is_planned_is_no_exact_need(command):
    argv = ["plan", TESTSET, *SYSTEMS, *FEW, "-d", "0.6"]
    out = command(*argv)[1]
    flat = " ".join(out.split())
    assert "8 or fewer" in flat
    assert "8 (8-8)" not in flat
    assert "or fewer: fewer than 8 items are not planned" in flat
    needs = json.loads(command(*argv, "--json")[1])["comparison_needs"]
    assert {(each["items"], each["or_fewer"], each["least_planned"]) for each in needs} == {
        (8, True, 8)
    }


def test_rows_of_a_plan_from_mean_ratings_name_their_references(command, tmp_path):
    means = tmp_path / "means.csv"
    lines = (EXAMPLES / "ratings.csv").read_text().splitlines()[1:]
    scores: dict[tuple[str, str], list[float]] = {}
    for each in lines:
        item, system, _, criterion, score = each.split(",")
        if criterion == "relevance":
            scores.setdefault((item, system), []).append(float(score))
    rows = [f"{i},{s},mean,{sum(grades) / len(grades)}" for (i, s), grades in scores.items()]
    means.write_text("id,system,rater,score\n" + "\n".join(rows) + "\n")
    out = command("plan", TESTSET, *SYSTEMS, "--ratings", str(means), *FEW)[1]
    table = out.split("spearman")[1]
    for label in ("BLEU-2 all references*", "4 references", "2 references", "1 reference"):
        assert label in table


NEXT = [
    TESTSET,
    *SYSTEMS,
    "--scores",
    EXAMPLES / "judge.csv",
    "--ratings",
    EXAMPLES / "some-ratings.csv",
]


def test_what_a_judge_saves_and_the_next_items_are_printed(command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "next.csv"
    status, out, err = command("plan", *NEXT, "--next", 12, "-o", path)
    assert status == 0, err
    assert "0.84 [0.59, 0.94]" in out
    assert "44% (22-56%)" in out
    words = " ".join(out.split())
    assert "next: 12 items drawn to be rated, each with a probability of 0.237 to 0.357" in words
    assert max(map(len, out.splitlines())) <= 80
    assert path.read_text().splitlines()[0] == "id,probability,earlier,status"
    assert sum(line.endswith(",next") for line in path.read_text().splitlines()) == 12


def test_json_has_the_labels_saved_and_the_next_items(command, tmp_path):
    status, out, _ = command("plan", *NEXT, "--next", 12, "-o", tmp_path / "n.jsonl", "--json")
    assert status == 0
    told = json.loads(out)
    (row,) = told["labels_saved"]
    assert (row["judge"], row["rated"], row["scored"]) == ("judge", 24, 66)
    assert row["saved"] == pytest.approx(row["most"] * 42 / 66)
    rows = [json.loads(line) for line in (tmp_path / "n.jsonl").read_text().splitlines()]
    assert rows == told["next"]["items"]


def test_without_ratings_every_next_item_has_the_same_probability(command, tmp_path):
    words = ["plan", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", 100]
    status, out, _ = command(*words, "--next", 11, "-o", tmp_path / "n.csv")
    assert status == 0
    words = " ".join(out.split())
    assert "each with a probability of 0.167." in words
    assert "no ratings yet: every item is drawn with the same probability" in words
