"""What ``--set help`` prints: the settings of a verb."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.cli.terminal.showing import show
from rejoinder.document.parts import GAP, Line
from rejoinder.document.table import Table, key, text


def show_settings(rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Prints the name, type, default and meaning of each setting."""
    names = ["setting", "type", "default", "meaning"]
    frame = pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows])
    legend = "with three defaults: those of --preset tiny, small and paper"
    lines = [GAP, Line(legend, "legend")] if any(", " in row[2] for row in rows) else []
    show([Table(frame, [key(names[0]), *map(text, names[1:])]), *lines])
