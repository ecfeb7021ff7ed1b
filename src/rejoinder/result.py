"""What every result can do: a short text in Python, tables in notebooks, Markdown and LaTeX, a figure."""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from rejoinder.document.parts import AS_USUAL, Document, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 60
"""Characters of a text that stand in the short text of a result."""


@dataclass(frozen=True)
class Basis:
    """What a result follows from: a claim of it has these, and whoever reads the claim computes it again.

    Attributes:
        call: The function of the library that computed it, by its name in ``ledger.claims.CALLS``.
        rows: By argument of that function the rows and tables; none holds a text.
        settings: Its other arguments.
    """

    call: str
    rows: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)


P = ParamSpec("P")
R = TypeVar("R")


def with_basis(*rows: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a function whose result has a field ``_basis``: what it was called with, for `write_claim`.

    Args:
        rows: The arguments that hold rows and tables; the others are settings.
    """

    def of(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            result = function(*args, **given)
            values = inspect.signature(function).bind(*args, **given).arguments
            values.pop("progress", None)
            settings = {name: value for name, value in values.items() if name not in rows}
            tables = {name: values[name] for name in rows if values.get(name) is not None}
            basis = Basis(function.__name__, tables, settings)
            return replace(result, _basis=basis)  # pyright: ignore[reportArgumentType, reportReturnType, reportCallIssue, reportUnknownVariableType]

        return call

    return of


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

    @property
    def basis(self) -> Basis | None:
        """What the result follows from, for `write_claim`; None where it cannot be claimed."""
        return getattr(self, "_basis", None)

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
