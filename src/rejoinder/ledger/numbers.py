"""The numbers of a result as rows of one form, whatever its tables are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rejoinder.document.table import Table

if TYPE_CHECKING:
    from rejoinder.document.parts import Document

SYSTEMS = ("system", "judge", "subject", "baseline", "rater", "model")
"""Columns that say of which system a row is; of a pair they are ``a`` and ``b``."""
METRICS = ("metric", "measure", "correlation", "by", "criterion")
"""Columns that say by which metric, measure or criterion a row is."""


class Number(NamedTuple):
    """A number of a result.

    Args:
        table: The name of its table, as in ``--tables``; empty for the main one.
        name: Its column, such as ``value`` or ``p``.
        system: The system, or a pair as ``a - b``; empty where it is of none.
        metric: The metric, measure or criterion; empty where it is of none.
        about: What else its row is about, as ``topic=travel, references=all``.
        value: The number; None where it is undefined.
        low: The lower end of its interval; None where it has none.
        high: The upper end.
    """

    table: str
    name: str
    system: str
    metric: str
    about: str
    value: float | None
    low: float | None = None
    high: float | None = None


def numbers_of(document: Document) -> list[Number]:
    """All numbers of the tables of a document, each with its interval where the table has one.

    An interval is a pair of columns such as ``low`` and ``high``, or ``low_best`` and ``high_best``,
    directly behind the number that it is of.

    >>> import polars as pl
    >>> from rejoinder.document.table import key, number
    >>> frame = pl.DataFrame({"system": ["a"], "value": [0.5], "low": [0.25], "high": [1.0], "n": [3]})
    >>> columns = [key("system"), number("value", ("value", "low", "high")), number("n")]
    >>> for each in numbers_of([Table(frame, columns)]):
    ...     print(each.system, each.name, each.value, each.low, each.high)
    a value 0.5 0.25 1.0
    a n 3.0 None None
    """
    found = (each for part in document if isinstance(part, Table) for each in _numbers(part))
    return list(dict.fromkeys(found))


def _numbers(table: Table) -> Iterator[Number]:
    frame = table.data()
    keys = [*table.above, table.across]
    keys += [name for column in table.columns if column.key for name in column.keys]
    keys = [name for name in frame.columns if name in keys or name in METRICS]
    measured = [
        name for name in frame.columns if name not in keys and frame[name].dtype.is_numeric()
    ]
    ends = {measured[at]: _ends(measured, at) for at in range(len(measured))}
    within = {end for pair in ends.values() for end in pair}
    for row in frame.iter_rows(named=True):
        of = {name: str(row[name]) for name in keys if row[name] is not None}
        system = " - ".join(of.pop(name) for name in ("a", "b") if name in of)
        system = system or _first(of, SYSTEMS)
        metric = _first(of, METRICS)
        about = ", ".join(f"{name}={value}" for name, value in of.items())
        for name, pair in ends.items():
            if name not in within:
                values = (_plain(row[each]) for each in (name, *pair))
                yield Number(table.name, name, system, metric, about, *values)


def _ends(names: list[str], at: int) -> tuple[str, ...]:
    """The two columns behind one that are the ends of its interval; empty where there are none."""
    low, *_ = [*names[at + 1 : at + 2], ""]
    high, *_ = [*names[at + 2 : at + 3], ""]
    is_pair = "low" in low.split("_") and high == low.replace("low", "high")
    return (low, high) if is_pair else ()


def _first(of: dict[str, str], names: tuple[str, ...]) -> str:
    """Takes out and returns the first of these that there is; empty where there is none."""
    return next((of.pop(name) for name in names if name in of), "")


def _plain(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)
