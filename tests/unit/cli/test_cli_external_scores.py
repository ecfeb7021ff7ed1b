"""``--scores``: the numbers of another tool on the command line, with texts and without."""

import json
import subprocess
import sys

import polars as pl
import pytest

from rejoinder import External, Scores, read_responses, read_scores
from rejoinder.cli.app import run
from rejoinder.scoring.external import from_values
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")


@pytest.fixture
def judge(tmp_path):
    replies = read_responses(*SYSTEMS)
    frame = replies.select("system", "id", judge=pl.col("text").str.len_chars() % 5 + 1)
    frame.write_csv(tmp_path / "judge.csv")
    return tmp_path / "judge.csv"


@pytest.fixture
def told(capfd):
    def tell(*words):
        assert run([*map(str, words), "--json"]) == 0, capfd.readouterr().err
        return json.loads(capfd.readouterr().out)

    return tell


def refused(capfd, *words):
    assert run([*map(str, words)]) == 2
    return capfd.readouterr().err


def means(judge):
    table = read_scores(judge).group_by("system").agg(pl.col("value").mean())
    return dict(table.rows())


@pytest.mark.parametrize("suffix", ["1..5", "higher:1..5", "1..5:lower", "lower:0..100.5"])
def test_the_least_and_the_greatest_value(judge, told, suffix):
    low, high = map(float, suffix.replace("lower", "").replace("higher", "").strip(":").split(".."))
    better = "lower" not in suffix
    metric = External("judge", read_scores(judge), higher_is_better=better, bounds=(low, high))
    expected = Scores(**vars(from_values([metric], seed=12345))).systems()
    result = told("score", "--scores", f"{judge}:{suffix}")
    assert result["systems"] == json.loads(json.dumps(expected.to_dicts()))
    assert all(f"|low:{low}|high:{high}|" in row["signature"] for row in result["systems"])
    plain = told("score", "--scores", judge if better else f"{judge}:lower")
    assert [row["value"] for row in plain["systems"]] == [row["value"] for row in result["systems"]]
    assert [row["low"] for row in plain["systems"]] != [row["low"] for row in result["systems"]]


def test_a_rate_is_declared_behind_the_file(tmp_path, told):
    rows = [("a", str(i), 0.5 if i == 3 else 1.0) for i in range(20)]
    pl.DataFrame(rows, schema=["system", "id", "v"], orient="row").write_csv(tmp_path / "v.csv")
    (declared,) = told("score", "--scores", f"{tmp_path / 'v.csv'}:rate")["systems"]
    (plain,) = told("score", "--scores", tmp_path / "v.csv")["systems"]
    assert plain["high"] > 1 > declared["high"] > declared["value"] == plain["value"] == 0.975
    assert "|kind:rate|" in declared["signature"]
    assert "|ci:wilson|" in declared["signature"]


def test_the_legend_says_whose_intervals_are_of_shares(tmp_path, capfd):
    rows = [(s, str(i), 1, 0.1 * (i % 7)) for s in ("a", "bb") for i in range(20)]
    frame = pl.DataFrame(rows, schema=["system", "id", "passed", "mark"], orient="row")
    frame.write_csv(tmp_path / "both.csv")
    frame.drop("mark").write_csv(tmp_path / "passed.csv")
    assert run(["score", "--scores", str(tmp_path / "both.csv")]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "95% interval (jackknife over items; passed: Wilson's)" in out
    assert run(["score", "--scores", str(tmp_path / "passed.csv")]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "95% interval (Wilson's, over items)" in out


def test_negative_values_are_not_multiplied_by_100(tmp_path, capfd):
    rows = [(s, str(i), -(i % 7) - len(s)) for s in ("a", "bb") for i in range(20)]
    frame = pl.DataFrame(rows, schema=["system", "id", "mqm"], orient="row")
    frame.write_csv(tmp_path / "mqm.csv")
    assert run(["score", "--scores", f"{tmp_path / 'mqm.csv'}:-25..0"]) == 0
    out = capfd.readouterr().out
    assert "values not multiplied by 100" in out
    assert "-3.85 [" in out  # (0 + ... + 6) twice and 0 + ... + 5, by 20, and 1


@pytest.mark.parametrize(
    ("suffix", "words"),
    [
        (":5..1", "got '5..1'; expected the least and the greatest value"),
        (":1..x", "got '1..x'; expected the least and the greatest value"),
        (
            ":2..5",
            "is outside bounds=(2, 5); correct the value, or give wider bounds (--scores FILE:LOW..HIGH)",
        ),
    ],
)
def test_what_bounds_may_not_be(judge, capfd, suffix, words):
    assert words in refused(capfd, "score", "--scores", f"{judge}{suffix}")


def test_the_file_alone(judge, told):
    result = told("score", "--scores", judge)
    assert {row["system"]: row["value"] for row in result["systems"]} == pytest.approx(means(judge))
    assert {row["metric"] for row in result["systems"]} == {"judge"}
    assert any("each column of numbers is a metric: judge" in note for note in result["notes"])


@pytest.mark.parametrize(
    "words",
    [(), (TESTSET,), (TESTSET, *SYSTEMS)],
    ids=["alone", "test set", "replies"],
)
def test_with_texts_or_without_the_numbers_are_the_same(judge, told, words):
    result = told("compare", *words, "--scores", judge, "--permutations", 200)
    alone = told("compare", "--scores", judge, "--permutations", 200)
    assert result["comparisons"] == alone["comparisons"]


def test_metrics_stand_beside_it_only_if_they_are_named(judge, told):
    both = told("score", TESTSET, *SYSTEMS, "--scores", judge, "-m", "bleu")
    assert {row["metric"] for row in both["systems"]} == {"BLEU-2", "judge"}
    alone = told("score", TESTSET, *SYSTEMS, "--scores", judge)
    assert {row["metric"] for row in alone["systems"]} == {"judge"}


def test_columns_of_the_test_set_group_what_has_no_texts(judge, told):
    groups = told("score", TESTSET, "--scores", judge, "--by", "topic")["groups"]
    assert len({row["topic"] for row in groups}) == 6
    assert (
        told("score", TESTSET, "--scores", judge, "--cluster", "topic")["systems"][0]["clusters"]
        == 6
    )


def test_several_files_and_directions(judge, told, tmp_path):
    read_scores(judge).with_columns(name=pl.lit("ter")).write_csv(tmp_path / "ter.csv")
    result = told("score", "--scores", judge, "--scores", f"{tmp_path / 'ter.csv'}:lower")
    first = {row["metric"]: row["system"] for row in reversed(result["systems"])}
    assert first["judge"] != first["ter"]


def test_saved_scores_are_compared_and_correlated_without_the_file(judge, told, tmp_path):
    kept = tmp_path / "kept.parquet"
    told("score", "--scores", judge, "--save", kept)
    options = ("--permutations", 100)
    before = told("compare", "--scores", judge, *options)["comparisons"]
    ratings = ("--ratings", RATINGS, "-c", "pearson", "--resamples", 100, *options)
    agreement = told("correlate", "--scores", judge, *ratings)["agreement"]
    judge.unlink()
    assert told("compare", kept, *options)["comparisons"] == before
    assert told("correlate", kept, *ratings)["agreement"] == agreement


def test_systems_are_left_out(judge, told):
    result = told("score", "--scores", judge, "--without", "tuned")
    assert {row["system"] for row in result["systems"]} == {"generic", "retrieval"}


def test_an_audit_needs_scores_of_the_trivial_replies_and_writes_them(judge, told, capfd, tmp_path):
    error = refused(capfd, "audit", TESTSET, *SYSTEMS, "--scores", judge)
    assert "judge: an audit needs its scores of the trivial replies too" in error
    assert "--save-replies FILE" in error
    trivial = tmp_path / "trivial.csv"
    told("audit", TESTSET, *SYSTEMS, "-m", "bleu", "--save-replies", trivial)
    replies = pl.concat([read_responses(*SYSTEMS), read_responses(trivial)])
    replies.select("system", "id", judge=pl.col("text").str.len_chars()).write_csv(judge)
    result = told("audit", TESTSET, *SYSTEMS, "--scores", judge)
    values = {row["baseline"]: row["value"] for row in result["audit"]}
    assert values["constant"] == len("I don't know.")
    assert set(values) >= {"constant", "echo", "copy", "shuffled"}
    assert values["copy"] == values["shuffled"]
    assert not [note for note in result["notes"] if "not used" in note]
    rows = pl.read_csv(judge)
    pl.concat([rows, rows.head(1).with_columns(system=pl.lit("nobody"))]).write_csv(judge)
    result = told("audit", TESTSET, *SYSTEMS, "--scores", judge)
    unused = [note for note in result["notes"] if "not used" in note]
    assert unused == ["judge: 1 value of other systems or ids not used"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("score",), "Missing argument 'TESTSET|SCORES'"),
        (
            ("score", "--scores", "{judge}", "-m", "bleu"),
            "-m bleu: it measures replies, and none are",
        ),
        (("score", "--scores", "nowhere.csv"), "nowhere.csv: no such file"),
        (("score", "--scores", "{judge}", "--without", "nobody"), "system 'nobody' is unknown"),
        (("score", "--scores", "{judge}", "--scores", "{judge}"), "the same file is given twice"),
        (
            ("score", TESTSET, *SYSTEMS, "--format", "judge.csv:csv"),
            "--format judge.csv:csv: the command reads no file 'judge.csv'",
        ),
        (("score", "--block", "3"), "Missing argument 'TESTSET|SCORES'"),
        (("score", "{kept}", "--scores", "{judge}"), "--scores: {kept} holds scores as they were"),
        (
            ("score", TESTSET, *SYSTEMS, "--scores", "{judge}", "--explain", "c001"),
            "do not go together",
        ),
        (("score", TESTSET, "{judge}", "--scores", "{judge}", "--block", "3"), "--scores"),
        (("judge", "{judge}", "ratings.csv"), "Expected: --ratings FILE (File of human ratings"),
        (
            ("compare", "--scores", "{judge}:upper"),
            "got 'upper' behind the colon; expected higher,",
        ),
        (("plan",), "people's ratings (--ratings FILE), or scores of another tool (--scores FILE)"),
        (
            ("score", "--scores", "{judge}", "--cluster", "judge"),
            "no column of numbers; got system, id, judge",
        ),
    ],
    ids=range(14),
)
def test_what_is_wrong_is_one_message(judge, told, capfd, tmp_path, words, message):
    kept = tmp_path / "kept.parquet"
    told("score", "--scores", judge, "--save", kept)
    names = {"judge": judge, "kept": kept}
    error = refused(capfd, *(word.format(**names) for word in words))
    assert message.format(**names) in " ".join(error.split())


def test_a_file_that_is_read_is_not_written(judge, capfd, tmp_path):
    path = tmp_path / "judge.parquet"
    read_scores(judge).write_parquet(path)
    error = refused(capfd, "score", "--scores", f"{path}:lower", "--save", path)
    assert "that is an input; name another file" in error


@pytest.mark.parametrize("items", [1, 2, 3, 9, 1_024, pytest.param(20_000, marks=pytest.mark.slow)])
def test_every_size_gives_a_result(tmp_path, told, items):
    table = pl.DataFrame(
        {"system": ["a", "b"] * items, "id": [str(i // 2) for i in range(2 * items)]}
    )
    values = pl.int_range(2 * items) * 7919 % 101
    table.select("system", "id", judge=values, ter=values / 101).write_csv(tmp_path / "judge.csv")
    given = ("--scores", tmp_path / "judge.csv", "--resamples", 100)
    assert {row["n"] for row in told("score", *given)["systems"]} == {items}
    assert len(told("compare", *given, "--permutations", 100)["comparisons"]) == 2
    table.select(
        "id", "system", rater=pl.lit("1"), criterion=pl.lit("all"), score=values % 5 + 1
    ).write_csv(tmp_path / "ratings.csv")
    ratings = ("--ratings", tmp_path / "ratings.csv", "--permutations", 50, "-c", "pearson")
    assert told("correlate", *given, *ratings)["agreement"][0]["n"] == 2 * items


def test_standard_input_needs_its_format(judge):
    words = [
        sys.executable,
        "-m",
        "rejoinder",
        "score",
        "--scores",
        "-",
        "--json",
        "--resamples",
        "0",
    ]
    given = judge.read_bytes()
    failed = subprocess.run(words, input=given, capture_output=True, check=False)
    assert failed.returncode == 2
    assert b"say which it is with --format" in failed.stderr
    done = subprocess.run([*words, "--format", "csv"], input=given, capture_output=True, check=True)
    systems = json.loads(done.stdout)["systems"]
    assert {row["system"]: row["value"] for row in systems} == pytest.approx(means(judge))


@pytest.mark.parametrize("verb", ["compare", "plan"])
def test_the_two_systems_are_chosen_before_items_are_dropped(told, tmp_path, verb):
    rows = [(s, str(i), i % 3 + (s == "a")) for s in "ab" for i in range(12)]
    rows += [("c", "0", 1)]  # the third system lacks all other items
    path = tmp_path / "judge.csv"
    pl.DataFrame(rows, schema=["system", "id", "judge"], orient="row").write_csv(path)
    given = ("--scores", path, "--missing", "drop", "-a", "a", "-b", "b")
    result = told(verb, *given)
    number = result["items"] if verb == "plan" else result["comparisons"][0]["n"]
    assert number == 12


@pytest.mark.parametrize(
    "table", ["system,id,name,value\na,1,judge,3\na,2,judge,4\n", "id,system,judge\n1,a,3\n2,a,4\n"]
)
@pytest.mark.parametrize("verb", ["score", "compare", "plan"])
def test_scores_in_the_place_of_the_test_set_name_the_option(command, tmp_path, table, verb):
    path = tmp_path / "judge.csv"
    path.write_text(table)
    status, _, err = command(verb, path)
    assert status == 2
    assert f"rejoinder {verb} --scores {path}" in " ".join(err.split())
