"""What judges save on real ratings: the tables of docs/studies/judges-and-people.md.

``python -m simulations.real_judges zhao``, ``... dstc7``, ``... panels`` and ``... signs``. The data are
looked for in ``../shared/data``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from rejoinder import (
    Scores,
    compare_with_people,
    read_ratings,
    read_responses,
    read_scores,
    read_testset,
    score,
)
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.combined_predictions import FOLDS, combined_predictions, folds_of
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.statistics.prediction_powered import corrected_mean
from simulations.judges_and_people import ITEMS
from simulations.populations import SHARED

PEOPLES = ("ground-truth", "negative-sample")
METRICS = ["sbleu", "rougeL", "chrf", "length"]
PANEL = "mean of three"


def zhao(draws: int) -> None:
    """Three language models, the mean of their marks, and all three combined."""
    folder = SHARED / "judges-dailydialog-zhao"
    marks, ratings = read_scores(folder / "scores.csv"), read_ratings(folder / "ratings.csv")
    panel = marks.group_by("system", "id", maintain_order=True).agg(pl.col("value").mean())
    panel = panel.with_columns(name=pl.lit(PANEL))
    marks = pl.concat(
        [
            marks.select("system", "id", "name", "value"),
            panel.select("system", "id", "name", "value"),
        ]
    )
    for title, pooled in (("settings of a model pooled", True), ("settings apart", False)):
        if pooled:
            marks_of, ratings_of = (_pooled(table) for table in (marks, ratings))
        else:
            marks_of, ratings_of = marks, ratings
        print(f"\n### {title}\n")
        _correlations(marks_of, ratings_of)
        _errors(marks_of, ratings_of)
        _saved(marks_of, ratings_of, draws)
        _pairs(marks_of, ratings_of)


def _pairs(marks: pl.DataFrame, ratings: pl.DataFrame) -> None:
    """Every pair with 10 rated contexts, where the ratings of half the contexts are hidden."""
    judges = [name for name in marks["name"].unique(maintain_order=True) if name != PANEL]
    scores = Scores.from_segments(_wide(marks, judges), missing="pairwise", resamples=0)
    ids = np.array(ratings["id"].unique().sort().to_list())
    rated_ids = np.random.default_rng(1).choice(ids, ids.size // 2, replace=False).tolist()
    pairs = compare_with_people(scores, ratings.filter(pl.col("id").is_in(rated_ids))).pairs
    print(f"\n| pair | rated | people | {' | '.join(judges)} | mean of three | corrected | saved |")
    print("|" + "---|" * (len(judges) + 6))
    for (a, b), part in pairs.group_by("a", "b", maintain_order=True):
        by = {row["by"]: row for row in part.iter_rows(named=True)}
        ours = by["corrected"]
        if np.isnan(ours["low"]):
            continue
        alone = [by[judge]["difference"] for judge in judges]
        ends = [
            f"{each['difference']:.2f} [{each['low']:.2f}, {each['high']:.2f}]"
            for each in (by["people"], ours)
        ]
        cells = [f"{a} / {b}", f"{ours['rated']} of {ours['items']}", ends[0]]
        cells += [f"{each:.2f}" for each in (*alone, np.mean(alone))]
        cells += [ends[1], f"{100 * ours['saved']:z.0f}%"]
        print(f"| {' | '.join(cells)} |")


def _pooled(table: pl.DataFrame) -> pl.DataFrame:
    """The replies of all settings of a model to a context as one, with their mean."""
    value = "value" if "value" in table.columns else "score"
    model = table.with_columns(system=pl.col("system").str.split(" ").list.first())
    keys = [name for name in model.columns if name != value]
    return model.group_by(keys, maintain_order=True).agg(pl.col(value).mean()).select(table.columns)


def _joined(marks: pl.DataFrame, ratings: pl.DataFrame, judge: str) -> pl.DataFrame:
    own = marks.filter(pl.col("name") == judge)
    return own.join(ratings, on=["system", "id"]).select("system", "id", "value", "score")


def _correlations(marks: pl.DataFrame, ratings: pl.DataFrame) -> None:
    """Pearson's r over all replies, within systems, and of the differences of pairs."""
    print(
        "| judge | all replies | without people's | within systems | differences, middle pair |\n"
        "|---|---|---|---|---|"
    )
    for judge in marks["name"].unique(maintain_order=True):
        table = _joined(marks, ratings, judge)
        machines = table.filter(~pl.col("system").is_in(PEOPLES))
        centred = machines.select(
            pl.col("value", "score") - pl.col("value", "score").mean().over("system")
        )
        r = [_pearson(each) for each in (table, machines, centred)]
        print(
            f"| {judge} | {r[0]:.2f} | {r[1]:.2f} | {r[2]:.2f} | {np.median(_of_pairs(table)):.2f} |"
        )
    print()


def _pearson(table: pl.DataFrame) -> float:
    return float(np.corrcoef(table["value"], table["score"])[0, 1])


def _of_pairs(table: pl.DataFrame, least: int = 10) -> Floats:
    """Pearson's r of the differences of each pair of systems with so many common items."""
    correlations = []
    parts = {name: part for (name,), part in table.group_by("system", maintain_order=True)}
    for a, b in combinations(parts.values(), 2):
        both = a.join(b, on="id", suffix="_b")
        d, f = both["score"] - both["score_b"], both["value"] - both["value_b"]
        if both.height >= least and d.std() and f.std():
            correlations.append(np.corrcoef(d, f)[0, 1])
    return np.array(correlations)


def _errors(marks: pl.DataFrame, ratings: pl.DataFrame) -> None:
    """In how many pairs a judge's error differs between the two systems."""
    scores = Scores.from_segments(_wide(marks), missing="pairwise", resamples=0)
    result = compare_with_people(scores, ratings)
    print(
        "| judge | pairs with 10 items | error differs, p < .05 | after Holm | "
        "significant against people |\n|---|---|---|---|---|"
    )
    people = result.pairs.filter(pl.col("by") == "people").select("a", "b", "difference", "p_holm")
    for judge in result.judges:
        rows = result.errors.filter(pl.col("judge") == judge, pl.col("p").is_not_nan())
        alone = result.pairs.filter(pl.col("by") == judge).join(
            people, on=["a", "b"], suffix="_people"
        )
        wrong = alone.filter(
            (pl.col("p_holm") < 0.05)
            & (pl.col("p_holm_people") < 0.05)
            & (pl.col("difference") * pl.col("difference_people") < 0)
        )
        counts = [(rows[name] < 0.05).sum() for name in ("p", "p_holm")]
        print(f"| {judge} | {rows.height} | {counts[0]} | {counts[1]} | {wrong.height} |")
    print()


def _wide(marks: pl.DataFrame, judges: Sequence[str] = ()) -> pl.DataFrame:
    wide = marks.pivot("name", index=["system", "id"], values="value")
    return wide.select("system", "id", *judges) if judges else wide


def _saved(marks: pl.DataFrame, ratings: pl.DataFrame, draws: int) -> None:
    """How much a judge saves where the ratings of half the contexts are hidden."""
    ids = np.array(ratings["id"].unique().sort().to_list())
    names = marks["name"].unique(maintain_order=True).to_list()
    table = _drawn(
        {**{name: _wide(marks, [name]) for name in names}, "all three combined": _wide(marks, names[:-1])},
        ratings, ids, ids.size // 2, draws,
    )  # fmt: skip
    print(table)


def _drawn(
    judges: dict[str, pl.DataFrame], ratings: pl.DataFrame, ids: np.ndarray, rated: int, draws: int
) -> str:
    """Mean over random draws of rated items: pairs, ratings saved in the middle pair and in quarters."""
    lines = [
        "| judge | pairs | saved: lower quarter | middle pair | upper quarter | significant: people | "
        "corrected |",
        "|---|---|---|---|---|---|---|",
    ]
    for judge, values in judges.items():
        scores = Scores.from_segments(values, missing="pairwise", resamples=0)
        rng, rows = np.random.default_rng(1), []
        for _ in range(draws):
            selected = ratings.filter(
                pl.col("id").is_in(rng.choice(ids, rated, replace=False).tolist())
            )
            result = compare_with_people(scores, selected)
            by = {
                name: result.pairs.filter(pl.col("by") == name) for name in ("people", "corrected")
            }
            saved = by["corrected"]["saved"].drop_nans().to_numpy()
            significant = [int((each["p_holm"] < 0.05).sum()) for each in by.values()]
            rows.append([saved.size, *np.quantile(saved, [0.25, 0.5, 0.75]), *significant])
        n, low, middle, high, before, after = np.mean(rows, axis=0)
        shares = " | ".join(f"{100 * each:z.0f}%" for each in (low, middle, high))
        lines.append(f"| {judge} | {n:.0f} | {shares} | {before:.1f} | {after:.1f} |")
    return "\n".join(lines)


def dstc7(draws: int) -> None:
    """Metrics as judges of DSTC7's systems, without people's own replies and with them."""
    for without in ("Human", ""):
        print(f"\n### {'people left out' if without else 'with people'}\n")
        _dstc7(without, draws)


def _of_dstc7(without: str) -> tuple[list[str], pl.DataFrame, pl.DataFrame]:
    """The names of the metrics, their scores of each reply, and the mean ratings."""
    folder = SHARED / "dstc7-task2"
    testset = read_testset(folder)
    replies = read_responses(folder / "dstc7-task2-system_responses.tsv", ids=testset.ids)
    replies = replies.filter(pl.col("system") != without)
    scores = score(testset, replies, METRICS, drop_unusable=True, resamples=0)
    segments = scores.segments().drop_nans()
    ratings = read_ratings(folder / "dstc7-task2-human-eval-per-judge.tsv")
    people = ratings.group_by("system", "id", maintain_order=True).agg(pl.col("score").mean())
    people = people.filter(
        pl.col("system") != without, pl.col("id").is_in(segments["id"].unique().to_list())
    )
    people = people.with_columns(rater=pl.lit("mean"), criterion=pl.lit("both"))
    return [name for name in segments.columns if name not in ("system", "id")], segments, people


def _dstc7(without: str, draws: int) -> None:
    names, segments, people = _of_dstc7(without)
    marks = segments.unpivot(names, index=["system", "id"], variable_name="name")
    _correlations(marks, people)
    ids = np.array(people["id"].unique().sort().to_list())
    judges = {name: segments.select("system", "id", name) for name in names}
    print(f"{ids.size} contexts, 50 of them rated\n")
    print(_drawn({**judges, "all combined": segments}, people, ids, 50, draws))


def panels(runs: int) -> None:
    """The mean of several judges and their combination, at few ratings and at many, beside people alone.

    500 items of a pair of systems, drawn with replacement from those that both answered.
    """
    print(
        "| judges | rated of 500 | people alone covers | mean: width | covers | combined: width | covers |"
    )
    print("|" + "---|" * 7)
    for name, pairs in _populations():
        for rated in (10, 20, 40, 100):
            rng, tally = np.random.default_rng([1, rated]), np.zeros((2, 3))
            for _ in range(runs):
                d, f = pairs[rng.integers(len(pairs))]
                items = rng.integers(0, d.size, ITEMS)
                labels = np.where(np.arange(ITEMS) < rated, d[items], np.nan)
                folds = np.append(folds_of(rated, FOLDS, rng), np.zeros(ITEMS - rated, dtype=int))
                scores = f[items]
                mean = (scores / np.maximum(scores.std(axis=0), 1e-12)).mean(axis=1)
                combined = combined_predictions(
                    labels[None], scores[None], np.arange(ITEMS), folds
                )[0]
                ours = [
                    corrected_mean(labels, mean, weight=0.0),
                    *(corrected_mean(labels, each) for each in (mean, combined)),
                ]
                if np.isfinite(ours[0].width):
                    ends = [(each.interval.low, each.interval.high) for each in ours]
                    tally[0] += [low <= d.mean() <= high for low, high in ends]
                    tally[1] += [each.width for each in ours]
            covers, widths = tally[0] / runs, tally[1] / tally[1, 0]
            cells = [covers[0], widths[1], covers[1], widths[2], covers[2]]
            print(
                f"| {name} | {rated} | {' | '.join(f'{each:.3f}' for each in cells)} |", flush=True
            )


def signs(_: int) -> None:
    """Of the pairs of DSTC7's systems that people tell apart: does a metric alone have the same sign?"""
    folder = SHARED / "dstc7-task2"
    testset = read_testset(folder)
    replies = read_responses(folder / "dstc7-task2-system_responses.tsv", ids=testset.ids)
    replies = replies.filter(pl.col("system") != "Human")
    metrics = ["bleu", "bleu:order=4", *METRICS]
    scores = score(testset, replies, metrics, drop_unusable=True, resamples=100)
    wide = _of_dstc7("Human")[2].pivot("system", index="id", values="score")
    print("| metric | pairs that people tell apart | same sign | significant with the other sign |")
    print("|---|---|---|---|")
    for label in scores.labels:
        rows = []
        for row in scores.compare().filter(metric=label).iter_rows(named=True):
            apart, _interval, p = paired_difference(
                (wide[row["a"]] - wide[row["b"]]).drop_nulls().to_numpy()
            )
            if p < SIGNIFICANT:
                same = apart * row["difference"] > 0
                rows.append((same, not same and row["p_randomization"] < SIGNIFICANT))
        agree, wrong = np.sum(rows, axis=0)
        print(f"| {label} | {len(rows)} | {agree} | {wrong} ({100 * wrong / len(rows):.0f}%) |")


def _populations() -> Iterator[tuple[str, list[tuple[Floats, Floats]]]]:
    """For each pair of systems the differences of the ratings [n] and of the judges' scores [n, k]."""
    folder = SHARED / "judges-dailydialog-zhao"
    marks = _pooled(read_scores(folder / "scores.csv").select("system", "id", "name", "value"))
    ratings = _pooled(read_ratings(folder / "ratings.csv"))
    yield "three language models, DailyDialog", _differences(_wide(marks), ratings)
    _, segments, people = _of_dstc7("Human")
    yield "four metrics, DSTC7", _differences(segments, people)
    rng, n = np.random.default_rng(9), 20_000
    for name, correlations in (
        ("r = 0.6, 0.6, 0.6", [0.6, 0.6, 0.6]),
        ("r = 0.6, 0, 0, 0", [0.6, 0, 0, 0]),
        ("r = 0.6, 0.6, -0.6", [0.6, 0.6, -0.6]),
    ):
        r, d = np.array(correlations), rng.normal(size=n)
        yield name, [(d, r * d[:, None] + np.sqrt(1 - r * r) * rng.normal(size=(n, r.size)))]


def _differences(marks: pl.DataFrame, people: pl.DataFrame) -> list[tuple[Floats, Floats]]:
    judges = [name for name in marks.columns if name not in ("system", "id")]
    table = marks.join(people.select("system", "id", "score"), on=["system", "id"])
    parts = [part for _, part in table.group_by("system", maintain_order=True)]
    found = []
    for a, b in combinations(parts, 2):
        both = a.join(b, on="id", suffix="_b")
        if both.height >= 30:
            differences = [
                (both[name] - both[f"{name}_b"]).to_numpy() for name in ("score", *judges)
            ]
            found.append((differences[0], np.stack(differences[1:], axis=1)))
    return found


def main(arguments: Iterable[str] | None = None) -> None:
    """Prints the tables of one data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=["zhao", "dstc7", "panels", "signs"])
    parser.add_argument(
        "--draws", type=int, default=20, help="random draws of rated items (of panels: runs)"
    )
    given = parser.parse_args(None if arguments is None else list(arguments))
    {"zhao": zhao, "dstc7": dstc7, "panels": panels, "signs": signs}[given.data](given.draws)


if __name__ == "__main__":
    main()
