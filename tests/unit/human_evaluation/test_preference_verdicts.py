"""Which system is best by people's choices: a sentence for each criterion, in every door."""

import polars as pl

import rejoinder
from shared_data import EXAMPLES

VOTES = EXAMPLES / "preferences.csv"


def votes(*pairs, criterion="overall"):
    """So many choices of a over b for each pair of systems, and so many of b over a."""
    rows = [
        (f"{a}{b}{n}", a, b, "ann", criterion, "a" if n < won else "b")
        for a, b, won, lost in pairs
        for n in range(won + lost)
    ]
    columns = ["id", "a", "b", "rater", "criterion", "winner"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def sentences(table):
    return rejoinder.preferences(table, resamples=0).verdicts["sentence"].to_list()


def test_the_sentence_follows_the_sign_tests():
    # 22 to 2 in 24 items: p = 2 (1 + 24 + 276) / 2^24.
    assert sentences(votes(("x", "y", 22, 2))) == [
        "x is better than y by people's choices: 92% against 8%."
    ]
    assert sentences(votes(("x", "y", 7, 5))) == [
        "x and y are tied by people's choices: 58% and 42%, a difference that may be chance."
    ]
    assert sentences(votes(("x", "y", 6, 6))) == [
        "x and y are tied by people's choices: both have 50%."
    ]


def test_systems_that_won_every_choice_have_a_place_without_a_strength():
    # y won no choice from x and 12 of 12 from z: shares of 1, 1/2 and 0.
    assert sentences(votes(("x", "y", 12, 0), ("y", "z", 12, 0))) == [
        "x is better than y by people's choices: 100% against 50%; z is not tested against x."
    ]


def test_each_criterion_has_its_sentence():
    both = pl.concat(
        [votes(("x", "y", 22, 2)), votes(("x", "y", 1, 23), criterion="style")], how="vertical"
    )
    summary = rejoinder.preferences(both, resamples=0)
    assert summary.verdicts.rows() == [
        ("overall", "x is better than y by people's choices: 92% against 8%."),
        ("style", "y is better than x by people's choices: 96% against 4%."),
    ]
    assert summary.as_json()["verdicts"] == summary.verdicts.to_dicts()


def test_the_command_ends_with_the_sentence_and_the_report_begins_with_it(command, tmp_path):
    (sentence,) = rejoinder.preferences(rejoinder.read_preferences(VOTES), resamples=0).verdicts[
        "sentence"
    ]
    out = " ".join(command("preferences", str(VOTES), "--resamples", "100")[1].split())
    assert sentence in out
    report = rejoinder.report(preferences=rejoinder.read_preferences(VOTES), resamples=0)
    assert report.verdict().sentence == sentence
