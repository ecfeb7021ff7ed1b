"""``compare`` says in a sentence for each pair and metric who is better, or that it is not clear."""

import math

import polars as pl
import pytest

import rejoinder
from rejoinder.scoring.compare import Comparison
from rejoinder.scoring.verdict_sentences import MOST_PAIRS, sentences

ITEMS = 40
GOOD, FAIR, BAD = "see you at nine then", "see you at noon", "no"


def scores(metrics=("rougeL",), items=ITEMS, **systems):
    """Scores of systems, each of which gives the same replies to every second item."""
    testset = rejoinder.TestSet.from_lists([[GOOD]] * items)
    rows = [
        (system, id, texts[place % len(texts)])
        for system, texts in systems.items()
        for place, id in enumerate(testset.ids)
    ]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return rejoinder.score(testset, replies, list(metrics), resamples=100)


def said(scores, *names, digits=None, **more):
    return [*map(str, said_of(rejoinder.compare(scores, *names, **more), digits))]


def said_of(compared, digits=None):
    return sentences(compared.scores, compared.table, compared.draws, digits)


def test_a_pair_has_a_sentence_for_each_metric_that_ranks_systems():
    of_two = scores(("rougeL", "ter", "length"), old=[BAD, FAIR], new=[GOOD, FAIR])
    higher, lower = said(of_two)
    row = rejoinder.compare(of_two).table.row(0, named=True)
    values = [100 * abs(row[key]) for key in ("difference", "high", "low")]
    shown = "{:.1f} [{:.1f}, {:.1f}]".format(*values)
    assert higher == f"ROUGE-L: new is better than old by {shown}, p Holm < 0.0001."
    assert lower.startswith("TER: new is better than old by ")
    assert said(of_two, digits=3)[0].startswith(
        f"ROUGE-L: new is better than old by {values[0]:.3f} ["
    )


def test_what_no_test_shows_is_said_to_be_not_clear():
    first, second = said(
        scores(("rougeL", "ter"), a=[FAIR, BAD, GOOD, GOOD], b=[GOOD, GOOD, FAIR, BAD])
    )
    assert first.startswith("ROUGE-L: it is not clear whether ")
    assert ", p Holm = " in first
    assert second.startswith("TER: it is not clear whether ")
    (equal,) = said(scores(a=[FAIR], b=[FAIR]))
    assert equal == (
        "ROUGE-L: it is not clear whether a or b is better: both score the same, p Holm = 1."
    )


def test_what_cannot_be_tested_is_said_so():
    (one,) = said(scores(items=1, a=[GOOD], b=[FAIR]))
    chance = "whether this is more than chance cannot be tested"
    assert one == f"ROUGE-L: a is ahead of b by 33.3; {chance}."
    compared = rejoinder.compare(scores(a=[GOOD], b=[FAIR]))
    undefined = compared.table.with_columns(difference=math.nan)
    (words,) = said_of(Comparison(undefined, compared.scores))
    assert str(words) == "ROUGE-L: the difference of a and b is undefined."


def test_many_pairs_and_verdicts_against_a_baseline_have_no_sentences():
    many = scores(a=[GOOD], b=[FAIR], c=[BAD], d=[GOOD, BAD])
    assert said(many) == []
    assert len(said(many, None, "b")) == MOST_PAIRS
    assert said(many, "a", "b", worse_by=0.1) == []


@pytest.mark.parametrize("lines", [2, 3])
def test_the_sentences_stand_below_the_tables(command, tmp_path, lines):
    texts = {"testset": [GOOD] * 8, "one": [GOOD] * 8, "two": [FAIR] * 8, "three": [BAD] * 8}
    names = list(texts)[: lines + 1]
    for name in names:
        (tmp_path / f"{name}.txt").write_text("\n".join(texts[name]) + "\n", encoding="utf-8")
    files = [tmp_path / f"{name}.txt" for name in names]
    status, out, err = command("compare", *files, "-m", "rougeL", "--resamples", 100)
    assert status == 0, err
    printed = [each for each in out.splitlines() if " is better than " in each]
    assert len(printed) == lines * (lines - 1) // 2
    assert out.index("W/T/L") < out.index(printed[0]) < out.index("approximate randomization")
