"""All pictures of one agreement with people: what ``correlate --plots`` puts into a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rejoinder.figures import style
from rejoinder.figures.agreement import CEILING, bars
from rejoinder.figures.heatmap import PEOPLE, heatmap
from rejoinder.figures.scatter import MOST_SYSTEMS, Cloud, one_against_rest, scatter, scatters
from rejoinder.figures.sweeps import SweepPanel, sweeps
from rejoinder.meta_evaluation.correlate import Agreement
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.progress import Progress
from rejoinder.statistics.correlation import CORRELATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, RATERS = "scatter-all", "scatter-people"
"""Names of files: all clouds on a page, and people against people."""

AXES = {
    "turn": ("mean human rating", "score"),
    "dialogue": ("mean human rating", "score"),
    "unit": ("difference of mean ratings, A - B", "difference of scores, A - B"),
    "system": ("mean human rating", "corpus score"),
    "pairwise": ("difference of ratings, A - B", "difference of scores, A - B"),
    "soft": ("p that A is better, by ratings", "p that A is better, by scores"),
}
"""What x and y are under each protocol."""


class Album(NamedTuple):
    """What was drawn.

    Args:
        paths: The files.
        notes: What the pictures leave out, or cannot show.
    """

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def album(
    agreement: Agreement,
    rated: Rated,
    folder: str | os.PathLike[str],
    swept: pl.DataFrame | None = None,
    panels: Sequence[SweepPanel] = (),
    progress: Progress | None = None,
) -> Album:
    """Draws an agreement: bars, heat map, a scatter plot for each metric and all on a page, sweeps.

    Args:
        agreement: Of `correlate`.
        rated: The scores and ratings that it was told of, from ``matching.match``.
        folder: Made where there is none.
        swept: Points of ``figures.sweeps``, of `coefficient`; None draws no sweep.
        panels: Of the sweep: each becomes a figure of its own.
        progress: Called with how many figures are drawn, and of how many.

    Raises:
        InputError: The folder cannot be made, or not be written to.
    """
    style.prepared(folder)
    clouds = _clouds(agreement, rated)
    shown_panels = [panel for panel in panels if swept is not None]
    pages = 3 + len(clouds) + len(shown_panels) + ("within" in agreement.table().columns)
    paths: list[Path] = []
    with style.drawing():
        pictures = chain(
            overviews(agreement), _scatters(clouds), _sweeps(agreement, swept, shown_panels)
        )
        for number, (name, figure) in enumerate(pictures):
            paths += style.save(figure, folder, name)
            if progress is not None:
                progress(number + 1, pages)
    return Album(tuple(paths), tuple(_notes(agreement, rated, clouds)))


def coefficient(agreement: Agreement) -> str:
    """What heat map and sweeps show: Spearman's, or the first where that was not asked for.

    Accuracies are of one metric and people; the differences of pairs have a correlation too.
    """
    named = [name for name in agreement.correlations if name in CORRELATIONS]
    return "spearman" if "spearman" in named or not named else named[0]


def overviews(agreement: Agreement) -> Iterator[tuple[str, Figure]]:
    """The bars, and the heat map, with their names; inside ``style.drawing()``."""
    table = agreement.table()
    words = ["whiskers: 95% interval"]
    if table.filter((table["metric"] == CEILING) & table["value"].is_not_nan()).height:
        words.append(f"dashed: {CEILING}")
    if "chance" in table.columns:
        words.append("hatched: chance of each metric")
    if "within" not in table.columns:
        yield "agreement", bars(table, "; ".join([f"protocol {agreement.protocol.name}", *words]))
    else:
        yield "agreement", bars(table, "; ".join(["all systems pooled", *words]))
        yield "agreement-within", bars(_within(table), "; ".join(["mean within systems", *words]))
    seen = agreement.observations()
    common = seen.filter(_scored(seen, agreement.labels))
    columns = {name: common[name].to_numpy() for name in (PEOPLE, *agreement.labels)}
    yield "heatmap", heatmap(columns, coefficient(agreement))


def _within(table: pl.DataFrame) -> pl.DataFrame:
    """The means within systems in the columns of the pooled values."""
    names = {"within": "value", "within_low": "low", "within_high": "high"}
    return table.select("metric", "correlation", *names).rename(names)


def _scored(seen: pl.DataFrame, labels: Sequence[str]) -> pl.Series:
    """The observations that all of some metrics score, but for metrics that score fewer than half."""
    most = [name for name in labels if 2 * seen[name].is_nan().sum() <= seen.height]
    return seen.select(~pl.any_horizontal(pl.lit(False), pl.col(most).is_nan())).to_series()


def _clouds(agreement: Agreement, rated: Rated) -> dict[str, Cloud]:
    """A cloud for each metric, after that of people where there are several raters."""
    x_name, y_name = AXES[agreement.protocol.name]
    seen = agreement.observations()
    names = style.file_names("scatter", agreement.labels, (PAGE, RATERS))
    clouds = {}
    if agreement.protocol.name == "turn" and rated.matrix.shape[1] > 1:
        whose = [rated.systems[i] for i in rated.system]
        clouds[RATERS] = one_against_rest(rated.matrix, whose)
    for label in agreement.labels:
        turned = rated.subjects[label].sign < 0
        y = f"{y_name}, sign turned: lower is better" if turned else y_name
        scored = seen.filter(_scored(seen, [label]))
        whose = scored["system"].to_list() if "system" in scored.columns else None
        points = scored["human"].to_numpy(), scored[label].to_numpy()
        clouds[names[label]] = Cloud(label, *points, whose, x_name, y)
    return clouds


def _scatters(clouds: dict[str, Cloud]) -> Iterator[tuple[str, Figure]]:
    yield PAGE, scatters(list(clouds.values()))
    for name, cloud in clouds.items():
        yield name, scatter(cloud)


def _sweeps(
    agreement: Agreement, swept: pl.DataFrame | None, panels: Sequence[SweepPanel]
) -> Iterator[tuple[str, Figure]]:
    if swept is None:
        return
    for panel in panels:
        of = swept.filter(swept["panel"] == panel.key)
        yield f"sweep-{panel.key}", sweeps(of, [panel], coefficient(agreement))


def _notes(agreement: Agreement, rated: Rated, clouds: dict[str, Cloud]) -> Iterator[str]:
    """What the pictures cannot show."""
    for cloud in clouds.values():
        if not cloud.seen.all():
            yield f"figure: {cloud.name}: {cloud.reason}"
    if agreement.protocol.name in ("turn", "system") and len(rated.systems) > MOST_SYSTEMS:
        yield f"figure: {len(rated.systems)} systems are too many to be told apart by markers"
    if agreement.protocol.name == "unit":
        yield "figure: scatter plots and heat map show the units of the first assignment alone"
