import math

import pytest

import rejoinder
from rejoinder.errors import ParameterError
from rejoinder.metrics import ExactMatch

REPLIES = ["nine", "Nine.", " nine\n", "the nine", "", "-5"]
REFERENCES = [["nine"], ["ten", "nine"], ["nine"], ["nine"], ["yes", ""], ["5"]]


def test_plain_is_the_same_characters_but_for_white_space_at_the_ends():
    # nine = nine; a capital and a full stop count; the blanks do not; an article counts; an empty reply
    # equals an empty reference; -5 is not 5. 3 of 6.
    assert ExactMatch().segments(REPLIES, REFERENCES).tolist() == [1, 0, 1, 0, 1, 0]
    score = ExactMatch().corpus(REPLIES, REFERENCES, resamples=100)
    assert (score.value, score.n, score.parts) == (0.5, 6, {"sum": 3.0, "count": 6.0})
    # Wilson's interval of 3 in 6: the centre is (3 + z^2/2) / (6 + z^2) = 1/2, and half its width
    # sqrt(z^2/36 (9/6 + z^2/4)) * 6 / (6 + z^2) with z = 1.96.
    z = 1.959964
    half = z * math.sqrt(0.25 / 6 + z**2 / 144) / (1 + z**2 / 6)
    assert (score.low, score.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)
    assert "|ci:wilson|" in score.signature


def test_squad_leaves_out_capitals_punctuation_and_articles():
    assert ExactMatch("squad").segments(REPLIES, REFERENCES).tolist() == [1, 1, 1, 1, 1, 1]
    # "an" is left out as a word alone, and nothing within a word is.
    assert ExactMatch("squad").segments(["an Ant", "a cat"], [["ant"], ["act"]]).tolist() == [1, 0]


def test_the_rule_for_references_counts():
    assert ExactMatch(references="single").segments(["nine"], [["ten", "nine"]]).tolist() == [0]
    weighted = ExactMatch(references="w>=0.5")
    assert weighted.segments(["nine"], [["ten", "nine"]], [[1, -1]]).tolist() == [0]
    assert weighted.label == "exact match w>=0.5"


def test_two_systems_are_compared_as_rates():
    # a is right in 3 of 6, b in 1 of 6 of which a is right too: the discordant items are 2 and 0.
    testset = rejoinder.TestSet.from_lists(REFERENCES)
    replies = {"a": REPLIES, "b": ["nine", "no", "no", "no", "no", "no"]}
    compared = rejoinder.compare(rejoinder.score(testset, replies, ["exact"], resamples=100))
    (row,) = compared.table.to_dicts()
    assert row["difference"] == pytest.approx(2 / 6)
    # McNemar's exact test of 2 to 0: 2 * (1/2)^2 = 1/2.
    assert row["p_mcnemar"] == pytest.approx(0.5)


@pytest.mark.parametrize("typed", ["exact-match", "Exact Match", "exactmatch"])
def test_what_other_tools_call_it_leads_to_it(typed):
    with pytest.raises(ParameterError, match="did you mean 'exact'"):
        rejoinder.metrics.registry.metric(typed)


def test_an_unknown_form_is_told():
    with pytest.raises(ParameterError, match=r"form='words' is unknown; choose .plain. or .squad."):
        ExactMatch("words")


def test_a_right_answer_is_not_called_a_copy():
    testset = rejoinder.TestSet.from_lists([["nine"], ["ten"]])
    replies = {"a": ["nine", "ten"]}
    alone, beside = (
        rejoinder.score(testset, replies, names).notes for names in (["exact"], ["exact", "chrf"])
    )
    assert not any("gives a reference" in note for note in alone)
    assert any("gives a reference" in note for note in beside)
