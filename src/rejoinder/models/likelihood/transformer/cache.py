"""Rows of a model's key-value cache, handed to several replies without touching the original."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from rejoinder.errors import InputError

if TYPE_CHECKING:
    import torch


def expanded(cache: Any, rows: torch.Tensor) -> Any:
    """A cache with the given rows of another, which stays as it was.

    Layers never write into their tensors, they replace them: so a shallow copy of each is enough.

    Args:
        cache: A ``DynamicCache`` or an ``EncoderDecoderCache``.
        rows: int64 [n], some of them several times.
    """
    if hasattr(cache, "self_attention_cache"):
        both = copy.copy(cache)
        both.self_attention_cache = expanded(cache.self_attention_cache, rows)
        both.cross_attention_cache = expanded(cache.cross_attention_cache, rows)
        both.is_updated = dict(cache.is_updated)
        return both
    new = copy.copy(cache)
    new.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in new.layers:
        layer.batch_select_indices(rows)
    return new


def shareable(cache: Any, model: str) -> None:
    """Raises an InputError where a cache holds anything but keys and values (recurrent states)."""
    caches = (
        [cache.self_attention_cache, cache.cross_attention_cache]
        if hasattr(cache, "self_attention_cache")
        else [cache]
    )
    layers = [layer for each in caches for layer in getattr(each, "layers", [])]
    if not layers or any(
        not hasattr(layer, "batch_select_indices") or hasattr(layer, "recurrent_states")
        for layer in layers
    ):
        raise InputError(
            f"{model} keeps no key-value cache that replies can share (a recurrent or mixed model?); "
            "serve it behind a completions endpoint that echoes log-probabilities and name its URL"
        )
