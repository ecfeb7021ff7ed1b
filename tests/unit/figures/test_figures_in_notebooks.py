"""A figure is shown once in a notebook: by the call that draws it, and by later cells that end with it."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import rejoinder

SCORES = {"bot": ["yes", "no", "at nine", "never"], "cat": ["no", "no", "yes", "no"]}


@pytest.fixture
def notebook(monkeypatch):
    """A notebook of which only what figures need is there."""
    shown = []
    shell = SimpleNamespace(
        kernel=object(), execution_count=1, display_pub=SimpleNamespace(publish=shown.append)
    )
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: shell  # pyright: ignore[reportAttributeAccessIssue]
    ipython.version_info = (9, 0)  # pyright: ignore[reportAttributeAccessIssue]  # matplotlib asks
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return shell, shown


def figure():
    scores = rejoinder.score([["yes"], ["no"], ["nine"], ["no"]], SCORES, ["bleu"], resamples=100)
    return scores.plot()


def test_the_call_shows_the_figure_and_its_cell_does_not_repeat_it(notebook):
    shell, shown = notebook
    drawn: Any = figure()
    assert [list(each) for each in shown] == [["image/png"]]
    drawn._ipython_display_()  # the last line of the same cell
    assert len(shown) == 1
    shell.execution_count = 2
    drawn._ipython_display_()
    assert shown == shown[:1] * 2


def test_a_terminal_shows_nothing(notebook):
    shell, shown = notebook
    shell.kernel = None
    assert not hasattr(figure(), "_ipython_display_")
    assert shown == []
