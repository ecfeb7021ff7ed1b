"""``rejoinder compare --fail-if-worse``: the exit status and what is said on standard error."""

import json

import pytest

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
