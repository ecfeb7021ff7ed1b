"""``rejoinder metrics``: what can be measured."""

from __future__ import annotations

from rejoinder.cli import options


def metrics(json: options.AsJson = False) -> None:
    """List the metrics: name, parameters, source, bounds, needs."""
    from rejoinder.cli import inputs
    from rejoinder.metrics import registry

    inputs.shown(json).metrics(registry.METRICS)
