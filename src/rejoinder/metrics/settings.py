"""What is known of each setting of a metric beside its name, type and default."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any

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
    own = (vars(kind).get("__dataclass_fields__", {}).get(name) for kind in metric.__mro__)
    told = (each.metadata.get("setting") for each in own if each is not None)
    return next(filter(None, told), {})
