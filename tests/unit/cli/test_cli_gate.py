"""``rejoinder compare --fail-if-worse``: the exit status and what is said on standard error."""

import json
import re
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from rejoinder import Scores, compare
from rejoinder.cli.show.junit import as_junit
from shared_data import SYSTEMS, TESTSET

READ = ["compare", TESTSET, *SYSTEMS, "-m", "bleu", "--permutations", "100"]


def test_a_loss_is_status_1_and_a_message_for_each_system(command):
    status, out, err = command(*READ, "-b", "tuned", "--fail-if-worse", "0.01")
    assert status == 1
    lines = [line for line in err.splitlines() if "is worse" in line]
    assert len(lines) == 2
    assert lines[0].startswith(
        "rejoinder: BLEU-2: 'generic' is worse than the baseline 'tuned' by more than 0.01 "
        "(difference -0.3835, 95% interval [-0.44"
    )
    assert "p worse" in out
    assert "verdict: worse where it is below 0.05" in " ".join(out.split())


def test_no_loss_is_status_0(command):
    status, out, err = command(*READ, "-a", "tuned", "-b", "generic", "--fail-if-worse", "0")
    assert (status, err) == (0, "")
    assert "not worse" in out


@pytest.mark.parametrize(("more", "status"), [([], 0), (["--fail-if-unsure"], 1)])
def test_what_is_not_clear_fails_where_it_is_asked_for(command, more, status):
    words = ["-a", "retrieval", "-b", "tuned", "--fail-if-worse", "0.15", "--json", *more]
    found, out, err = command(*READ, *words)
    assert found == status
    (row,) = json.loads(out)["comparisons"]
    assert row["verdict"] == "not clear"
    assert ("it is not excluded that 'retrieval' is worse" in err) == bool(more)


def test_a_metric_that_does_not_rank_systems_has_no_verdict(command):
    words = ["-m", "length", "-a", "tuned", "-b", "generic", "--fail-if-worse", "0.5", "--json"]
    status, out, _ = command(*READ, *words, "--fail-if-unsure")
    assert status == 0
    verdicts = {row["metric"]: row["verdict"] for row in json.loads(out)["comparisons"]}
    assert verdicts == {"BLEU-2": "not worse", "length": None}


def test_quiet_says_why_all_the_same(command):
    status, _, err = command(*READ, "-q", "-b", "tuned", "--fail-if-worse", "0.01")
    assert status == 1
    assert err.count("is worse than the baseline") == 2


def test_verdicts_as_junit(command, tmp_path):
    path = tmp_path / "gate.xml"
    words = ["-m", "length", "-b", "tuned", "--fail-if-worse", "0.15", "--save", path]
    for more, failures in (([], ["generic"]), (["--fail-if-unsure"], ["generic", "retrieval"])):
        status, _, err = command(*READ, *words, *more)
        assert status == 1
        assert f"Wrote {path}." in err
        suite = ET.parse(path).getroot()
        assert suite.tag == "testsuite"
        assert suite.attrib["tests"] == "4"
        assert suite.attrib["failures"] == str(len(failures))
        assert suite.attrib["skipped"] == "2"
        failed = [each for each in suite if each.find("failure") is not None]
        assert [each.attrib["name"] for each in failed] == [f"{a} against tuned" for a in failures]
        for each in failed:
            assert f"rejoinder: {each.find('failure').attrib['message']}" in err
        skipped = [each.attrib["classname"] for each in suite if each.find("skipped") is not None]
        assert skipped == ["length", "length"]


def test_junit_has_any_name():
    name = '<a b="c">&]]>\x1b\x00\ufffe\n\u202e'
    rows = [(s, str(i), x) for s, x in (("old", 1.0), (name, 0.0)) for i in range(8)]
    frame = pl.DataFrame(rows, ["system", "id", name], orient="row")
    suite = ET.fromstring(
        as_junit(compare(Scores.from_segments(frame), b="old", worse_by=0.1), False)
    )
    (case,) = suite
    shown = '<a b="c">&]]>\\x1b\\x00\\ufffe\\n\\u202e'
    assert (case.attrib["classname"], case.attrib["name"]) == (shown, f"{shown} against old")


@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_the_tables_are_saved_as_they_are_shown(command, tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    assert command(*READ, "--json", "--tables", path)[0] == 0
    minus = "$-$" if suffix == "tex" else "-"
    assert f"{minus}38.3 " in path.read_text("utf-8")
    assert command(*READ, "--digits", "3", "--ranks", "--tables", path)[0] == 0
    assert re.search(rf"{re.escape(minus)}38\.\d{{3}} ", path.read_text("utf-8"))
    assert "rejoinder compare" in path.read_text("utf-8").splitlines()[0]
    assert "1 a" in path.read_text("utf-8")
