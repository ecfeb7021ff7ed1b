"""Similarity by a sentence encoder."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from rejoinder.batches.features import Embedded
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.metrics.similarity import SimilarityMetric, cosines


@dataclass(frozen=True)
class EncoderCosine(SimilarityMetric):
    """``1/n sum_i max_j cos(e(h_i), e(r_ij))``, e any sentence encoder.

    Range -1 to 1. An empty reply is encoded as the encoder does it, and scores what that gives. It
    takes the place of nlg-eval's skip-thought vectors.

    Source: after Kiros et al. 2015; Liu et al. 2016; nlg-eval.

    Args:
        encoder: The folder of a sentence-transformers or transformers model, or the name of one on
            the hub that is in the local cache already: nothing is fetched. The hash of its files
            is in the signature.

    >>> EncoderCosine(encoder="models/my-encoder").label
    'cosine'
    """

    name: ClassVar[str] = "cosine"
    source: ClassVar[str] = "after Kiros et al. 2015, with any sentence encoder"
    sources: ClassVar = MappingProxyType({"encoder": "encoder"})

    encoder: str = ""

    def similarities(self, h: Embedded, r: Embedded, pairs: ReferencePairs) -> Floats:
        """float64 [p]."""
        return cosines(h.matrix[h.first], r.matrix[r.first], pairs)
