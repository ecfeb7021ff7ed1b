"""Results in other formats than the terminal's: HTML for notebooks, Markdown, LaTeX, CSV.

A result is shown by the function that shows it on the command line; what that prints is collected,
and written in the format asked for. So each table is declared once.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rejoinder.cli.show.comma_separated import as_csv
from rejoinder.cli.show.html import as_html
from rejoinder.cli.show.latex import as_latex
from rejoinder.cli.show.markdown import as_markdown
from rejoinder.cli.terminal.collecting import Collector, collect

FORMATS: dict[str, Callable[[Collector], str]] = {
    "csv": as_csv,
    "html": as_html,
    "markdown": as_markdown,
    "latex": as_latex,
}

SHOWN = {
    "ExplainedDifference": "explain_diff:explain_diff",
    "Explanation": "explain:explanation",
    "Explanations": "explain:explanations",
    "FileLook": "look:look",
    "Marks": "mark:mark",
    "Mined": "mine:mine",
    "NextItems": "plan_ratings:next_items",
    "Plan": "plan:plan",
    "Report": "report:whole",
    "ReportedFigure": "explain_diff:reported_figure",
    "Step": "provenance:provenance",
}
"""By class of result the module of this package and its function that show it."""


def exported(result: Any, format: str) -> str:
    """A result in one of `FORMATS`."""
    return written(lambda: _function(result)(result), format)


def written(show: Callable[[], None], format: str) -> str:
    """What a function prints for people, in one of `FORMATS`."""
    return FORMATS[format](collect(show))


def _function(result: Any) -> Callable[[Any], None]:
    names = (each.__name__ for each in type(result).__mro__)
    module, name = next(SHOWN[each] for each in names if each in SHOWN).split(":")
    return getattr(import_module(f"rejoinder.cli.show.{module}"), name)
