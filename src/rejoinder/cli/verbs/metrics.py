"""``rejoinder metrics``: what can be measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli import options
from rejoinder.cli.declarations import command

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric


@command(options.JsonOptions)
def metrics(given: options.JsonOptions) -> None:
    """List the metrics: name, parameters, source, bounds, needs.

    Metrics that installed packages declare are listed too (docs/own-metrics.md).
    """
    from rejoinder.cli.show.machine import write
    from rejoinder.metrics import registry

    if given.json:
        write(_document(registry.known()))
    else:
        from rejoinder.cli.show.metrics import metrics as show

        show(registry.known())


def _document(table: Mapping[str, Callable[..., Metric]]) -> list[dict[str, Any]]:
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
