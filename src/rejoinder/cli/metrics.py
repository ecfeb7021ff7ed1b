"""``rejoinder metrics``: what can be measured."""

from __future__ import annotations

from rejoinder.cli import options


def metrics(json: options.AsJson = False) -> None:
    """List the metrics: name, parameters, source, bounds, needs."""
    from rejoinder.cli import render
    from rejoinder.metrics import registry

    render.metrics(registry.METRICS, json)
