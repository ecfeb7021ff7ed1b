"""More samples of the same prompts, or more prompts: what each does to the error of a mean."""

from __future__ import annotations

import math
from typing import NamedTuple

from rejoinder.kernels.arrays import Indices
from rejoinder.statistics.clusters import VarianceComponents


class FurtherReplies(NamedTuple):
    """What the standard error of a mean over prompts would be, as a share of what it is.

    Args:
        sample: With one more sample of every prompt.
        replies: With as many replies, but to new prompts.
        prompt: With one more prompt.
    """

    sample: float
    replies: float
    prompt: float


def further_replies(
    components: VarianceComponents, samples: Indices, prompts: int
) -> FurtherReplies:
    """What further replies would do to the standard error of a mean over prompts.

    Samples are averaged within their prompt, so that the mean over n prompts has the variance
    ``(between + within mean_i(1 / k_i)) / n`` with ``k_i`` samples of prompt i. One more sample of
    every prompt makes each ``k_i`` larger by one; as many replies to new prompts, with as many samples
    each as the others have on average, are ``n / mean(k)`` new prompts.

    Args:
        components: The variance between prompts and within them.
        samples: int64 [r], how many samples each prompt has, at least one; of several systems one
            after the other.
        prompts: n, how many prompts there are.

    Returns:
        From 0 to 1 each; NaN where there is no variance.

    >>> import numpy as np
    >>> further_replies(VarianceComponents(between=3.0, within=2.0), np.array([2, 2, 2, 2]), 4)
    FurtherReplies(sample=0.9574271077563381, replies=0.816496580927726, prompt=0.8944271909999159)
    """
    now = components.between + components.within * float((1 / samples).mean())
    then = components.between + components.within * float((1 / (samples + 1)).mean())
    k = float(samples.mean())
    if not now > 0:
        return FurtherReplies(math.nan, math.nan, math.nan)
    return FurtherReplies(
        math.sqrt(then / now), math.sqrt(k / (k + 1)), math.sqrt(prompts / (prompts + 1))
    )
