"""Verdicts of systems against a baseline: in a table, and as messages for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.document.numbers import p_value
from rejoinder.scoring.margins import UNDEFINED, WORSE

if TYPE_CHECKING:
    pass


def failure(row: Mapping[str, Any]) -> str:
    """Why a system fails against the baseline, in a line."""
    a, b, margin = f"'{row['a']}'", f"'{row['b']}'", f"{row['worse_by']:g}"
    metric, difference = row["metric"], f"difference {row['difference']:.4g}"
    if row["verdict"] == UNDEFINED:
        return f"{metric}: the difference of {a} and the baseline {b} is undefined"
    if not math.isnan(row["low"]):
        difference += f", 95% interval [{row['low']:.4g}, {row['high']:.4g}]"
    if row["verdict"] == WORSE:
        why = f"p {p_value(row['p_worse_holm'])}"
        return f"{metric}: {a} is worse than the baseline {b} by more than {margin} ({difference}; {why})"
    known = not math.isnan(row["p_not_worse_holm"])
    why = f"p {p_value(row['p_not_worse_holm'])}" if known else "no interval, so no test"
    return (
        f"{metric}: it is not excluded that {a} is worse than the baseline {b} by more than {margin} "
        f"({difference}; {why})"
    )
