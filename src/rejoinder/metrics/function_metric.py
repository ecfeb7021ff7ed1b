"""A metric out of a plain function of one reply, or of a list of replies."""

from __future__ import annotations

import hashlib
import inspect
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, overload

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import quoted
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.tables.checks.arguments import expect, pair

OF_ONE = {
    "reply": "replies",
    "references": "references",
    "weights": "weights",
    "context": "context",
}
"""The parameters of a function of one reply, each with what the metric then needs."""

OF_LISTS = {"replies": "replies", "references": "references", "weights": "weights",
            "contexts": "context"}  # fmt: skip
"""The parameters of a function of lists."""

_calling = threading.Lock()  # a user's function need not be safe in several threads


@dataclass(frozen=True, init=False)
class FunctionMetric(MeanMetric):
    """The mean over replies of what a function says of each: ``1/n sum_i f(reply_i, ...)``.

    Args:
        call: The function; its parameters are named as ``rejoinder.metric`` describes.
        name: What tables call the metric; None takes the name of the function.
        higher_is_better: Whether a greater value is a better one.
        bounds: The least and the greatest value that the function can return; None: any number.
    """

    source: ClassVar[str] = "a function of the user's"

    function: str
    code: str

    def __init__(
        self,
        call: Callable[..., Any],
        name: str | None = None,
        higher_is_better: bool = True,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        name = name or call.__name__
        if "|" in name or ":" in name:
            raise ParameterError(f"metric {name!r}: its name holds '|' or ':'; choose another")
        expect(higher_is_better, bool, "higher_is_better", "True or False")
        if bounds is not None:
            pair(bounds, "bounds")
        arguments = _arguments(call, name)
        known = OF_LISTS if "replies" in arguments else OF_ONE
        facts = {
            "function": f"{call.__module__}.{call.__qualname__}",
            "code": _code(call),
            "name": name,
            "higher_is_better": higher_is_better,
            "bounds": (-math.inf, math.inf) if bounds is None else tuple(map(float, bounds)),
            "needs": frozenset(known[each] for each in arguments),
            "call": call,
            "arguments": arguments,
            "__doc__": call.__doc__ or type(self).__doc__,
        }
        for attribute, value in facts.items():
            object.__setattr__(self, attribute, value)
        self.__post_init__()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """What the function returns."""
        return self.__dict__["call"](*arguments, **named)

    @property
    def home(self) -> str:
        """Module and name of the function."""
        return self.function

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2].

        Raises:
            InputError: The function does not return a number for each reply.
        """
        arguments = self.__dict__["arguments"]
        with _calling:
            if "replies" in arguments:
                values = self._scores_of_lists(batch, arguments)
            else:
                values = [
                    self(**{name: each[name] for name in arguments}) for each in _replies(batch)
                ]
        return mean_rows(self._numbers(values, batch))

    def _scores_of_lists(self, batch: Batch, arguments: Sequence[str]) -> Sequence[Any]:
        rows = list(_replies(batch))
        one = {"replies": "reply", "contexts": "context"}
        given = {name: [row[one.get(name, name)] for row in rows] for name in arguments}
        values = self(**given)
        if not hasattr(values, "__len__") or isinstance(values, str) or len(values) != len(rows):
            got = f"{len(values)} values" if hasattr(values, "__len__") else type(values).__name__
            raise InputError(
                f"metric '{self.name}': {self.function} returned {got} for {len(rows)} replies; expected "
                "a list with a number for each"
            )
        return values

    def _numbers(self, values: Sequence[Any], batch: Batch) -> Floats:
        numbers = np.empty(len(values))
        for k, value in enumerate(values):
            try:
                numbers[k] = value
            except (TypeError, ValueError):
                numbers[k] = math.nan
            low, high = self.bounds
            if not low <= numbers[k] <= high or math.isinf(numbers[k]):
                within = (
                    "" if math.isinf(low) and math.isinf(high) else f" within [{low:g}, {high:g}]"
                )
                raise InputError(
                    f"metric '{self.name}': {self.function} returned {value!r:.60} for the reply "
                    f"{quoted(batch.hypotheses[k])}; expected a number{within}"
                )
        return numbers


@overload
def metric(call: Callable[..., Any], /) -> FunctionMetric: ...
@overload
def metric(
    *,
    name: str | None = None,
    higher_is_better: bool = True,
    bounds: tuple[float, float] | None = None,
) -> Callable[[Callable[..., Any]], FunctionMetric]: ...
def metric(call: Callable[..., Any] | None = None, /, **facts: Any) -> Any:
    """Makes a metric of a function, as a decorator.

    The score of a system is the mean over its replies. The function's parameters are any of ``reply``
    (a text), ``references`` (the list of its references), ``weights`` (theirs) and ``context`` (the
    list of its turns, oldest first), and it returns a number; or ``replies``, ``references``,
    ``weights`` and ``contexts``, lists with an element for each reply, and it returns a list of
    numbers. It may be called with parts of a test set.

    Args:
        call: The function.
        **facts: ``name`` (that of the function), ``higher_is_better`` (True) and ``bounds``, the least
            and the greatest value: (0, 1) is shown x100, as other metrics are.

    Returns:
        A metric, which is still called as the function is.

    Raises:
        ParameterError: The function has other parameters.

    >>> @metric(bounds=(0, 1))
    ... def exact(reply, references):
    ...     return reply in references
    >>> exact.corpus(["yes", "no"], [["yes"], ["maybe"]]).value
    0.5
    """
    if call is None:
        return lambda function: FunctionMetric(function, **facts)
    if not callable(call) or isinstance(call, type):
        raise ParameterError(f"metric: {call!r:.60} is no function; expected one of (reply, ...)")
    return FunctionMetric(call)


def _arguments(call: Callable[..., Any], name: str) -> tuple[str, ...]:
    """The names of a function's parameters.

    Raises:
        ParameterError: One of them is none that a metric can fill in.
    """
    parameters = inspect.signature(call).parameters.values()
    names = tuple(
        each.name for each in parameters if each.default is each.empty or each.name in OF_ONE
    )
    known = OF_LISTS if "replies" in names else OF_ONE
    for each in names:
        if each not in known or len({"reply", "replies"} & set(names)) != 1:
            raise ParameterError(
                f"metric '{name}': the function's parameters are {', '.join(names)}; expected reply and "
                f"any of {one_of(list(OF_ONE)[1:])}, or replies and any of {one_of(list(OF_LISTS)[1:])}"
            )
    if not names:
        raise ParameterError(f"metric '{name}': the function takes nothing; expected (reply, ...)")
    return names


def _code(call: Callable[..., Any]) -> str:
    """Eight digits of a hash of the function's source, or of its code where there is no source."""
    try:
        content = inspect.getsource(call).encode()
    except (OSError, TypeError):
        code = getattr(call, "__code__", None)
        content = b"" if code is None else code.co_code + repr(code.co_consts).encode()
    return hashlib.sha256(content).hexdigest()[:8]


def _replies(batch: Batch) -> Iterator[dict[str, Any]]:
    """Each reply with what may be asked of it: texts, weights, turns."""
    texts, weights = list(batch.reference_texts), batch.weights.tolist()
    for i, ((begin, end), (first, last)) in enumerate(
        zip(pairwise(batch.bounds.tolist()), pairwise(batch.reference_bounds.tolist()), strict=True)
    ):
        context = None if batch.contexts is None else list(batch.contexts[i])
        for k in range(begin, end):
            yield {
                "reply": batch.hypotheses[k],
                "references": texts[first:last],
                "weights": weights[first:last],
                "context": context,
            }
