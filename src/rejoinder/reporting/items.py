"""The items of a report as the data of its page: every text once, numbers in short."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Floats
from rejoinder.progress import Progress
from rejoinder.scoring.explain import explained_metric, matches
from rejoinder.scoring.shown_values import times_of
from rejoinder.statistics.correlation import average_ranks
from rejoinder.tables.schemas import CONTEXTS
from rejoinder.visible import visible

if TYPE_CHECKING:
    from rejoinder.reporting.parts import ReportParts
    from rejoinder.scoring.scores import Scores

MOST_VALUES = 200
"""A column of the contexts with more values than this is no filter."""

FORMAT = 1
"""The version of the data, for programs that read them out of a page."""


class ShownTexts:
    """Texts by number, each kept once, as they may be shown."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a text."""
        return self.numbers.setdefault(text, len(self.numbers))

    def shown(self) -> list[str]:
        """The texts by their numbers; what hides or turns the direction of writing is written out."""
        return [visible(text, lines=True) for text in self.numbers]


def data_of(report: ReportParts, progress: Progress | None = None) -> str:
    """The items of a report as JSON that may stand in an element ``script``.

    Each system's replies, scores and ratings stand in the order of the items; ``null`` is unknown, and
    a reply that is missing is -1. No ``<`` is in it.

    Args:
        report: The report.
        progress: Called with how many items are done, and of how many.
    """
    scores, texts, grams = report.scores, ShownTexts(), ShownTexts()
    ids = scores.items.get_column("id").to_list()
    places = {id: place for place, id in enumerate(ids)}
    replies = _replies(report, places, texts)
    tables = _scores_of(scores)
    rated = _ratings(report, places)
    data = {
        "format": FORMAT,
        "systems": [visible(name) for name in scores.names],
        "metrics": [
            {
                "label": visible(label),
                "lower": not each.metric.higher_is_better,
                "times": times_of(each.metric),
            }
            for label, each in scores.measured.items()
        ],
        "ids": [visible(id) for id in ids],
        "columns": _columns(scores, texts),
        **_texts_of_items(report, ids, places, texts),
        "replies": replies,
        "scores": [_matrix(table, _short) for table in tables],
        "people": [
            {"criterion": visible(name), "means": _matrix(means, _short), "counts": counts}
            for name, means, counts in rated
        ],
        "apart": [
            [_matrix(apart(table, means, each.metric.higher_is_better), _whole)
             for table, each in zip(tables, scores.measured.values(), strict=True)]
            for _, means, _ in rated
        ],
        "matches": _matches(report, places, grams, progress),
        "grams": grams.shown(),
        "texts": texts.shown(),
    }  # fmt: skip
    # A '<' could end the element that holds the data, or begin a comment in it.
    return msgspec.json.encode(data).decode().replace("<", "\\u003c")


def apart(scores: Floats, means: Floats, higher: bool) -> Floats:
    """How far metric and people are apart on each reply: the difference of its two ranks, -100 to 100.

    Ranks are those among all replies that have both, from 0 (worst) to 100 (best); ties share a rank.
    Above 0 the metric ranks the reply higher than people do. NaN where one is unknown.

    Args:
        scores: float64 [S, n].
        means: float64 [S, n], of people.
        higher: Whether a higher score is better.

    >>> apart(np.array([[0.1, 0.9]]), np.array([[5.0, 1.0]]), True).tolist()
    [[-100.0, 100.0]]
    """
    known = ~(np.isnan(scores) | np.isnan(means))
    result = np.full(scores.shape, np.nan)
    if known.sum() > 1:
        last = known.sum() - 1
        values = scores[known] if higher else -scores[known]
        pair = np.stack([values, means[known]])
        ranks = 100 * (average_ranks(pair) - 1) / last
        result[known] = ranks[0] - ranks[1]
    return result


def _replies(report: ReportParts, places: dict[str, int], texts: ShownTexts) -> list[list[Any]]:
    """By system and item the number of the reply's text; several samples are a list."""
    rows: dict[str, list[Any]] = {name: [-1] * len(places) for name in report.scores.names}
    table = report.responses.select("system", "id", "text")
    for system, id, text in table.iter_rows():
        place = places.get(id)
        if place is None or system not in rows:
            continue
        before, number = rows[system][place], texts.number(text)
        if before == -1:
            rows[system][place] = number
        elif isinstance(before, list):
            before.append(number)
        else:
            rows[system][place] = [before, number]
    return list(rows.values())


def _texts_of_items(
    report: ReportParts, ids: Sequence[str], places: dict[str, int], texts: ShownTexts
) -> dict[str, Any]:
    """Contexts, references, their weights and sources, by item."""
    contexts: list[list[int]] = [[] for _ in ids]
    for id, turns in report.contexts.select("id", "context").iter_rows():
        if (place := places.get(id)) is not None:
            contexts[place] = [texts.number(turn) for turn in turns]
    references: list[list[int]] = [[] for _ in ids]
    weights: list[list[float | None]] = [[] for _ in ids]
    sources: list[list[int]] = [[] for _ in ids]
    rows = report.references.select("id", "text", "weight", "source").iter_rows()
    for id, text, weight, source in rows:
        if (place := places.get(id)) is not None:
            references[place].append(texts.number(text))
            weights[place].append(weight)
            sources[place].append(-1 if source is None else texts.number(source))
    weighted = any(each is not None for row in weights for each in row)
    sourced = any(each != -1 for row in sources for each in row)
    return {
        "contexts": contexts,
        "references": references,
        "weights": weights if weighted else None,
        "sources": sources if sourced else None,
    }


def _columns(scores: Scores, texts: ShownTexts) -> list[dict[str, Any]]:
    """The columns of the contexts by which items can be filtered."""
    columns = []
    for name in scores.items.columns:
        values = scores.items.get_column(name)
        if name in CONTEXTS or values.dtype.is_nested() or values.n_unique() > MOST_VALUES:
            continue
        numbers = [-1 if each is None else texts.number(str(each)) for each in values.to_list()]
        columns.append({"name": visible(name), "values": numbers})
    return columns


def _scores_of(scores: Scores) -> list[Floats]:
    """By metric the score of each reply, float64 [S, n]."""
    table, shape = scores.segments(), (len(scores.names), scores.items.height)
    return [table.get_column(label).to_numpy().reshape(shape) for label in scores.labels]


def _ratings(
    report: ReportParts, places: dict[str, int]
) -> list[tuple[str, Floats, list[list[int]]]]:
    """By criterion the mean rating of each reply, float64 [S, n], and how many ratings it has."""
    if report.ratings is None:
        return []
    names = report.scores.names
    rows = {name: row for row, name in enumerate(names)}
    shape = (len(names), len(places))
    result = []
    single = report.ratings.ratings.group_by("criterion", "system", "id", maintain_order=True)
    table = report.ratings.aggregated.join(
        single.agg(count=pl.len()), on=["criterion", "system", "id"], how="left",
        maintain_order="left",
    )  # fmt: skip
    for (criterion,), part in table.group_by("criterion", maintain_order=True):
        means, counts = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
        for system, id, score, count in part.select("system", "id", "score", "count").iter_rows():
            if system in rows and id in places:
                means[rows[system], places[id]] = score
                counts[rows[system], places[id]] = count or 0
        result.append((str(criterion), means, counts.tolist()))
    return result


def _matches(
    report: ReportParts, places: dict[str, int], grams: ShownTexts, progress: Progress | None
) -> dict[str, Any] | None:
    """Under the first n-gram metric: by system and item n-gram, reference, n-gram, reference, ..."""
    measured = report.scores.measured
    metric = explained_metric([each.metric for each in measured.values()])
    if metric is None or report.testset is None:
        return None
    names = report.scores.names
    rows = {name: row for row, name in enumerate(names)}
    found: list[list[list[int]]] = [[[] for _ in places] for _ in names]
    several = report.responses.select("system", "id").is_duplicated().any()
    wanted = pl.col("id").is_in(list(places)) & pl.col("system").is_in(list(rows))
    if not several:
        table = report.responses.filter(wanted)
        for system, id, parts in matches(report.testset, table, metric, progress):
            own = found[rows[system]][places[id]]
            for part in parts:
                own += (grams.number(part.ngram), part.reference)
    label = next(name for name, each in measured.items() if each.metric is metric)
    return None if several else {"label": visible(label), "of": found}


def _matrix(values: Floats, number: Callable[[float], float | None]) -> list[list[float | None]]:
    return [[number(each) for each in row] for row in values.tolist()]


def _short(value: float) -> float | None:
    """A number to four digits; None where it is undefined."""
    return None if math.isnan(value) else float(f"{value:.4g}")


def _whole(value: float) -> int | None:
    return None if math.isnan(value) else round(value)
