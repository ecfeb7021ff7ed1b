"""What inspect_ai loads to find our scorer by its name: ``rejoinder/rejoinder``."""

from __future__ import annotations

from importlib.util import find_spec

from rejoinder.bridges.inspect_ai import registered

if find_spec("inspect_ai") is not None:
    registered()
