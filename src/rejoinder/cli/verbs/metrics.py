"""``rejoinder metrics``: what can be measured."""

from __future__ import annotations

import click

from rejoinder.cli import options


@click.command()
@options.as_json
def metrics(json: bool) -> None:
    """List the metrics: name, parameters, source, bounds, needs."""
    from rejoinder.cli import inputs
    from rejoinder.metrics import registry

    inputs.shown(json).metrics(registry.METRICS)
