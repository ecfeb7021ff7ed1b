"""The table of what can be measured, for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rejoinder.cli.terminal.console import bare_table, console
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric


def metrics(table: Mapping[str, Callable[..., Metric]]) -> None:
    """Name, parameters, source, bounds and needs of every metric."""
    metrics_by_name = {name: make() for name, make in table.items()}
    shown = bare_table()
    for name in ("name", "parameters and defaults", "bounds", "needs", "source"):
        shown.add_column(name)
    for name, each in metrics_by_name.items():
        parameters = registry.parameters(each)
        needed = [f"{key}=PATH" for key in each.sources]
        defaults = ", ".join(
            needed
            + [f"{key}={value}" for key, value in parameters.items() if key not in each.sources]
        )
        low, high = each.bounds
        shown.add_row(
            name,
            defaults,
            f"{low:g} to {high:g}",
            ", ".join(sorted(each.needs)) or "replies alone",
            each.source,
        )
    console().print(shown)
