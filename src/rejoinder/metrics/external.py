"""Scores that other tools made, as a metric like any other: a judge's marks, COMET, thumbs up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError, one_of
from rejoinder.human_evaluation.grades import are_grades, outliers
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, Call, quoted
from rejoinder.metrics.contract import Statistics
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.statistics.proportions import are_ends
from rejoinder.tables.checks.arguments import expect, pair, strings
from rejoinder.tables.external_scores import ReplyValues, SegmentScores, reply_values
from rejoinder.tables.frames import Frame
from rejoinder.tables.schemas import RATE

DIRECTIONS = ("higher", "lower")
"""Which scores are better."""

EVERY_NUMBER = (-math.inf, math.inf)
"""The bounds where none are given."""


@dataclass(frozen=True, init=False)
class External(MeanMetric):
    """The mean of scores that another tool gave the replies: ``1/n sum_i v_i``.

    Values are found by system and id. Several raters of a reply are averaged, and before them several
    samples. Replies that were drawn with unequal probabilities weigh 1 over them (Hajek's estimator).
    NaN without any reply. Range: ``bounds``; without them any number.

    Args:
        name: What tables call the metric.
        frame: The scores: the table of ``rejoinder.read_scores``, or a frame of Polars or pandas, long
            (``system, id, name, value``) or wide (``system``, ``id`` and a column called ``name``).
        higher_is_better: Whether a greater value is a better one.
        bounds: The least and the greatest value that a reply can have. Near a bound the interval
            of a mean is skewed away from it; without bounds it is ``mean +- t s / sqrt(n)``.
        kind: ``rate``: the mean is a share of replies, with Wilson's interval, and the bounds, if there
            are none, are 0 and 1. So it is without being named where the table says so in a column
            ``kind``, or where every value is 0 or 1 (or one of the two bounds). A value between them counts
            as a part of a pass: the interval is then rather too wide. Replies drawn
            with unequal probabilities have no such interval.

    >>> import polars as pl
    >>> rows = {"system": ["a", "a"], "id": ["1", "2"], "judge": [4, 5]}
    >>> External("judge", pl.DataFrame(rows), bounds=(1, 5)).label
    'judge'
    """

    name: ClassVar[str] = "external"
    source: ClassVar[str] = "scores that another tool made"
    needs: ClassVar[frozenset[str]] = frozenset({"scores"})
    choices: ClassVar = MappingProxyType({"direction": DIRECTIONS, "kind": ("", RATE)})

    reply_values: ClassVar[ReplyValues | None] = None
    """The values; None in saved scores, which hold the rows."""

    title: str
    direction: str
    low: float | None
    high: float | None
    values: str
    raters: int
    samples: int
    kind: str

    def __init__(
        self,
        name: str,
        frame: Frame,
        higher_is_better: bool = True,
        bounds: tuple[float, float] | None = None,
        kind: str = "",
    ) -> None:
        expect(name, str, "name", "the name of the metric, as tables call it")
        if not name.strip() or "|" in name or name in ("system", "id"):
            raise ParameterError(
                Argument("name", name),
                " cannot head a column of scores; give the metric a name of its own, without '|'",
            )
        expect(higher_is_better, bool, "higher_is_better", "True or False")
        (values,) = reply_values(SegmentScores.of(frame, name))
        self._set(values, DIRECTIONS[not higher_is_better], bounds, kind)

    @classmethod
    def of(
        cls,
        values: ReplyValues,
        direction: str = "higher",
        bounds: tuple[float, float] | None = None,
        kind: str = "",
    ) -> Self:
        """The metric of values that were read and checked."""
        metric = cls.__new__(cls)
        metric._set(values, direction, bounds, kind)
        return metric

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        """The metric of saved scores: their rows are in the file, so that no values are needed.

        Raises:
            TypeError: A parameter is unknown or absent.
        """
        metric = cls.__new__(cls)
        if parameters.keys() != {each.name for each in fields(cls)}:
            raise TypeError(f"parameters {list(parameters)}")
        metric._complete(dict(parameters), None)
        return metric

    def _set(
        self, values: ReplyValues, direction: str, bounds: tuple[float, float] | None, kind: str
    ) -> None:
        kind = kind or values.kind
        if kind == RATE and values.weights is not None:
            raise ParameterError(
                f"{values.name}: the kind '{RATE}' has no interval for replies that were drawn with "
                "unequal probabilities; leave the kind out"
            )
        whose = ""
        if kind == RATE and bounds is None:
            bounds, whose = (0.0, 1.0), ", those of a rate"
        low, high = self._checked(values, bounds, whose) if bounds is not None else (None, None)
        of_replies = values.values if values.by_sample is None else values.by_sample
        known = of_replies[~np.isnan(of_replies)]
        if values.weights is None and are_ends(known, bounds or (0.0, 1.0)):
            kind = RATE
        parameters = {
            "title": values.name,
            "direction": direction,
            "low": low,
            "high": high,
            "values": values.digest,
            "raters": values.raters,
            "samples": values.samples,
            "kind": kind,
        }
        self._complete(parameters, values)

    def _complete(self, parameters: dict[str, Any], values: ReplyValues | None) -> None:
        low, high = parameters["low"], parameters["high"]
        facts = {
            "higher_is_better": parameters["direction"] == DIRECTIONS[0],
            "bounds": EVERY_NUMBER if low is None or high is None else (low, high),
            "reply_values": values,
            "share": parameters["kind"] == RATE,
        }
        for name, value in (parameters | facts).items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    @staticmethod
    def _checked(
        values: ReplyValues, bounds: tuple[float, float], whose: str
    ) -> tuple[float, float]:
        pair(bounds, "bounds")
        low, high = (float(each) for each in bounds)
        if not low < high:
            raise ParameterError(
                Argument("bounds", bounds), "; expected the least value before the greatest"
            )
        outside = (values.values < low) | (values.values > high)
        if outside.any():
            s, i = (int(each[0]) for each in np.nonzero(outside))
            raise ParameterError(
                f"{values.name}: value {values.values[s, i]:g} of system '{values.systems[s]}' at id "
                f"'{values.ids[i]}' is outside bounds=({low:g}, {high:g}){whose}; correct the value, "
                f"or give wider bounds ({Call('bounds=(LOW, HIGH)')})"
            )
        return low, high

    @property
    def label(self) -> str:
        """The name that the user gave."""
        return self.title

    @property
    def known(self) -> int:
        """How many replies have a value."""
        values = self.reply_values
        return 0 if values is None else int((~np.isnan(values.values)).sum())

    def rows(self, systems: Sequence[str], ids: Sequence[str]) -> Floats:
        """The rows of all systems on some items: float64 [n, S, 2]; NaN where there is no value.

        Raises:
            ParameterError: The metric is that of saved scores, which holds no values.
        """
        values = self.reply_values
        if values is None:
            raise ParameterError(
                f"metric '{self.title}': its values are not in saved scores, only their rows are; give "
                "the scores again: External(name, frame)"
            )
        values_of_replies, weights = values.at(tuple(systems), list(ids))
        rows = mean_rows(values_of_replies.T)
        return rows if weights is None else rows * weights.T[..., None]

    def notes(self, batch: Batch | None = None) -> list[str]:
        """What was averaged to get one value for each reply, and grades far from all others (`are_grades`).

        Where bounds are given, values outside them are refused already. Other numbers, such as lengths and
        seconds, may have a long tail.
        """
        values = self.reply_values
        if values is None:
            return []
        notes = list(values.notes)
        if values.given is None or self.bounds != EVERY_NUMBER:
            return notes
        single = values.given.get_column("value").to_numpy()
        for each in outliers(single) if are_grades(single) else ():
            of_grade = values.given.filter(pl.col("value") == each.grades[0])
            system, id = of_grade.select("system", "id").row(0)
            notes.append(
                each.note("values", f"correct the row of {quoted(system)} at id {quoted(id)}")
            )
        return notes

    def statistics(self, batch: Batch) -> Statistics:
        """Texts alone do not tell which reply a value is of.

        Raises:
            ParameterError: Always.
        """
        raise ParameterError(
            f"metric '{self.title}': its values belong to systems and ids, which lists of texts do not "
            "name; pass it to rejoinder.score(testset, responses, metrics=[...])"
        )


def externals(
    scores: SegmentScores,
    lower: Sequence[str] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    rates: Sequence[str] = (),
) -> list[External]:
    """A metric for each name of a table of scores.

    Args:
        scores: The scores.
        lower: The names of which lower values are better.
        bounds: By name the least and the greatest value.
        rates: The names of which the mean is a share of replies.

    Raises:
        InputError: Raters of one name cannot be on one scale.
        ParameterError: The table has no such name, or a value lies outside its bounds.
    """
    bounds = bounds or {}
    names = scores.frame.get_column("name").unique(maintain_order=True).to_list()
    lower, rates = strings(lower, "lower", "metrics"), strings(rates, "rates", "metrics")
    for argument, given in (("lower", lower), ("bounds", bounds), ("rates", rates)):
        for name in given:
            if name not in names:
                raise ParameterError(
                    f"{argument}: no metric is called {name!r}; choose {one_of(names)}"
                )
    return [
        External.of(
            values,
            DIRECTIONS[values.name in lower],
            bounds.get(values.name),
            RATE if values.name in rates else "",
        )
        for values in reply_values(scores)
    ]
