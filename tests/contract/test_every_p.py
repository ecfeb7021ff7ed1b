"""Every p-value of a permutation test or a bootstrap is (c + 1) / (n + 1), wherever it is told.

So p (n + 1) is a whole number from 1 to n + 1. c / n breaks that: it is 0 where nothing reaches, and
elsewhere c (n + 1) / n is a whole number for c = n alone.
"""

import json
import re

import pytest

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
             "--unit-size", 6, "--assignments", 20],
    "system": ["correlate", *READ, *TWO, *RATINGS, *DRAWS, *TESTS, "--compare", "-p", "system"],
    "pairwise": ["correlate", *READ, *TWO, *RATINGS, *DRAWS, *TESTS, "--compare", "-p", "pairwise"],
    "negative-references": ["recipe", "negative-references", TESTSET, *DRAWS, *TESTS],
    "galley2015": ["recipe", "galley2015", *READ, *RATINGS, *TESTS, "--unit-size", 6,
                   "--assignments", 20, "--drop-unusable"],
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
