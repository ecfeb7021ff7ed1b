"""Settings that have no effect on a model of some kind are refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rejoinder.errors import ParameterError


def check_unused(given: Mapping[str, Any], defaults: Mapping[str, Any], where: str) -> None:
    """Checks that settings without an effect have their defaults.

    Args:
        given: The settings; those without a default are not looked at.
        defaults: Their defaults.
        where: Where they have no effect, for the message: "on a server".

    Raises:
        ParameterError: One differs from its default.

    >>> check_unused({"device": "auto"}, {"device": "auto"}, "on a server")
    """
    for name, default in defaults.items():
        if given.get(name, default) != default:
            raise ParameterError(f"{name}: has no effect {where}; leave {name} out")
