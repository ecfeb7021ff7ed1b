"""Results that are claimed honestly, of every kind, many metrics and settings, from one item to many."""

import random
from collections.abc import Iterator
from typing import Any

import polars as pl

import rejoinder
from rejoinder.errors import RejoinderError

WORDS = ["yes", "no", "at", "nine", "ok", "then", "never", "a", "the", "maybe", "?"]
METRICS = (
    "bleu", "bleu:order=4,smoothing=exp", "sbleu", "deltableu", "chrf", "chrf:word_order=2", "rougeL",
    "rouge1", "ter", "ambleu", "distinct", "distinct:order=2", "entropy", "length",
)  # fmt: skip
PROTOCOLS = ("turn", "system", "unit", "pairwise", "soft", "dialogue")
KINDS = ("score", "other tools", "compare", "people", "both", "correlate", "judge")


def claimable(rng: random.Random) -> Iterator[tuple[str, Any, bool]]:
    """Without end: the kind of a result, the result, and whether ranks are claimed too.

    What Rejoinder refuses to compute (too few items, no rating in common) is no claim and is passed over.
    """
    while True:
        kind = rng.choice(KINDS)
        try:
            yield kind, *_result(kind, rng)
        except RejoinderError:
            continue


def _text(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.choice([0, 1, 1, 2, 3, 5, 9])))


def _items(rng: random.Random, n: int) -> pl.DataFrame:
    rows = [
        {
            "id": f"i{number}",
            "context": [_text(rng) or "hm"],
            "references": [
                {"text": _text(rng) or "well", "weight": rng.choice([1.0, 0.5, -0.5, None])}
                if rng.random() < 0.3
                else {"text": _text(rng) or "well", "weight": None}
                for _ in range(rng.randrange(1, 4))
            ],
            "topic": rng.choice("xyz"),
            "conversation": f"k{number // 3}",
        }
        for number in range(n)
    ]
    if rng.random() < 0.7:
        for row in rows:
            del row["conversation"]
    return pl.DataFrame(rows)


def _replies(rng: random.Random, items: pl.DataFrame, systems: str) -> pl.DataFrame:
    samples = rng.choice([1, 1, 1, 3])
    ties = rng.random() < 0.2
    same = {each: _text(rng) for each in items["id"]}
    rows = [
        {
            "system": system,
            "id": each,
            "text": same[each] if ties else _text(rng),
            "sample": str(sample),
        }
        for system in systems
        for each in items["id"]
        for sample in range(samples)
    ]
    frame = pl.DataFrame(rows)
    return frame if samples > 1 else frame.drop("sample")


def _scores(rng: random.Random, n: int, systems: str) -> Any:
    items = _items(rng, n)
    replies = _replies(rng, items, systems)
    facts: dict[str, Any] = {}
    if rng.random() < 0.3 and n > 3:
        replies = replies.filter(pl.Series(rng.random() < 0.9 for _ in range(replies.height)))
        facts["missing"] = rng.choice(["drop", "pairwise", "empty"])
    return rejoinder.score(
        items,
        replies,
        rng.sample(METRICS, rng.randrange(1, 4)),
        cluster=rng.choice([None, None, "topic", "none"]),
        resamples=rng.choice([0, 100, 200]),
        at=rng.choice([(), (), (1, 2)]),
        seed=rng.randrange(10_000),
        drop_unusable=True,
        **facts,
    )


def _marks(rng: random.Random, n: int, systems: str, name: str = "marks") -> pl.DataFrame:
    grades = rng.choice([[0.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [0.25], [-1.5, 0.0, 1e9]])
    values = [
        rng.choice(grades) + rng.choice([0, 0, rng.random()]) for _ in range(n * len(systems))
    ]
    if len(set(grades)) <= 2:
        values = [rng.choice(grades) for _ in values]
    ids = [f"i{number}" for number in range(n)]
    return pl.DataFrame(
        {
            "system": [system for system in systems for _ in ids],
            "id": ids * len(systems),
            "name": [name] * len(values),
            "value": values,
        }
    )


def _external(rng: random.Random, n: int, systems: str) -> Any:
    marks = _marks(rng, n, systems)
    return rejoinder.Scores.from_segments(
        marks,
        _items(rng, n) if rng.random() < 0.5 else None,
        lower=rng.choice([(), ("marks",)]),
        rates=("marks",) if set(marks["value"]) <= {0.0, 1.0} and rng.random() < 0.5 else (),
        resamples=rng.choice([0, 100]),
        seed=rng.randrange(10_000),
    )


def _ratings(rng: random.Random, n: int, systems: str) -> pl.DataFrame:
    raters = [f"rater {number}" for number in range(rng.choice([1, 2, 3, 5]))]
    criteria = rng.choice([["overall"], ["overall"], ["fit", "style"]])
    share = rng.choice([0.4, 0.8, 1.0])
    lean = {each: rng.choice([-1, 0, 0, 1]) for each in raters}
    rows = [
        {
            "id": f"i{number}",
            "system": system,
            "rater": rater,
            "criterion": criterion,
            "score": float(min(5, max(1, rng.randrange(1, 6) + lean[rater] + (system == "a")))),
        }
        for number in range(n)
        for system in systems
        for rater in raters
        for criterion in criteria
        if rng.random() < share
    ]
    frame = pl.DataFrame(rows)
    if rng.random() < 0.2:
        frame = frame.with_columns(topic=pl.col("id").str.slice(-1))
    return frame


def _result(kind: str, rng: random.Random) -> tuple[Any, bool]:
    systems = "abcde"[: rng.randrange(1, 6)]
    few = rng.choice([1, 2, 3, 4, 7, 12, 40])
    many = rng.choice([12, 20, 40, 80])
    ranks = rng.random() < 0.5 and len(systems) > 1 and kind in ("compare", "people", "both")
    if kind == "score":
        return _scores(rng, few, systems), False
    if kind == "other tools":
        return _external(rng, few, systems), False
    if kind == "compare":
        scores = rng.choice([_scores, _external])(rng, few, systems)
        settings = rng.choice([{}, {"margin": 0.1}, {"b": "a", "worse_by": 0.05}, {"a": "a"}])
        ranks = ranks and not {"a", "b"} & settings.keys()
        settings = {**settings, "permutations": rng.choice([None, 100, 500])}
        return rejoinder.compare(scores, cluster=rng.choice([None, "none"]), **settings), ranks
    ratings = _ratings(rng, many, systems)
    criterion = rng.choice(ratings["criterion"].unique().sort().to_list())
    cluster = "topic" if "topic" in ratings.columns else None
    people = {
        "scale": rng.choice([None, (1, 5), (0, 6)]),
        "correction": rng.choice(["holm", "holm", "max"]),
        "anytime": rng.random() < 0.2,
        "rater_effects": rng.choice([None, None, "fixed"]),
        "seed": rng.randrange(10_000),
    }
    if people["anytime"]:
        people["correction"] = "holm"
    if kind == "people":
        one = rng.choice([None, criterion])
        return rejoinder.compare(ratings=ratings, criterion=one, cluster=cluster, **people), ranks
    scores = rng.choice([_scores, _external])(rng, many, systems)
    if kind == "both":
        people["population"] = "new" if people["anytime"] else rng.choice(["new", "these"])
        return rejoinder.compare_with_people(scores, ratings, criterion=criterion, **people), ranks
    if kind == "correlate":
        return (
            rejoinder.correlate(
                scores,
                ratings,
                rng.choice(PROTOCOLS),
                criterion=criterion,
                raters=rng.choice(["mean", "median", "z"]),
                resamples=rng.choice([0, 100]),
                permutations=rng.choice([0, 50]),
                seed=rng.randrange(10_000),
            ),
            False,
        )
    marks = _marks(rng, many, systems)
    twice = marks.with_columns(sample=pl.lit("0"), value=pl.col("value") + 0.5)
    twice = pl.concat([marks.with_columns(sample=pl.lit("1")), twice])
    replies = _replies(rng, _items(rng, many), systems)
    repeated = rng.random() < 0.5
    if repeated:
        scores = rejoinder.Scores.from_segments(twice)
    judged = rejoinder.judge(
        scores,
        ratings,
        responses=rng.choice([None, replies]),
        repeats=twice if repeated else None,
        criterion=criterion,
        scale=people["scale"],
        tolerance=rng.choice([0.1, 0.2]),
        alignment=rng.choice(["rmse", "accuracy"]),
        rater_severity=rng.choice(["adjusted", "kept"]),
        seed=people["seed"],
    )
    return judged, False
