"""The network that a configuration describes, compared with the weights before it is built.

Sizes of 10^9 in a configuration would take all memory, or hours. The header of the weights' file has
their shapes, and safetensors checks that the file is as long as its header says: a network of these
shapes asks for no more memory than the file holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from torch import nn

Shapes: TypeAlias = Mapping[str, Sequence[int]]
"""The shapes of weights by name."""


def header(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the weights in a file of safetensors; the weights themselves are not read.

    Raises:
        ValueError: It is no such file, or is cut; a weight has a size of 0, beside which any other
            size takes no byte of the file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "np") as file:
            names = file.keys()
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in names}
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path.name} is no file of safetensors, or cut: {error!s:.120}") from None
    for name, shape in shapes.items():
        if 0 in shape:
            raise ValueError(f"{path.name} has {name} in the shape {list(shape)}; expected no 0")
    return shapes


def check_sizes(config: Mapping[str, Any], sizes: Mapping[str, Any]) -> None:
    """Compares the sizes of a configuration with those that the weights have.

    Raises:
        ValueError: One differs; the message names it, and both values.

    >>> check_sizes({"width": 8, "layers": 10**9}, {"width": 8, "layers": 2})
    Traceback (most recent call last):
    ValueError: config.json says layers = 1000000000; expected 2, as model.safetensors has
    """
    for key, size in sizes.items():
        declared = config[key]
        if type(declared) is not type(size) or declared != size:
            raise ValueError(
                f"config.json says {key} = {declared!r:.40}; expected {size!r:.60}, as model.safetensors has"
            )


def check_rows(file: str, count: int, weight: str, shapes: Shapes) -> None:
    """Compares the number of words in a file with the rows of a weight.

    Args:
        file: The name of the file.
        count: Number of words in it.
        weight: The name of the weight.
        shapes: The shapes of all weights, by name.

    Raises:
        ValueError: They differ.
    """
    if count != (rows := shapes[weight][0]):
        raise ValueError(
            f"{file} holds {count} words; expected {rows}, as many as {weight} has rows in "
            "model.safetensors"
        )


def check_network(build: Callable[[], nn.Module], shapes: Shapes) -> None:
    """Compares the shapes of all weights of a network with those of the file.

    The network is built on torch's device "meta", which has shapes and no memory. Its layers are
    built one by one all the same: their number is to be compared by ``check_sizes`` first.

    Raises:
        ValueError: A weight is missing, too much, or of another shape.
    """
    import torch

    with torch.device("meta"):
        expected = {name: tuple(each.shape) for name, each in build().state_dict().items()}
    check_shapes(expected, shapes)


def check_shapes(required: Shapes, shapes: Shapes) -> None:
    """Compares the shapes that a network wants with those of the file.

    Raises:
        ValueError: A weight is missing, too much, or of another shape.

    >>> check_shapes({"bias": (2,)}, {"bias": (3,)})
    Traceback (most recent call last):
    ValueError: model.safetensors has bias in the shape [3]; expected [2]
    """
    for name in sorted({*required, *shapes}):
        if name not in shapes:
            raise ValueError(f"model.safetensors lacks {name}")
        if name not in required:
            raise ValueError(f"model.safetensors has {name}, which has no place in the model")
        got, expected = list(shapes[name]), list(required[name])
        if got != expected:
            raise ValueError(
                f"model.safetensors has {name} in the shape {got}; expected {expected}"
            )
