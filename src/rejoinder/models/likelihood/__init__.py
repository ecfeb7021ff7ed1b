"""How likely a model finds given replies to given prompts: per-token log-probabilities."""

from __future__ import annotations

from rejoinder.models.likelihood.opening import open_provider
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.provider import Likelihood, Provider, Request
from rejoinder.models.likelihood.store import likelihoods

__all__ = ["Likelihood", "Prompting", "Provider", "Request", "likelihoods", "open_provider"]
