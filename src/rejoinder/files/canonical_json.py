"""JSON in one spelling: RFC 8785, so that a digest of the bytes is a digest of the value.

Numbers that JSON does not have are texts, as in the JSON of Protocol Buffers: ``NaN``, ``Infinity`` and
``-Infinity``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_LARGEST = 2**53 - 1
"""Up to here every whole number is one of IEEE 754."""


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value: keys sorted, no blanks, numbers in their shortest form.

    Raises:
        ValueError: A whole number is none that IEEE 754 has, a text has half a surrogate pair, or a value is
            of a type that JSON does not have.

    >>> canonical({"b": 1.0, "a": [1e21, 0.1, float("nan"), None]})
    b'{"a":[1e+21,0.1,"NaN",null],"b":1}'
    """
    return _text(value).encode()


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        exact = abs(value) <= _LARGEST or (
            abs(value) < 10**21 and str(value) == _number(float(value))
        )
        if not exact:
            raise ValueError(
                f"the whole number {value:.6e} is beyond 2^53 - 1, and none of IEEE 754"
            )
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is no text")
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{_text(key)}:{_text(value[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text, value)) + "]"
    raise ValueError(f"JSON has no {type(value).__name__}")


def _number(value: float) -> str:
    """A number as ECMAScript writes it: the fewest digits that give it back."""
    if not math.isfinite(value):
        return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
    if value == 0:
        return "0"
    sign = "-" * (value < 0)
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + part).lstrip("0")
    point -= len(whole + part) - len(digits)
    digits = digits.rstrip("0")
    if not -6 < point <= 21:
        rest = f".{digits[1:]}" if digits[1:] else ""
        return f"{sign}{digits[0]}{rest}e{point - 1:+d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if len(digits) <= point:
        return sign + digits.ljust(point, "0")
    return f"{sign}{digits[:point]}.{digits[point:]}"
