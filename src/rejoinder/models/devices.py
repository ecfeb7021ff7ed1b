"""The device and the number format that models compute with: chosen here alone."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rejoinder.errors import ParameterError, one_of
from rejoinder.models.installed import check_installed

if TYPE_CHECKING:
    import torch

DTYPES = ("auto", "float32", "bfloat16", "float16")


def chosen_device(device: str = "auto") -> str:
    """The name of a device as torch has it; ``auto`` is the GPU where there is one, else the CPU.

    Raises:
        MissingExtraError: Torch is not installed.
        ParameterError: The device is unknown, or torch finds no GPU.

    >>> chosen_device("cpu")
    'cpu'
    """
    check_installed("a model", "torch")
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if not re.fullmatch(r"cpu|cuda(:[0-9]{1,3})?", device):
        raise ParameterError(
            f"device '{device}' is unknown; choose 'auto', 'cpu', 'cuda' or 'cuda:N'"
        )
    if device == "cpu":
        return device
    if not torch.cuda.is_available():
        raise ParameterError(f"device '{device}': torch finds no GPU; choose 'cpu' or 'auto'")
    if int(device.partition(":")[2] or 0) >= (count := torch.cuda.device_count()):
        raise ParameterError(f"device '{device}': torch finds {count}; they are counted from 0")
    return device


def chosen_dtype(dtype: str, device: str) -> Any:
    """The number format of torch; ``auto`` is float32 on the CPU, and that of the weights on a GPU.

    Args:
        dtype: One of ``DTYPES``.
        device: As chosen by ``chosen_device``.

    Raises:
        ParameterError: The number format is unknown.
    """
    import torch

    if dtype not in DTYPES:
        raise ParameterError(f"dtype '{dtype}' is unknown; choose {one_of(DTYPES)}")
    if dtype == "auto":
        return torch.float32 if device == "cpu" else "auto"
    return getattr(torch, dtype)


def mixed_precision(device: torch.device) -> AbstractContextManager[Any]:
    """Computes in bfloat16 on a GPU that supports it; a CPU keeps float32."""
    import torch

    supported = device.type == "cuda" and torch.cuda.is_bf16_supported()
    return torch.autocast(device.type, torch.bfloat16, enabled=supported)
