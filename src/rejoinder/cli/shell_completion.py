"""What a shell offers for the value of an option where the user presses Tab."""

from __future__ import annotations

import click

from rejoinder.errors import RejoinderError


def metric_names(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """The metrics, behind a colon the parameters of the one named, behind ``=`` the values of a parameter.

    Args:
        typed: What stands there already, for example ``ro`` or ``bleu:order=2,low``.

    >>> from unittest.mock import Mock
    >>> metric_names(Mock(), Mock(), "rouge")
    ['rouge1', 'rouge2', 'rougeL', 'rougeLsum', 'rouge']
    >>> metric_names(Mock(), Mock(), "bleu:order=2,lo")
    ['bleu:order=2,lowercase=']
    >>> metric_names(Mock(), Mock(), "rouge:measure=")
    ['rouge:measure=f', 'rouge:measure=precision', 'rouge:measure=recall']
    """
    from rejoinder.metrics import registry
    from rejoinder.metrics.settings import settings_of

    name, colon, rest = typed.partition(":")
    if not colon:
        return [each for each in registry.METRICS if each.startswith(typed)]
    try:
        known = settings_of(type(registry.metric(name)))
    except RejoinderError:
        return []
    before, comma, begun = rest.rpartition(",")
    key, equals, value = begun.partition("=")
    if equals and key in known:
        values = [each for each in known[key].values or () if each and each.startswith(value)]
        return [f"{name}:{before}{comma}{key}={each}" for each in values]
    given = {each.partition("=")[0] for each in before.split(",")}
    return [
        f"{name}:{before}{comma}{each}="
        for each in known
        if each.startswith(begun) and each not in given
    ]
