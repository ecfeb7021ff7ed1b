"""BM25 over an inverted index."""

import math

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.arrays import MemoryArrays
from rejoinder.retrieval.bm25 import BM25, BM25Index
from rejoinder.retrieval.inversion import LONGEST

DOCUMENTS = ["The cat sat.", "The dog ran, the dog barked.", "The end.", "A cat."]


def naive(query, documents, k1=1.5, b=0.75):
    """BM25 word by word, from the formula."""
    tokens = [d.lower().replace(".", " .").replace(",", " ,").split() for d in documents]
    mean = sum(map(len, tokens)) / len(tokens)
    scores = []
    for document in tokens:
        score = 0.0
        for word in query.lower().replace(".", " .").split():
            n = sum(word in other for other in tokens)
            tf = document.count(word)
            idf = math.log(1 + (len(tokens) - n + 0.5) / (n + 0.5))
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("query", ["the dog", "a cat cat sat.", "zebra", "the end."])
def test_bm25_is_the_formula(query):
    np.testing.assert_allclose(
        BM25Index(DOCUMENTS).scores(query), naive(query, DOCUMENTS), atol=1e-12
    )


def test_best_takes_the_first_of_equals_and_none_without_a_word():
    index = BM25Index(["a cat", "a dog", "a cat", "a hen"])
    assert index.best("cat", 1).tolist() == [0]
    assert index.best("cat", 3).tolist() == [0, 2]
    assert index.best("zebra", 3).tolist() == []


@pytest.mark.parametrize("count", [0, 1, 7, 999, 1000, 1001, 4000])
def test_best_is_the_stable_order_of_scores_above_0(count):
    random = np.random.default_rng(3)
    texts = [" ".join(random.choice(list("abcdefghij"), 5)) for _ in range(3000)]
    index = BM25Index(texts)
    scores = index.scores("a b c")
    order = [place for place in np.argsort(-scores, kind="stable") if scores[place] > 0]
    assert index.best("a b c", count).tolist() == order[:count]


def test_k1_and_b_are_used():
    weighting = BM25(k1=0.9, b=0.4)
    got = BM25Index(DOCUMENTS, weighting).scores("the dog")
    np.testing.assert_allclose(got, naive("the dog", DOCUMENTS, 0.9, 0.4), atol=1e-12)


@pytest.mark.parametrize("wrong", [{"k1": -1}, {"k1": math.inf}, {"b": 1.5}, {"b": math.nan}])
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(ParameterError, match="expected a number"):
        BM25(**wrong)


def test_documents_without_words_have_no_score():
    index = BM25Index(["", "a cat", " "])
    assert index.scores("cat").tolist()[::2] == [0.0, 0.0]
    assert BM25Index(["", ""]).best("cat", 2).tolist() == []
    assert BM25Index([]).best("cat", 2).tolist() == []


def test_a_text_of_too_many_words_is_one_message():
    assert BM25Index(["a " * LONGEST]).best("a", 1).tolist() == [0]
    with pytest.raises(InputError, match="text 2: 65536 words"):
        BM25Index(["b", "a " * (LONGEST + 1)])


def test_a_vocabulary_grows():
    texts = [f"word{i} word{i + 1}" for i in range(5000)]
    index = BM25Index(texts)
    assert len(index.vocabulary) == 5001
    assert index.best("word77", 3).tolist() == [76, 77]


def test_arrays_in_memory_are_joined():
    arrays = MemoryArrays()
    for part in ([1, 2], [3]):
        arrays.append("a", np.array(part))
    assert arrays.complete("a").tolist() == [1, 2, 3]
