"""Which system is best, in one sentence: by the tests of the first against each other one."""

import math

import pytest

from rejoinder.document.best_system import best_sentence, standings

TEN = "abcdefghij"


def sentence(values, tests, by="people"):
    """The sentence on systems with these values; ``tests`` has p of the first against each other."""
    (first, _), *others = values
    p = [(first, name, 1.0, each) for (name, _), each in zip(others, tests, strict=True)]
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
        ([("a", 3), ("b", 3)], [1.0], "a and b are tied by people: both have 3.00."),
        (
            [("a", 3), ("b", 3), ("c", 1)],
            [1.0, 0.01],
            "a and b are tied at the top by people: both have 3.00; c is worse than a.",
        ),
        (
            [("a", 3), ("b", 3)],
            [math.nan],
            "a and b have the same mean by people: 3.00; whether they differ cannot be tested.",
        ),
        (
            [("a", 3), ("b", 2), ("c", 1)],
            [0.01, math.nan],
            "a is better than b by people: 3.00 against 2.00; c is not tested against a.",
        ),
        (
            [("a", 3), ("b", 2), ("c", 1)],
            [0.4, math.nan],
            "a and b are tied by people: 3.00 and 2.00, a difference that may be chance; c is not tested "
            "against a.",
        ),
        (
            [("a", 4), ("b", 3), ("c", 2), ("d", 1)],
            [0.01, 0.01, math.nan],
            "a is better than two others by people: 4.00; d is not tested against a.",
        ),
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


def test_systems_that_are_not_told_from_the_first_may_differ():
    rows = [("a", 3.5), ("b", 3.3), ("c", 3.0), ("d", 2.0)]
    tests = [
        ("a", "b", 0.2, 0.3),
        ("a", "c", 0.5, 0.06),
        ("b", "c", 0.3, 0.01),
        ("b", "d", 1.3, 0.01),
    ]
    alike = [*tests, ("a", "d", 1.5, 0.06)]
    words = best_sentence(standings(rows, alike), "people", str)
    assert words == (
        "No system is best by people: a is ahead with 3.5, which may be chance, though two pairs of the "
        "others differ."
    )
    worse = [*tests, ("a", "d", 1.5, 0.01)]
    words = best_sentence(standings(rows, worse), "people", str)
    assert words == (
        "No system is best by people: a is ahead with 3.5, which may be chance, though two of the others "
        "differ; d is worse than a."
    )


def signed(values, *tests, higher_is_better=True):
    ordered = standings(values, tests, higher_is_better)
    return ordered, best_sentence(ordered, "chrF", lambda value: f"{value:.1f}")


@pytest.mark.parametrize("turned", [False, True])
def test_tests_on_shared_items_decide_over_means_of_different_items(turned):
    """a has the higher mean, of its own items, and is worse than b on those that both have."""
    test = ("b", "a", 28.6, 0.0001) if turned else ("a", "b", -28.6, 0.0001)
    ordered, words = signed([("a", 50.0), ("b", 28.6)], test)
    assert [each.system for each in ordered] == ["b", "a"]
    assert words == (
        "By chrF, on the items that both have, b is better than a by 28.6, although the mean of a on all "
        "of its items is 50.0 and that of b 28.6."
    )


def test_the_sign_of_a_test_is_turned_where_lower_is_better():
    rows = [("a", 1.0), ("b", 2.0)]
    ordered, words = signed(rows, ("a", "b", -1.0, 0.01), higher_is_better=False)
    assert words == "a is better than b by chrF: 1.0 against 2.0."
    ordered, words = signed(rows, ("a", "b", 1.0, 0.01), higher_is_better=False)
    assert ordered[0].system == "b"
    assert words.startswith("By chrF, on the items that both have, b is better than a by 1.0")


def test_a_third_system_beside_a_contrary_mean():
    rows = [("a", 5.0), ("b", 4.0), ("c", 3.0)]
    tests = [("a", "b", -1.0, 0.01), ("b", "c", 1.0, 0.01), ("a", "c", 1.0, 0.01)]
    assert signed(rows, *tests)[1] == (
        "By chrF, on the items that both have, b is better than a by 1.0, although the mean of a on all of "
        "its items is 5.0 and that of b 4.0; c is worse than b, too."
    )


def test_a_circle_of_systems_has_no_best():
    rows = [("a", 5.0), ("b", 4.0), ("c", 3.0)]
    tests = [("a", "b", 1.0, 0.01), ("b", "c", 1.0, 0.01), ("a", "c", -1.0, 0.01)]
    assert signed(rows, *tests)[1] == (
        "No system is best by chrF: a has 5.0, but on the items that both have, c is better than a by 1.0."
    )
