"""JSON for machines; people.py has the same for people. Values are 0 to 1, and NaN is null."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.text.visible import visible_json

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.auditing.audit import Audit
    from rejoinder.figures.album import Album
    from rejoinder.human_evaluation.preference_summary import PreferenceSummary
    from rejoinder.human_evaluation.rating_summary import RatingSummary
    from rejoinder.meta_evaluation.correlate import Agreement
    from rejoinder.planning.plan import Plan
    from rejoinder.scoring.compare import Comparison
    from rejoinder.scoring.explain import Explanation
    from rejoinder.scoring.scores import Scores


def write(value: Any) -> None:
    """Writes one JSON value to standard output."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=1)
    if sys.stdout.isatty():  # the same JSON, with escapes of its own
        text = visible_json(text.decode()).encode()
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def systems(scores: Scores) -> None:
    """Every system under every metric, what the values are made of, and whether the best leads."""
    write(scores.as_json())


def comparison(compared: Comparison) -> None:
    """Every pair of systems under every metric."""
    write(compared.as_json())


def agreement(
    told: Agreement,
    within: pl.DataFrame | None = None,
    compared: pl.DataFrame | None = None,
    drawn: Album | None = None,
) -> None:
    """How far every metric agrees with people; NaN is null, and has its reason."""
    write(
        {
            "agreement": told.table().to_dicts(),
            "within": within.to_dicts() if within is not None else [],
            "comparisons": compared.to_dicts() if compared is not None else [],
            "signature": told.signature,
            "signatures": told.signatures,
            "notes": told.notes,
            "files": [str(path) for path in drawn.paths] if drawn is not None else [],
        }
    )


def segments(scores: Scores) -> None:
    """A row for each system and item."""
    write({"segments": scores.segments().to_dicts(), "notes": scores.notes})


def groups(scores: Scores, column: str) -> None:
    """The systems for each value of a column."""
    write({"groups": scores.by(column).to_dicts(), "notes": scores.notes})


def explanations(told: Sequence[Explanation]) -> None:
    """What made the score of one item, for each system and metric."""
    write([msgspec.to_builtins(each) for each in told])


def audit(found: Audit) -> None:
    """Every fake under every metric, the verdicts, and the systems on both sets of references."""
    held = {"all": found.scores, "leave-one-out": found.left_out}
    write(
        {
            "audit": found.table.to_dicts(),
            "verdicts": [msgspec.to_builtins(each) for each in found.verdicts],
            "systems": {
                references: scores.systems().to_dicts()
                for references, scores in held.items()
                if scores is not None
            },
            "parameters": found.parameters,
            "notes": found.notes,
        }
    )


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


def plan(told: Plan) -> None:
    """What more items, raters and references would bring, and what that rests on."""
    write(
        {
            "comparisons": told.comparisons.to_dicts(),
            "comparison_needs": told.comparison_needs.to_dicts(),
            "correlations": told.correlations.to_dicts(),
            "correlation_needs": told.correlation_needs.to_dicts(),
            "components": told.components.to_dicts(),
            "items": told.items,
            "references": told.references,
            "assumptions": told.assumptions,
            "notes": told.notes,
            "parameters": told.parameters,
            "signatures": told.signatures,
        }
    )
