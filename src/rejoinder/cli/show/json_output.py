"""JSON for machines, which ``--json`` prints. Values are 0 to 1, and NaN is null.

The schemas of all verbs are in docs/schemas; ``python tests/json_schemas.py`` writes them.
"""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from rejoinder.visible import visible_json

VERSION = 2
"""Of the JSON of all verbs: it rises where a key goes or changes its meaning, not where one is added."""


def write(value: Any) -> None:
    """Writes one JSON value to standard output; an object says the version of its form first."""
    if isinstance(value, dict):
        value = {"json_version": VERSION, **value}
    text = msgspec.json.format(msgspec.json.encode(value), indent=1)
    if sys.stdout.isatty():  # the same JSON, with escapes of its own
        text = visible_json(text.decode()).encode()
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()
