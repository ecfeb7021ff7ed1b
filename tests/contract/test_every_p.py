"""Every p-value of a permutation test or a bootstrap is (c + 1) / (n + 1), wherever it is told.

So p (n + 1) is a whole number from 1 to n + 1. c / n breaks that: it is 0 where nothing reaches, and
elsewhere c (n + 1) / n is a whole number for c = n alone.
"""

import json
import math
import re

import polars as pl
import pytest

import rejoinder
from rejoinder.cli.terminal.showing import show
from rejoinder.tuning.sweep_tables import correlation as sweep_correlation
from rejoinder.tuning.table import PERMUTATIONS as PERMUTATIONS_OF_SWEEPS
from rejoinder.tuning.table import _words as sweep_legend
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = ["--ratings", str(EXAMPLES / "ratings.csv")]
READ = [TESTSET, *SYSTEMS]
TWO = ["-m", "bleu", "-m", "length"]
PERMUTATIONS, RESAMPLES = 97, 113
AUDIT = 10_000
"""Permutations of ``audit``, which has no option for them."""
DRAWS = ["--resamples", RESAMPLES]
TESTS = ["--permutations", PERMUTATIONS]
OTHERWISE = re.compile("holm|williams|side_p|t_test")
"""Keys of p-values that are no shares of permutations: corrected ones, and those of a formula."""

COMMANDS = {
    "compare": ["compare", *READ, *TWO, *DRAWS, *TESTS],
    "audit": ["audit", *READ, *TWO, *DRAWS],
    "turn": ["correlate", *READ, *TWO, *RATINGS, *DRAWS, *TESTS, "--compare"],
    "unit": ["correlate", *READ, *TWO, *RATINGS, *TESTS, "--compare", "-p", "unit",
             "--set", "unit_size=6", "--set", "assignments=20"],
    "system": ["correlate", *READ, *TWO, *RATINGS, *DRAWS, *TESTS, "--compare", "-p", "system"],
    "pairwise": ["correlate", *READ, *TWO, *RATINGS, *DRAWS, *TESTS, "--compare", "-p", "pairwise"],
    "negative-references": ["recipe", "negative-references", TESTSET, *DRAWS, *TESTS],
    "galley2015": ["recipe", "galley2015", *READ, *RATINGS, *TESTS, "--set", "unit_size=6",
                   "--set", "assignments=20", "--drop-unusable"],
}  # fmt: skip


def shares(told, key=""):
    """Every p-value in JSON, with its key."""
    if isinstance(told, dict):
        for name, value in told.items():
            yield from shares(value, name)
    elif isinstance(told, list):
        for each in told:
            yield from shares(each, key)
    elif isinstance(told, float) and re.search(r"(^|_)p(_|$)", key) and not OTHERWISE.search(key):
        yield key, told


@pytest.mark.parametrize("name", COMMANDS)
def test_p_counts_the_data_themselves_among_the_permutations(command, name):
    status, out, err = command(*COMMANDS[name], "--json")
    assert status == 0, err
    found = list(shares(json.loads(out)))
    assert found
    for key, p in found:
        wholes = [p * (n + 1) for n in (PERMUTATIONS, RESAMPLES, AUDIT)]
        assert any(abs(each - round(each)) < 1e-9 and each > 0.5 for each in wholes), (key, p)
    assert min(p for _, p in found) < 1


def of_systems(**replies):
    """A test set of 40 items with two references each, and systems' replies to it."""
    texts = [f"yes at {i} o'clock please" for i in range(40)]
    testset = rejoinder.TestSet.from_lists([[text, f"{text} thanks"] for text in texts])
    rows = [
        (system, id, text if reply is None else reply)
        for system, reply in replies.items()
        for id, text in zip(testset.ids, texts, strict=True)
    ]
    return testset, pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


def test_the_table_of_the_best_system_writes_the_least_p(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    report = rejoinder.report(*of_systems(good=None, fair="yes please", bad="no"), ["rougeL"])
    show(report.scores.document())
    assert "<0.0003" in capsys.readouterr().out


def test_sentence_and_table_of_an_audit_write_the_least_p_alike(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    audit = rejoinder.audit(*of_systems(good="yes", bad="no"), ["rougeL"])
    (verdict,) = audit.verdicts
    (row,) = audit.table.filter(references="all", baseline="random-reference").to_dicts()
    assert row["p_median"] == 1 / 10_001
    p = f"{row['p_holm_median']:.2g}"
    assert f"(above the median: p < {p})" in verdict.sentence
    assert re.search(
        r"a shuffle of its words costs [0-9.]+% of its score \(p < 0.0001\)", verdict.sentence
    )
    show(audit.document())
    assert f" <{p} " in capsys.readouterr().out


@pytest.mark.parametrize(("reached", "shown"), [(0, "p < 0.0001"), (1, "p = 0.0002")])
def test_the_sentence_on_a_sweep_says_where_p_is_a_limit(reached, shown):
    row = {"of": "a", "with": "b", "trials": "all", "n": 9, "rho": 0.9, "low": math.nan,
           "high": math.nan, "p": (reached + 1) / (PERMUTATIONS_OF_SWEEPS + 1), "reason": None}  # fmt: skip
    assert sweep_correlation(row).endswith(shown)
    assert sweep_legend(pl.DataFrame([row])).endswith(f"{shown}, n = 9")
