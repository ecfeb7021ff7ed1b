"""What all metrics that are a mean over replies share."""

import numpy as np
import pytest

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError
from rejoinder.metrics.average_max_bleu import AverageMaxBLEU
from rejoinder.metrics.rouge import ROUGE
from rejoinder.metrics.sentence_bleu import SentenceBLEU

METRICS = [
    AverageMaxBLEU(),
    ROUGE("1"),
    ROUGE("2"),
    ROUGE("L"),
    ROUGE("L", form="caption"),
    SentenceBLEU(brevity="bleu"),
]
ids = [metric.label for metric in METRICS]


@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_rows_are_scores_and_counts(metric):
    rows = metric.statistics(Batch.from_lists(["a b c d", "x"], [["a b c d"], ["y", "z"]]))
    # Four equal words score 1 with every metric here; no common word scores 0.
    # ROUGE has its precision and recall beside them, which are 1 and 0 here, too.
    further = len(metric.columns) - 2
    assert further == (2 if isinstance(metric, ROUGE) else 0)
    assert rows.tolist() == [[1.0, 1.0, *[1.0] * further], [0.0, 1.0, *[0.0] * further]]
    assert metric.score(rows.sum(axis=0)) == 0.5
    means = dict.fromkeys(("f", "precision", "recall") if further else (), 0.5)
    assert metric.parts(rows.sum(axis=0)) == {**means, "sum": 1.0, "count": 2.0}


@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_no_reference_is_nan_or_an_error(metric):
    replies, references = ["a", "a b c d"], [[], ["a b c d"]]
    rows = metric.statistics(Batch.from_lists(replies, references))
    assert np.isnan(rows[0]).all()
    with pytest.raises(InputError, match=r"references\[0\] has no reference"):
        metric.corpus(replies, references)
    score = metric.corpus(replies, references, drop_unusable=True)
    assert (score.value, score.n) == (1.0, 1)


@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_no_reply_at_all_is_nan(metric):
    assert metric.statistics(Batch.from_lists([], [])).shape == (0, len(metric.columns))
    assert np.isnan(metric.score(np.zeros(len(metric.columns))))


@pytest.mark.parametrize("kind", [AverageMaxBLEU, ROUGE, SentenceBLEU])
def test_rules_pick_references(kind):
    # The second reference equals the reply, the first shares nothing with it.
    replies, references, weights = ["a b c d"], [["x", "a b c d"]], [[0.2, 0.9]]
    full = kind().corpus(replies, references, weights).value
    assert full > 0
    assert kind(references="single").corpus(replies, references, weights).value == 0
    assert kind(references="w>=0.5").corpus(replies, references, weights).value == full
    assert kind(references="w>=0.5").label.endswith(" w>=0.5")
