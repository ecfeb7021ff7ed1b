"""A module that looks like sacreBLEU to its own tests and is served by Rejoinder.

``install`` puts it in sacreBLEU's place in this process, for test files of sacreBLEU that are
imported afterwards. As a plugin of pytest (``-p peers.sacrebleu_adapter``) it does so at once.

What differs by design is translated here, and nowhere else: streams of references to a list for each
item, scores of 0 to 100, and ``smooth_value=0`` to ``smoothing="none"``, which is the same thing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl

import rejoinder
from rejoinder import metrics
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.text.tokenizers import borrowed


@dataclass(frozen=True)
class Result:
    """A score from 0 to 100; the other attributes where the metric has them."""

    score: float
    counts: Sequence[float] = ()
    totals: Sequence[float] = ()
    p_value: float | None = None


def by_item(streams: Iterable[Iterable[str | None]]) -> list[list[str]]:
    """Streams of references, the first with the first reference of every item, as lists by item."""
    return [[text for text in few if text is not None] for few in zip(*streams, strict=True)]


def scored(metric: Metric, hypotheses: Sequence[str], references: list[list[str]]) -> Result:
    """The score of a corpus."""
    score = metric.corpus(list(hypotheses), references)
    parts = {name: score.parts.get(theirs, ()) for name, theirs in PARTS.items()}
    return Result(100 * score.value, **parts)


PARTS = {"counts": "matches", "totals": "totals"}


def bleu(
    order: int, lowercase: bool, tokenize: str, method: str, value: float | None, effective: bool
) -> metrics.BLEU:
    """The metric of these parameters of sacreBLEU's, through the preset."""
    if value == 0:
        method = "none" if method == "floor" else method
    settings = {
        "max_ngram_order": order,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "smooth_method": method,
        "use_effective_order": effective,
    }
    if value and method in ("floor", "add-k"):
        settings["smooth_value"] = value
    words = ",".join(f"{name}={each}" for name, each in settings.items())
    made = registry.metric(f"bleu:compat=sacrebleu,{words}")
    assert isinstance(made, metrics.BLEU)
    return made


class BLEU:
    """``sacrebleu.metrics.BLEU``."""

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str = "13a",
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        self.metric = bleu(
            max_ngram_order, lowercase, tokenize, smooth_method, smooth_value, effective_order
        )
        self.references = references

    def corpus_score(self, hypotheses: Sequence[str], references: Any) -> Result:
        """The score of a corpus."""
        return scored(self.metric, hypotheses, by_item(references))

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Result:
        """The score of a reply with its references."""
        return scored(self.metric, [hypothesis], [list(references)])

    @staticmethod
    def compute_bleu(
        correct: Sequence[int],
        total: Sequence[int],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
    ) -> Result:
        """The score of statistics that are known."""
        metric = bleu(len(correct), False, "13a", smooth_method, smooth_value, effective_order)
        row = np.array([sys_len, ref_len, *correct, *total], dtype=np.float64)
        return Result(100 * float(metric.score(row)), correct, total)


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Any,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = False,
) -> Result:
    """``sacrebleu.corpus_bleu``."""
    metric = bleu(4, lowercase, tokenize, smooth_method, smooth_value, use_effective_order)
    return scored(metric, hypotheses, by_item(references))


def raw_corpus_bleu(
    hypotheses: Sequence[str], references: Any, smooth_value: float | None = None
) -> Result:
    """``sacrebleu.raw_corpus_bleu``."""
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = True,
) -> Result:
    """``sacrebleu.sentence_bleu``."""
    return corpus_bleu(
        [hypothesis],
        [[each] for each in references],
        smooth_method,
        smooth_value,
        False,
        lowercase,
        tokenize,
        use_effective_order,
    )


class TER:
    """``sacrebleu.metrics.TER``."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        settings = {
            "normalized": normalized,
            "no_punct": no_punct,
            "asian_support": asian_support and (normalized or no_punct),
            "case_sensitive": case_sensitive,
        }
        words = ",".join(f"{name}={value}" for name, value in settings.items())
        self.metric = registry.metric(f"ter:compat=sacrebleu,{words}")

    def corpus_score(self, hypotheses: Sequence[str], references: Any) -> Result:
        """The score of a corpus."""
        return scored(self.metric, hypotheses, by_item(references))

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Result:
        """The score of a reply with its references."""
        return scored(self.metric, [hypothesis], [list(references)])


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Any,
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> Result:
    """``sacrebleu.corpus_chrf``."""
    metric = registry.metric(
        f"chrf:compat=sacrebleu,nc={char_order},nw={word_order},beta={beta},"
        f"remove_whitespace={remove_whitespace},eps_smoothing={eps_smoothing}"
    )
    return scored(metric, hypotheses, by_item(references))


def sentence_chrf(hypothesis: str, references: Sequence[str], **options: Any) -> Result:
    """``sacrebleu.sentence_chrf``."""
    return corpus_chrf([hypothesis], [[each] for each in references], **options)


class PairedTest:
    """``sacrebleu.significance.PairedTest``, of approximate randomization alone.

    The paired bootstrap has no p here: sacreBLEU's is one-sided in effect, Rejoinder's is two-sided
    (see ``rejoinder.compare``), so that their figures are not the same quantity.
    """

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, BLEU],
        references: Any,
        test_type: str,
        n_samples: int,
    ) -> None:
        self.systems = named_systems
        self.metrics = metrics
        self.references = references
        self.trials = n_samples if test_type == "ar" else 0

    def __call__(self) -> tuple[dict[str, str], dict[str, Any]]:
        """The p of every system against the first one."""
        names = [name for name, _ in self.systems]
        told: dict[str, Any] = {"System": names}
        for name, metric in self.metrics.items():
            told[name] = self._results(metric, names)
        return {}, told

    def _results(self, metric: BLEU, names: list[str]) -> list[Result]:
        testset = rejoinder.TestSet.from_lists(by_item(self.references or metric.references))
        responses = pl.concat(
            pl.DataFrame({"system": name, "id": testset.ids, "text": list(replies)})
            for name, replies in self.systems
        )
        # The comparison alone resamples: 100 resamples for intervals that nobody reads here.
        scores = rejoinder.score(testset, responses, [metric.metric], resamples=100)
        p: dict[str, float] = {}
        if self.trials:
            table = scores.compare(names[0], permutations=self.trials)
            p = dict(zip(table["b"], table["p_randomization"], strict=True))
        values = dict(scores.systems().select("system", "value").iter_rows())
        return [Result(100 * values[name], p_value=p.get(name)) for name in names]


def install() -> None:
    """Puts this module in sacreBLEU's place in this process.

    The tokenizers that Rejoinder takes from sacreBLEU are loaded before, while it is still there.
    """
    borrowed("intl")
    this = sys.modules[__name__]
    for name in [each for each in sys.modules if each.partition(".")[0] == "sacrebleu"]:
        del sys.modules[name]
    package = ModuleType("sacrebleu")
    for name in ("metrics", "significance", "compat"):
        sys.modules[f"sacrebleu.{name}"] = this
        setattr(package, name, this)
    for name in ("corpus_bleu", "raw_corpus_bleu", "sentence_bleu", "corpus_chrf", "sentence_chrf"):
        setattr(package, name, getattr(this, name))
    sys.modules["sacrebleu"] = package


def pytest_configure(config: object) -> None:
    """Called by pytest where this module is its plugin."""
    install()
