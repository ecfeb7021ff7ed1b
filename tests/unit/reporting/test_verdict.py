"""Which system is best by the best evidence: a row for each order of evidence."""

import math

import pytest

from rejoinder.document.best_system import standings
from rejoinder.document.numbers import times100
from rejoinder.reporting.verdict import MetricEvidence, PeopleEvidence, decide


def ordered(*values, p=0.01):
    """Systems a, b, ... with these values, best first; ``p`` is of the first and each other one."""
    rows = [("abcdefghij"[place], value) for place, value in enumerate(values)]
    each = p if isinstance(p, list) else [p] * (len(rows) - 1)
    pairs = zip(rows[1:], each, strict=True)
    return standings(rows, [("a", name, rows[0][1] - value, q) for (name, value), q in pairs])


def people(rated=100, items=100, **more):
    return PeopleEvidence(
        "overall", ordered(3.3, 3.0), more.pop("corrected", ()), ("judge",), rated, items, **more
    )


ALL, SOME, NONE = people(), people(rated=40), None
HELPED = people(rated=40, corrected=ordered(3.25, 3.05))
WARNED = people(rated=40, corrected=ordered(3.25, 3.05), warned=True)
UNKNOWN = MetricEvidence("BLEU-2", ordered(0.3, 0.2), show=times100)
AGREES = MetricEvidence("judge", ordered(4.1, 3.9), agreement=(0.4, 0.3, 0.5))
LITTLE = MetricEvidence("chrF", ordered(0.5, 0.4), show=times100, agreement=(0.2, 0.1, 0.3))
UNSURE = MetricEvidence("ROUGE-L", ordered(0.5, 0.4), show=times100, agreement=(0.1, -0.1, 0.3))
CONTRARY = MetricEvidence("METEOR", ordered(0.5, 0.4), times100, (-0.4, -0.5, -0.3))
UNDEFINED = MetricEvidence("TER", ordered(0.5, 0.4), times100, (math.nan,) * 3)
TRIVIAL = MetricEvidence(
    "BLEU-4", ordered(0.5, 0.4, 0.3), times100, (0.6, 0.5, 0.7), "'constant'", 2
)

TABLE = {
    "people rated every item": (ALL, [AGREES], "people", "a is better than b by people: 3.30"),
    "every item, and a correction": (
        people(corrected=ordered(3.2, 3.1)), [AGREES], "people", "a is better than b by people: 3.30",
    ),
    "people corrected by a judge": (
        HELPED, [AGREES], "corrected", "a is better than b by people, corrected by judge: 3.25",
    ),
    "a judge that was warned of": (WARNED, [AGREES], "people", "a is better than b by people: 3.30"),
    "a judge that adds nothing": (SOME, [AGREES], "people", "a is better than b by people: 3.30"),
    "the metric that agrees most": (
        NONE, [UNSURE, LITTLE, AGREES], "metric with people", "a is better than b by judge alone: 4.10",
    ),
    "a metric not shown to agree": (
        NONE, [UNSURE, UNKNOWN], "metric", "a is better than b by ROUGE-L alone: 50.0 against 40.0.",
    ),
    "a metric without people": (
        NONE, [UNKNOWN], "metric", "a is better than b by BLEU-2 alone: 30.0 against 20.0.",
    ),
    "one that rewards trivial replies beside another": (
        NONE, [TRIVIAL, UNKNOWN], "metric", "a is better than b by BLEU-2 alone",
    ),
    "one that rewards trivial replies": (
        NONE, [TRIVIAL], "none",
        "BLEU-4 cannot decide which system is best: it rewards trivial replies.",
    ),
    "all reward trivial replies": (
        NONE, [TRIVIAL, TRIVIAL], "none",
        "No metric at hand decides which system is best: all of them reward trivial replies.",
    ),
    "a metric that contradicts people beside another": (
        NONE, [CONTRARY, UNSURE], "metric", "a is better than b by ROUGE-L alone: 50.0 against 40.0.",
    ),
    "a metric that contradicts people": (
        NONE, [CONTRARY], "none",
        "METEOR cannot decide which system is best: it contradicts people on these replies.",
    ),
    "metrics that contradict people or reward trivial replies": (
        NONE, [CONTRARY, TRIVIAL], "none",
        "No metric at hand decides which system is best: each of them contradicts people on these replies "
        "or rewards trivial ones.",
    ),
    "people, and metrics that reward trivial replies": (
        ALL, [TRIVIAL], "people", "a is better than b by people: 3.30",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_the_best_evidence_decides(case):
    of_people, metrics, evidence, sentence = TABLE[case]
    made = decide([] if of_people is None else [of_people], metrics)
    assert made.evidence == evidence
    assert made.sentence.startswith(sentence)
    assert bool(made.standings) == (evidence != "none")


@pytest.mark.parametrize(
    ("of_people", "metric", "grounds"),
    [
        (ALL, UNKNOWN, "People rated every item."),
        (HELPED, UNKNOWN, "People rated 40 of 100 items; judge has scores of all, which the ratings"),
        (WARNED, UNKNOWN, "People rated 40 of 100 items; ratings do not follow judge in a straight line"),
        (SOME, UNKNOWN, "People rated 40 of 100 items; scores of the other items add nothing"),
        (NONE, UNKNOWN, "Nobody rated these replies: this is what BLEU-2 says, and whether"),
        (NONE, UNSURE, "This is what ROUGE-L says, which is not shown to agree with people here"),
        (NONE, AGREES, "Too few items are rated to compare systems by people; judge agrees with the"),
        (
            people(rated=40, uneven=True), UNKNOWN,
            "People rated 40 of 100 items of a pair of systems, the pair with the smallest share; scores of",
        ),
        (NONE, UNDEFINED, "This is what TER says; whether TER agrees with people here could not be"),
        (NONE, CONTRARY, "METEOR contradicts people here (correlation on single replies -0.40, 95% interval"),
        (NONE, TRIVIAL, "BLEU-4 puts 'constant' at or above 2 of 3 systems."),
    ],
)  # fmt: skip
def test_why_it_rests_on_this(of_people, metric, grounds):
    made = decide([] if of_people is None else [of_people], [metric])
    assert made.grounds.startswith(grounds)


def test_what_the_rated_items_alone_say_is_named_where_a_correction_says_another_thing():
    tied, clear = ordered(3.3, 3.0, p=0.2), ordered(3.4, 2.9)
    verdict = decide([PeopleEvidence("overall", tied, clear, ("judge",), 40, 100)], [])
    assert (
        verdict.sentence == "a is better than b by people, corrected by judge: 3.40 against 2.90."
    )
    assert verdict.grounds.endswith(
        " The rated items alone do not show it: a and b are tied by people: 3.30 and 3.00, a difference that "
        "may be chance."
    )
    verdict = decide([PeopleEvidence("overall", clear, tied, ("judge",), 40, 100)], [])
    assert " The rated items alone say otherwise: a is better than b by people" in verdict.grounds
    assert "alone" not in decide([HELPED], []).grounds


def test_a_metric_that_contradicts_people_is_named_where_another_decides():
    grounds = decide([], [CONTRARY, AGREES]).grounds
    assert grounds.endswith(
        "METEOR contradicts people here (correlation on single replies -0.40, 95% interval -0.50 to -0.30), "
        "and cannot decide."
    )


def test_people_who_judged_too_little_are_not_nobody():
    assert decide([], [UNKNOWN], judged=True).grounds.startswith(
        "People judged too few of these replies to compare systems: this is what BLEU-2 says"
    )


def test_ties_one_system_and_ten():
    """The sentence itself is tested in unit/document/test_best_system.py."""
    for values, p, words in (
        ((3.0,), 0.01, "a has 3.00 by people; there is no other system to compare it with."),
        ((3.0, 2.9), 0.4, "a and b are tied by people: 3.00 and 2.90"),
        ((3.0, 2.9, 2.0), [0.4, 0.01], "a and b are tied at the top by people"),
        ((3.0, 2.9), math.nan, "a is ahead by people: 3.00; whether it is better than b cannot"),
        (range(10, 0, -1), 0.01, "a is best by people: 10.00, better than each of the other nine."),
    ):
        made = decide([PeopleEvidence("overall", ordered(*values, p=p))], [])
        assert made.sentence.startswith(words)


def test_the_first_criterion_decides_and_is_named_beside_another():
    second = PeopleEvidence("style", ordered(5.0, 1.0))
    made = decide([ALL, second], [])
    assert made.criterion == "overall"
    assert made.sentence == f"overall: {decide([ALL], []).sentence}"


def test_choices_of_people_are_shares():
    made = decide([PeopleEvidence("overall", ordered(0.71, 0.29), choices=60)], [UNKNOWN])
    assert made.sentence == "a is better than b by people's choices: 71% against 29%."
    assert made.evidence == "people"


def test_choices_between_two_systems_decide_over_shares_against_others():
    rows = [("a", 0.6), ("b", 0.5), ("c", 0.4)]
    tests = [("a", "b", -0.6, 0.001), ("a", "c", 0.8, 0.001), ("b", "c", 0.1, 0.4)]
    made = decide([PeopleEvidence("overall", standings(rows, tests), choices=60)], [])
    assert made.standings[0].system == "b"
    assert made.sentence == (
        "By people's choices, in choices between the two, b is better than a by 60%, although the mean of a "
        "in all of its choices is 60% and that of b 50%; c is tied with b."
    )
    assert made.as_json()["top"] == ["b", "c"]


def test_nothing_that_ranks_systems_has_no_verdict():
    assert decide([], []) is None
