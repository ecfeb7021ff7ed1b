"""Metrics of the user's own by name: of an importable module, or of an installed package.

Nothing is imported but what the user names: the module in front of the colon, or the entry point
that a package declares under the name. A saved file names neither.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from rejoinder.errors import ParameterError, one_of
from rejoinder.metrics.base import Metric

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "rejoinder.metrics"
"""The group of entry points that packages declare metrics in."""

_IN_MODULE = re.compile(
    r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)(:(?P<rest>.*))?"
)


def in_module(spelling: str) -> tuple[Any, str] | None:
    """What ``module:Name`` or ``module:Name:key=value`` names, and its parameters; None for others.

    Raises:
        ParameterError: The module cannot be imported, or has nothing of that name.
    """
    match = _IN_MODULE.fullmatch(spelling.strip())
    if match is None:
        return None
    module, name = match["module"], match["name"]
    try:
        opened = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _failed(spelling, module, error) from error
        raise ParameterError(
            f"metric '{spelling}': there is no metric '{module}', and no module '{error.name}' to import; "
            "'rejoinder metrics' lists the metrics; the folder of a module of your own stands in "
            "PYTHONPATH"
        ) from None
    except Exception as error:
        raise _failed(spelling, module, error) from error
    member = getattr(opened, name, None)
    if member is None:
        raise ParameterError(
            f"metric '{spelling}': the module '{module}' has no '{name}'; {_instead(opened)}"
        )
    return member, match["rest"] or ""


def installed() -> dict[str, EntryPoint]:
    """The metrics that installed packages declare, by name."""
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=GROUP)}


def of_package(name: str) -> Any:
    """What an installed package declares under a name; None where none does.

    Raises:
        ParameterError: The package cannot be imported.
    """
    declared = installed().get(name)
    if declared is None:
        return None
    try:
        return declared.load()
    except Exception as error:
        raise _failed(name, declared.value, error) from error


def as_metric(named: Any, spelling: str) -> type[Metric] | Metric:
    """A class of metrics or a metric; a plain function becomes one.

    Raises:
        ParameterError: It is something else.
    """
    if isinstance(named, Metric) or (isinstance(named, type) and issubclass(named, Metric)):
        return named
    if callable(named) and not isinstance(named, type):
        from rejoinder.metrics.function_metric import FunctionMetric

        return FunctionMetric(named)
    raise ParameterError(
        f"metric '{spelling}': it names {named!r:.60}; expected a class of metrics (a subclass of "
        "rejoinder.metrics.Metric), a metric, or a function of (reply, references, context)"
    )


def _failed(spelling: str, module: str, error: Exception) -> ParameterError:
    return ParameterError(
        f"metric '{spelling}': importing '{module}' failed with {type(error).__name__}: {error}"
    )


def _instead(module: Any) -> str:
    names = [name for name, value in vars(module).items() if _is_of(value, module.__name__)]
    return f"choose {one_of(names)}" if names else "it holds no metric"


def _is_of(value: Any, module: str) -> bool:
    """Whether a value is a metric, or a class of metrics, that a module defines."""
    if isinstance(value, Metric):
        return value.home.startswith(f"{module}.")
    return isinstance(value, type) and issubclass(value, Metric) and value.__module__ == module
