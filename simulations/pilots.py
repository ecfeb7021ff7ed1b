"""How often the interval of a pilot's forecast holds the true share: ``python -m simulations.pilots [RUNS]``.

Each item of a pilot is rated by two or three people, who differ by noise alone; a judge scores all items of
the pool. The true share is the forecast from the true variances. The interval is of 90%.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder import plan_design
from rejoinder.errors import ParameterError
from rejoinder.planning.design import Spread, designs_for, spread_of

POOL = 2000
EFFECT = 0.3
SHARES = ("share", "share_low", "share_high")


class Cell(NamedTuple):
    """What a pilot is like.

    Args:
        reliability: Of the mean of three ratings, of the difference of two systems.
        items: How many are rated.
        raters: How many rate each.
        rho: The correlation of a judge with the true differences; 0: there is none.
    """

    reliability: float
    items: int
    raters: int
    rho: float


CELLS = [
    Cell(reliability, items, raters, rho)
    for reliability, items, raters in ((0.6, 100, 3), (0.28, 100, 3), (0.6, 50, 2))
    for rho in (0.0, 0.7)
]


def shares_of(alternatives: pl.DataFrame) -> dict[str, list[float]]:
    """By design its share, and the ends of that forecast's interval; without a pilot the ends are unknown."""
    rows = alternatives.filter(pl.col("share").is_not_null())
    return {name: ends for name, *ends in rows.select("design", *SHARES).iter_rows()}


@cache
def true_shares(spread: Spread) -> dict[str, list[float]]:
    """By design its share where the variances are known."""
    return shares_of(designs_for(EFFECT, spread).alternatives)


def pilot(
    spread: Spread, items: int, raters: int, rng: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Ratings of two systems by ``raters`` of each item, and a judge's scores of all of the pool."""
    true = rng.normal(EFFECT, spread.items**0.5, POOL)
    noise = rng.normal(0, (spread.rater / 2) ** 0.5, (2, items, raters))
    grades = np.stack([true[:items, None] / 2 + noise[0], -true[:items, None] / 2 + noise[1]])
    ids = [f"i{place}" for place in range(POOL)]
    table = {
        "id": np.tile(np.repeat(ids[:items], raters), 2),
        "system": np.repeat(["a", "b"], items * raters),
        "rater": [f"r{each}" for each in range(raters)] * (2 * items),
        "score": grades.reshape(-1),
    }
    if not spread.rho:
        return pl.DataFrame(table), None
    marks = spread.rho * (true - EFFECT) / spread.items**0.5
    marks = (marks + (1 - spread.rho**2) ** 0.5 * rng.standard_normal(POOL)) / 2
    scores = {"id": ids * 2, "system": np.repeat(["a", "b"], POOL), "name": "judge",
              "value": np.concatenate([marks, -marks])}  # fmt: skip
    return pl.DataFrame(table), pl.DataFrame(scores)


def contains_true_share(cell: Cell, seed: int) -> dict[str, bool]:
    """By design whether one pilot's interval holds the true share; no design where it gives no forecast."""
    spread = spread_of(cell.reliability, 1.0, cell.rho, POOL)
    ratings, scores = pilot(spread, cell.items, cell.raters, np.random.default_rng([seed, 90]))
    try:
        plan = plan_design(EFFECT, ratings=ratings, scores=scores, pool=POOL, seed=seed)
    except ParameterError:  # its ratings show no variance beyond the raters' noise
        return {}
    shares, true = shares_of(plan.alternatives), true_shares(spread)
    return {
        name: shares[name][1] <= share <= shares[name][2]
        for name, (share, *_) in true.items()
        if name in shares
        and shares[name][1] < shares[name][2]  # the share of three raters is 1 by definition
    }


def main(runs: int) -> None:
    """Prints how many of so many pilots' intervals hold the true share, a row for each design."""
    print(*Cell._fields, "design", "pilots with a forecast", "share")
    with ProcessPoolExecutor() as pool:
        for cell in CELLS:
            every = list(
                pool.map(contains_true_share, repeat(cell, runs), range(runs), chunksize=10)
            )
            for name in sorted({name for each in every for name in each}):
                hits = [each[name] for each in every if name in each]
                share = sum(hits) / len(hits)
                error = (share * (1 - share) / len(hits)) ** 0.5
                print(*cell, name, len(hits), f"{share:.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 800)
