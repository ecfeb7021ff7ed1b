"""The registry of likelihood backends: what a model can be, and what opens each kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejoinder.models.likelihood.backend import LikelihoodBackend


@dataclass(frozen=True)
class BackendKind:
    """One kind of likelihood backend.

    Attributes:
        what: What a model of this kind is, for messages.
        accepts: Whether a model's name, path or URL is of this kind.
        open: Opens it: given the model, its name in tables, and the settings that were chosen.
        settings: The parameters of ``open_backend`` that this kind uses.
    """

    what: str
    accepts: Callable[[str], bool]
    open: Callable[..., LikelihoodBackend]
    settings: frozenset[str]


def _is_url(model: str) -> bool:
    return model.lower().startswith(("http:", "https:"))


def _is_recording(model: str) -> bool:
    return Path(model).suffix.lower() == ".jsonl"


def _endpoint(model: str, **settings: Any) -> LikelihoodBackend:
    from rejoinder.models.likelihood.endpoint.likelihoods import EndpointBackend

    return EndpointBackend(model, **settings)


def _recording(model: str, name: str | None) -> LikelihoodBackend:
    from rejoinder.models.likelihood.recorded import RecordedBackend

    return RecordedBackend(model, name=name)


def _transformer(model: str, **settings: Any) -> LikelihoodBackend:
    from rejoinder.models.likelihood.transformer.loading import load

    return load(model, **settings)


BACKENDS: dict[str, BackendKind] = {
    "endpoint": BackendKind(
        "the URL of a server", _is_url, _endpoint, frozenset({"prompting", "end_text"})
    ),
    "recording": BackendKind("a file of likelihoods", _is_recording, _recording, frozenset()),
    "transformer": BackendKind(
        "a model on this machine",
        lambda model: True,
        _transformer,
        frozenset({"prompting", "device", "dtype", "batch_tokens", "download"}),
    ),
}
"""The kinds of backends; a model is of the first kind that accepts it."""


def kind_of_backend(model: str | os.PathLike[str]) -> str:
    """The key in ``BACKENDS`` of a model.

    >>> kind_of_backend("http://localhost:8000/v1"), kind_of_backend("models/base")
    ('endpoint', 'transformer')
    """
    return next(name for name, kind in BACKENDS.items() if kind.accepts(os.fspath(model)))
