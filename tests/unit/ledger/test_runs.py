"""The runs of a ledger: what can be compared stands on one line, what changed, and gates that do not move."""

import math

import polars as pl
import pytest

import ledgers
import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.ledger import runs_tables
from rejoinder.ledger.runs import difference_interval
from shared_data import SYSTEMS, TESTSET


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return ledgers.ledger(tmp_path_factory.mktemp("ledger") / "runs.sqlite").read_bytes()


@pytest.fixture
def path(whole, tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(whole)
    return tmp_path / "runs.sqlite"


def test_runs_of_other_settings_are_on_another_line_and_it_is_said_why(path):
    found = rejoinder.runs(path, metrics=["bleu"])
    of_a = found.series.filter(system="a")
    assert of_a.select("run", "value", "line").rows() == [
        (1, 0.5, 1), (2, 0.5625, 1), (3, 0.625, 2), (4, 0.25, 1),
    ]  # fmt: skip
    assert of_a.select("low", "high").row(1) == (0.5, 0.625)
    assert found.notes == (
        "run 3 cannot be compared with run 1 (BLEU-2): case of the signature: mixed, then lc",
    )
    assert set(found.series["name"]) == {"value"}  # numbers of items have no interval


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"settings": {"missing": "drop"}}, "setting missing: error, then drop"),
        ({"settings": {"missing": "error", "only": "topic=a"}}, "setting only: none, then topic=a"),
        (
            {"inputs": [{**ledgers.RUN["inputs"][0], "content": "9" * 64}]},
            "other content of TESTSET",
        ),
        ({"settings": {"missing": "error", "resamples": "7"}}, ""),
        ({"seed": 9, "version": "2.0.0"}, ""),
    ],
)
def test_what_a_value_depends_on_parts_lines(path, facts, why):
    ledgers.record(path, 5, {"a": 0.5}, **facts)
    found = rejoinder.runs(path, metrics=["BLEU-2"], system="a")
    assert found.series["line"][-1] == (3 if why else 1)
    assert found.notes[1:] == (
        (f"run 5 cannot be compared with run 1 (BLEU-2): {why}",) if why else ()
    )


def test_the_table_is_narrowed_and_unknown_names_are_refused(path):
    assert rejoinder.runs(path).runs["run"].to_list() == [1, 2, 3, 4]
    assert rejoinder.runs(path).runs["numbers"].to_list() == [4] * 4
    ledgers.record(path, 5, {"c": 0.5}, metric="chrF", verb="audit")
    assert rejoinder.runs(path, verb="audit").runs["run"].to_list() == [5]
    assert rejoinder.runs(path, system="c").runs["run"].to_list() == [5]
    assert rejoinder.runs(path, metrics=["chrf"]).runs["run"].to_list() == [5]
    assert rejoinder.runs(path).runs["baselines"].to_list()[:2] == [["first"], []]
    for asked in ({"verb": "mark"}, {"system": "A"}, {"metrics": ["meteor"]}):
        with pytest.raises(ParameterError, match="no run has it; choose"):
            rejoinder.runs(path, **asked)


def test_what_changed_between_two_runs(path):
    result = rejoinder.runs(path).changes(3, 4)
    assert result.changes.rows() == [
        ("version", "", "1.0.0", "1.1.0"),
        ("seed", "", "1", "2"),
        ("signature", "BLEU-2", ledgers.SIGNATURE.replace("mixed", "lc"), ledgers.SIGNATURE),
        ("input", "RESPONSES a.jsonl", "2" * 12, "3" * 12),
    ]
    a = result.numbers.row(0, named=True)
    assert (a["system"], a["first"], a["second"], a["difference"]) == ("a", 0.625, 0.25, -0.375)
    assert a["reason"] == "case of the signature: lc, then mixed"
    assert result.command == "rejoinder explain-diff t.jsonl a.jsonl -m bleu:lowercase=true -m bleu"
    assert rejoinder.runs(path).changes(1, 2).command == ""
    with pytest.raises(ParameterError, match="there is no run 9; the ledger has 1 to 4"):
        rejoinder.runs(path).changes(1, 9)


def test_a_gate_is_against_a_run_that_does_not_move(path):
    # a: 0.25 - 0.5 = -0.25, and of each run the interval is 0.0625 wide on either side: the difference
    # has sqrt(2) x 0.0625 = 0.088 on either side, so that a loss of 0.1 is shown. b: 0 +- 0.088.
    gate = rejoinder.runs(path).gate("first", 0.1)
    assert (gate.frozen, gate.run) == (1, 4)
    rows = {each["system"]: each for each in gate.table.to_dicts()}
    half = math.sqrt(2) / 16
    assert rows["a"]["verdict"] == "worse"
    assert (rows["a"]["low"], rows["a"]["high"]) == pytest.approx((-0.25 - half, -0.25 + half))
    assert rows["b"]["verdict"] == "not worse"
    assert gate.failed()["system"].to_list() == ["a"]
    assert rejoinder.runs(path).gate("first", 0.05).failed(unsure=True).height == 2  # 0.088 > 0.05
    assert rejoinder.runs(path).gate("first", 0.05).failed().height == 1
    with pytest.raises(ParameterError, match="the baseline 'first' is run 1 and does not move"):
        rejoinder.freeze_run(path, "first", 2)
    assert rejoinder.freeze_run(path, "first", 1) == 1
    assert rejoinder.freeze_run(path, "last") == 4
    ledgers.record(path, 5, {"a": 0.75, "b": 0.5}, responses="4")
    assert rejoinder.runs(path).gate("first", 0.1).frozen == 1
    assert rejoinder.runs(path).gate("first", 0.1).failed().height == 0


def test_a_gate_at_its_margin_and_of_a_metric_of_which_less_is_better(tmp_path):
    path = tmp_path / "runs.sqlite"
    ledgers.record(path, 1, {"a": 0.5}, "TER", half=0.0)
    ledgers.record(path, 2, {"a": 0.625}, "TER", half=0.0, responses="2")
    rejoinder.freeze_run(path, "old", 1)
    assert rejoinder.runs(path).gate("old", 0.125).table["verdict"].to_list() == ["not worse"]
    assert rejoinder.runs(path).gate("old", 0.1249).table["verdict"].to_list() == ["worse"]
    ledgers.record(path, 3, {"a": 0.375}, "TER", half=0.0, responses="3")
    assert rejoinder.runs(path).gate("old", 0).table["verdict"].to_list() == ["not worse"]


def test_the_same_replies_have_a_difference_without_error(tmp_path):
    path = tmp_path / "runs.sqlite"
    for day in (1, 2):
        ledgers.record(path, day, {"a": 0.5})
    rejoinder.freeze_run(path, "old", 1)
    row = rejoinder.runs(path).gate("old", 0).table.row(0, named=True)
    assert (row["low"], row["high"], row["verdict"]) == (0, 0, "not worse")


def test_a_gate_that_cannot_compare_does_not_pass(path):
    with pytest.raises(
        InputError, match="run 3 cannot be compared with the baseline 'first', run 1: case"
    ):
        rejoinder.runs(path).gate("first", 0.1, 3)
    with pytest.raises(ParameterError, match="no baseline is called 'none'; there is 'first'"):
        rejoinder.runs(path).gate("none", 0.1)
    rejoinder.freeze_run(path, "last", 4)
    with pytest.raises(
        InputError, match="no run of 'score' was recorded after the baseline 'last'"
    ):
        rejoinder.runs(path).gate("last", 0.1)
    for margin in (-1, math.inf, math.nan):
        with pytest.raises(ParameterError, match="must be a number from 0 on"):
            rejoinder.runs(path).gate("first", margin)
    ledgers.record(path, 5, {"a": 0.5}, responses="4")  # b is not there any more
    gate = rejoinder.runs(path).gate("first", 0.1)
    assert gate.failed().select("system", "verdict", "reason").rows() == [
        ("b", "not comparable", "run 5 has no such value")
    ]
    assert "run 5 has no such value" in gate.to_markdown()  # its cells of numbers are empty


def test_a_gate_of_the_command_line_exits_with_1(command, path):
    status, out, err = command("runs", path, "--baseline", "first", "--fail-if-worse", "0.1")
    assert (status, "worse" in out) == (1, True)
    assert "rejoinder: a BLEU-2: worse, against the baseline 'first'" in err
    assert (
        command("runs", path, "--system", "b", "--baseline", "first", "--fail-if-worse", "0.1")[0]
        == 0
    )
    assert command("runs", path, "2", "--baseline", "first", "--fail-if-worse", "0.1")[0] == 0
    assert command("runs", path, "3", "--baseline", "first", "--fail-if-worse", "0.1")[0] == 2
    for words in (["1"], ["1", "2", "3"], ["1", "2", "--freeze", "x"], ["--plots", "x"]):
        assert command("runs", path, *words)[0] == 2


def test_a_program_in_python_records_what_a_command_does(command, tmp_path):
    path = tmp_path / "runs.sqlite"
    scores = rejoinder.score(
        rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS), ["bleu"], resamples=0
    )
    files = {"testset": TESTSET, "responses": SYSTEMS}
    number = rejoinder.record_run(path, scores, files, "score", settings={"missing": "error"})
    assert number == 1
    assert (
        command("score", TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", 0, "--ledger", path)[0]
        == 0
    )
    found = rejoinder.runs(path, metrics=["bleu"])
    assert found.notes == ()
    of_run = found.series.partition_by("run")
    assert of_run[0].drop("run", "at").equals(of_run[1].drop("run", "at"))
    assert found.changes(1, 2).numbers["difference"].drop_nulls().unique().to_list() == [0]


def test_the_interval_of_a_difference_covers_and_is_wide_on_the_same_items():
    import numpy as np

    draw = np.random.default_rng(7)
    covered = {}
    for shared in (0.0, 0.8):
        found = []
        for _ in range(400):
            items = draw.normal(size=40) * math.sqrt(shared)
            own = draw.normal(size=(2, 40)) * math.sqrt(1 - shared)
            means = [float((items + each).mean()) for each in own]
            error = [float((items + each).std(ddof=1)) / math.sqrt(40) * 2.0227 for each in own]
            ends = [
                x
                for mean, half in zip(means, error, strict=True)
                for x in (mean, mean - half, mean + half)
            ]
            low, high = difference_interval(*ends)
            found.append(low <= 0 <= high)
        covered[shared] = np.mean(found)
    assert 0.92 <= covered[0.0] <= 0.98
    assert covered[0.8] >= 0.98


def test_a_terminal_has_the_newest_runs_and_says_so(path, command, monkeypatch):
    monkeypatch.setattr(runs_tables, "NEWEST", 2)
    shown = " ".join(command("runs", path, "-m", "bleu", "--system", "a")[1].split())
    assert "the newest 2 of 4 runs: files of CSV, JSON and the figure have all" in shown
    assert [f"2026-10-0{day}" in shown for day in (1, 2, 3, 4)] == [False, False, True, True]
    table = rejoinder.runs(path, metrics=["bleu"]).document()[0]
    assert table.data()["run"].unique().to_list() == [1, 2, 3, 4]


def test_runs_without_an_interval_are_shown_too(tmp_path):
    path = tmp_path / "runs.sqlite"
    ledgers.record(path, 1, {"a": 0.5}, half=math.nan)
    found = rejoinder.runs(path, metrics=["bleu"])
    assert found.series.filter(name="value")["value"].to_list() == [0.5]
    assert isinstance(found.document()[0].data(), pl.DataFrame)


def test_a_report_has_the_earlier_runs_of_its_ledger(command, tmp_path):
    page, ledger = tmp_path / "report.html", tmp_path / "runs.sqlite"
    words = ["report", TESTSET, *SYSTEMS, "-m", "bleu", "-o", page, "--ledger", ledger]
    assert command(*words)[0] == 0
    assert "Earlier runs" not in page.read_text()
    assert command(*words)[0] == 0
    content = page.read_text()
    assert "Earlier runs" in content
    assert "values of earlier runs with 95% intervals" in content  # the caption of the figure
