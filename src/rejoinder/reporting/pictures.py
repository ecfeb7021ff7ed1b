"""The figures of a report as SVG that stands in a page: without a style, which its policy refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from rejoinder.document.numbers import span
from rejoinder.errors import InputError
from rejoinder.figures import style
from rejoinder.figures.album import overviews
from rejoinder.figures.ruq import ruq_figure
from rejoinder.messages import counted
from rejoinder.reporting.chart import Chart, ChartRow, Mark
from rejoinder.scoring.shown_values import number_of, times_of

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from rejoinder.metrics.base import Metric
    from rejoinder.reporting.parts import ReportParts

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_ROOT = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
"""What matplotlib's style sheet says of all that is drawn."""

MOST_ROWS = 20
"""So many systems are in a figure."""

BROAD = 7.0
"""Inches; a figure of one panel is narrower."""


class Picture(NamedTuple):
    """A figure in a page.

    Args:
        svg: Its markup; it holds no text of others, because letters are drawn as paths.
        caption: What it shows; the tables beside it have its numbers.
        broad: Whether it is too broad for a phone, where it scrolls sideways.
    """

    svg: str
    caption: str
    broad: bool = False


def of_systems(report: ReportParts) -> list[Chart]:
    """A figure for each metric that ranks systems."""
    measured = report.scores.measured.items()
    return [metric_chart(report, label) for label, each in measured if each.metric.ranks]


def metric_chart(
    report: ReportParts, label: str, line: str = "", zero: float | None = None
) -> Chart:
    """The systems under a metric, best first.

    Args:
        report: The report.
        label: The metric.
        line: What the line at ``zero`` is; may be empty.
        zero: A value to compare the systems with, as the table has it; None for none.
    """
    metric, ranks = metric_of(report, label), {}
    show, times = number_of(metric), times_of(metric)
    if report.comparison is not None:
        ranks = ranks_in_words(report.comparison.ranks().filter(metric=label))
    table = report.scores.systems().filter(metric=label)
    rows = tuple(
        ChartRow(ranks.get(row["system"], ""), row["system"], show(row["value"]),
            span(row["low"], row["high"], show),
            (Mark(0, *(times * row[key] for key in ("value", "low", "high"))),))
        for row in table.head(MOST_ROWS).to_dicts()
    )  # fmt: skip
    intervals = " with 95% intervals" * (table.get_column("low").fill_nan(None).count() > 0)
    more = f"; {counted(table.height - MOST_ROWS, 'more system')} in the table" * (
        table.height > MOST_ROWS
    )
    caption = f"{label}: systems{intervals}, best first{line}{more}"
    return Chart(label, caption, ((2, label),), rows, None if zero is None else times * zero)


def ranks_in_words(ranks: pl.DataFrame) -> dict[str, str]:
    """By system its range of ranks."""
    rows = ranks.select("system", "best_rank", "worst_rank").iter_rows()
    return {name: "–".join(map(str, dict.fromkeys(ends))) for name, *ends in rows}


def metric_of(report: ReportParts, label: str) -> Metric | None:
    """The metric of a label, which may be a criterion of people."""
    measured = report.scores.measured.get(label)
    return None if measured is None else measured.metric


def of_agreement(report: ReportParts, criterion: str) -> list[Picture]:
    """The bars and the heat map of a criterion."""
    agreement = report.agreement[criterion]
    place = list(report.agreement).index(criterion)
    with style.drawing(minus=False):
        drawn = list(overviews(agreement))
    captions = {
        "agreement": "agreement of each metric with people, single replies, all systems pooled",
        "agreement-within": "the same within systems: the mean over systems",
        "heatmap": "correlation of metrics with each other and with people",
    }
    return [
        _picture(figure, f"{name}-{place}", f"{criterion}: {captions.get(name, name)}")
        for name, figure in drawn
    ]


def of_ruq(report: ReportParts) -> list[Picture]:
    """A RUQ plot for each file of single tokens that holds any."""
    pictures = []
    for place, (name, table) in enumerate(report.tokens.items()):
        try:
            with style.drawing(minus=False):
                drawn = ruq_figure({style.shortened(name): table})
        except InputError:
            continue  # the values of the file are sums alone
        caption = f"{name}: mean log-probability of each token position, 95% bands"
        pictures.append(_picture(drawn, f"ruq-{place}", caption))
    return pictures


def of_runs(report: ReportParts) -> list[Picture]:
    """The metrics through earlier runs; none where they are too many for a figure."""
    if report.runs is None:
        return []
    try:
        with style.drawing(minus=False):
            drawn = report.runs.plot()
    except InputError:
        return []
    caption = "values of earlier runs with 95% intervals; only comparable values are connected"
    return [_picture(drawn, "runs-0", caption)]


def _picture(figure: Figure, name: str, caption: str) -> Picture:
    _without_pixels(figure)
    broad = figure.get_figwidth() > BROAD
    return Picture(in_page(style.as_svg(figure, name, minus=False), name), caption, broad)


def _without_pixels(figure: Figure) -> None:
    """Draws images as rectangles: a page loads none, and its policy refuses those inside it too."""
    from matplotlib.collections import QuadMesh
    from matplotlib.patches import Rectangle

    for axes in figure.axes:
        for mesh in axes.collections:
            if isinstance(mesh, QuadMesh):
                mesh.set_rasterized(False)
                mesh.set_edgecolor("face")  # else a thin light line divides two neighbours
        for image in list(axes.images):
            ends, values = (axes.get_xlim(), axes.get_ylim()), image.get_array()
            colours = image.to_rgba(np.ma.asarray(values))
            for i, j in np.ndindex(colours.shape[:2]):
                corner = (j - 0.5, i - 0.5)
                cell = Rectangle(corner, 1, 1, facecolor=colours[i, j], linewidth=0, zorder=0)
                axes.add_patch(cell)
            image.remove()
            axes.set_xlim(ends[0])
            axes.set_ylim(ends[1])


def in_page(document: str, name: str) -> str:
    """The element of an SVG document, to stand in a page among others.

    Styles become attributes, ids begin with the name, and comments and metadata go.

    Args:
        document: What matplotlib wrote.
        name: Of the figure, in letters, digits and hyphens.
    """
    root = ET.fromstring(document)
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _attributes(element, name)
    for key in ("version", "id"):
        root.attrib.pop(key, None)
    root.attrib.update({**_ROOT, "aria-hidden": "true", "focusable": "false"})
    ET.register_namespace("", _SVG)
    return ET.tostring(root, encoding="unicode")


def _attributes(element: ET.Element, name: str) -> None:
    """The style of an element as attributes, and its references to others."""
    for key, value in _declarations(element.attrib.pop("style", "")):
        element.set(key, value)
    if (link := element.attrib.pop(_LINK, None)) is not None:
        element.set("href", link)
    for key, value in list(element.attrib.items()):
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key == "href":
            element.set(key, f"#{name}-{value.removeprefix('#')}")
        else:
            element.set(key, re.sub(r"url\(#", f"url(#{name}-", value))


def _declarations(words: str) -> Iterator[tuple[str, str]]:
    """The properties of a style attribute."""
    for part in filter(None, (each.strip() for each in words.split(";"))):
        key, _, value = part.partition(":")
        yield key.strip(), value.strip()
