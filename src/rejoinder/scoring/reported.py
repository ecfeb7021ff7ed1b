"""Which settings of a metric give a figure that another tool printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View, lines
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import Argument, Placeholder
from rejoinder.metrics.base import Metric
from rejoinder.metrics.registry import metric as made
from rejoinder.metrics.setting_search import typed, usual_settings
from rejoinder.progress import Progress
from rejoinder.result import TableResult
from rejoinder.scoring.score import score
from rejoinder.tables.in_memory import ResponsesLike
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSetLike

NEAREST = 5
"""So many settings are shown where none gives the figure."""

SCHEMA = {
    "settings": pl.String,
    "value": pl.Float64,
    "scale": pl.Int64,
    "distance": pl.Float64,
    "gives_it": pl.Boolean,
}


@dataclass(frozen=True, repr=False)
class ReportedFigure(TableResult):
    """The settings that give a figure of another tool.

    Attributes:
        table: The settings that give it, those with the fewest changes first; where none does, the
            nearest: ``settings`` (as they are typed), ``value``, ``scale`` (by which the value was
            multiplied: 1 or 100), ``distance`` (of the scaled value from the figure) and
            ``gives_it``.
        reported: The figure, as it was given.
        system: The system whose replies were scored.
        tried: How many settings were tried.
        items: How many items count.
        notes: What to know about the files: empty replies, references left out.
    """

    table: pl.DataFrame
    reported: str
    system: str
    tried: int
    items: int
    notes: tuple[str, ...]

    def document(self, view: View = AS_USUAL) -> Document:
        """The settings that give the figure, or the nearest."""
        from rejoinder.scoring.explain_diff_tables import candidates

        shown = candidates(self.table, self.system, self.tried, self.reported, self.items)
        return [*shown, *lines(self.notes, "note")]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder explain-diff --reported --json`` prints."""
        facts = self.json_of("reported", "system", "tried", "items", "notes")
        return {"candidates": self.table.to_dicts(), **facts}


def find_settings(
    testset: TestSetLike,
    responses: ResponsesLike,
    metric: str | Metric,
    reported: str | float,
    *,
    missing: Missing = "error",
    drop_unusable: bool = False,
    progress: Progress | None = None,
) -> ReportedFigure:
    """Says which settings of a metric give a figure that another tool printed for the same files.

    The settings of the tools that have presets are tried, those given, and each of them with one
    setting changed; a setting gives the figure if it is equal to its printed decimals, x100 or not.
    Several may, and a figure of few decimals is given by chance: it is no proof.

    Args:
        testset: Contexts and references.
        responses: The replies of one system: the table of ``read_responses``, or a frame like it.
        metric: The metric, for example ``"bleu"``.
        reported: The figure, best as a text, whose decimals count: ``"27.40"``.
        missing: An item that the system did not answer is an ``error``; or ``drop`` it; or score an
            ``empty`` reply in its place.
        drop_unusable: Leave items out that cannot be scored instead of raising.
        progress: Called with how many slices of the work are done, and of how many.

    Raises:
        InputError: Responses and test set do not fit, or there are several systems.
        ParameterError: The metric is unknown, or the figure is no number.

    >>> from rejoinder import TestSet
    >>> testset = TestSet.from_lists([["Yes, please"], ["at nine"]])
    >>> rows = [("a", "1", "yes, please"), ("a", "2", "at ten")]
    >>> replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> find_settings(testset, replies, "bleu:order=1", "80.0").table["settings"].to_list()[0]
    'bleu:order=1,lowercase=true'
    """
    figure, decimals = _figure(reported)
    settings = usual_settings(made(metric))
    scores = score(
        testset,
        responses,
        settings,
        missing=missing,
        drop_unusable=drop_unusable,
        resamples=0,
        progress=progress,
    )
    if len(scores.names) != 1:
        raise InputError(
            f"the replies are of {len(scores.names)} systems ({one_of(scores.names[:4])}), and a figure is "
            "of one; give the replies of that system alone"
        )
    values = {each.metric: float(each.scores()[0]) for each in scores.measured.values()}
    rows = []
    for each in settings:
        value = values[each]
        scale = min((1, 100), key=lambda by, value=value: _distance(by * value, figure))
        distance = _distance(scale * value, figure)
        rows.append((typed(each), value, scale, distance, distance <= 0.5 * 10**-decimals + 1e-9))
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    given = table.filter("gives_it")
    return ReportedFigure(
        given if given.height else table.sort("distance", maintain_order=True).head(NEAREST),
        str(reported),
        scores.names[0],
        len(settings),
        int(min(each.n for each in scores.measured.values())),
        tuple(dict.fromkeys(scores.notes)),
    )


def _distance(value: float, figure: float) -> float:
    return math.inf if math.isnan(value) else abs(value - figure)


def _figure(reported: str | float) -> tuple[float, int]:
    """A figure, and how many decimals it was printed with.

    >>> _figure("27.40"), _figure(31)
    ((27.4, 2), (31.0, 0))
    """
    text = str(reported).strip()
    try:
        figure = float(text)
    except ValueError:
        figure = math.nan
    if not math.isfinite(figure) or "e" in text.lower() or "_" in text:
        raise ParameterError(
            Argument("reported", Placeholder(f"{text!r:.60}")),
            " is no number with its decimals; expected one such as 27.41",
        )
    return figure, len(text.partition(".")[2])
