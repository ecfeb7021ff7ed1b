"""The scales of RUBER's two halves: those of training, fitted to the scored replies, or given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted

Bounds: TypeAlias = tuple[float, float]

SCALES = ("training", "scored")

UNREFERENCED = "unreferenced"
"""The name of s_U; s_R has that of its similarity."""


def chosen_bounds(
    scale: str, halves: Mapping[str, Floats], trained: Mapping[str, Bounds]
) -> dict[str, Bounds]:
    """The bounds of each half, by its name.

    Args:
        scale: See ``RUBER``.
        halves: The scores of the replies that can be scored, by the name of the half.
        trained: The bounds that the model found in training.

    Raises:
        InputError: The bounds are to be fitted to scores that are all equal.
    """
    if scale == "training":
        return {name: trained[name] for name in halves}
    if scale == "scored":
        return {name: _fitted(values, name) for name, values in halves.items()}
    low_r, high_r, low_u, high_u = given_bounds(scale)
    return {name: (low_u, high_u) if name == UNREFERENCED else (low_r, high_r) for name in halves}


def given_bounds(text: str) -> list[float]:
    """The four numbers of ``low;high;low;high``, s_R's before s_U's.

    Raises:
        ParameterError: They are not that.
    """
    try:
        numbers = [float(each) for each in text.split(";")]
    except ValueError:
        numbers = []
    good = len(numbers) == 4 and np.isfinite(numbers).all()
    if not good or numbers[0] >= numbers[1] or numbers[2] >= numbers[3]:
        raise ParameterError(
            f"metric 'ruber': scale={text!r}; choose {one_of(SCALES)}, or four numbers: low;high of "
            "s_R, then low;high of s_U"
        )
    return numbers


def written(bounds: Mapping[str, Bounds]) -> str:
    """Bounds as ``scale=`` takes them; 0 and 1 for s_R where there is none."""
    referenced = next((pair for name, pair in bounds.items() if name != UNREFERENCED), (0.0, 1.0))
    return ";".join(f"{each:.6g}" for each in (*referenced, *bounds[UNREFERENCED]))


def notes_of(scale: str, halves: Mapping[str, Floats], bounds: Mapping[str, Bounds]) -> list[str]:
    """Which bounds were fitted, or how many scores lie outside of bounds that were not."""
    if scale == "scored":
        return [
            "scaled by the replies scored here (s_R, s_U); to scale others alike, write "
            f"scale={written(bounds)}"
        ]
    outside = sum(
        int(((values < bounds[name][0] - 1e-9) | (values > bounds[name][1] + 1e-9)).sum())
        for name, values in halves.items()
    )
    if not outside:
        return []
    scores = counted(outside, "score")
    return [f"{scores} of a half (s_R or s_U) beyond the bounds of scale=, taken as at them"]


def scaled(values: Floats, low: float, high: float) -> Floats:
    """``(values - low) / (high - low)``, cut to [0, 1]."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def _fitted(values: Floats, name: str) -> Bounds:
    """The least and the greatest score."""
    known = values[~np.isnan(values)]
    if known.size == 0 or known.min() == known.max():
        raise InputError(
            f"metric 'ruber': scale=scored fits itself to the replies scored, and all have the same "
            f"{name} score; take scale=training"
        )
    return float(known.min()), float(known.max())
