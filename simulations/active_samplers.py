"""Which items others would have rated, on Zhao's replies: ``python simulations/active_samplers.py FOLDER``.

For an environment of its own with glide-py and subset2evaluate (Python 3.12), without Rejoinder. FOLDER has
the ``ratings.csv`` and ``scores.csv`` of judges-dailydialog-zhao. Each pair of models that share 30 contexts;
500 items drawn from these, 100 of them rated; 40 replays each. The errors of the mean difference stand beside
those of 100 items drawn alike, with the same judge.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
from glide.estimators.asi import ASIMeanEstimator
from glide.estimators.ppi import PPIMeanEstimator
from glide.samplers.active import ActiveSampler
from subset2evaluate.methods import METHODS

POOL, RATED, REPLAYS = 500, 100, 40


def pairs(folder: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """By pair the differences of people's means [n], and of each judge's marks [n, 3]."""
    people, marks = (defaultdict(lambda: defaultdict(list)) for _ in range(2))
    judges = set()
    with (folder / "ratings.csv").open() as file:
        for row in csv.DictReader(file):
            people[row["system"].split(" ")[0]][row["id"]].append(float(row["score"]))
    with (folder / "scores.csv").open() as file:
        for row in csv.DictReader(file):
            marks[row["system"].split(" ")[0], row["name"]][row["id"]].append(float(row["value"]))
            judges.add(row["name"])
    found = []
    for a, b in combinations(sorted(people), 2):
        both = sorted(people[a].keys() & people[b].keys())
        if len(both) >= 30:
            mean = [[np.mean(of[a_b][i]) for i in both] for of, a_b in ((people, a), (people, b))]
            judged = [
                [np.mean(marks[a, j][i]) - np.mean(marks[b, j][i]) for i in both]
                for j in sorted(judges)
            ]
            found.append((np.array(mean[0]) - np.array(mean[1]), np.array(judged).T))
    return found


def main() -> None:
    rng = np.random.default_rng(1)
    errors, held = defaultdict(list), defaultdict(list)
    for place, (people, judged) in enumerate(pairs(Path(sys.argv[1]))):
        truth, scale = people.mean(), people.std()
        for replay in range(REPLAYS):
            item = rng.integers(0, len(people), POOL)
            y, f = people[item], judged[item].mean(axis=1)
            seed = 1000 * place + replay
            alike = rng.permutation(POOL) < RATED
            kinds = {"people alone, drawn alike": None, "drawn alike": alike}
            spread = judged[item].std(axis=1) + 0.25
            absolute = np.abs(y - f) + 0.25  # what no judge knows: the best there could be
            for kind, rated in kinds.items():
                if rated is None:
                    value, error = y[alike].mean(), y[alike].std(ddof=1) / np.sqrt(RATED)
                    low, high = value - 1.984 * error, value + 1.984 * error
                else:
                    of = PPIMeanEstimator().estimate(np.where(rated, y, np.nan), f)
                    value, (low, high) = of.mean, ends(of)
                add(errors, held, kind, (value - truth) / scale, low <= truth <= high)
            for kind, uncertainty in (
                ("GLIDE, by disagreement", spread),
                ("GLIDE, by true errors", absolute),
            ):
                pi, xi = ActiveSampler().sample(uncertainty, n_samples=RATED, random_seed=seed)
                kept = ~np.isnan(xi)
                of = ASIMeanEstimator().estimate(
                    np.where(xi[kept] == 1, y[kept], np.nan), f[kept], pi[kept]
                )
                add(
                    errors,
                    held,
                    kind,
                    (of.mean - truth) / scale,
                    ends(of)[0] <= truth <= ends(of)[1],
                )
            data = [{"scores": {"a": {"m": each}, "b": {"m": 0.0}}} for each in f]
            for method in ("metric_var", "metric_avg"):
                order = np.argsort(METHODS[method](data, metric="m"))[::-1][:RATED]
                value, error = y[order].mean(), y[order].std(ddof=1) / np.sqrt(RATED)
                inside = abs(value - truth) <= 1.984 * error
                add(errors, held, f"subset2evaluate, {method}", (value - truth) / scale, inside)
    base = np.mean(np.square(errors["drawn alike"]))
    print("| items | squared error beside drawn alike | bias | 95% interval holds | replays |")
    print("|---|---|---|---|---|")
    for kind, own in errors.items():
        print(
            f"| {kind} | {np.mean(np.square(own)) / base:.2f} | {np.mean(np.abs(bias(own))):.3f} | "
            f"{np.mean(held[kind]):.3f} | {len(own)} |"
        )


def ends(of) -> tuple[float, float]:  # noqa: ANN001
    """The interval of a result of GLIDE."""
    interval = of.confidence_interval
    return float(interval.lower_bound), float(interval.upper_bound)


def bias(own: list[float]) -> np.ndarray:
    """The mean error of each pair, whose replays follow each other."""
    return np.array(own).reshape(-1, REPLAYS).mean(axis=1)


def add(errors: dict, held: dict, kind: str, error: float, inside: bool) -> None:
    """Keeps what a replay gave."""
    errors[kind].append(error)
    held[kind].append(inside)


if __name__ == "__main__":
    main()
