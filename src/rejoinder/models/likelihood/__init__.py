"""How likely a model finds given replies to given prompts: per-token log-probabilities."""

from __future__ import annotations

from rejoinder.models.likelihood.backend import Likelihood, LikelihoodBackend, LikelihoodRequest
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.registry import open_backend
from rejoinder.models.likelihood.store import likelihoods

__all__ = [
    "Likelihood",
    "LikelihoodBackend",
    "LikelihoodRequest",
    "Prompting",
    "likelihoods",
    "open_backend",
]
