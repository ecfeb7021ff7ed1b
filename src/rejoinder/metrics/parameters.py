"""What the parameters of a metric may be: their types, their choices, and the order of n-grams."""

from __future__ import annotations

import sys
from dataclasses import fields
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument


def check_type(metric: str, name: str, value: Any, kind: Any) -> Any:
    """The value of a parameter, a number of NumPy as one of Python.

    Args:
        metric: The name of the metric.
        name: The name of the parameter.
        value: Its value.
        kind: Its type; see ``types_of``.

    Raises:
        ParameterError: The value is not of that type.
    """
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if _accepts(kind, value):
        return value
    choices = _choices(kind)
    if type(value) in map(type, choices):
        raise ParameterError(
            f"metric '{metric}': {name}={value!r:.60} is unknown; choose {one_of(map(str, choices))}"
        )
    raise ParameterError(
        f"metric '{metric}': {name}={value!r:.60} is {type(value).__name__}; expected {_words(kind)}"
    )


@cache
def types_of(metric: type) -> dict[str, Any]:
    """The types of a metric's parameters, by name, also where annotations are texts.

    An annotation that names what its module does not define is ``Any``.
    """
    return {each.name: _type_of(metric, each.name, each.type) for each in fields(metric)}


def alternatives(kind: Any) -> tuple[Any, ...]:
    """The types that a type stands for: those of a union, else itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def check_order(order: int) -> None:
    """Raises a ParameterError for an n-gram order outside 1 to 9."""
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= 9:
        raise ParameterError(Argument("order", order), " must be a whole number from 1 to 9")


def _type_of(metric: type, name: str, annotation: Any) -> Any:
    owner = next(each for each in metric.__mro__ if name in getattr(each, "__annotations__", {}))
    holder: Any = SimpleNamespace(__annotations__={name: annotation})
    try:
        return get_type_hints(holder, vars(sys.modules[owner.__module__]), vars(owner))[name]
    except NameError:
        return Any


def _accepts(kind: Any, value: Any) -> bool:
    """Whether a value is of a type; True for types that are not checked."""
    if len(alternatives(kind)) > 1:
        return any(_accepts(each, value) for each in alternatives(kind))
    if get_origin(kind) is Literal:
        return any(type(value) is type(each) and value == each for each in get_args(kind))
    kind = get_origin(kind) or kind
    if kind is Any or not isinstance(kind, type):
        return True
    if isinstance(value, bool):
        return kind in (bool, object)
    return isinstance(value, (int, float) if kind is float else kind)


def _choices(kind: Any) -> list[Any]:
    """The values that the literals of a type name."""
    literals = [each for each in alternatives(kind) if get_origin(each) is Literal]
    return [value for each in literals for value in get_args(each)]


def _words(kind: Any) -> str:
    """A type as one writes it: ``float | None``."""
    return " | ".join(_word(each) for each in alternatives(kind))


def _word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return one_of(map(str, get_args(kind)))
    if kind is NoneType:
        return "None"
    return kind.__name__ if type(kind) is type else str(kind)
