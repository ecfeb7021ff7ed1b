"""The contract of a metric: its facts, its parameters, statistics of each reply, and a formula.

A metric measures each reply once into a short row of float64 sufficient statistics; its score is a
pure function of summed rows. Corpus score = all rows summed; sentence score = one row; a bootstrap
resample, a permutation, a shard on another machine = some rows summed.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from rejoinder._version import __version__
from rejoinder.batches.batch import Batch
from rejoinder.batches.references import ReferenceRule
from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices, Tokens
from rejoinder.messages import Argument, Placeholder
from rejoinder.metrics.settings import check_type, settings_of, types_of
from rejoinder.text.scripts import suited
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import TOKENIZERS, tokenize

if TYPE_CHECKING:
    from rejoinder.batches.features import Features, Request

Part: TypeAlias = float | list[float]

Statistics: TypeAlias = Floats | Tokens
"""What a metric measures of m replies: float64 [m, k], or a bag of fingerprints for each."""


@dataclass(frozen=True)
class Contract(ABC):
    """What every metric declares and computes; ``base.Metric`` adds the calls for users.

    A subclass is a frozen dataclass whose fields are the parameters; the signature names
    every field. A parameter called ``references`` is a reference rule.
    """

    name: ClassVar[str]
    """The name on the command line and in the registry."""
    source: ClassVar[str]
    """Paper, section, equation."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The least and the greatest score."""
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    """What is read besides the replies: references, weights, context, features."""
    summable: ClassVar[bool] = True
    """Whether a row is short numbers to be summed; else it is a bag to be merged (distinct.py)."""
    share: ClassVar[bool] = False
    """Whether the score is a share of items, those that fulfil a condition."""
    rate: ClassVar[bool] = False
    """Whether papers print the score x100 although it may lie beyond -1 or 1."""
    sources: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The parameters that name a model's file or folder, each with the provider of its features."""
    choices: ClassVar[Mapping[str, Collection[str]]] = MappingProxyType({})
    """The values that a parameter can have, by its name, where its field does not declare them."""

    def __post_init__(self) -> None:
        for name, kind in types_of(type(self)).items():
            value = getattr(self, name)
            if name in self.sources and isinstance(value, os.PathLike):
                value = os.fspath(value)
            object.__setattr__(self, name, check_type(self.name, name, value, kind))
        values = {
            name: each.values for name, each in settings_of(type(self)).items() if each.values
        }
        for name, choices in {**values, **self.choices}.items():
            if getattr(self, name) not in choices:
                raise ParameterError(
                    f"metric '{self.name}': {name}={getattr(self, name)!r} is unknown; "
                    f"choose {one_of(filter(None, choices))}"
                )
        ReferenceRule.parse(getattr(self, "references", "all"))

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        """The metric of saved scores.

        Raises:
            TypeError: A parameter is unknown.
            ParameterError: A value is none that the parameter can have.
        """
        return cls(**parameters)

    def effective_parameters(self) -> dict[str, Any]:
        """The parameters by name, each as what it stands for: an empty one as its default in words.

        Metrics of a class with the same meanings are the same metric, however they were typed.
        """
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def ranks(self) -> bool:
        """Whether a better score means a better system: metrics of the replies alone only describe."""
        return bool(self.needs)

    @property
    def ends(self) -> tuple[float, float]:
        """The value of an item that fails and of one that passes, of a share of items."""
        return self.bounds if math.isfinite(self.bounds[1] - self.bounds[0]) else (0.0, 1.0)

    @property
    def times100(self) -> bool:
        """Whether tables and figures show the score x100, as papers do: within [-1, 1], or a rate."""
        low, high = self.ends if self.share else self.bounds
        return self.rate or (low >= -1 and high <= 1)

    @property
    def vanishes(self) -> bool:
        """Whether the score is a product, which is 0 as soon as one factor is 0."""
        return False

    @property
    def home(self) -> str:
        """Module and name of the class: what a saved file says of a metric outside the registry."""
        return f"{type(self).__module__}.{type(self).__qualname__}"

    @property
    def label(self) -> str:
        """The name in tables and notes."""
        return self.name

    @property
    def rule(self) -> str:
        """The rule for references behind a blank, as labels show it; "" where all count."""
        rule = getattr(self, "references", "all")
        return "" if rule == "all" else f" {rule}"

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the k statistics of a row."""

    @abstractmethod
    def statistics(self, batch: Batch) -> Statistics:
        """Measures every hypothesis of a batch: float64 [m, k]; NaN where it cannot be scored."""

    @abstractmethod
    def score(self, totals: Floats) -> Floats:
        """The score of summed rows: float64 [..., k] to float64 [...]."""

    def left_out(self, sums: Floats, item: Indices, code: Indices, count: Floats, n: int) -> Floats:
        """The score with each bag left out, of metrics whose rows are bags (``summable`` is False).

        Args:
            sums: The count of each code in all bags together (float64 [V]).
            item: The bag of each entry (int64 [t]).
            code: int64 [t], its code.
            count: The count of the code in that bag (float64 [t]).
            n: How many bags there are.

        Returns:
            float64 [n], computed bag by bag; a metric that has a closed form overrides it.
        """
        scores, ends = np.empty(n), np.searchsorted(item, np.arange(n + 1))
        for i in range(n):
            of_item = slice(ends[i], ends[i + 1])
            rest = sums.copy()
            rest[code[of_item]] -= count[of_item]
            scores[i] = self.score(rest)
        return scores

    def parts(self, totals: Floats) -> dict[str, Part]:
        """The components of the score of ``totals``, float64 [k], by name."""
        return dict(zip(self.columns, totals.tolist(), strict=True))

    def requests(self) -> tuple[Request, ...]:
        """The features that the metric asks for.

        Raises:
            ParameterError: A parameter that names a model is empty.
        """
        if not self.sources:
            return ()
        from rejoinder.batches.features import Request  # for metrics of models alone

        return tuple(Request(kind, self.source_of(name)) for name, kind in self.sources.items())

    def derivations(self) -> Mapping[Request, Callable[[Batch], Features]]:
        """Features that the metric computes from a whole batch and from what models provided.

        Metrics that name a derivation alike share one computation.
        """
        return {}

    def source_of(self, parameter: str) -> str:
        """The file, folder or model that a parameter names.

        Raises:
            ParameterError: It is empty.
        """
        source = getattr(self, parameter)
        if not source:
            raise ParameterError(
                f"metric '{self.name}' measures with a model and names none; write "
                f"{self.name}:{parameter}=PATH ({parameter}='PATH' in Python)"
            )
        return source

    def notes(self, batch: Batch) -> list[str]:
        """Notes about a measured batch: what was excluded or replaced.

        Without the metric's name, which ``measurement.remarks`` adds.
        """
        return []

    def token_counts(self, texts: Strings) -> Indices | None:
        """How many tokens the metric's tokenizer makes of each text; None where it has none."""
        tokenizer = getattr(self, "tokenizer", None)
        if tokenizer is None:
            return None
        return tokenize(texts, tokenizer, getattr(self, "lowercase", False)).lengths

    def separation(self, script: str) -> tuple[str, str]:
        """For a note: what leaves the words of a script unseparated, and which parameter to set."""
        tokenizer = getattr(self, "tokenizer", "")
        settings = [f"tokenizer={each}" for each in suited(script, TOKENIZERS) if each != tokenizer]
        typed = [
            f", as in {Argument('metrics', Placeholder(f'METRIC:{each}'))}" for each in settings[:1]
        ]
        return (
            f"the tokenizer '{tokenizer}' does not separate the words",
            f"set {' or '.join(settings)}{''.join(typed)}",
        )

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """Which items (bool [n]) the metric cannot score for lack of references or context, and why."""
        unusable, reasons = np.zeros(len(batch), dtype=bool), []
        if self.needs & {"references", "weights"}:
            rule = getattr(self, "references", "all")
            without = batch.references(rule).counts == 0
            if without.any():
                reasons.append(
                    "no reference" + ("" if rule == "all" else f" under the rule '{rule}'")
                )
            unusable |= without
        if "context" in self.needs and batch.contexts is not None:
            without = np.array([not turns for turns in batch.contexts], dtype=bool)
            if without.any():
                reasons.append("no context")
            unusable |= without
        return unusable, f"has {' or '.join(reasons)}" if reasons else ""

    def signature(self, **facts: str | int) -> str:
        """The parameters, and facts of the data, in sacreBLEU's style: ``key:value|...``."""
        words, facts_of = [self.name], settings_of(type(self))
        for each in fields(self):
            value: Any = getattr(self, each.name)
            if each.name in self.sources and value:
                from rejoinder.providers.registry import identity  # for metrics of models alone

                value = identity(self.sources[each.name], value)
            if value is None or value == "":
                continue
            if not (facts_of[each.name].unless_default and value == each.default):
                words.append(facts_of[each.name].said(each.name, value))
        words += [f"{key}:{value}" for key, value in facts.items()]
        tokenizer = TOKENIZERS.get(getattr(self, "tokenizer", ""))
        if package := getattr(tokenizer, "package", ""):
            from importlib.metadata import version

            words.append(f"{package}:{version(package)}")
        return "|".join([*words, f"version:{__version__}"])
