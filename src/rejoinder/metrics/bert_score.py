"""BERTScore (Zhang et al. 2020): tokens matched by the vectors that an encoder gives them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Request
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.means import MEASURES, PrecisionAndRecall
from rejoinder.metrics.settings import setting


@dataclass(frozen=True)
class BERTScore(PrecisionAndRecall):
    """BERTScore: the mean of ``F = 2 P R / (P + R)`` over replies, of greedily matched tokens.

    P is the mean over the reply's tokens of the greatest cosine with any token of the reference, R
    the mean over the reference's tokens of the greatest with any of the reply. The special tokens
    around a text can be matched, and have no weight. Of several references the greatest P, the
    greatest R and the greatest F count, as in the package bert-score, whose numbers these are.
    Range -1 to 1, and below -1 with a baseline. An empty reply or reference gets 0 before a baseline
    is taken off.

    Source: Zhang et al. 2020, section 3, and the package bert-score.

    Args:
        encoder: The folder of a transformers model, or the name of one on the hub that is in the
            local cache already: nothing is fetched. The hash of its files is in the signature.
        layer: The layer that is read, from 0, the embeddings; None takes the last. Published figures
            are of a layer that was chosen for each model: 17 of roberta-large, 9 of
            bert-base-uncased and bert-base-multilingual-cased, 5 of distilbert-base-uncased, 40 of
            deberta-xlarge-mnli.
        idf: Weigh tokens by their inverse document frequency in the references.
        measure: ``f``, ``precision`` or ``recall``: what the score is.
        baseline: A file of baselines, bert-score's ``rescale_baseline/LANGUAGE/MODEL.tsv``: a value
            x becomes ``(x - b) / (1 - b)``. The hash of the file is in the signature.
        references: ``all``, ``single`` (the first), or ``w>=T``.

    Raises:
        ParameterError: The layer is negative.

    >>> BERTScore(encoder="models/roberta-large", layer=17).label
    'BERTScore'
    """

    name: ClassVar[str] = "bertscore"
    source: ClassVar[str] = "Zhang et al. 2020, section 3"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    rate: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"references", "features"})
    sources: ClassVar = MappingProxyType({"encoder": "bert-score", "baseline": "bert-score"})

    encoder: str = ""
    layer: int | None = None
    idf: bool = False
    measure: str = setting("f", values=MEASURES)
    baseline: str = ""
    references: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layer is not None and self.layer < 0:
            raise ParameterError(
                f"metric 'bertscore': layer={self.layer} is below 0; choose a layer from 0, the "
                "embeddings, on"
            )
        if self.baseline:
            object.__setattr__(self, "bounds", (float("-inf"), 1.0))

    @property
    def label(self) -> str:
        """``BERTScore``, with what is not the default."""
        measure = "" if self.measure == "f" else f" {self.measure}"
        return f"BERTScore{measure}{' rescaled' if self.baseline else ''}{self.rule}"

    def requests(self) -> tuple[Request, ...]:
        """P, R and F of each reply, under these settings."""
        return (
            Request(
                "bert-score",
                self.source_of("encoder"),
                (
                    ("layer", -1 if self.layer is None else self.layer),
                    ("idf", self.idf),
                    ("references", self.references),
                    ("baseline", self.baseline),
                ),
            ),
        )

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 4]; NaN for the replies to an item without references."""
        values = batch.features[self.requests()[0]].hypotheses
        assert isinstance(values, np.ndarray)
        p, r, f = values.T
        return np.column_stack([f, np.where(np.isnan(f), np.nan, 1.0), p, r])
