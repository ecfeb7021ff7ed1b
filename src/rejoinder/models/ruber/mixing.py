"""How much each size of an ensemble counts: what ranks held-out replies best, no label needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rejoinder.kernels.arrays import Floats

STEPS = 50


def size_weights(scores: Floats, sizes: Sequence[str]) -> Floats:
    """The weight of each member, the members of one size alike (stacking: Wolpert 1992).

    Minimises the cross entropy of the true reply among the wrong ones under the weighted sum of
    calibrated scores, ``-mean_i log softmax_c(sum_m w_m z_mic)[0]``, over weights of 0 and more. It
    is convex in them, and there are as many numbers to fit as sizes: a handful for thousands of
    queries. Then they are scaled to sum to 1; a size that adds nothing has about 0.

    Args:
        scores: calibrated, float64 [members, n, candidates]; the true reply is the first candidate.
        sizes: the size of each member.

    Returns:
        float64 [members], their sum 1.

    >>> rng = np.random.default_rng(1)
    >>> good, noise = rng.normal(size=(2, 200, 4))
    >>> good[:, 0] += 2
    >>> [round(w, 1) for w in size_weights(np.stack([good, noise]), ["good", "noise"]).tolist()]
    [0.9, 0.1]
    """
    import torch

    names = list(dict.fromkeys(sizes))
    place = np.array([names.index(size) for size in sizes])
    counts = np.bincount(place)
    if len(names) == 1:
        return np.full(len(sizes), 1 / len(sizes))
    means = np.stack([scores[place == k].mean(axis=0) for k in range(len(names))])
    z = torch.from_numpy(means)
    # The weight of a size is the square of what is fitted: never below 0.
    root = torch.ones(len(names), dtype=torch.float64, requires_grad=True)
    solver = torch.optim.LBFGS([root], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        value = -(root.square() @ z.flatten(1)).view(z.shape[1:]).log_softmax(dim=1)[:, 0].mean()
        value.backward()
        return value

    solver.step(loss)
    weights = root.detach().square().numpy()
    sound = np.isfinite(weights).all() and weights.sum() > 0
    weights = weights / weights.sum() if sound else np.full(len(names), 1 / len(names))
    return weights[place] / counts[place]
