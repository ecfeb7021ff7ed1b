"""The command line as a user meets it: in process, exit status and both streams."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import polars as pl
import pytest

from rejoinder.cli import app
from rejoinder.tables.testset import read_testset
from shared_data import ROOT, SYSTEMS, TESTSET


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


def test_score_shows_a_table_verdicts_and_signatures(command):
    status, out, err = command("score", TESTSET, *SYSTEMS)
    assert (status, err) == (0, "")
    assert "deltaBLEU-2" in out
    assert "[low, high]: 95% interval (jackknife over items)" in out
    verdict = next(line for line in out.splitlines() if "33.1" in line)
    assert "tuned" in verdict
    assert "46/4/16" in verdict
    assert "better" in verdict
    assert "deltableu|order:2|tok:13a" in out
    assert out.index("tuned") < out.index("retrieval") < out.index("generic")


def test_score_as_json(command):
    status, out, err = command(
        "score", TESTSET, *SYSTEMS, "-m", "deltableu", "-m", "length", "--json"
    )
    assert (status, err) == (0, "")
    told = json.loads(out)
    best = told["systems"][0]
    assert best["system"] == "tuned"
    assert best["value"] == pytest.approx(0.4933, abs=5e-5)  # 0 to 1 here, x100 in tables
    assert set(told) == {"json_version", "systems", "parts", "leads", "notes"}
    (lead,) = told["leads"]
    assert (lead["a"], lead["b"], lead["p"] < 0.05) == ("tuned", "retrieval", True)


def test_no_interval_is_null_in_json(command):
    _, out, _ = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "0", "--json")
    assert json.loads(out)["systems"][0]["low"] is None


def test_by_topic(command):
    status, out, _ = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--by", "topic")
    assert status == 0
    assert all(topic in out for topic in ("travel", "food", "work", "home", "study", "leisure"))
    status, _, err = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--by", "mood")
    assert status == 2
    assert err == "rejoinder: --by mood: the contexts have no column 'mood'; choose 'topic'\n"


def test_a_group_without_an_interval_says_why_and_groups_have_signatures(command, tmp_path):
    rows = [
        {
            "context": ["hi"],
            "references": ["a b c"],
            "model": "m",
            "prediction": text,
            "topic": topic,
        }
        for topic, text in (("hit", "a b c"), ("none", "x y z"))
        for _ in range(5)
    ]
    path = tmp_path / "table.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    out = " ".join(command("score", path, "-m", "bleu", "--by", "topic")[1].split())
    assert "without an interval: the value stays the same whichever item is left out" in out
    assert "BLEU-2: bleu|order:2" in out


def test_segments_are_a_table_of_items(command):
    status, out, _ = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--segments")
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "system\tid\tBLEU-2"
    assert len(lines) == 1 + 3 * 66


def test_explain_names_the_ngrams_and_the_references(command):
    status, out, err = command(
        "score", TESTSET, *SYSTEMS, "--explain", "c001", "--system", "retrieval"
    )
    assert status == 0
    assert "note: only deltaBLEU is explained by default; -m explains other metrics" in err
    assert "retrieval on c001" in out
    assert "-0.80" in out  # the weight of its bad reference
    status, _, err = command("score", TESTSET, *SYSTEMS, "--explain", "nothing")
    assert status == 2
    assert "no item with the id 'nothing'" in err
    for metric in ("length", "rougeL", "sbleu"):
        status, _, err = command("score", TESTSET, *SYSTEMS, "--explain", "c001", "-m", metric)
        assert status == 2
        assert "cannot be explained; choose 'deltableu', 'bleu', " in err


def test_explain_shows_weights_only_where_the_metric_reads_them(command):
    explain = ("score", TESTSET, *SYSTEMS, "--explain", "c001", "--system", "retrieval")
    for metric, reads in (("deltableu", True), ("bleu", False), ("bleu:references=w>=0.6", False)):
        status, out, _ = command(*explain, "-m", metric)
        said = " ".join(out.split())
        assert status == 0
        assert ("weight ┃" in said) == reads
        assert ("ignores the weights of references" in said) == (not reads)
        assert ("'adds'" in said) == reads
    # The rule of the last one leaves out the reference of weight -0.8.
    assert "The nights are getting longer" not in said


def test_explain_says_which_precision_was_smoothed(command):
    # The generic reply of c001 shares 2 of 7 tokens with the references, and none of its 6 bigrams.
    explain = ("score", TESTSET, *SYSTEMS, "--explain", "c001", "--system", "generic")
    for smoothing, told in (("none", "0 / 6 = 0 for n = 2"), ("exp", "0 / 6 = 0.08333 (smoothed)")):
        _, out, _ = command(*explain, "-m", f"bleu:smoothing={smoothing}")
        said = " ".join(out.split())
        assert "Precision: 2 / 7 = 0.2857 for n = 1" in said
        assert told in said


def test_save_and_compare(command, tmp_path):
    kept = tmp_path / "kept.parquet"
    assert command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", kept)[0] == 0
    status, out, _ = command("compare", kept, "--permutations", "100")
    assert status == 0
    assert "detectable" in out
    status, out, _ = command("compare", kept, "-a", "tuned", "-b", "generic", "--json")
    (row,) = json.loads(out)["comparisons"]
    assert (row["a"], row["b"], row["n"]) == ("tuned", "generic", 66)
    assert command("compare", kept, "-m", "bleu")[0] == 0
    status, _, err = command("compare", kept, "-m", "chrf")
    assert status == 2
    assert "chrf" in err


def test_metrics_lists_name_source_bounds_needs(command):
    status, out, _ = command("metrics", "--json")
    assert status == 0
    table = {each["name"]: each for each in json.loads(out)}
    assert table["deltableu"]["source"].startswith("Galley")
    assert table["deltableu"]["bounds"] == [0.0, 1.0]
    assert table["deltableu"]["needs"] == ["references", "weights"]
    assert "deltableu" in command("metrics")[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["score", TESTSET], "is taken for the test set, and no replies are given"),
        (
            ["score", TESTSET, *SYSTEMS, "-m", "blue"],
            "metric 'blue' is unknown; did you mean 'bleu'?",
        ),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:odrer=4"], "'odrer=4' is no parameter"),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:order=four"], "expected a number"),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:order=0"], "whole number from 1 to 9"),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:tokenizer=14a"], "tokenizer='14a' is unknown"),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:smoothing=x"], "smoothing='x' is unknown"),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:references=best"], "is no rule"),
        (["score", TESTSET, *SYSTEMS, "-m", "deltableu:reading=x"], "reading='x' is unknown"),
        (["score", TESTSET, *SYSTEMS, "--resamples", "-1"], "--resamples -1"),
        (["score", TESTSET, *SYSTEMS, "--seed", "-1"], "--seed -1"),
        (["score", TESTSET, *SYSTEMS, "--block", "9", "--segments"], "--block keeps sums"),
        (["score", TESTSET, *SYSTEMS, "--block", "0"], "--block 0"),
        (["score", TESTSET, *SYSTEMS, "--block", "9"], "--block needs Parquet files"),
        (["score", TESTSET, *SYSTEMS, "--format", "xml"], "xml"),
        (["compare", TESTSET], "Parquet"),
        (["score", TESTSET, *SYSTEMS, "--missing", "guess"], "guess"),
        (["frobnicate"], "frobnicate"),
        (["score", TESTSET, *SYSTEMS, "--by", "topic", "--segments"], "do not go together"),
        (["score", TESTSET, *SYSTEMS, "--explain", "c001", "--save", "x.parquet"], "together"),
        (["score", TESTSET, *SYSTEMS, "--save", TESTSET], "that is an input"),
        (["score", TESTSET, *SYSTEMS, "--save", "x.csv"], "expected '.parquet'"),
        (
            ["score", TESTSET, *SYSTEMS, "--without", "nobody"],
            "system 'nobody' is unknown; choose 'generic'",
        ),
        (["score", TESTSET, *SYSTEMS, "-m", "bleu:order=2,order=3"], "order is given twice"),
        (["score", TESTSET, *SYSTEMS, "-m", "rouge1:variant=2"], "is no parameter"),
        (["score", TESTSET, *SYSTEMS, "--resamples", "99999999999"], "from 0 (no interval)"),
    ],
)
def test_mistakes_are_one_message_and_status_2(command, arguments, told):
    status, out, err = command(*arguments)
    assert status == 2
    assert out == ""
    assert told in err
    assert "Traceback" not in err


def test_the_process_itself(tmp_path):
    # main() ends the process by itself: look at it from outside.
    done = subprocess.run(
        [sys.executable, "-m", "rejoinder", "score", TESTSET, *SYSTEMS, "-m", "bleu", "--json"],
        capture_output=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["systems"]
    done = subprocess.run(
        [sys.executable, "-m", "rejoinder", "score", "nothing"], capture_output=True
    )
    assert done.returncode == 2


def test_help_needs_nothing_heavy():
    program = (
        "import sys; from rejoinder.cli.app import run; run(['score', '--help']);"
        "assert not {'numba', 'polars', 'pyarrow', 'numpy'} & set(sys.modules), 'heavy import'"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=ROOT)


def test_saved_scores_are_shown_again(command, tmp_path):
    kept = tmp_path / "kept.parquet"
    _, out, _ = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--save", kept)
    assert command("score", kept)[1] == out
    assert "leisure" in command("score", kept, "--by", "topic")[1]


def test_a_system_is_left_out(command):
    _, out, _ = command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--without", "tuned", "--json")
    assert [row["system"] for row in json.loads(out)["systems"]] == ["retrieval", "generic"]


def test_a_narrow_terminal_keeps_the_verdict_and_all_the_rest(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = command("score", TESTSET, *SYSTEMS, "-m", "deltableu")
    assert "retrieval" in out
    # The verdict stands in the row of the difference; what did not fit there, in a table below.
    assert "better" in next(line for line in out.splitlines() if "33.1" in line)
    assert "46/4/16" in out
    assert "detectable" in out


def test_a_full_disk_is_one_message(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rejoinder", "metrics"], stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "rejoinder: the output cannot be written: No space left on device\n"
    )


def test_a_file_is_saved_whole_where_the_output_cannot_be_written(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    words = ["filter", TESTSET, "-o", tmp_path / "kept.jsonl"]
    with open("/dev/full", "wb") as full:
        done = process(words, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {
        "kept.jsonl",
        "kept.jsonl.provenance.json",
    }
    assert len(read_testset(tmp_path / "kept.jsonl")) == 66


def test_a_defect_is_one_message_and_its_traceback_on_request(command, monkeypatch):
    def broken():
        raise KeyError("\x1b[2J")

    monkeypatch.setitem(app.app.commands, "metrics", click.Command("metrics", callback=broken))
    status, out, err = command("metrics")
    assert (status, out) == (1, "")
    assert "internal error" in err
    assert "KeyError" in err
    assert "Traceback" not in err
    assert "\x1b" not in err
    monkeypatch.setenv("REJOINDER_TRACEBACK", "1")
    with pytest.raises(KeyError):
        app.run(["metrics"])


def test_a_panic_of_polars_is_one_message(command, monkeypatch):
    def broken():
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setitem(app.app.commands, "metrics", click.Command("metrics", callback=broken))
    status, _, err = command("metrics")
    assert status == 1
    assert "internal error" in err
    assert "assertion failed" in err


@pytest.mark.parametrize("value", ["0", " 00"])
def test_polars_without_a_thread_is_refused(command, monkeypatch, value):
    monkeypatch.setenv("POLARS_MAX_THREADS", value)
    status, out, err = command("metrics")
    assert (status, out) == (2, "")
    assert f"POLARS_MAX_THREADS: got '{value}'; expected a number of threads from 1 on" in err


def test_too_little_memory_is_one_message(command, monkeypatch):
    def greedy():
        raise MemoryError

    monkeypatch.setitem(app.app.commands, "metrics", click.Command("metrics", callback=greedy))
    status, _, err = command("metrics")
    assert status == 1
    assert "not enough memory" in err


def process(words, **options):
    return subprocess.run([sys.executable, "-m", "rejoinder", *words], check=False, **options)


@pytest.mark.parametrize("stream", [1, 2])
def test_a_closed_stream_is_an_error_before_the_work(stream):
    other = {"stderr" if stream == 1 else "stdout": subprocess.PIPE}
    done = process(
        ["metrics"], preexec_fn=lambda: os.close(stream), stdin=subprocess.DEVNULL, **other
    )
    assert done.returncode == 2
    if stream == 1:
        assert done.stderr == b"rejoinder: the output cannot be written: it is closed\n"


def test_output_in_ascii_writes_other_characters_out(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"id": "né", "references": ["ü"]}\n', encoding="utf-8")
    (tmp_path / "中.jsonl").write_text('{"id": "né", "text": "ü"}\n', encoding="utf-8")
    words = ["score", tmp_path / "t.jsonl", tmp_path / "中.jsonl", "-m", "bleu"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = process(words, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert rb"\u4e2d" in done.stdout


def test_what_a_reader_logs_is_a_note(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("id,system,rater,score\n1,a,r,3\n2,a,r,4\n3,a,r,\n")
    done = subprocess.run(
        [sys.executable, "-m", "rejoinder", "ratings", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr.splitlines() == [f"rejoinder: note: {path}: 1 row without a score left out"]


def test_what_a_reader_logs_is_said_once_where_both_streams_are_one(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    path = tmp_path / "judge.csv"
    path.write_text("id,system,judge\n1,a,3\n2,a,4\n1,b,3\n2,b,1\n")
    words = [sys.executable, "-m", "rejoinder", "score", "--scores", str(path)]
    note = "each column of numbers is a metric: judge"
    both = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert both.stdout.count(note) == 1
    apart = subprocess.run(words, capture_output=True, text=True)
    assert (apart.stdout.count(note), apart.stderr.count(note)) == (1, 1)
    quiet = subprocess.run(
        [*words, "-q"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert quiet.stdout.count(note) == 1
    rows = subprocess.run([*words, "--segments"], capture_output=True, text=True)
    assert rows.stderr.count(note) == 1


def test_values_without_an_interval_are_counted_in_plain_words(command, tmp_path):
    # Every reply is its reference: the score is 100 whichever item is left out.
    words = ["yes please", "at nine", "not today", "see you", "well done"]
    for name, key in (("test", "references"), ("bot", "text")):
        rows = [
            {"id": str(i), key: [text] if key == "references" else text}
            for i, text in enumerate(words)
        ]
        lines = [json.dumps(row | ({"context": ["hm"]} if name == "test" else {})) for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    _, out, _ = command("score", tmp_path / "test.jsonl", tmp_path / "bot.jsonl", "-m", "rougeL")
    assert (
        "1 of 1 value without an interval: the value stays the same whichever item is left out, so "
        "its uncertainty cannot be estimated; this does not mean that it is certain"
    ) in " ".join(out.split())


def test_replies_given_first_beside_references_are_named(command, tmp_path):
    for name in ("a", "b", "refs"):
        (tmp_path / f"{name}.txt").write_text("yes\nno\n")
    a, b, refs = (tmp_path / f"{name}.txt" for name in ("a", "b", "refs"))
    _, _, err = command("score", a, b, "-r", refs, "--json")
    assert f"{a}: read as the test set, since it is the first file" in err
    _, _, err = command("score", refs, a, "-r", b, "--json")
    assert "read as the test set" not in err
