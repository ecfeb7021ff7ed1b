"""The rule that selects references: parsed once, applied to whole batches and to single references."""

import numpy as np
import pytest

from rejoinder.batches.batch import Batch
from rejoinder.batches.references import ReferenceRule
from rejoinder.errors import ParameterError

REFERENCES = [["a", "b"], [], ["c", "d", "e"]]
WEIGHTS = [[1.0, 0.6], [], [-0.5, 0.6, 0.59]]


@pytest.mark.parametrize(
    ("rule", "indices", "bounds"),
    [
        ("all", [0, 1, 2, 3, 4], [0, 2, 2, 5]),
        ("single", [0, 2], [0, 1, 1, 2]),
        ("w>=0.6", [0, 1, 3], [0, 2, 2, 3]),  # 0.6 is at the threshold, and counts
        ("w>=-1", [0, 1, 2, 3, 4], [0, 2, 2, 5]),
        ("w>=1", [0], [0, 1, 1, 1]),
    ],
)
def test_a_rule_selects_references(rule, indices, bounds):
    batch = Batch.from_lists(["x", "y", "z"], REFERENCES, WEIGHTS)
    selected = batch.references(rule)
    assert selected.indices.tolist() == indices
    assert selected.bounds.tolist() == bounds
    assert selected.weights.tolist() == batch.weights[indices].tolist()
    # One reference at a time gives the same.
    flat = [(k, w) for weights in WEIGHTS for k, w in enumerate(weights)]
    parsed = ReferenceRule.parse(rule)
    assert np.flatnonzero([parsed.selects(k, w) for k, w in flat]).tolist() == indices


@pytest.mark.parametrize("text", ["", "best", "w>=", "w>=x", "w>=nan", "w>=1.1", "w>=-2", "w>0.5"])
def test_other_rules_are_refused(text):
    with pytest.raises(ParameterError, match="choose 'all', 'single'"):
        ReferenceRule.parse(text)
