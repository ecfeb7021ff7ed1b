"""What is known of each setting of a metric beside its name, type and default."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument

Values = Mapping[str, str]

INVERTED: Values = {
    **dict.fromkeys(("true", "yes", "1"), "false"),
    **dict.fromkeys(("false", "no", "0"), "true"),
}
SPOKEN: Mapping[Any, str] = {True: "yes", False: "no"}
EITHER = (False, True)


@dataclass(frozen=True)
class Name:
    """What a tool's name of a setting is here.

    Attributes:
        ours: The name of our parameter.
        values: Ours by the tool's values; None where both are written alike.
    """

    ours: str
    values: Values | None = None


@dataclass(frozen=True)
class Setting:
    """What is known of a setting.

    Attributes:
        meaning: What it does to a score, in a sentence.
        step: Its place on a path from one metric to another: from 10 on what is compared, from 20 on how
            that is cut, from 30 on what is counted, from 40 on how it is scored.
        word: What a signature calls it; empty: its name. sacreBLEU's word, where that has one.
        spoken: How a signature writes its values.
        typed: Another word of sacreBLEU's signatures by which it may be typed.
        inverted: Whether that word says the opposite.
        values: The values that it can have; None: all of its type.
        tried: The values in which tools differ.
        neutral: What it must be where another metric of its family does not have it, so that both are
            computed alike; ``...``: its default.
        unless_default: Whether a signature names it only where it is not the default.
    """

    meaning: str = "Another setting of the metric."
    step: int = 99
    word: str = ""
    spoken: Mapping[Any, str] = field(default_factory=lambda: SPOKEN)
    typed: str = ""
    inverted: bool = False
    values: Collection[str] | None = None
    tried: tuple[Any, ...] = ()
    neutral: Any = ...
    unless_default: bool = False

    def said(self, name: str, value: Any) -> str:
        """The setting in a signature."""
        word = self.spoken[value] if isinstance(value, bool) else str(value)
        return f"{self.word or name}:{word}"

    def words(self, name: str) -> Iterator[tuple[str, Name]]:
        """The words of signatures, and what each is here."""
        if self.word:
            values = {word: str(value).lower() for value, word in self.spoken.items()}
            yield self.word, Name(name, None if self.spoken is SPOKEN else values)
        if self.typed:
            yield self.typed, Name(name, INVERTED if self.inverted else None)


SHARED = {
    "references": Setting("Each item is compared with other references.", 10, tried=("all", "single")),
    "leave_one_out": Setting(
        "A reply that is one of its own references is compared with the others alone.", 11),
    "lowercase": Setting(
        "Capital letters are folded to small ones, or not, before words are compared.", 20,
        "case", {True: "lc", False: "mixed"}, tried=EITHER),
    "tokenizer": Setting("Texts are cut into other tokens, so that other n-grams match.", 21, "tok",
                         tried=("13a", "none", "intl", "char")),
    "language": Setting("Texts are cut into other words.", 22),
    "order": Setting("The longest n-gram is another one; longer ones match more rarely.", 31,
                     tried=(1, 2, 3, 4)),
    "minimum_total": Setting("A reply that is too short for an order counts as an n-gram that did not match, "
                             "or not at all.", 34, tried=(None, 1)),
    "measure": Setting("Another of F, precision and recall is the score.", 38,
                       tried=("f", "precision", "recall")),
    "effective_order": Setting("Orders that a text is too short for are left out of the mean, or count as 0.",
                               41, "eff", tried=EITHER, neutral=False),
    "smoothing": Setting("An order without a match gets another value in place of 0.", 42, "smooth",
                         tried=("none", "floor", "add-k", "exp", "laplace", "caption")),
    "smoothing_value": Setting("Smoothing adds another amount.", 43),
}  # fmt: skip
"""The settings of several metrics, by name; what is declared in a field comes on top."""


def setting(default: Any, *what: Any, **facts: Any) -> Any:
    """A field of a metric: its default, what it means, its step, and further facts; see `Setting`."""
    named = dict(zip(("meaning", "step"), what, strict=False))
    return field(default=default, metadata={"setting": named | facts})


@cache
def settings_of(metric: type) -> dict[str, Setting]:
    """The settings of a class of metrics by name; a field that a subclass has anew keeps its facts."""
    return {
        each.name: replace(SHARED.get(each.name, Setting()), **_declared(metric, each.name))
        for each in fields(metric)
    }


def _declared(metric: type, name: str) -> Mapping[str, Any]:
    same_named = (vars(kind).get("__dataclass_fields__", {}).get(name) for kind in metric.__mro__)
    declared = (each.metadata.get("setting") for each in same_named if each is not None)
    return next(filter(None, declared), {})


def check_type(metric: str, name: str, value: Any, kind: Any) -> Any:
    """The value of a parameter, a number of NumPy as one of Python.

    Args:
        metric: The name of the metric.
        name: The name of the parameter.
        value: Its value.
        kind: Its type; see ``types_of``.

    Raises:
        ParameterError: The value is not of that type.
    """
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if _accepts(kind, value):
        return value
    choices = _choices(kind)
    if type(value) in map(type, choices):
        raise ParameterError(
            f"metric '{metric}': {name}={value!r:.60} is unknown; choose {one_of(map(str, choices))}"
        )
    raise ParameterError(
        f"metric '{metric}': {name}={value!r:.60} is {type(value).__name__}; expected {_words(kind)}"
    )


@cache
def types_of(metric: type) -> dict[str, Any]:
    """The types of a metric's parameters, by name, also where annotations are texts.

    An annotation that names what its module does not define is ``Any``.
    """
    return {each.name: _type_of(metric, each.name, each.type) for each in fields(metric)}


def alternatives(kind: Any) -> tuple[Any, ...]:
    """The types that a type stands for: those of a union, else itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def check_order(order: int) -> None:
    """Raises a ParameterError for an n-gram order outside 1 to 9."""
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= 9:
        raise ParameterError(Argument("order", order), " must be a whole number from 1 to 9")


def _type_of(metric: type, name: str, annotation: Any) -> Any:
    owner = next(each for each in metric.__mro__ if name in getattr(each, "__annotations__", {}))
    holder: Any = SimpleNamespace(__annotations__={name: annotation})
    try:
        return get_type_hints(holder, vars(sys.modules[owner.__module__]), vars(owner))[name]
    except NameError:
        return Any


def _accepts(kind: Any, value: Any) -> bool:
    """Whether a value is of a type; True for types that are not checked."""
    if len(alternatives(kind)) > 1:
        return any(_accepts(each, value) for each in alternatives(kind))
    if get_origin(kind) is Literal:
        return any(type(value) is type(each) and value == each for each in get_args(kind))
    kind = get_origin(kind) or kind
    if kind is Any or not isinstance(kind, type):
        return True
    if isinstance(value, bool):
        return kind in (bool, object)
    return isinstance(value, (int, float) if kind is float else kind)


def _choices(kind: Any) -> list[Any]:
    """The values that the literals of a type name."""
    literals = [each for each in alternatives(kind) if get_origin(each) is Literal]
    return [value for each in literals for value in get_args(each)]


def _words(kind: Any) -> str:
    """A type as one writes it: ``float | None``."""
    return " | ".join(_word(each) for each in alternatives(kind))


def _word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return one_of(map(str, get_args(kind)))
    if kind is NoneType:
        return "None"
    return kind.__name__ if type(kind) is type else str(kind)
