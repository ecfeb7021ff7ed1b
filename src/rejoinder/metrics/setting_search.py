"""The settings under which other tools usually compute a metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from rejoinder.errors import ParameterError, one_of
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.presets import PRESETS
from rejoinder.metrics.registry import METRICS
from rejoinder.metrics.registry import metric as made
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.metrics.settings import settings_of

_AVERAGED: dict[type[Metric], tuple[str, ...]] = {
    BLEU: ("bleu", "sbleu"),
    SentenceBLEU: ("sbleu", "bleu"),
}
"""The names under which a metric is tried: of BLEU both the sum and the mean."""


def usual_settings(metric: Metric) -> list[Metric]:
    """The metric, the presets of tools for it, and each of these with one setting changed.

    BLEU is tried as a sum over the corpus and as a mean over replies.

    Raises:
        ParameterError: The metric is not one of Rejoinder's own, whose settings are known.
    """
    if metric.name not in METRICS or type(metric) is not type(made(metric.name)):
        raise ParameterError(
            f"metric '{metric.name}': its settings are not known here, and cannot be searched; choose "
            f"{one_of(METRICS)}"
        )
    begun: list[Metric] = [metric]
    for name in _AVERAGED.get(type(metric), (metric.name,)):
        begun.append(made(name))
        begun += [made(f"{name}:compat={tool}") for tool in PRESETS if name in PRESETS[tool]]
    return list(dict.fromkeys([*begun, *(each for one in begun for each in _changed(one))]))


def typed(metric: Metric) -> str:
    """A metric as it is typed on the command line, with the settings that are not the defaults.

    >>> typed(BLEU(4, smoothing="exp"))
    'bleu:order=4,smoothing=exp'
    """
    default = made(metric.name)
    values = {each.name: getattr(metric, each.name) for each in fields(metric)}
    changed = {name: value for name, value in values.items() if value != getattr(default, name)}
    short = _typed(metric.name, changed)
    if made(short) == metric:
        return short
    # A default depends on another setting: every one is named.
    fixed = {"variant"} if metric.name != type(metric).name else set()
    whole = {
        name: value
        for name, value in values.items()
        if name not in fixed and value is not None and value != ""
    }
    return _typed(metric.name, whole)


def _typed(name: str, settings: dict[str, Any]) -> str:
    words = ",".join(f"{key}={_word(value)}" for key, value in settings.items())
    return f"{name}:{words}" if words else name


def _changed(metric: Metric) -> Iterator[Metric]:
    """The metric with each of its settings changed by itself."""
    for name, known in settings_of(type(metric)).items():
        for value in known.tried:
            try:
                yield replace(metric, **{name: value})
            except ParameterError:  # it does not go together with the others
                continue


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
