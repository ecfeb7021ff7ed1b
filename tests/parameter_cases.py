"""Cases for the types of parameters, and what a metric needs besides its parameters."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from rejoinder.metrics.means import MeanMetric, mean_rows


@dataclass(frozen=True)
class Scored(MeanMetric):
    """The mean number of words: a formula for metrics whose parameters are tested."""

    name: ClassVar[str] = "scored"
    source: ClassVar[str] = "a test"
    needs: ClassVar[frozenset[str]] = frozenset()

    def statistics(self, batch):
        return mean_rows(np.array([len(text.split()) for text in batch.hypotheses], dtype=float))


TAKEN = [
    ("order", 3, 3),
    ("order", np.int32(3), 3),
    ("share", 1, 1),
    ("share", np.float32(0.5), 0.5),
    ("strict", True, True),
    ("word", "b", "b"),
    ("seed", None, None),
    ("seed", 4, 4),
    ("limit", None, None),
    ("limit", 0.25, 0.25),
    ("mode", "exact", "exact"),
    ("level", 2, 2),
    ("level", None, None),
    ("path", "there", "there"),
    ("path", Path("there"), Path("there")),
    ("folder", Path("there"), Path("there")),
    ("anything", 3, 3),
]
"""A parameter, a value that it takes, and what is kept of it."""

REFUSED = [
    ("order", "3", "metric 'own': order='3' is str; expected int"),
    ("order", 2.0, "order=2.0 is float; expected int"),
    ("order", True, "order=True is bool; expected int"),
    ("order", None, "order=None is NoneType; expected int"),
    ("share", "x", "share='x' is str; expected float"),
    ("share", False, "share=False is bool; expected float"),
    ("strict", 1, "strict=1 is int; expected bool"),
    ("word", 3, "word=3 is int; expected str"),
    ("seed", "x", r"seed='x' is str; expected int \| None"),
    ("limit", "x", r"limit='x' is str; expected float \| None"),
    ("mode", "slow", "metric 'own': mode='slow' is unknown; choose 'fast' or 'exact'"),
    ("mode", 3, "mode=3 is int; expected 'fast' or 'exact'"),
    ("level", 3, "level=3 is unknown; choose '1' or '2'"),
    ("level", True, r"level=True is bool; expected '1' or '2' \| None"),
    ("path", 3, r"path=3 is int; expected str \| os.PathLike"),
    ("folder", "there", "folder='there' is str; expected Path"),
]
"""A parameter, a value that it refuses, and what the message says."""
