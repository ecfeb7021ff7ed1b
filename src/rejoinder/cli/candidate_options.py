"""What the verbs on n-best lists share: their files, and weights of features."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli.declarations import PATH, argument
from rejoinder.errors import InputError

if TYPE_CHECKING:
    import polars as pl

CANDIDATES: Any = argument("candidates", type=PATH)

NUMBERS = "They are numbers of the candidates."
"""What a table of scores is to these verbs."""


def weight_bounds(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """The bounds of ``NAME=LOW..HIGH``, by name; an end that is left out is infinite."""
    bounds = {}
    for each in values:
        name, _, ends = each.rpartition("=")
        low, between, high = ends.partition("..")
        bounds_of_name = None
        with contextlib.suppress(ValueError):
            bounds_of_name = float(low or "-inf"), float(high or "inf")
        is_range = bounds_of_name is not None and not any(map(math.isnan, bounds_of_name))
        if not name or not between or not is_range or name in bounds:
            again = ", each name once" if name in bounds else ""
            raise click.BadParameter(
                f"got '{each}'; expected NAME=LOW..HIGH, such as lm=0..1 or lm=0..{again}",
                context,
                parameter,
            )
        bounds[name] = bounds_of_name
    return bounds


def read_weights(path: Path) -> dict[str, Any]:
    """What ``tune --json`` printed, or an object of weights by feature.

    Raises:
        InputError: The file holds neither.
    """
    from rejoinder.files.checksums import KEY, object_checksum
    from rejoinder.files.reading import existing, read_text
    from rejoinder.files.strict_json import strict_json

    (path,) = existing([path], "weights")
    try:
        content = strict_json(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    tuned = content.get("tuned") if isinstance(content, dict) else None
    if isinstance(tuned, dict) and tuned.get(KEY, checked := object_checksum(tuned)) != checked:
        raise InputError(
            f"{path}: the weights do not match their checksum, so the file is damaged or was edited; tune "
            "again, or give an object with a number for each feature"
        )
    weights = tuned.get("weights") if isinstance(tuned, dict) else content
    numbers = isinstance(weights, dict) and all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in weights.values()
    )
    if not numbers or not weights:
        raise InputError(
            f"{path}: no weights; expected what 'rejoinder tune --json' prints, or an object with a number "
            "for each feature"
        )
    for name, each in weights.items():
        if not math.isfinite(each):
            raise InputError(f"{path}: {name}: got {each}; expected a finite number")
    return content


def read_utilities(path: Path) -> pl.DataFrame:
    """The table of utilities in a file.

    Raises:
        InputError: It is no table.
    """
    from rejoinder.files.reading import existing
    from rejoinder.tables.assembly.json_rows import typed
    from rejoinder.tables.formats.format_choice import format_of

    (path,) = existing([path], "utility")
    part = format_of(path, None, "scores", has_columns=True).part
    if part is None:
        raise InputError(
            f"{path}: no table; expected the columns id, candidate, reference, utility"
        )
    return typed(part(path)).frame
