"""The registry of likelihood backends: what a model can be, and what opens each kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejoinder.models.likelihood.backend import LikelihoodBackend, LocalModel
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.unused_settings import check_unused


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
    from rejoinder.models.likelihood.endpoint import EndpointBackend

    return EndpointBackend(model, **settings)


def _recording(model: str, name: str | None) -> LikelihoodBackend:
    from rejoinder.models.likelihood.store import RecordedBackend

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
        frozenset({"prompting", "local"}),
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
    local: LocalModel = LocalModel(),
    end_text: str = "",
    name: str | None = None,
) -> LikelihoodBackend:
    """Opens a source of likelihoods.

    Args:
        model: A folder of a ``transformers`` model or its name on the hub; the URL of an
            OpenAI-compatible server (``http://host:8000/v1``, with ``#model`` where it serves
            several); or a ``.jsonl`` file of likelihoods computed elsewhere.
        prompting: The layout of conversations; a file of likelihoods needs none.
        local: How a model on this machine is loaded and run.
        end_text: Of a server: the text of its end-of-sequence token.
        name: The model's name in tables; None takes it from ``model``.

    Raises:
        InputError: It cannot be loaded, read or reached, or its log-probabilities are not reliable.
        MissingExtraError: A local model, without torch or transformers.
        ParameterError: A setting has no effect on a model of this kind.
    """
    kind = _kind(model)
    given = {"prompting": prompting, "local": local, "end_text": end_text}
    _check_used(given, [kind])
    used = {key: given[key] for key in kind.settings}
    return kind.open(os.fspath(model), name=name, **used)


def open_backends(
    models: Sequence[str | os.PathLike[str] | LikelihoodBackend],
    prompting: Prompting | None = None,
    *,
    local: LocalModel = LocalModel(),
    end_text: str = "",
) -> list[LikelihoodBackend]:
    """Opens several sources of likelihoods; those that are open already are passed on.

    Two models whose paths end in the same name are named by their whole paths.

    Args:
        models: See ``open_backend``.
        prompting: The layout of conversations; it goes to the models that use it, as do the others.
        local: How models on this machine are loaded and run.
        end_text: Of a server: the text of its end-of-sequence token.

    Raises:
        ParameterError: A setting has no effect on any of the models.
    """
    ends = [Path(each).name for each in models if not isinstance(each, LikelihoodBackend)]
    kinds = [_kind(each) for each in models if not isinstance(each, LikelihoodBackend)]
    given = {"prompting": prompting, "local": local, "end_text": end_text}
    _check_used(given, kinds)
    opened = []
    for model in models:
        if not isinstance(model, LikelihoodBackend):
            name = os.fspath(model) if ends.count(Path(model).name) > 1 else None
            used = {key: given[key] for key in _kind(model).settings}
            model = open_backend(model, name=name, **used)
        opened.append(model)
    return opened


def _kind(model: str | os.PathLike[str]) -> BackendKind:
    return BACKENDS[kind_of_backend(model)]


def _check_used(given: Mapping[str, Any], kinds: Sequence[BackendKind]) -> None:
    """Raises a ParameterError where no model uses a setting that was chosen."""
    for setting, value in given.items():
        if any(setting in kind.settings for kind in kinds):
            continue
        users = [kind.what for kind in BACKENDS.values() if setting in kind.settings]
        where = f"here; it is for {' or '.join(users)}, if it is not opened yet"
        if setting == "local":
            check_unused(vars(value), vars(LocalModel()), where)
        elif value not in (None, "", Prompting()):
            check_unused({setting: value}, {setting: None}, where)
