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

BLEUS: tuple[type[Metric], ...] = (BLEU, SentenceBLEU, DeltaBLEU)
"""Metrics that lead to each other: they average or weigh the same counts otherwise."""

AVERAGE = "average"
"""What the step between two of them is called."""

# What a setting that only one of two metrics has must be, so that both are computed alike.
NEUTRAL: dict[str, Any] = {
    "brevity": "bleu",
    "reference_length": "",
    "minimum_total": None,
    "effective_order": False,
    "reading": "paper",
}

ORDER = (
    *("references", "leave_one_out", "lowercase", "tokenizer", "language", "stemmer", "sentences"),
    *("normalize", "normalized", "no_punct", "asian_support", "whitespace", "variant", "order"),
    *(
        "char_order",
        "word_order",
        "minimum_total",
        "reference_length",
        "brevity",
        "form",
        "measure",
    ),
    *("beta", "effective_order", "smoothing", "smoothing_value", "eps_smoothing"),
)
"""The order of the steps: what is compared, how it is cut, what is counted, how it is scored."""

MEANINGS = {
    AVERAGE: "bleu sums the counts of all replies before it divides, sbleu averages the scores of "
    "single replies, and deltableu weighs matches with the ratings of references.",
    "references": "Each item is compared with other references.",
    "leave_one_out": "A reply that is one of its own references is compared with the others alone.",
    "lowercase": "Capital letters are folded to small ones, or not, before words are compared.",
    "tokenizer": "Texts are cut into other tokens, so that other n-grams match.",
    "language": "Texts are cut into other words.",
    "stemmer": "Words are compared by their stems (runs, running), or as they are written.",
    "sentences": "Texts are split into other sentences.",
    "normalize": "Punctuation is split off and case folded before words are compared, or not.",
    "normalized": "Punctuation is separated from words, or not.",
    "no_punct": "Punctuation is removed, or counts.",
    "asian_support": "Chinese and Japanese characters and punctuation are treated singly, or not.",
    "whitespace": "White space counts as characters, or not.",
    "variant": "Another overlap is counted: n-grams of another order, or common subsequences.",
    "order": "The longest n-gram is another one; longer ones match more rarely.",
    "char_order": "The longest n-gram of characters is another one.",
    "word_order": "n-grams of words count beside those of characters, or up to another order.",
    "minimum_total": "A reply that is too short for an order counts as an n-gram that did not match, "
    "or not at all.",
    "reference_length": "The brevity penalty compares with another of several references.",
    "brevity": "The brevity penalty takes references to be one token longer, or as they are.",
    "form": "The F-score weighs recall otherwise, and may take precision and recall from different "
    "references.",
    "measure": "Another of F, precision and recall is the score.",
    "beta": "Recall weighs more, or less, against precision.",
    "effective_order": "Orders that a text is too short for are left out of the mean, or count as 0.",
    "smoothing": "An order without a match gets another value in place of 0.",
    "smoothing_value": "Smoothing adds another amount.",
    "eps_smoothing": "F-scores of the orders are averaged, or the F-score of average precision and "
    "recall is taken.",
    "reading": "The weight and the match of an n-gram may come from different references, or not.",
}
"""What each setting does to a score, in a sentence."""

OTHERWISE = "Another setting of the metric."


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
        return " ".join(dict.fromkeys(MEANINGS.get(name, OTHERWISE) for name in self.settings))


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
    own = [name for name in _names(first) if name not in _names(second)]
    plain = all(getattr(first, name) == NEUTRAL[name] for name in own)
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
    if changed is None or _differing(metric, changed) != _in_order(changes):
        return None
    return None if any(getattr(changed, name) != changes[name] for name in changes) else changed


def _differing(first: Metric, second: Metric) -> list[str]:
    """The names of the settings that differ, in the order of the steps."""
    names = [
        each.name
        for each in fields(first)
        if getattr(first, each.name) != getattr(second, each.name)
    ]
    return _in_order(names)


def _in_order(names: Iterable[str]) -> list[str]:
    """Names of settings in the order of the steps."""
    place = {name: i for i, name in enumerate(ORDER)}
    return sorted(names, key=lambda name: place.get(name, len(place)))


def _names(metric: Metric) -> list[str]:
    return [each.name for each in fields(metric)]


def _like(first: Metric, second: Metric) -> Metric:
    """The first metric with the second's settings, as far as it can have them.

    A setting that the second has not is neutral.
    """
    wanted = {
        name: _value(second, name) if name in _names(second) else NEUTRAL[name]
        for name in _names(first)
    }
    whole = _attempt(lambda: replace(first, **wanted))
    if whole is not None:
        return whole
    current = first
    for name, value in wanted.items():
        changed = _attempt(lambda name=name, value=value, to=current: replace(to, **{name: value}))
        current = changed or current
    return current


def _crossed(metric: Metric, second: Metric) -> Metric:
    """A metric of the second's class with the settings of one of another class; its own are neutral."""
    make: Any = type(second)
    known = _names(metric)
    return make(
        **{
            name: _value(metric, name) if name in known else NEUTRAL[name]
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
