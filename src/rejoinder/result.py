"""What every result can do: a short text in Python, tables in notebooks, Markdown and LaTeX, a figure."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sized
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rejoinder.document.parts import AS_USUAL, Document, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 60
"""Characters of a text that stand in the short text of a result."""


class Result:
    """A result with a short text: its class, and for each attribute what it is or how much it holds.

    For data classes, which are declared with ``repr=False``.

    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Counts(Result):
    ...     name: str
    ...     notes: tuple[str, ...]
    >>> Counts("a", ("b", "c"))
    Counts(name='a', notes: 2)
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._facts()})"

    def json_of(self, *names: str) -> dict[str, Any]:
        """Attributes as JSON has them, by name: a table as its rows, all else as it is."""
        values = {name: getattr(self, name) for name in names}
        return {
            name: value.to_dicts() if hasattr(value, "to_dicts") else value
            for name, value in values.items()
        }

    def _facts(self) -> str:
        shown = (each for each in fields(self) if each.repr)  # pyright: ignore[reportArgumentType]
        return ", ".join(_fact(each.name, getattr(self, each.name)) for each in shown)


class TableResult(Result, ABC):
    """A result whose tables can be shown: those that its verb prints on the command line.

    They are declared once, in ``document``: terminal, notebook, Markdown, LaTeX and CSV show it.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._facts()}; see .to_markdown())"

    @abstractmethod
    def document(self, view: View = AS_USUAL) -> Document:
        """What is shown of the result: its tables and lines, in their order.

        A class says it in a function of a file beside it, which is handed frames.
        """

    def _repr_html_(self) -> str:
        """What a notebook shows: the tables and notes of the command line."""
        return _in_form(self, "html")

    def to_markdown(self) -> str:
        """The tables and notes of the command line as Markdown, for example for a pull request.

        Values are shown as the command line shows them, mostly x100 and rounded. Names and texts are
        escaped.
        """
        return _in_form(self, "markdown")

    def to_latex(self) -> str:
        """The tables of the command line as LaTeX; they need the package ``booktabs``.

        Values are shown as the command line shows them. Names and texts are escaped.
        """
        return _in_form(self, "latex")


class PlottedResult(TableResult):
    """A result with a figure too."""

    def plot(self, of: str | None = None) -> Figure:
        """Draws the result; a notebook shows the figure, ``figure.savefig(path)`` writes it.

        Scores: the systems under a metric, with intervals and ranks. Comparisons: the difference of each
        pair. Agreement with people: a bar for each metric. Ratings and preferences: the systems by mean
        rating or strength. RUQ: log-probabilities by position.

        Args:
            of: Which metric (of scores and comparisons), criterion (of ratings and preferences),
                coefficient (of agreement), model (of RUQ), or of a comparison with people: ``people``,
                ``corrected`` or a judge. None takes the first, or all where one figure shows them.

        Raises:
            ParameterError: The result has nothing of that name.
            InputError: It has nothing to draw.
        """
        return import_module("rejoinder.figures.of_results").figure_of(self, of)


def _in_form(result: TableResult, form: str) -> str:
    from rejoinder.rendering.forms import FORMS

    return FORMS[form](result.document())


def _fact(name: str, value: Any) -> str:
    if value is None or isinstance(value, bool | int | float):
        return f"{name}={value!r}"
    if isinstance(value, str | os.PathLike):
        text = str(value)
        return f"{name}={text!r}" if len(text) <= LONGEST else f"{name}={text[:LONGEST]!r}..."
    if hasattr(value, "height"):
        return f"{name}: {value.height} row{'s' * (value.height != 1)}"
    if isinstance(value, Sized) and not isinstance(value, Result):
        return f"{name}: {len(value)}"
    return f"{name}: {type(value).__name__}"
