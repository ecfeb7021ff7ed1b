"""JSON for machines, which ``--json`` prints. Values are 0 to 1, and NaN is null."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from rejoinder.text.visible import visible_json


def write(value: Any) -> None:
    """Writes one JSON value to standard output."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=1)
    if sys.stdout.isatty():  # the same JSON, with escapes of its own
        text = visible_json(text.decode()).encode()
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()
