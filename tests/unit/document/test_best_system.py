"""Which system is best, in one sentence: by the tests of the first against each other one."""

import math

import pytest

from rejoinder.document.best_system import best_sentence, standings

TEN = "abcdefghij"


def sentence(values, tests, by="people"):
    """The sentence on systems with these values; ``tests`` has p of the first against each other."""
    (first, _), *others = values
    p = {(first, name): each for (name, _), each in zip(others, tests, strict=True)}
    return best_sentence(standings(values, p), by, lambda value: f"{value:.2f}")


def ten(*tests):
    """Ten systems from 3.30 downwards."""
    return sentence([(name, 3.3 - place / 10) for place, name in enumerate(TEN)], tests)


@pytest.mark.parametrize(
    ("values", "tests", "expected"),
    [
        ([("a", 3.3)], [], "a has 3.30 by people; there is no other system to compare it with."),
        ([("a", 3.3), ("b", 3)], [0.049], "a is better than b by people: 3.30 against 3.00."),
        (
            [("a", 3.3), ("b", 3)],
            [0.05],
            "a and b are tied by people: 3.30 and 3.00, a difference that may be chance.",
        ),
        (
            [("a", 3.3), ("b", 3)],
            [math.nan],
            "a is ahead by people: 3.30; whether it is better than b cannot be tested.",
        ),
        (
            [("a", 3), ("b", 2), ("c", 1)],
            [math.nan] * 2,
            "a is ahead by people: 3.00; whether it is better than the others cannot be tested.",
        ),
        (
            [("a", 3), ("b", 2), ("c", 1)],
            [0.3, 0.2],
            "a, b and c are tied by people: 3.00, 2.00 and 1.00, differences that may be chance.",
        ),
        # On the items that both answered, a lower mean may be the better system's.
        (
            [("a", 3), ("b", 2), ("c", 1)],
            [0.01, 0.2],
            "a and c are tied at the top by people: 3.00 and 1.00, a difference that may be chance; b is "
            "worse than a.",
        ),
    ],
)
def test_few_systems(values, tests, expected):
    assert sentence(values, tests) == expected


def test_ten_systems():
    assert ten(*[0.01] * 9) == "a is best by people: 3.30, better than each of the other nine."
    assert ten(0.4, *[0.01] * 8) == (
        "a and b are tied at the top by people: 3.30 and 3.20, a difference that may be chance; each of "
        "the other eight is worse than a."
    )
    assert ten(*[0.4] * 4, *[0.01] * 5) == (
        "Five systems are tied at the top by people: a is ahead with 3.30, which may be chance; each of "
        "the other five is worse than a."
    )
    assert ten(*[0.4] * 9) == (
        "All ten systems are tied by people: a is ahead with 3.30, which may be chance."
    )
