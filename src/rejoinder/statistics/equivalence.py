"""Is a difference smaller or greater than a margin? One-sided tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.student import upper_tail


class MarginTests(NamedTuple):
    """The one-sided p-values of differences against a margin, float64 [p] each.

    Args:
        not_lower: Of the hypothesis that the difference is ``-margin`` or less.
        not_higher: Of the hypothesis that it is ``margin`` or more.
        lower: Of the hypothesis that it is ``-margin`` or more: a small one shows that it is lower.
        higher: Of the hypothesis that it is ``margin`` or less.
    """

    not_lower: Floats
    not_higher: Floats
    lower: Floats
    higher: Floats

    @property
    def equivalent(self) -> Floats:
        """The p-value of equivalence (Schuirmann 1987): the greater of the two."""
        return np.maximum(self.not_lower, self.not_higher)


def margin_tests(differences: Floats, errors: Floats, df: float, margin: float) -> MarginTests:
    """One-sided t tests of differences against a margin.

    At the 5% level a difference is equivalent to none where its 90% interval lies within the margin.

    Args:
        differences: float64 [p].
        errors: Their standard errors (float64 [p]); a p is NaN where one is 0 or undefined.
        df: Degrees of freedom.
        margin: 0 or above; equivalence needs one above 0.

    >>> tests = margin_tests(np.array([0.5]), np.array([0.5]), df=20, margin=2.0)
    >>> round(float(tests.not_lower[0]), 6), round(float(tests.equivalent[0]), 5)
    (3.4e-05, 0.00354)
    """
    usable = np.where(errors > 0, errors, np.nan)
    from_lower = ((differences + margin) / usable).tolist()
    from_higher = ((differences - margin) / usable).tolist()
    return MarginTests(
        not_lower=np.array([upper_tail(t, df) for t in from_lower]),
        not_higher=np.array([upper_tail(-t, df) for t in from_higher]),
        lower=np.array([upper_tail(-t, df) for t in from_lower]),
        higher=np.array([upper_tail(t, df) for t in from_higher]),
    )
