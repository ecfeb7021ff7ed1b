"""From what the user names to a source of likelihoods."""

from __future__ import annotations

import os
from pathlib import Path

from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.provider import Provider


def open_provider(
    model: str | os.PathLike[str],
    prompting: Prompting | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    batch_tokens: int | None = None,
    download: bool = False,
    end_text: str = "",
    name: str | None = None,
) -> Provider:
    """Opens a source of likelihoods.

    Args:
        model: A folder of a ``transformers`` model or its name on the hub; the URL of an
            OpenAI-compatible server (``http://host:8000/v1``, with ``#model`` where it serves
            several); or a ``.jsonl`` file of scores made elsewhere.
        prompting: How conversations are laid out; a file of scores needs none.
        device: Of a local model: ``auto``, ``cpu``, ``cuda``, ``cuda:1``.
        dtype: Of a local model: ``auto``, ``float32``, ``bfloat16``, ``float16``.
        batch_tokens: Of a local model: the most padded tokens of prompts in a batch.
        download: Whether a model that is not on this machine may be fetched from the hub.
        end_text: Of a server: the text of its end-of-sequence token.
        name: What tables call it; None takes it from ``model``.

    Raises:
        InputError: It cannot be loaded, read or reached, or gives no log-probabilities to rely on.
        MissingExtraError: A local model, without torch or transformers.
        ParameterError: A setting is unknown.
    """
    told = os.fspath(model)
    if told.lower().startswith(("http:", "https:")):
        from rejoinder.models.likelihood.endpoint.likelihoods import EndpointProvider

        return EndpointProvider(told, prompting, end_text=end_text, name=name)
    if Path(told).suffix.lower() == ".jsonl":
        from rejoinder.models.likelihood.recorded import RecordedProvider

        return RecordedProvider(told, name=name)
    from rejoinder.models.likelihood.transformer.loading import load

    return load(
        told,
        prompting,
        device=device,
        dtype=dtype,
        batch_tokens=batch_tokens,
        download=download,
        name=name,
    )
