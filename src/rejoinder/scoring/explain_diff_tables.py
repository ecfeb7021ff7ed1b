"""What is shown of why two numbers differ: a row for each setting that was changed, and settings found."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rejoinder.document.numbers import NONE, decimals
from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import Table, key, number, text
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.scoring.shown_values import number_of, times_in_words, times_of
from rejoinder.statistics.median_of_means import RESAMPLES

MEANINGS = {
    "setting": "Setting that is changed; empty for the first metric.",
    "before": "Value of the setting in the first metric.",
    "after": "Value of the setting in the second metric.",
    "value": "Score so far, in the metric's own range.",
    "change": "Score less that of the row before.",
    "step": "Number of settings changed so far.",
    "alone": "Change by this setting alone; null where it cannot be set alone.",
    "settings": "Settings of the metric, as they are typed.",
    "scale": "What the value is multiplied by to compare it: 1 or 100.",
    "distance": "Distance of the scaled value from the figure.",
}
SAME = (
    "Both are the same metric under the same settings. Where two tools still differ, they did "
    "not read the same texts, or one shows values x100: compare the replies, the references and "
    "their order."
)


def steps(
    table: pl.DataFrame,
    aggregates: pl.DataFrame,
    meanings: Mapping[str, str],
    first: Metric,
    second: Metric,
    items: int,
) -> Document:
    """The steps of every system, what each setting does, and what the numbers do not say.

    For the arguments see ``ExplainedDifference``.
    """
    show = number_of(second, 2)

    def changed(change: float | None, step: int) -> str:
        if change is None:
            return "" if step == 0 else NONE
        scaled = change * times_of(second)
        return f"{'+' * (scaled >= 0.005)}{decimals(2)(scaled)}"

    columns = [
        key("system"),
        key("setting", show=lambda setting: setting or first.label),
        key("from", "before"),
        key("to", "after"),
        number("score", "value", show),
        number("change", ("change", "step"), changed),
        number("alone", ("alone", "step"), changed),
    ]
    scale = times_in_words({second.label: second})
    legend = (
        f"{counted(items, 'item')}; values {scale}; change: against the row above; alone: against the "
        f"first row, with this setting alone ({NONE}: it cannot be set alone)"
    )
    sentences = [f"{setting}: {meaning}" for setting, meaning in meanings.items()] or [SAME]
    for row in aggregates.iter_rows(named=True):
        low, mid, high = (show(row[end]) for end in ("low", "mid", "high"))
        sentences.append(
            f"{row['system']}: rouge-score's aggregator prints {mid} in place of the mean (the median of "
            f"{RESAMPLES:,} means of random resamples, 95% of which lie within {low} and {high})"
        )
    of_systems = Table(table, columns, section=("system",), meanings=MEANINGS)
    return [of_systems, GAP, Line(legend, "legend"), *lines(sentences)]


def candidates(table: pl.DataFrame, system: str, tried: int, reported: str, items: int) -> Document:
    """The settings that give a figure, or the nearest; for the arguments see ``ReportedFigure``."""
    four = decimals(4)
    columns = [
        key("settings"),
        number("value", ("value", "scale"), lambda value, scale: four(scale * value)),
        text("scale", show=lambda scale: "x100" if scale == 100 else "as it is"),
        number("distance", show=four),
    ]
    if table["gives_it"].any():
        sentence = (
            f"{system}: these of {tried} settings tried give {reported} when rounded. "
            "Several may, and a figure of few decimals is given by chance too: check on other replies."
        )
    else:
        sentence = (
            f"{system}: none of the {tried} settings tried gives {reported}; these are "
            "the nearest. The tool may have read other texts, or have settings of its own."
        )
    settings_table = Table(table, columns, meanings=MEANINGS)
    return [settings_table, GAP, Line(sentence), Line(counted(items, "item"), "legend")]
