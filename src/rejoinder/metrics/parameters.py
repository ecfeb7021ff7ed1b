"""What a metric's parameters may be: their types, and the order of n-grams."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric

_PARAMETER_TYPES = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}


def check_types(metric: Metric) -> None:
    """Raises a ParameterError where a parameter is not of the type that it is annotated with.

    A class of the user's own may be annotated with types (``int``, ``Path``) in place of their names;
    types other than numbers, truth values and texts are not checked.
    """
    for each in fields(metric):
        value = getattr(metric, each.name)
        kind = each.type.__name__ if isinstance(each.type, type) else str(each.type)
        if value is None and kind.endswith("None"):
            continue
        if kind.startswith(("int", "float")) and isinstance(value, (np.integer, np.floating)):
            value = value.item()
            object.__setattr__(metric, each.name, value)
        expected = _PARAMETER_TYPES.get(kind.split(" ")[0])
        if expected is None:
            continue
        if not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected):
            raise ParameterError(
                f"metric '{metric.name}': {each.name}={value!r:.60} is {type(value).__name__}; "
                f"expected {kind}"
            )


def check_order(order: int) -> None:
    """Raises a ParameterError for an n-gram order outside 1 to 9."""
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= 9:
        raise ParameterError(f"order={order!r} must be a whole number from 1 to 9")
