"""Loading models of ``transformers``: local safetensors only, unless a download is asked for."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError, MissingExtraError, RejoinderError
from rejoinder.messages import Argument
from rejoinder.models.huggingface.faults import fault, in_one_line
from rejoinder.models.huggingface.pretrained import open_pretrained
from rejoinder.models.likelihood.backend import LocalModel
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.transformer.causal import CausalBackend
from rejoinder.models.likelihood.transformer.encoder_decoder import EncoderDecoderBackend
from rejoinder.models.likelihood.transformer.likelihoods import TransformerBackend
from rejoinder.models.training.folder import kind_of
from rejoinder.models.worker_models import loaded_once


def load(
    model: str | os.PathLike[str],
    prompting: Prompting | None = None,
    *,
    local: LocalModel = LocalModel(),
    name: str | None = None,
) -> TransformerBackend:
    """Loads a model and its tokenizer, from safetensors and JSON: no code of the model's is run.

    Args:
        model: A folder with ``config.json``, weights and tokenizer; or a name on the hub.
        prompting: How conversations are laid out.
        local: Its device, its number type, and the size of its batches.
        name: What tables call it; None: the folder's or the model's name.

    Raises:
        InputError: It cannot be loaded.
        MissingExtraError: Torch or transformers are not installed.
        ParameterError: Device or dtype are unknown.
    """
    _check_extra()
    path = os.fspath(model)
    config, tokenizer, loaded, weights = loaded_once(
        path, ("transformer", local.device, local.dtype), lambda: _opened(path, local)
    )
    kind = EncoderDecoderBackend if config.is_encoder_decoder else CausalBackend
    return kind(
        loaded,
        tokenizer,
        prompting,
        batch_tokens=local.batch_tokens,
        name=name or Path(path).name or path,
        weights=weights,
    )


def _opened(path: str, local: LocalModel) -> tuple[Any, Any, Any, str]:
    """Configuration, tokenizer and model of a folder, and the hash of the weights."""
    try:
        opened = open_pretrained(
            path, _class, download=local.download, device=local.device, dtype=local.dtype
        )
    except RejoinderError:
        raise
    except Exception as error:  # damaged files raise whatever their parsers raise
        raise InputError(_unloadable(path, error, local.download)) from None
    return *opened, _hash(opened.model)


def _check_extra() -> None:
    try:
        import safetensors
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f'a model of one\'s own needs {error.name}; pip install "rejoinder[models]", or name an '
            "endpoint or a file of scores"
        ) from None
    del safetensors, torch


def _class(config: Any) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    return AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM


def _unloadable(path: str, error: Exception, download: bool) -> str:
    reason = in_one_line(error)
    if not Path(path).exists() and not download:
        return (
            f"{path}: no such folder, and no model of that name is kept on this machine; give a path, "
            f"or {Argument('download', True)} to fetch it from the hub"
        )
    kind = kind_of(path)
    if kind and not kind.startswith("transformer"):
        return (
            f"{path}: a model of Rejoinder's own of kind '{kind}', which tells no likelihoods; RUQ reads "
            "the Transformer of 'rejoinder train responder', and any model of transformers"
        )
    if why := fault(Path(path)):
        return f"{path}: {why}"
    if "safetensors" in reason:
        return (
            f"{path}: no safetensors weights there ({reason:.160}); pickled weights are never loaded: "
            "save the model again with save_pretrained"
        )
    return (
        f"{path}: cannot be loaded as a language model ({reason}); expected a folder with "
        "config.json, model.safetensors and the tokenizer's files"
    )


def _hash(model: Any) -> str:
    """Eight digits of the weights' SHA-256: names, shapes and bytes."""
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        if flat.numel():
            digest.update(flat.view(torch.uint8).numpy())
    return digest.hexdigest()[:8]
