"""From one metric to another, one setting at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from rejoinder.errors import ParameterError
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU, PooledPrecisions
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.metrics.settings import settings_of

BLEUS: tuple[type[Metric], ...] = (BLEU, SentenceBLEU, DeltaBLEU)
"""Metrics that lead to each other: they average or weigh the same counts otherwise."""

AVERAGE = "average"
"""What the step between two of them is called."""

SUMMED = (
    "bleu sums the counts of all replies before it divides, sbleu averages the scores of single replies, "
    "and deltableu weighs matches with the ratings of references."
)
"""What that step means."""


@dataclass(frozen=True)
class SettingStep:
    """A change from one metric to the next.

    Attributes:
        settings: The names of the settings that change; several where one needs the other.
        before: Their values before, in the order of the names.
        after: Their values after.
        metric: The metric with the values after.
        alone: The first metric of the path with this change alone; None where there is none.
    """

    settings: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    metric: Metric
    alone: Metric | None

    @property
    def meaning(self) -> str:
        """What the settings do, in plain sentences."""
        if self.settings == (AVERAGE,):
            return SUMMED
        known = settings_of(type(self.metric))
        return " ".join(dict.fromkeys(known[name].meaning for name in self.settings))


def setting_path(first: Metric, second: Metric) -> list[SettingStep]:
    """The steps from one metric to another; [] where they are the same.

    Args:
        first: Where the path begins.
        second: Where it ends: the metric of the last step.

    Raises:
        ParameterError: They measure different things: no setting leads from one to the other.
    """
    if type(first) is type(second):
        return list(_within(first, first, second))
    if type(first) not in BLEUS or type(second) not in BLEUS:
        raise ParameterError(
            f"{first.label} and {second.label} measure different things, and no setting leads from one "
            "to the other; give one metric under two settings, for example bleu:compat=sacrebleu and "
            "bleu:compat=nltk (of different metrics only bleu, sbleu and deltableu lead to each other)"
        )
    like_second = _like(first, second)
    before = list(_within(first, first, like_second))
    crossed = _crossed(like_second, second)
    names = (type(first).name, type(second).name)
    only_first = [name for name in _names(first) if name not in _names(second)]
    plain = all(getattr(first, name) == _neutral(first, name) for name in only_first)
    alone = _attempt(lambda: _crossed(first, second)) if plain else None
    crossing = SettingStep((AVERAGE,), names[:1], names[1:], crossed, alone)
    rest = [replace(step, alone=None) for step in _within(crossed, crossed, second)]
    return [*before, crossing, *rest]


def _within(start: Metric, first: Metric, second: Metric) -> Iterator[SettingStep]:
    """The steps between two metrics of one class; settings that need each other change together."""
    pending: list[str] = []
    current = first
    for name in _differing(first, second):
        pending.append(name)
        changes = {each: getattr(second, each) for each in pending}
        changed = _changed(current, changes)
        if changed is None:
            continue
        before = tuple(getattr(current, each) for each in pending)
        alone = _changed(start, changes)
        yield SettingStep(tuple(pending), before, tuple(changes.values()), changed, alone)
        current, pending = changed, []
    if current != second:
        raise AssertionError(f"no path from {first} to {second}")


def _changed(metric: Metric, changes: Mapping[str, Any]) -> Metric | None:
    """The metric with these settings, and no other change; None where it cannot have them.

    Some settings bring others with them: the tokenizer of rouge-score folds case.
    """
    changed = _attempt(lambda: replace(metric, **changes))
    if changed is None or _differing(metric, changed) != _in_order(metric, changes):
        return None
    return None if any(getattr(changed, name) != changes[name] for name in changes) else changed


def _differing(first: Metric, second: Metric) -> list[str]:
    """The names of the settings that differ, in the order of the steps."""
    names = [
        each.name
        for each in fields(first)
        if getattr(first, each.name) != getattr(second, each.name)
    ]
    return _in_order(first, names)


def _in_order(metric: Metric, names: Iterable[str]) -> list[str]:
    """Names of settings in the order of the steps."""
    known = settings_of(type(metric))
    return sorted(names, key=lambda name: known[name].step)


def _neutral(metric: Metric, name: str) -> Any:
    neutral = settings_of(type(metric))[name].neutral
    return getattr(type(metric), name) if neutral is ... else neutral


def _names(metric: Metric) -> list[str]:
    return [each.name for each in fields(metric)]


def _like(first: Metric, second: Metric) -> Metric:
    """The first metric with the second's settings, as far as it can have them.

    A setting that the second has not is neutral.
    """
    values = {
        name: _value(second, name) if name in _names(second) else _neutral(first, name)
        for name in _names(first)
    }
    whole = _attempt(lambda: replace(first, **values))
    if whole is not None:
        return whole
    current = first
    for name, value in values.items():
        changed = _attempt(lambda name=name, value=value, to=current: replace(to, **{name: value}))
        current = changed or current
    return current


def _crossed(metric: Metric, second: Metric) -> Metric:
    """A metric of the second's class with the settings of one of another class; its own are neutral."""
    make: Any = type(second)
    known = _names(metric)
    return make(
        **{
            name: _value(metric, name) if name in known else _neutral(second, name)
            for name in _names(second)
        }
    )


def _value(metric: Metric, name: str) -> Any:
    """A setting in the words of every metric of the family."""
    if name != "smoothing":
        return getattr(metric, name)
    pooled = isinstance(metric, PooledPrecisions)
    smoothing = metric.effective_smoothing if pooled else getattr(metric, name)
    return "floor" if smoothing == "method1" else smoothing


def _attempt(make: Callable[[], Metric]) -> Metric | None:
    """What is made; None where the settings do not go together."""
    try:
        return make()
    except ParameterError:
        return None
