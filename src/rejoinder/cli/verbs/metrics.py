"""``rejoinder metrics``: what can be measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric


@click.command()
@options.as_json
def metrics(json: bool) -> None:
    """List the metrics: name, parameters, source, bounds, needs."""
    from rejoinder.cli.show.machine import write
    from rejoinder.metrics import registry

    if json:
        write(_document(registry.METRICS))
        return
    from rejoinder.cli.show.metrics import metrics as show

    show(registry.METRICS)


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
