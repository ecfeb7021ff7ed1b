"""A judge corrected by people: does the interval of the corrected difference hold the truth?

``python -m simulations.judges_and_people`` prints how wide that interval is beside that of people alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.meta_evaluation.with_people.refusals import REFUSED
from rejoinder.statistics.combined_predictions import FOLDS, combined_predictions, folds_of
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.rater_variance import SingleRatings
from rejoinder.statistics.selection import selection
from simulations.populations import SHARED
from simulations.study import COVERAGE, Row, SimulationStudy

ITEMS, LABELS, CORRELATIONS = 500, (20, 30, 50), (0.0, 0.2, 0.4, 0.6, 0.8)
CLUSTERS, SIZE = (12, 30, 100), 5
MADE = "ratings like DSTC7's"
POPULATION = 20_000

TEXT = """
The difference of two systems' mean ratings, from some rated items of 500 and a judge's scores of all 500,
whose differences correlate with people's by r. "People alone" is Student's t of the rated items. The
ratings are means of three grades from 1 to 5 made here, and differences drawn from DSTC7's where it is at
hand.

From 20 to 50 labels the corrected interval holds the truth in 93.5 to 95.7 of 100 runs, that of people
alone on the same draws in 93.6 to 96.1; over clusters in 94.7 to 95.6. It is never more than 3% wider than
that of people alone, and the better the judge, the narrower: [judges and people](judges-and-people.md). The
test of a judge's error and the interval of a judge alone are the same Student's t, of other differences.

Each rater rates both replies of 30 items; where raters lean to a system by 0.3 standard deviations of a
reply's quality, 3 raters give 0.93 and 10 raters 0.945. With one rater the interval holds for that person
alone: for people in general it covers 0.84. Of items drawn with unequal probabilities (three times as
likely where the judge finds the two systems alike) the interval covers 0.93 at about 30 labels, 0.95 at
100.
"""


CHOSEN_TEXT = """
The scores of 4 systems, which are alike within an item. Ratings are refused where the permutation test of how
items were chosen has p of 0.001 or less: for items drawn at random in none of 1,000 sets, and for the 20
items of 500 with the best mean score always.
"""

FIXED_TEXT = """
80 items, of which 24, 40 or 60 drawn at random are rated: `compare --ratings --population these` is of the
difference over these 80, not over all items like them. Differences are normal and the judge's correlate with
them by r; or ten raters, who lean to a system by 0.3 standard deviations of a reply's quality, rate both
replies, and the truth is what all raters would say of these 80.

Intervals for new items (the default) hold the difference of these 80 in 97 to 100 of 100 runs; those of these
items in 94 to 96, people's and corrected, with ten raters too.
"""


class Differences(NamedTuple):
    """Differences of two systems' ratings, to draw items from.

    Args:
        name: What the population is called.
        pairs: float64 [P, n], for each pair of systems those of n items.
    """

    name: str
    pairs: Floats


@cache
def populations() -> tuple[Differences, ...]:
    """Made ones, and DSTC7's where they are here."""
    rng = np.random.default_rng(7)
    pairs = []
    for level in (0.0, 0.3, 0.9):
        item = rng.normal(size=POPULATION)
        means = [_rated(3.0 + shift + 0.3 * item, rng) for shift in (level, 0.0)]
        pairs.append(means[0] - means[1])
    generated = Differences(MADE, np.stack(pairs))
    file = SHARED / "dstc7-task2" / "dstc7-task2-human_evaluation.tsv"
    if not file.is_file():
        return (generated,)
    table = pl.read_csv(file, separator="\t", quote_char=None).filter(
        pl.col("InstanceID") != "Average"
    )
    ratings = table.drop("InstanceID").cast(pl.Float64).to_numpy().T
    a, b = np.triu_indices(len(ratings), 1)
    return generated, Differences("DSTC7", ratings[a] - ratings[b])


def _rated(level: Floats, rng: np.random.Generator) -> Floats:
    """The mean of three people's grades from 1 to 5 of replies whose quality varies by 0.8."""
    reply = level + 0.8 * rng.normal(size=level.size)
    grades = np.rint(reply[:, None] + rng.normal(size=(level.size, 3)))
    return np.clip(grades, 1, 5).mean(axis=1)


def judged(labels: Floats, truth: float, sd: float, r: float, rng: np.random.Generator) -> Floats:
    """A judge's differences, in half points, which correlate with people's by r and are biased."""
    noise = np.sqrt(1 - r * r) * rng.normal(size=labels.shape)
    return np.rint(2 * (r * (labels - truth) / sd + noise + 0.3)) / 2


class Tally:
    """How often intervals hold the truth."""

    def __init__(self) -> None:
        self.hits: dict[str, list[bool]] = {}

    def add(
        self,
        truth: float,
        labels: Floats,
        predictions: Floats,
        groups: Indices | None = None,
        probabilities: Floats | None = None,
        ratings: SingleRatings | None = None,
        fixed: bool = False,
    ) -> tuple[float, float]:
        """Counts one run; returns the widths of people alone and corrected."""
        widths = []
        for what, weight in (("people alone", 0.0), ("corrected", None)):
            each = corrected_mean(
                labels, predictions, groups, probabilities, ratings, weight, fixed
            )
            widths.append(each.width)
            if np.isfinite(each.width):
                covers = each.interval.low <= truth <= each.interval.high
                self.hits.setdefault(what, []).append(bool(covers))
        return widths[0], widths[1]

    def rows(self, setting: str, size: str) -> Iterator[Row]:
        """A row for each interval."""
        for what, hits in self.hits.items():
            yield Row(what, setting, size, COVERAGE, sum(hits), len(hits))


def items(
    population: Differences, labels: int, r: float, runs: int, rng: np.random.Generator
) -> tuple[Tally, float]:
    """Runs with independent items, and the mean width over that of people alone."""
    tally, widths = Tally(), np.zeros(2)
    for _ in range(runs):
        all_of = population.pairs[rng.integers(len(population.pairs))]
        differences = all_of[rng.integers(0, all_of.size, ITEMS)]
        predictions = judged(differences, all_of.mean(), all_of.std(), r, rng)
        known = np.where(np.arange(ITEMS) < labels, differences, np.nan)
        widths += tally.add(all_of.mean(), known, predictions)
    return tally, widths[1] / widths[0]


def clusters(number: int, whole: bool, runs: int, rng: np.random.Generator) -> Tally:
    """Runs with conversations of 5 items, all of an item rated or two of them; r is 0.6."""
    tally = Tally()
    total = 3 * number
    group = np.repeat(np.arange(total), SIZE)
    for _ in range(runs):
        alike = rng.normal(size=(2, total))[:, group]
        own = rng.normal(size=(2, total * SIZE))
        latent = np.sqrt(0.5) * (alike + own)
        labels = 0.5 + latent[0]
        predictions = 0.6 * latent[0] + 0.8 * latent[1]
        rated = (group < number) & (whole | (np.arange(group.size) % SIZE < 2))
        tally.add(0.5, np.where(rated, labels, np.nan), predictions, group)
    return tally


def raters(number: int, leaning: float, runs: int, rng: np.random.Generator) -> Tally:
    """Runs in which each of some raters rates both replies of 30 items, and leans to a system."""
    tally, labels = Tally(), 30
    item = np.repeat(np.arange(labels), 2 * number)
    rater = np.tile(np.repeat(np.arange(number), 2), labels)
    sign = np.tile([1.0, -1.0], labels * number)
    for _ in range(runs):
        quality = rng.normal(size=(ITEMS, 2)) + np.array([0.4, 0.0])
        lean = leaning * rng.normal(size=number)
        score = quality[item, (sign < 0).astype(int)] + lean[rater] * (sign > 0)
        score = score + rng.normal(size=item.size)
        d = np.bincount(item, sign * score) / number
        known = np.full(ITEMS, np.nan)
        known[:labels] = d
        difference = quality[:, 0] - quality[:, 1]
        predictions = difference + rng.normal(size=ITEMS)
        ratings = SingleRatings(item, rater, sign, score) if number > 1 else None
        tally.add(0.4, known, predictions, ratings=ratings)
    return tally


def fixed_items(rated: int, r: float, raters: int, fixed: bool, runs: int, seed: int) -> Tally:
    """Runs over a fixed set of 80 items, some of which are rated, by people alike or by raters who lean."""
    tally, rng, number = Tally(), np.random.default_rng([seed, rated]), 80
    for _ in range(runs):
        quality = rng.normal(size=(number, 2))
        d = quality[:, 0] - quality[:, 1]
        f = r * d + np.sqrt(2 * (1 - r * r)) * rng.normal(size=number)
        items = np.sort(rng.permutation(number)[:rated])
        labels, ratings = np.full(number, np.nan), None
        labels[items] = d[items]
        if raters:
            item, rater, side = (each.ravel() for each in np.indices((rated, raters, 2)))
            score = quality[items[item], side] + 0.3 * rng.normal(size=(raters, 2))[rater, side]
            ratings = SingleRatings(
                item, rater, 1.0 - 2 * side, score + rng.normal(size=score.size)
            )
            labels[items] = np.bincount(item, ratings.sign * ratings.score) / raters
        tally.add(float(d.mean()), labels, f, ratings=ratings, fixed=fixed)
    return tally


def several(systems: int, labels: int, runs: int, rng: np.random.Generator) -> Tally:
    """Runs with four predictors of every reply, one of which correlates with people by 0.6."""
    tally = Tally()
    a, b = np.triu_indices(systems, 1)
    for _ in range(runs):
        quality = rng.normal(size=(systems, ITEMS))
        scores = rng.normal(size=(systems, ITEMS, 4))
        scores[..., 0] = 0.6 * quality + 0.8 * scores[..., 0]
        d, f = quality[a] - quality[b], scores[a] - scores[b]
        known = np.where(np.arange(ITEMS) < labels, d, np.nan)
        folds = np.append(folds_of(labels, FOLDS, rng), np.zeros(ITEMS - labels, dtype=np.int64))
        combined = combined_predictions(known, f, np.arange(ITEMS), folds, systems)
        tally.add(0.0, known[0], combined[0])
    return tally


def unequal(labels: int, r: float, runs: int, rng: np.random.Generator) -> Tally:
    """Runs in which items that the judge finds alike are rated three times as often."""
    tally = Tally()
    all_of = populations()[0].pairs[1]
    for _ in range(runs):
        differences = all_of[rng.integers(0, all_of.size, ITEMS)]
        predictions = judged(differences, all_of.mean(), all_of.std(), r, rng)
        wanted = np.where(np.abs(predictions) < 0.75, 3.0, 1.0)
        probability = labels * wanted / wanted.sum()
        rated = rng.random(ITEMS) < probability
        tally.add(
            all_of.mean(), np.where(rated, differences, np.nan), predictions, None, probability
        )
    return tally


def chosen(best: bool, runs: int, rng: np.random.Generator) -> int:
    """How often ratings are refused: of 20 items of 500 at random, or of those with the best scores."""
    refused = 0
    for _ in range(runs):
        scores = rng.normal(size=(ITEMS, 4)) + rng.normal(size=(ITEMS, 1))
        scores = np.column_stack([scores, scores.mean(axis=1), scores.std(axis=1)])
        order = np.argsort(-scores[:, 4]) if best else rng.permutation(ITEMS)
        rated = np.zeros(ITEMS)
        rated[order[:20]] = 1.0
        refused += selection(scores, rated, rng, draws=1999).p <= REFUSED
    return refused


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every setting."""
    rng = np.random.default_rng(seed)
    for population in populations():
        for labels in LABELS:
            for r in CORRELATIONS:
                tally, _ = items(population, labels, r, runs, rng)
                yield from tally.rows(f"{population.name}, r = {r:g}", f"{labels} of {ITEMS} rated")
    for number in CLUSTERS:
        for whole in (True, False):
            how = "all items rated" if whole else "2 of 5 items rated"
            tally = clusters(number, whole, runs, rng)
            yield from tally.rows(f"clusters, {how}, r = 0.6", f"{number} clusters rated")
    for number in (1, 3, 10):
        for leaning in (0.0, 0.3):
            kind = f"raters lean to a system by {leaning:g} sd" if leaning else "raters are alike"
            tally = raters(number, leaning, runs, rng)
            yield from tally.rows(kind, f"30 items, {number} raters")
    for systems in (2, 6):
        for labels in LABELS:
            tally = several(systems, labels, runs, rng)
            yield from tally.rows(
                f"4 predictors combined, {systems} systems", f"{labels} of {ITEMS} rated"
            )
    for labels in (30, 50, 100):
        tally = unequal(labels, 0.6, runs, rng)
        yield from tally.rows("drawn with unequal probabilities, r = 0.6", f"about {labels} rated")


def fixed_rows(runs: int, seed: int) -> Iterator[Row]:
    """Intervals of new items and of these, both beside the difference of these."""
    for rated in (24, 40, 60):
        for r, raters in ((0.0, 0), (0.6, 0), (0.9, 0), (0.6, 10)):
            for fixed in (False, True):
                tally = fixed_items(rated, r, raters, fixed, runs, seed)
                who = f", {raters} raters" if raters else ""
                what = "these items" if fixed else "new items"
                yield from tally.rows(f"for {what}, r = {r:g}{who}", f"{rated} of 80 rated")


def chosen_rows(runs: int, seed: int) -> Iterator[Row]:
    """Whether ratings are refused, of items drawn at random and of chosen ones."""
    rng = np.random.default_rng(seed)
    for best, aim, how in (
        (False, REFUSED, "items drawn at random"),
        (True, 1.0, "the items with the best scores"),
    ):
        refused = chosen(best, runs, rng)
        yield Row("ratings refused", how, f"20 of {ITEMS} rated", aim, refused, runs)


def main() -> None:
    """Prints the widths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print("| data | rated of 500 | r | width | best possible |\n|---|---|---|---|---|")
    for population in populations():
        for labels in LABELS:
            for r in CORRELATIONS:
                _, ratio = items(population, labels, r, given.runs, rng)
                best = np.sqrt(1 - r * r * (ITEMS - labels) / ITEMS)
                print(f"| {population.name} | {labels} | {r:g} | {ratio:.3f} | {best:.3f} |")


STUDY = SimulationStudy("A judge corrected by people (`compare --ratings`)", TEXT, rows)
FIXED_STUDY = SimulationStudy(
    "A fixed set of items (`compare --ratings --population these`)", FIXED_TEXT, fixed_rows
)
CHOSEN_STUDY = SimulationStudy(
    "Ratings of chosen items (`compare --ratings`)", CHOSEN_TEXT, chosen_rows
)

if __name__ == "__main__":
    main()
