"""``rejoinder metrics``: what can be measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli import options
from rejoinder.cli.declarations import command

if TYPE_CHECKING:
    from rejoinder.document.parts import Document
    from rejoinder.metrics.base import Metric


HEADINGS = ("name", "parameters and defaults", "bounds", "needs", "source")


@command(options.JsonOptions)
def metrics(given: options.JsonOptions) -> None:
    """List the metrics: name, parameters, source, bounds, needs.

    Metrics that installed packages declare are listed too (docs/own-metrics.md).
    """
    from rejoinder.cli.show.json_output import write
    from rejoinder.metrics import registry

    if given.json:
        write(_json(registry.known()))
    else:
        from rejoinder.cli.terminal.showing import show

        show(_document(registry.known()))


def _document(table: Mapping[str, Callable[..., Metric]]) -> Document:
    """Name, parameters, source, bounds and needs of every metric."""
    import polars as pl

    from rejoinder.document.table import Table, key, text
    from rejoinder.metrics import registry

    rows: list[dict[str, str]] = []
    for name, each in ((name, make()) for name, make in table.items()):
        parameters = registry.parameters(each).items()
        defaults = [f"{key}=PATH" for key in each.sources]
        defaults += [f"{key}={value}" for key, value in parameters if key not in each.sources]
        low, high = each.bounds
        facts = ", ".join(defaults), f"{low:g} to {high:g}", ", ".join(sorted(each.needs))
        rows.append(dict(zip(HEADINGS, (name, *facts, each.source), strict=True)))
    frame = pl.DataFrame(rows).with_columns(pl.col("needs").replace("", "replies alone"))
    return [Table(frame, [key(HEADINGS[0]), *map(text, HEADINGS[1:])])]


def _json(table: Mapping[str, Callable[..., Metric]]) -> list[dict[str, Any]]:
    """What ``--json`` prints of every metric; an infinite bound is null."""
    from rejoinder.metrics import registry

    metrics = {name: make() for name, make in table.items()}
    return [
        {
            "name": name,
            "source": each.source,
            "bounds": [bound if math.isfinite(bound) else None for bound in each.bounds],
            "higher_is_better": each.higher_is_better,
            "summable": each.summable,
            "needs": sorted(each.needs),
            "parameters": registry.parameters(each),
        }
        for name, each in metrics.items()
    ]
