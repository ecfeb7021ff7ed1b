"""Studies by a design, replayed on real ratings: ``python -m simulations.monitored_real [dstc7|grade|zhao]``.

The tables of docs/design-of-ratings.md. The data are looked for in ``../shared/data``; what is not
there is left out.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.special import ndtri

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.planning.design import Spread
from rejoinder.statistics.sequential_design import planned, sequential_design
from simulations.many_courses import courses, in_z, places
from simulations.monitored import (
    FIXED,
    MULTIPLES,
    POWER,
    R60,
    RATERS,
    SCORED,
    Cell,
    Studies,
    estimated,
)
from simulations.populations import SHARED

REPLAYS = 1000
"""Of each multiple of the planned difference, over all pairs of systems."""

PEOPLE = Cell("people", R60, lambda rng, size, noise: rng.standard_normal(size))
JUDGED = Cell("judge", R60, PEOPLE.draw, rho=0.5)


class Replies(NamedTuple):
    """Ratings of the replies of two systems to the same contexts.

    Args:
        a: float64 [n, k], the ratings of the replies of one, NaN where there are fewer.
        b: float64 [n, k], of the other.
        judge: float64 [n], a judge's difference; None without.
    """

    a: Floats
    b: Floats
    judge: Floats | None = None

    def spread(self) -> Spread:
        """The variance of true differences, that of one rater's difference, and the judge's correlation."""
        counts = [(~np.isnan(each)).sum(axis=1) for each in (self.a, self.b)]
        means = np.nanmean(self.a, axis=1) - np.nanmean(self.b, axis=1)
        total = float(means.var())
        if max(each.max() for each in counts) == 1:
            rho = 0.0 if self.judge is None else float(np.corrcoef(means, self.judge)[0, 1])
            return Spread(total, 0.0, max(0.0, rho), None if self.judge is None else SCORED)
        own = [np.nanvar(each, axis=1, ddof=1) for each in (self.a, self.b)]
        rater = float(sum(each.mean() for each in own))
        seen = float(sum((v / n).mean() for v, n in zip(own, counts, strict=True)))
        return Spread(max(total - seen, 0.01 * total), rater)


def dstc7() -> Iterator[Replies]:
    """Every pair of systems, relevance and informativeness averaged, three of 310 people a reply."""
    path = SHARED / "dstc7-task2" / "dstc7-task2-human-eval-per-judge.tsv"
    table = pl.read_csv(path, separator="\t").with_columns(
        score=(pl.col("Relevance") + pl.col("Informativeness")) / 2
    )
    of = {
        str(name): part.sort("InstanceID").group_by("InstanceID", maintain_order=True).agg("score")
        for (name,), part in table.group_by(["SystemID"])
    }
    ratings = {name: np.array(part["score"].to_list()) for name, part in sorted(of.items())}
    for one, other in combinations(ratings, 2):
        yield Replies(ratings[one], ratings[other])


def grade() -> Iterator[Replies]:
    """Two systems, 150 contexts, some ten raters a reply."""
    path = SHARED / "grade-dailydialog" / "human_judgement.json"
    rows = json.loads(path.read_text("utf-8"))
    ratings: dict[str, list[list[float]]] = {}
    for row in sorted(rows, key=lambda each: each["Context"]):
        ratings.setdefault(row["DialogModel"], []).append(json.loads(row["HumanScores"]))
    most = max(len(each) for own in ratings.values() for each in own)
    padded = [
        np.array([[*each, *[math.nan] * (most - len(each))] for each in own])
        for own in ratings.values()
    ]
    yield Replies(*padded)


def zhao() -> Iterator[Replies]:
    """Every pair of models on the contexts of both: means of four people, and of three judges."""
    folder = SHARED / "judges-dailydialog-zhao"
    model = pl.col("system").str.split(" ").list.first()
    marks = pl.read_csv(folder / "ratings.csv").group_by(model, "id").agg(pl.col("score").mean())
    judges = pl.read_csv(folder / "scores.csv").group_by(model, "id").agg(pl.col("value").mean())
    table = marks.join(judges, on=["system", "id"])
    for one, other in combinations(sorted(table["system"].unique()), 2):
        both = table.filter(system=one).join(table.filter(system=other), on="id")
        if both.height >= 30:
            a, b, *judge = (
                both[each].to_numpy() for each in ("score", "score_right", "value", "value_right")
            )
            yield Replies(a[:, None], b[:, None], judge[0] - judge[1])


DATA = {"dstc7": dstc7, "grade": grade, "zhao": zhao}


def drawn(of: Replies, most: int, extra: float, runs: int, rng: np.random.Generator) -> Studies:
    """Items drawn from those there are, and of each reply one of its ratings; ``extra`` apart on average."""
    pool = most if of.judge is None else SCORED
    item = rng.integers(0, len(of.a), (runs, pool))
    judge = None if of.judge is None else of.judge[item]
    return Studies(_rated(of, item[:, :most], 1, rng) + extra, judge)


def _rated(of: Replies, item: Indices, raters: int, rng: np.random.Generator) -> Floats:
    """Differences of the mean of so many ratings of each reply, less their mean over all there are."""
    truth = float((np.nanmean(of.a, axis=1) - np.nanmean(of.b, axis=1)).mean())
    means = []
    for ratings in (of.a, of.b):
        keys = rng.random((*item.shape, ratings.shape[1])) + np.isnan(ratings)[item]
        chosen = np.argsort(keys, axis=2)[:, :, :raters]
        means.append(np.take_along_axis(ratings[item], chosen, 2).mean(axis=2))
    return means[0] - means[1] - truth


class Replayed(NamedTuple):
    """Counts over the replays of one multiple of the planned difference.

    Args:
        rated: Ratings, as shares of the fixed design's, added up.
        forecast: What the design forecasts of them.
        most: The planned maximum.
        found: Found a difference, ending where futile.
        fixed: So did the fixed design.
        joint: The repeated intervals of all looks hold the truth.
        held: The stage-wise interval does.
        median: The median-unbiased estimate lies above it.
    """

    rated: float
    forecast: float
    most: float
    found: int
    fixed: int
    joint: int
    held: int
    median: int


def replayed(of: Replies, runs: int, rng: np.random.Generator) -> Iterator[Replayed]:
    """By multiple of the planned difference: many studies of one pair."""
    spread, judged = of.spread(), of.judge is not None
    fixed = FIXED * (RATERS if spread.rater else 1)
    effect = 2.8016 * math.sqrt((spread.items + spread.rater / RATERS) / FIXED)

    def information(n: Floats) -> Floats:
        return spread.information(n, 1, judged)

    design = sequential_design(information, effect, POWER, items=SCORED if judged else 10**6)
    plan = planned(information, design, effect)
    for multiple, expected in zip(MULTIPLES, design.expected, strict=True):
        extra = multiple * effect
        studies = drawn(of, plan.most, extra, runs, rng)
        found = estimated(JUDGED if judged else PEOPLE, studies, design.looks)
        own = courses(found, plan, extra)
        higher = places(found, plan, extra, own, 0)
        yield Replayed(
            float(found.looks[own.end].sum()) / fixed, runs * expected / fixed, runs * plan.most / fixed,
            int(own.found.sum()), _fixed_found(of, extra, fixed // FIXED, runs, rng), int(own.joint.sum()),
            int(((higher >= 0.025) & (higher <= 0.975)).sum()), int((higher < 0.5).sum()),
        )  # fmt: skip


def _fixed_found(
    of: Replies, extra: float, raters: int, runs: int, rng: np.random.Generator
) -> int:
    """How often the fixed design finds a difference."""
    own = _rated(of, rng.integers(0, len(of.a), (runs, FIXED)), raters, rng) + extra
    t = own.mean(axis=1) / own.std(axis=1, ddof=1) * math.sqrt(FIXED)
    return int((np.abs(in_z(t, np.full(runs, FIXED - 1.0))) >= -ndtri(0.025)).sum())


def main() -> None:
    """Prints a table for each data set that is there."""
    for name in sys.argv[1:] or DATA:
        pairs = list(DATA[name]()) if SHARED.is_dir() else []
        for judged in (False, True):
            used = [each if judged else each._replace(judge=None) for each in pairs]
            if not used or (judged and used[0].judge is None):
                continue
            runs, rng = -(-REPLAYS // len(used)), np.random.default_rng(1)
            of = [each.spread() for each in used]
            reliable = np.median([each.items / (each.items + each.rater / RATERS) for each in of])
            print(
                f"\n{name}, {len(used)} pairs, {runs * len(used)} replays of each effect; medians: "
                f"reliability {reliable:.2f}, judge {np.median([each.rho for each in of]):.2f}\n"
            )
            print(f"| effect | {' | '.join(Replayed._fields)} |\n|{'---|' * 9}")
            sums = np.sum([list(replayed(each, runs, rng)) for each in used], axis=0)
            for multiple, row in zip(MULTIPLES, sums / (runs * len(used)), strict=True):
                print(f"| {multiple:g} | {' | '.join(f'{each:.3f}' for each in row)} |", flush=True)


if __name__ == "__main__":
    main()
