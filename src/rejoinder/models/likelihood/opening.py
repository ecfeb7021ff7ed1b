"""The registry of likelihood backends: what a model can be, and how it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejoinder.models.likelihood.backend import LikelihoodBackend
from rejoinder.models.likelihood.prompts import Prompting


@dataclass(frozen=True)
class Kind:
    """One kind of likelihood backend.

    Attributes:
        accepts: Whether a model's name, path or URL is of this kind.
        open: Opens it: given the model, the prompting, its name in tables, and the settings.
        settings: The parameters of ``open_backend`` that this kind uses.
    """

    accepts: Callable[[str], bool]
    open: Callable[..., LikelihoodBackend]
    settings: frozenset[str]


def _is_url(model: str) -> bool:
    return model.lower().startswith(("http:", "https:"))


def _is_recording(model: str) -> bool:
    return Path(model).suffix.lower() == ".jsonl"


def _endpoint(
    model: str, prompting: Prompting | None, name: str | None, **settings: Any
) -> LikelihoodBackend:
    from rejoinder.models.likelihood.endpoint.likelihoods import EndpointBackend

    return EndpointBackend(model, prompting, name=name, **settings)


def _recording(model: str, prompting: Prompting | None, name: str | None) -> LikelihoodBackend:
    from rejoinder.models.likelihood.recorded import RecordedBackend

    return RecordedBackend(model, name=name)


def _transformer(
    model: str, prompting: Prompting | None, name: str | None, **settings: Any
) -> LikelihoodBackend:
    from rejoinder.models.likelihood.transformer.loading import load

    return load(model, prompting, name=name, **settings)


BACKENDS: dict[str, Kind] = {
    "endpoint": Kind(_is_url, _endpoint, frozenset({"prompting", "end_text"})),
    "recording": Kind(_is_recording, _recording, frozenset()),
    "transformer": Kind(
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


def open_backend(
    model: str | os.PathLike[str],
    prompting: Prompting | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    batch_tokens: int | None = None,
    download: bool = False,
    end_text: str = "",
    name: str | None = None,
) -> LikelihoodBackend:
    """Opens a source of likelihoods.

    Args:
        model: A folder of a ``transformers`` model or its name on the hub; the URL of an
            OpenAI-compatible server (``http://host:8000/v1``, with ``#model`` where it serves
            several); or a ``.jsonl`` file of likelihoods computed elsewhere.
        prompting: The layout of conversations; a file of likelihoods needs none.
        device: Of a local model: ``auto``, ``cpu``, ``cuda``, ``cuda:1``.
        dtype: Of a local model: ``auto``, ``float32``, ``bfloat16``, ``float16``.
        batch_tokens: Of a local model: maximum number of padded prompt tokens in a batch.
        download: Whether a model that is not on this machine may be downloaded from the hub.
        end_text: Of a server: the text of its end-of-sequence token.
        name: The model's name in tables; None takes it from ``model``.

    Raises:
        InputError: It cannot be loaded, read or reached, or its log-probabilities are not reliable.
        MissingExtraError: A local model, without torch or transformers.
        ParameterError: A setting is unknown.
    """
    kind = BACKENDS[kind_of_backend(model)]
    settings = {
        "device": device,
        "dtype": dtype,
        "batch_tokens": batch_tokens,
        "download": download,
        "end_text": end_text,
    }
    used = {key: value for key, value in settings.items() if key in kind.settings}
    return kind.open(os.fspath(model), prompting, name, **used)


def open_backends(
    models: Sequence[str | os.PathLike[str] | LikelihoodBackend],
    prompting: Prompting | None = None,
    **settings: Any,
) -> list[LikelihoodBackend]:
    """Opens several sources of likelihoods; those that are open already are passed on.

    Two models whose paths end in the same name are named by their whole paths.

    Args:
        models: See ``open_backend``.
        prompting: The layout of conversations.
        **settings: Further parameters of ``open_backend``.
    """
    ends = [Path(each).name for each in models if not isinstance(each, LikelihoodBackend)]
    opened = []
    for model in models:
        if not isinstance(model, LikelihoodBackend):
            name = os.fspath(model) if ends.count(Path(model).name) > 1 else None
            model = open_backend(model, prompting, name=name, **settings)
        opened.append(model)
    return opened
