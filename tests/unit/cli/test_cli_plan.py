"""``rejoinder plan`` as a user meets it."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from rejoinder.statistics.labels_saved import labels_with
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = ["--ratings", str(EXAMPLES / "ratings.csv")]
FEW = ["-m", "bleu", "--resamples", "200"]


def line(out, start):
    return next(each for each in out.splitlines() if each.strip().startswith(start))


def test_two_tables_what_they_rest_on_and_what_is_odd(command):
    status, out, err = command("plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "-m", "length")
    assert (status, err) == (0, "")
    assert "Comparing tuned with retrieval" in out
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
    assert out.count("Comparing") == 3
    status, out, _ = command("plan", TESTSET, *SYSTEMS, *FEW, "-a", "generic", "-b", "tuned")
    assert "Comparing generic with tuned" in out


def test_csv_has_a_row_for_each_pair_subject_and_number_of_items(command, tmp_path):
    pilot = ["--ratings", tmp_path / "ratings.csv", "--criterion", "relevance", "--every-pair"]
    pilot += ["--items", 66, "--items", 132, "--interval-width", 0.1]
    rated = pl.read_csv(EXAMPLES / "ratings.csv")
    path = tmp_path / "other.jsonl"
    path.write_text(Path(SYSTEMS[2]).read_text("utf-8"), "utf-8")
    for systems in (SYSTEMS, [*SYSTEMS, path]):  # 3 pairs have a table each on paper, 6 share one
        more = rated.filter(system="tuned").with_columns(system=pl.lit("other"))
        pl.concat([rated, more][: len(systems) - 2]).write_csv(tmp_path / "ratings.csv")
        argv = ["plan", TESTSET, *systems, *FEW, *pilot]
        assert command(*argv, "--tables", tmp_path / "t.csv")[0] == 0
        document = json.loads(command(*argv, "--json")[1])
        read = pl.read_csv(tmp_path / "t.csv", infer_schema_length=None)
        assert {"a", "b", "subject", "raters", "references", "items"} < set(read.columns)
        shown = [name for name in read.columns if name in document["comparisons"][0]]
        rows = {frozenset((name, row[name]) for name in shown) for row in document["comparisons"]}
        assert len(rows) == len(document["comparisons"])
        assert {frozenset(row.items()) for row in read.select(shown).to_dicts()} == rows
        who = ("a", "b", "subject", "raters", "references")
        needed = {
            tuple(row[name] for name in who): row["items"] for row in document["comparison_needs"]
        }
        for row in read.to_dicts():
            assert row["needed"] == needed[tuple(row[name] for name in who)]
        widths = pl.read_csv(tmp_path / "t-correlations.csv")["width"].to_list()
        assert widths == [row["width"] for row in document["correlations"]]


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
        ([TESTSET, *SYSTEMS, "-m", "bleu", "--power", "2"], "--power 2 "),
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


def test_what_a_judge_saves_is_printed(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = command("plan", *NEXT)
    assert status == 0, err
    assert "0.84 [0.59, 0.94]" in out
    assert "44% (22-56%)" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_next_items_are_printed_alone(command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "next.csv"
    status, out, err = command("plan", *NEXT, "--next", 12, "-o", path)
    assert status == 0, err
    assert "Telling" not in out
    assert "assumed:" not in out
    words = " ".join(out.split())
    assert "next: 12 items drawn to be rated, each with a probability of 0.237 to 0.357." in words
    others = [each for each in out.splitlines() if not each.startswith("example: ")]
    assert max(map(len, others)) <= 80
    rows = path.read_text().splitlines()
    assert rows[0] == "id,probability,earlier,status"
    drawn = [each.split(",")[0] for each in rows if each.endswith(",next")]
    assert len(drawn) == 12
    shown = [each.split()[0] for each in out.splitlines() if "│" in each]
    assert shown == drawn


def test_of_many_next_items_the_first_are_printed_and_the_file_is_named(command, tmp_path):
    path = tmp_path / "next.csv"
    out = command("plan", *NEXT, "--next", 21, "-o", path)[1]
    assert sum("│" in each for each in out.splitlines()) == 20
    assert f"and 1 more item in {path}, with the status 'next'" in " ".join(out.split())


def test_the_commands_that_are_printed_with_the_next_items_run(command, tmp_path):
    argv = ["plan", *NEXT, "--without", "generic", "--scale", 1, 5, "--next", 5]
    out = command(*argv, "-o", tmp_path / "next.csv")[1]
    serve, page = [each.split(": ", 1)[1] for each in out.splitlines() if "example: " in each]
    assert serve.startswith("rejoinder annotate serve ")
    status, out, err = command(*shlex.split(serve)[1:], "--prepare")
    assert status == 0, err
    status, out, err = command(*shlex.split(page)[1:])
    assert status == 0, err
    assert "10 questions" in out  # 5 items of two systems
    assert (tmp_path / "next.sqlite").exists()
    assert (tmp_path / "next.html").exists()
    # A file that is there is not named again.
    again = command(*argv, "-o", tmp_path / "next.jsonl")[1]
    assert str(tmp_path / "next-2.sqlite") in again
    assert str(tmp_path / "next-2.html") in again


def test_the_commands_after_scores_alone_name_the_texts_in_capitals(command, tmp_path):
    judge = EXAMPLES / "judge.csv"
    out = command("plan", "--scores", judge, "--next", 5, "-o", tmp_path / "next.csv")[1]
    assert "rejoinder annotate page TESTSET RESPONSES --drawn " in out


def sentences(out):
    """What stands behind the notes."""
    return " ".join(out.rpartition("\n\n")[2].split())


def test_a_plan_ends_with_how_many_are_needed_and_how_many_there_are(command):
    argv = ["plan", *NEXT, "-d", "0.8"]
    out = command(*argv)[1]
    told = json.loads(command(*argv, "--json")[1])
    (need,) = [
        row
        for row in told["comparison_needs"]
        if row["subject"] == "people" and row["raters"] == told["parameters"]["pilot_raters"]
    ]
    (saved,) = told["labels_saved"]
    with_judge = labels_with(need["items"], saved["scored"], saved["most"])
    assert 24 < with_judge < need["items"] < 66
    words = sentences(out)
    raters = told["components"][0]["raters_per_reply"]
    assert words.startswith(f"24 items are rated, each reply by {raters:g} raters. To show a ")
    assert (
        f"To show a difference of 0.80 between {need['a']} and {need['b']} with 80% power takes about "
        f"{need['items']} items (95% range {need['items_low']} to {need['items_high']}): about "
        f"{need['items'] - 24} more. With 'rejoinder compare --ratings' and the judge 'judge' on all 66 "
        f"scored items about {with_judge} rated items (" in words
    )
    end = f" would do: about {with_judge - 24} more. The closed form of textbooks has {need['closed_form']}, "
    assert end in words


def test_a_plan_without_ratings_and_with_a_width_ends_with_sentences_too(command):
    words = sentences(command("plan", TESTSET, *SYSTEMS, *FEW, "-m", "chrf", "-d", "0.05")[1])
    assert words.count("66 items are there. To show a difference by BLEU-2 of 5.0 between") == 1
    assert words.count("items are there") == 1
    assert " To show a difference by chrF of 5.0 between " in words
    argv = ["plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "--interval-width", "0.2", "-d", "1"]
    out = command(*argv)[1]
    (need, *_) = [
        row
        for row in json.loads(command(*argv, "--json")[1])["correlation_needs"]
        if row["raters"] == 5 and row["references"] is None
    ]
    words = sentences(out)
    assert (
        f"A 95% interval of the spearman correlation of BLEU-2 with people that is 0.2 wide takes about "
        f"{need['items']:,} items (95% range " in words
    )
    assert f": about {need['items'] - 66:,} more." in words
    many = sentences(command("plan", TESTSET, *SYSTEMS, *RATINGS, *FEW, "--every-pair")[1])
    assert many.count("To show a difference of ") == 3


def test_a_pilot_that_says_nothing_ends_with_the_reason(command, tmp_path):
    (tmp_path / "r.csv").write_text(
        "id,system,rater,score\n" + "".join(f"{i},{s},r,3\n" for i in range(8) for s in "ab")
    )
    (tmp_path / "s.csv").write_text(
        "id,system,judge\n" + "".join(f"{i},{s},{i % 3}\n" for i in range(8) for s in "ab")
    )
    out = command("plan", "--scores", tmp_path / "s.csv", "--ratings", tmp_path / "r.csv")[1]
    words = sentences(out)
    assert words.startswith("8 items are rated, each reply by 1 rater. How many items show the ")
    assert "nan" not in words


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
