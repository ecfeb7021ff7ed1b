"""JSON for machines; people.py has the same for people. Values are 0 to 1, and NaN is null."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.text.visible import visible_json

if TYPE_CHECKING:
    from rejoinder.human_evaluation.preference_summary import PreferenceSummary
    from rejoinder.human_evaluation.rating_summary import RatingSummary


def write(value: Any) -> None:
    """Writes one JSON value to standard output."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=1)
    if sys.stdout.isatty():  # the same JSON, with escapes of its own
        text = visible_json(text.decode()).encode()
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def metrics(table: Mapping[str, Callable[..., Metric]]) -> None:
    """Name, parameters, source, bounds and needs of every metric."""
    made = {name: make() for name, make in table.items()}
    write(
        [
            {
                "name": name,
                "source": each.source,
                "bounds": [bound if math.isfinite(bound) else None for bound in each.bounds],
                "higher_is_better": each.higher_is_better,
                "summable": each.summable,
                "needs": sorted(each.needs),
                "parameters": registry.parameters(each),
            }
            for name, each in made.items()
        ]
    )


def ratings(told: RatingSummary) -> None:
    """Counts, agreement, raters and systems of every criterion; NaN is null, and has its reason."""
    _frames(told, "counts", "agreement", "raters", "human", "systems", "distribution")


def preferences(told: PreferenceSummary) -> None:
    """Counts, pairs, strengths and raters of every criterion; NaN is null, and has its reason."""
    _frames(told, "counts", "pairs", "strengths", "agreement", "raters")


def _frames(told: RatingSummary | PreferenceSummary, *names: str) -> None:
    frames = {name: getattr(told, name).to_dicts() for name in names}
    write({**frames, "signature": told.signature, "notes": told.notes})
