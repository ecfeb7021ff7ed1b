import numpy as np
import pytest

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError
from rejoinder.metrics.chrf import ChrF


def rows(metric, reply, *references):
    return metric.statistics(Batch.from_lists([reply], [list(references)]))[0].tolist()


def test_counts_and_score_by_hand():
    # h = ab c (abc without blanks), r = abd. Characters: 3, 3, 2 common; bigrams: 2, 2, 1 (ab).
    metric = ChrF(char_order=2)
    assert rows(metric, "ab c", "abd") == [3, 3, 2, 2, 2, 1]
    # P = R = (2/3 + 1/2)/2 = 7/12, so F = 7/12 whatever beta.
    assert metric.score(np.array([3.0, 3, 2, 2, 2, 1])) == pytest.approx(7 / 12)


def test_recall_weighs_more():
    # h = ab, r = a: P = 1/2, R = 1; F_2 = 5 * 0.5 / (4 * 0.5 + 1) = 5/6; F_1 = 2/3.
    assert ChrF(char_order=1).segments(["ab"], [["a"]])[0] == pytest.approx(5 / 6)
    assert ChrF(char_order=1, beta=1.0).segments(["ab"], [["a"]])[0] == pytest.approx(2 / 3)


def test_orders_that_one_side_has_not_do_not_count():
    # r = a has no bigram: the one of the reply is not counted either.
    assert rows(ChrF(char_order=2), "ab", "a") == [2, 1, 1, 0, 0, 0]
    assert ChrF(char_order=2).segments(["ab"], [["a"]])[0] == pytest.approx(5 / 6)
    # With eps smoothing the missing order counts, and gets next to nothing.
    eps = ChrF(char_order=2, eps_smoothing=True)
    assert eps.segments(["ab"], [["a"]])[0] == pytest.approx(5 / 12)


def test_white_space_as_characters():
    # "a b" has 3 characters and 2 bigrams with white space, "a\tb" shares a and b alone.
    metric = ChrF(char_order=2, whitespace=True)
    assert rows(metric, "a b", "a\tb") == [3, 3, 2, 2, 2, 0]
    assert rows(metric, "a b", "a b") == [3, 3, 3, 2, 2, 2]


def test_words_have_one_mark_cut_off():
    # Words of "(hi) yes!": "(hi", ")", "yes", "!": 4; those of "(hi yes": "(", "hi", "yes".
    found = rows(ChrF(char_order=1, word_order=1), "(hi) yes!", "(hi yes")
    assert found[3:] == [4, 3, 1]


def test_the_best_reference_counts_and_the_first_of_equals():
    # "ab" against xa (1 of 2), abc (2 of 2 and 3) and abd (the same): the second is taken.
    metric = ChrF(char_order=1)
    assert rows(metric, "ab", "xa", "abc", "abd") == [2, 3, 2]
    # Nothing matches: the first reference stands, with its own length.
    assert rows(metric, "ab", "xyz", "z") == [2, 3, 0]


def test_empty_texts():
    metric = ChrF()
    scores = metric.segments(["", "", "a"], [["a"], [""], [""]])
    assert scores.tolist() == [0, 0, 0]
    assert np.isnan(metric.statistics(Batch.from_lists(["a"], [[]]))).all()
    assert metric.statistics(Batch.from_lists([], [])).shape == (0, 18)


def test_rules_labels_columns_parts():
    assert ChrF(references="single").segments(["ab"], [["x", "ab"]])[0] == 0
    assert [ChrF(word_order=n).label for n in range(3)] == ["chrF", "chrF+", "chrF++"]
    metric = ChrF(char_order=1, word_order=1)
    assert metric.columns == (
        "hyp_char_1", "ref_char_1", "match_char_1", "hyp_word_1", "ref_word_1", "match_word_1",
    )  # fmt: skip
    assert metric.parts(np.arange(6.0)) == {"hyp": [0, 3], "ref": [1, 4], "match": [2, 5]}


def test_scores_over_leading_axes():
    metric = ChrF(char_order=2)
    totals = np.random.default_rng(1).integers(0, 9, size=(3, 4, 6)).astype(float)
    each = [[metric.score(row) for row in block] for block in totals]
    np.testing.assert_array_equal(metric.score(totals), each)


@pytest.mark.parametrize("parameters", [{"char_order": 0}, {"word_order": -1}, {"beta": 0.0}])
def test_mistakes(parameters):
    with pytest.raises(ParameterError):
        ChrF(**parameters)
