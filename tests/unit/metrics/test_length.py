import math

import pytest

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError
from rejoinder.metrics.length import Length


def test_mean_tokens_without_any_reference():
    # "Yes, please." is yes , please . = 4 tokens of 13a; an empty reply counts with 0.
    score = Length().corpus(["Yes, please.", "", "no"], [[], [], []])
    assert (score.value, score.n) == (pytest.approx(5 / 3), 3)
    assert Length().segments(["Yes, please.", ""], [[], []]).tolist() == [4, 0]
    assert Length(tokenizer="none").segments(["Yes, please."], [[]]).tolist() == [2]


def test_no_reply_at_all_is_nan():
    assert math.isnan(Length().score(Length().statistics(Batch.from_lists([], [])).sum(axis=0)))


def test_facts_and_mistakes():
    assert Length.needs == frozenset()
    assert Length().columns == ("tokens", "count")
    with pytest.raises(ParameterError):
        Length(tokenizer="words")
