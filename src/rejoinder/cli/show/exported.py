"""The documents of results whose classes have none yet: what a function prints for people is collected."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rejoinder.cli.terminal.collecting import collect
from rejoinder.cli.terminal.collecting import document_of as of_collected
from rejoinder.document.parts import Document, View

SHOWN = {}
"""By class of result the module of this package and its function that show it."""


def document_of(result: Any, view: View) -> Document:
    """What is printed of a result."""
    show, given = _function(result), {}
    if view.ranks:
        given["ranks"] = True
    return of_collected(collect(lambda: show(result, **given)))


def _function(result: Any) -> Callable[..., None]:
    names = (each.__name__ for each in type(result).__mro__)
    module, name = next(SHOWN[each] for each in names if each in SHOWN).split(":")
    return getattr(import_module(f"rejoinder.cli.show.{module}"), name)
