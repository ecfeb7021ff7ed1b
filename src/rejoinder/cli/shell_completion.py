"""What a shell offers for the value of an option where the user presses Tab."""

from __future__ import annotations

import click

from rejoinder.errors import RejoinderError


def metric_names(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """The metrics, and behind a colon the parameters of the one named.

    Args:
        typed: What stands there already, for example ``ro`` or ``bleu:order=2,low``.

    >>> from unittest.mock import Mock
    >>> metric_names(Mock(), Mock(), "rouge")
    ['rouge1', 'rouge2', 'rougeL', 'rougeLsum', 'rouge']
    >>> metric_names(Mock(), Mock(), "bleu:order=2,lo")
    ['bleu:order=2,lowercase=']
    """
    from rejoinder.metrics import registry

    name, colon, rest = typed.partition(":")
    if not colon:
        return [each for each in registry.METRICS if each.startswith(typed)]
    try:
        known = registry.parameters(registry.metric(name))
    except RejoinderError:
        return []
    before, comma, begun = rest.rpartition(",")
    given = {each.partition("=")[0] for each in before.split(",")}
    return [
        f"{name}:{before}{comma}{each}="
        for each in known
        if each.startswith(begun) and each not in given
    ]
