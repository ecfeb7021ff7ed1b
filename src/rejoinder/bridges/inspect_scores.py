"""Scores as a file that inspect_ai's ``precomputed_scores`` reads. It needs no inspect_ai."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rejoinder.errors import ParameterError, one_of
from rejoinder.files.replacing import check_target, write_file
from rejoinder.scoring.scores import Scores

SUFFIXES = (".json", ".jsonl")


def write_precomputed(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    system: str | None = None,
    metric: str | None = None,
) -> int:
    """Writes the score of each reply of a system, for ``precomputed_scores`` of inspect_ai.

    A record has the ``id`` of the item, which is that of inspect_ai's sample, the ``value`` in the
    metric's own range, and as ``metadata`` the metric's label and signature. A reply without a value
    (NaN) has no record: inspect_ai leaves its sample unscored.

    Args:
        scores: With the values of single replies.
        path: The file to write: ``.json``, a list, or ``.jsonl``, an object on each line.
        system: Which system; None where there is only one.
        metric: The label of the metric; None where there is only one.

    Returns:
        The number of records.

    Raises:
        ParameterError: There is no such system or metric, or several and none is named.
        InputError: The scores have no items (blocks of items), or the file cannot be written.
    """
    system = _named("system", system, scores.names)
    metric = _named("metric", metric, tuple(scores.measured))
    check_target(path, SUFFIXES)
    about = {"metric": metric, "signature": scores.measured[metric].signature}
    table = scores.segments().filter(system=system)
    records = [
        {"id": id, "value": value, "metadata": about}
        for id, value in zip(table["id"], table[metric], strict=True)
        if not math.isnan(value)
    ]
    lines = [msgspec.json.encode(each) for each in records]
    text = (
        b"\n".join(lines) + b"\n"
        if Path(path).suffix.lower() == ".jsonl"
        else b"[\n" + b",\n".join(lines) + b"\n]\n"
    )
    write_file(path, text)
    return len(records)


def _named(what: str, name: str | None, names: Sequence[str]) -> str:
    """The name that is given, or the only one there is."""
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        got = "there are several" if name is None else f"got {name!r}"
        raise ParameterError(f"{what}: {got}; name one of {one_of(names)}")
    return name
