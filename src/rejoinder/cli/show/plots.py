"""What ``--plots`` draws for an agreement with people, and the telling of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from rejoinder.cli.terminal.progress import Progress

if TYPE_CHECKING:
    from rejoinder.figures.album import Album
    from rejoinder.meta_evaluation.correlate import Agreement
    from rejoinder.meta_evaluation.sweep import Sweep, SweepSettings
    from rejoinder.scoring.scores import Scores
    from rejoinder.tables.responses import Missing
    from rejoinder.tables.testset import TestSet
    from rejoinder.tables.types import Responses


def draw(
    folder: Path,
    agreement: Agreement,
    scores: Scores,
    settings: SweepSettings,
    texts: tuple[TestSet, Responses] | None,
    missing: str,
) -> Album:
    """Draws everything that an agreement has to show, under the protocol ``unit`` sweeps too.

    Args:
        folder: Where to.
        agreement: The agreement.
        scores: Of which.
        settings: The ratings, and what was asked of them.
        texts: Test set and responses, where they are at hand: with saved scores the unit size alone
            can be swept.
        missing: How an item that a system did not answer is handled.
    """
    from rejoinder.figures.album import album, coefficient
    from rejoinder.figures.sweeps import panels
    from rejoinder.meta_evaluation.matching import match

    points, notes = None, ()
    if agreement.protocol.name == "unit":
        with Progress("sweeping") as tick:
            swept = _swept(
                scores, settings._replace(correlation=coefficient(agreement)), texts, missing, tick
            )
        points = swept.points
        notes = swept.notes
    rated, _, _ = match(
        scores,
        settings.ratings,
        settings.criterion,
        settings.raters,
        settings.without,
        settings.seed,
    )
    if agreement.protocol.name == "pairwise":
        rated, _ = rated.scored()  # as the agreement itself: its notes tell it
    figure_panels = panels(points, settings.unit.size) if points is not None else []
    with Progress("drawing") as tick:
        pictures = album(agreement, rated, folder, points, figure_panels, tick)
    return pictures._replace(notes=(*notes, *pictures.notes))


def _swept(
    scores: Scores,
    settings: SweepSettings,
    texts: tuple[TestSet, Responses] | None,
    missing: str,
    tick: Progress,
) -> Sweep:
    import polars as pl

    from rejoinder.meta_evaluation.sweep import Sweep, sweep_parameters, sweep_sizes

    sizes = sweep_sizes(scores, settings, tick)
    if texts is None:
        note = "figure: saved scores hold no texts: threshold and order are not swept"
        return Sweep(sizes.points, (*sizes.notes, note))
    metrics = [each.metric for each in scores.measured.values()]
    others = sweep_parameters(*texts, metrics, settings, cast("Missing", missing), tick)
    return Sweep(pl.concat([sizes.points, others.points]), (*sizes.notes, *others.notes))


def print_notes_of(album: Album, json: bool) -> None:
    """Prints what the figures cannot show: to people below the table, beside JSON on standard error."""
    from rejoinder.cli.terminal.console import console

    out = console(stderr=json)
    for note in album.notes:
        out.print(f"note: {note}", style=None if json else "yellow", soft_wrap=True)
