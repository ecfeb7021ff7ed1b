"""What a file of scores says of a metric, and how the metric is made again from it.

A metric of the registry is made again from its name and parameters. A metric of the user's own is
not: its class lies outside the package. Its rows stay in the file and in ``Scores``, and it is
served again as soon as its class is given. Until then a mean of rows (``MeanMetric``) still has its
values, because the formula of a mean needs no class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import msgspec
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError, one_of
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contract import Statistics
from rejoinder.metrics.means import MeanMetric

Given: TypeAlias = Sequence[Metric | type[Metric]]
"""Metrics of the user's own: as they were measured with, or their classes."""


class SavedMetric(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One metric of a saved file; everything behind ``items`` is of metrics outside the registry."""

    name: str
    parameters: dict[str, Any]
    signature: str
    items: int | None
    class_name: str = ""
    """Module and name of the class; empty for a class of the registry."""
    columns: tuple[str, ...] = ()
    mean: bool = False
    """Whether the score is the mean of the rows, as ``MeanMetric`` has it."""
    bounds: tuple[str, str] = ("0.0", "1.0")
    """As text, because JSON has no infinity."""
    higher_is_better: bool = True
    needs: tuple[str, ...] = ("references",)
    share: bool = False


@dataclass(frozen=True)
class KeptRows:
    """The rows of a metric whose class is not known here.

    Attributes:
        saved: What the file says of the metric.
        rows: Its columns, system by system and item by item, as they stand in the file.
    """

    saved: SavedMetric
    rows: pl.DataFrame


@dataclass(frozen=True)
class KeptMean(MeanMetric):
    """A mean of kept rows whose own class is not known here: it scores them, but measures nothing."""

    saved: ClassVar[SavedMetric]
    source: ClassVar[str] = "a metric of the user's own"

    def statistics(self, batch: Batch) -> Statistics:
        """Measuring needs the class.

        Raises:
            ParameterError: Always.
        """
        raise ParameterError(
            f"metric '{self.name}': its class {self.saved.class_name} is not known here, so nothing "
            "can be measured with it; pass the metric itself"
        )


def saved_metric(metric: Metric, signature: str, items: int | None) -> SavedMetric:
    """What is written of a metric.

    Args:
        metric: The metric.
        signature: Its signature.
        items: Number of items that it scored; None: all.
    """
    if isinstance(metric, KeptMean):
        return metric.saved
    parameters = plain(registry.parameters(metric))
    if _registered_class(metric.name) is type(metric):
        return SavedMetric(metric.name, parameters, signature, items)
    low, high = metric.bounds
    return SavedMetric(
        metric.name,
        parameters,
        signature,
        items,
        class_name=metric.home,
        columns=metric.columns,
        mean=isinstance(metric, MeanMetric) and type(metric).score is MeanMetric.score,
        bounds=(str(float(low)), str(float(high))),
        higher_is_better=metric.higher_is_better,
        needs=tuple(sorted(metric.needs)),
        share=metric.share,
    )


def plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON holds them; what JSON cannot hold becomes its ``repr``.

    >>> plain({"order": 2, "stop": {"b", "a"}.intersection("a"), "at": complex(0, 1)})
    {'order': 2, 'stop': ['a'], 'at': '1j'}
    """
    return msgspec.json.decode(msgspec.json.encode(dict(parameters), enc_hook=repr))


def matched(saved: Mapping[str, SavedMetric], given: Given) -> dict[str, Metric]:
    """The given metrics by the label that they have in the file.

    Raises:
        ParameterError: The file does not hold one of them, or with other parameters.
    """
    if isinstance(given, (Metric, type, str)) or not isinstance(given, Sequence):
        raise ParameterError("metrics: expected a list of metrics, such as [MyMetric()]")
    by_label: dict[str, Metric] = {}
    for each in given:
        kind = each if isinstance(each, type) else type(each)
        if not issubclass(kind, Metric):
            raise ParameterError(
                f"metrics: {each!r:.60} is no metric; give metrics or their classes, such as "
                "[MyMetric()] or [MyMetric]"
            )
        called = {label: one for label, one in saved.items() if one.name == each.name}
        if not called:
            names = one_of(dict.fromkeys(one.name for one in saved.values()))
            raise ParameterError(
                f"metrics: the file holds no metric with the name '{each.name}'; choose {names}"
            )
        by_label |= _metric_by_label(each, called)
    return by_label


def restored(saved: Mapping[str, SavedMetric], given: Mapping[str, Metric]) -> dict[str, Metric]:
    """The metrics that can be made again, by label; the others are left out.

    Args:
        saved: What the file says of each metric, by label.
        given: Metrics of the user's own, by label, as ``matched`` gives them.
    """
    metrics = {label: given.get(label) or _made(label, each) for label, each in saved.items()}
    return {label: metric for label, metric in metrics.items() if metric is not None}


def note(label: str, saved: SavedMetric) -> str:
    """What is to be said of a metric whose class is not known here."""
    which = f" ({saved.class_name})" if saved.class_name else ""
    stays = (
        "its values are the means of its kept rows"
        if saved.mean
        else "it is not scored, but its rows are kept"
    )
    return (
        f"{label}: the class of this metric{which} is not part of Rejoinder: {stays}; give the class "
        "with rejoinder.load_scores(path, metrics=[...])"
    )


def _registered_class(name: str) -> Callable[..., Metric] | None:
    """The class that the registry has under a name; None where it has none."""
    make = registry.METRICS.get(name) or registry.OTHERS.get(name)
    return getattr(make, "func", make)


def _made(label: str, saved: SavedMetric) -> Metric | None:
    if _registered_class(saved.name) is not None and not saved.class_name:
        return registry.kept(saved.name, saved.parameters)
    return _kept_mean(label, saved) if saved.mean else None


def _kept_mean(label: str, saved: SavedMetric) -> KeptMean:
    low, high = saved.bounds
    facts = {
        "saved": saved,
        "name": saved.name,
        "label": label,
        "columns": saved.columns,
        "bounds": (float(low), float(high)),
        "higher_is_better": saved.higher_is_better,
        "needs": frozenset(saved.needs),
        "share": saved.share,
    }
    return type("KeptMean", (KeptMean,), facts)()


def _metric_by_label(
    given: Metric | type[Metric], called: Mapping[str, SavedMetric]
) -> dict[str, Metric]:
    """A given metric under the label that it has in the file, or each label of a given class."""
    matching: dict[str, Metric] = {}
    for label, one in called.items():
        metric = given(**one.parameters) if isinstance(given, type) else given
        parameters = plain(registry.parameters(metric))
        # The class may have got a parameter since; one that it has lost is none that it can have.
        if any(parameters.get(name) != value for name, value in one.parameters.items()):
            continue
        if one.columns and tuple(metric.columns) != one.columns:
            raise ParameterError(
                f"metrics: '{metric.name}' has the columns {list(metric.columns)}, but was saved with "
                f"{one.columns}; give the class as it was when the scores were saved"
            )
        matching[label] = metric
    if not matching:
        were = " or ".join(str(one.parameters) for one in called.values())
        raise ParameterError(
            f"metrics: '{given.name}' was saved with the parameters {were}; give it with these, or "
            "give its class"
        )
    return matching
