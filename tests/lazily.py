"""Modules that take long to import, in tests: two workers import every file of tests, and one needs them."""

from functools import cache

import pytest


def lazily(name):
    """A function that gives a module, imported at the first call; a test that calls is skipped without it."""
    return cache(lambda: pytest.importorskip(name))
