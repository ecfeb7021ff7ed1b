import math

import pytest

from rejoinder.errors import ParameterError
from rejoinder.metrics import TER


@pytest.mark.parametrize(
    ("reply", "reference", "edits"),
    [
        ("the cat sat", "the cat sat", 0),
        ("the cat sat", "the dog sat", 1),  # one word replaced
        ("the cat", "the cat sat", 1),  # one word inserted
        ("c d a b", "a b c d", 1),  # one block moved
        ("c d a x", "a b c d", 2),  # one block moved, one word replaced
        ("", "a b c", 3),
        ("a b c", "", 3),
    ],
)
def test_edits_by_hand(reply, reference, edits):
    parts = TER().corpus([reply], [[reference]]).parts
    assert parts["edits"] == edits
    assert parts["reference_length"] == len(reference.split())


def test_the_nearest_reference_and_the_mean_length():
    # 1 edit to the first, 4 to the second; lengths 2 and 5: 1 / 3.5
    assert TER().corpus(["a b"], [["a c", "d e f g b"]]).value == 1 / 3.5


def test_a_corpus_divides_the_sums():
    # (0 + 2) / (1 + 2), not the mean of 0 / 1 and 2 / 2
    assert TER().corpus(["a", "x y"], [["a"], ["b c"]]).value == 2 / 3


def test_empty_references():
    assert TER().corpus(["a"], [[""]]).value == 1.0
    assert TER().corpus([""], [[""]]).value == 0.0
    assert math.isnan(TER().corpus([], []).value)


def test_case_and_punctuation():
    assert TER().corpus(["A b."], [["a b"]]).value == 0.5
    assert TER(lowercase=False).corpus(["A b"], [["a b"]]).value == 0.5
    assert TER(no_punct=True).corpus(["A b."], [["a b"]]).value == 0.0
    assert TER(normalized=True).corpus(["a b."], [["a b ."]]).value == 0.0
    chinese = TER(normalized=True, asian_support=True)
    assert chinese.corpus(["你好"], [["你们"]]).value == 0.5


def test_asian_support_alone_is_refused():
    with pytest.raises(ParameterError, match="normalized=true"):
        TER(asian_support=True)


def test_unseparated_chinese_is_noted():
    score = TER().corpus(["今天天气很好啊"] * 5, [["今天天气不好啊"]] * 5)
    assert "asian_support=true" in score.notes[0]
