"""The rows of Table 2 of Tao et al. (2018): which metrics, in which order, under which heading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.kernels.arrays import Floats
from rejoinder.meta_evaluation.matching import RANDOM
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.length import Length
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.rouge import ROUGE
from rejoinder.metrics.ruber import RUBER, halves_of
from rejoinder.metrics.similarity import SimilarityMetric

PEOPLE, REFERENCED, UNREFERENCED, BLENDED, FURTHER, BASELINE = (
    "inter-annotator",
    "referenced",
    "unreferenced",
    "RUBER",
    "further",
    "baseline",
)
"""The headings, in the order of the paper's table; ours are the last two."""

QUERY = "vector pool (query)"
S_U = "scorer (s_U)"

BLENDS = ("min", "geometric", "arithmetic", "max")
"""In the order of the paper's table."""

ROUGES = ("1", "2", "L")


@dataclass(frozen=True)
class Texts:
    """How the n-gram metrics tokenize texts.

    Attributes:
        tokenizer: Of BLEU and of the length; of ROUGE too, unless it is ``13a``: then ROUGE has its
            own, as in the rouge-score package.
        lowercase: Whether to lowercase first; ROUGE always does.
        smoothing: Of a single reply's BLEU; ``none`` is the definition, under which most replies
            have no match of a higher order and get 0, as in the paper's scatter plots.
    """

    tokenizer: str = "13a"
    lowercase: bool = False
    smoothing: str = "none"


@dataclass(frozen=True)
class Model:
    """Which RUBER, and how its halves are made.

    Attributes:
        folder: What ``rejoinder train ruber`` wrote.
        referenced: The s_R that is blended: ``pooled`` or ``encoder``.
        scale: ``training``, ``scored``, or ``low;high;low;high``, as for the metric ``ruber``.
        leave_one_out: Whether a reference that is the reply itself is excluded.
        unreferenced: S_U before (``logit``) or after (``sigmoid``, the paper's) the last unit's
            sigmoid.
    """

    folder: str
    referenced: str = "pooled"
    scale: str = "training"
    leave_one_out: bool = False
    unreferenced: str = "logit"

    @property
    def scored(self) -> dict[str, Any]:
        """How its halves are scored, whatever it is compared by."""
        return {
            "model": self.folder,
            "scale": self.scale,
            "leave_one_out": self.leave_one_out,
            "unreferenced": self.unreferenced,
        }


@dataclass(frozen=True)
class Listed:
    """The rows of a study.

    Attributes:
        headings: By label, what a row stands under; the rows in the order of the table.
        metrics: By label, in that order.
    """

    headings: dict[str, str]
    metrics: dict[str, Metric]


def listed(model: Model, texts: Texts, further: Sequence[str | Metric] = ()) -> Listed:
    """The rows of the table.

    Args:
        model: The scorer and its settings.
        texts: How the n-gram metrics tokenize.
        further: Metrics for additional rows.

    Raises:
        ParameterError: A parameter is unknown, or a further metric is one of the table's own.
    """
    referenced: list[Metric] = [
        *(
            BLEU(order, texts.tokenizer, texts.lowercase, smoothing=texts.smoothing)
            for order in (1, 2, 3, 4)
        ),
        *(
            ROUGE(variant, tokenizer="" if texts.tokenizer == "13a" else texts.tokenizer)
            for variant in ROUGES
        ),
        ReferencedScorer(
            model.folder, "pooled", model.leave_one_out, blended=model.referenced == "pooled"
        ),
    ]
    if model.referenced == "encoder":
        referenced.append(ReferencedScorer(model.folder, "encoder", model.leave_one_out))
    scorer = UnreferencedHalf(referenced="none", beside=model.referenced, **model.scored)
    blocks: dict[str, Sequence[Metric]] = {
        REFERENCED: referenced,
        UNREFERENCED: (QueryScorer(model.folder), scorer),
        BLENDED: [
            RUBER(blend=name, referenced=model.referenced, **model.scored) for name in BLENDS
        ],
        FURTHER: [registry.metric(each) for each in further],
        BASELINE: [Length(texts.tokenizer)],
    }
    everything = [metric for block in blocks.values() for metric in block]
    metrics = registry.metrics(everything)
    headings = {
        label: next(name for name, block in blocks.items() if any(metric is x for x in block))
        for label, metric in metrics.items()
    }
    people = {"human (avg)": PEOPLE, "human (max)": PEOPLE}
    return Listed({**people, **headings, RANDOM: BASELINE}, metrics)


@dataclass(frozen=True)
class ReferencedScorer(MeanMetric):
    """s_R by itself: the similarity of a reply to its nearest reference, by the model's own vectors.

    The cosine as it is, -1 to 1, before RUBER scales it and cuts it to [0, 1].

    Source: Tao et al. 2018, section 3.1, equations 1 and 2.

    Args:
        model: The folder of the model.
        referenced: ``pooled`` word vectors, or its sentence ``encoder``.
        leave_one_out: Leave out, once, a reference that is the reply itself.
        blended: Whether it is the half that RUBER blends, which its label then says.
    """

    name: ClassVar[str] = "ruber-s_R"
    source: ClassVar[str] = "Tao et al. 2018, section 3.1, equations 1 and 2"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references", "features"})
    sources: ClassVar = MappingProxyType({"model": "ruber"})

    model: str = ""
    referenced: str = "pooled"
    leave_one_out: bool = False
    blended: bool = True

    @property
    def label(self) -> str:
        """What is compared, and whether it is the s_R of the blends."""
        name = {"pooled": "vector pool", "encoder": "encoder"}[self.referenced]
        return f"{name} (s_R)" if self.blended else name

    def requests(self) -> tuple[Request, ...]:
        """The texts by the model's vectors."""
        return (
            Request("ruber-texts", self.source_of("model"), (("referenced", self.referenced),)),
        )

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        return mean_rows(halves_of(batch.features[self.requests()[0]], self._like, batch))

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """As for RUBER."""
        return self._like.unusable(batch)

    def notes(self, batch: Batch) -> list[str]:
        """As for RUBER."""
        return self._like.notes(batch)

    @property
    def _like(self) -> SimilarityMetric:
        return RUBER(
            model=self.model, referenced=self.referenced, leave_one_out=self.leave_one_out
        ).compared()


@dataclass(frozen=True)
class QueryScorer(ReferencedScorer):
    """How like a reply is to its query, by pooled word vectors: the table's unreferenced baseline.

    It is given the messages for references.
    """

    name: ClassVar[str] = "ruber-query"
    source: ClassVar[str] = "Tao et al. 2018, table 2, unreferenced vector pool"

    @property
    def label(self) -> str:
        """As in the table."""
        return QUERY


@dataclass(frozen=True)
class UnreferencedHalf(RUBER):
    """s_U by itself, ``RUBER(referenced="none")``, made along with the blends.

    It asks for the very features that these ask for, so that the model scores every pair once.

    Args:
        beside: The s_R of these blends.
    """

    beside: str = "pooled"

    @property
    def label(self) -> str:
        """As in the table."""
        return S_U

    @property
    def _blended(self) -> RUBER:
        facts = {name: getattr(self, name) for name in Model(self.model).scored}
        return RUBER(referenced=self.beside, **facts)

    def requests(self) -> tuple[Request, ...]:
        """Those of the blends."""
        return self._blended.requests()

    def derivations(self) -> Mapping[Request, Callable[[Batch], Features]]:
        """Those of the blends."""
        return self._blended.derivations()

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]."""
        return mean_rows(self._blended.halves(batch)[1])

    def signature(self, **facts: str | int) -> str:
        """That of ``RUBER(referenced="none")``, whose numbers these are."""
        alone = RUBER(
            model=self.model, referenced="none", scale=self.scale, unreferenced=self.unreferenced
        )
        return alone.signature(**facts)
