"""Verdicts of systems against a baseline: in a table, and as messages for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show.cells import NONE, p_value, styled
from rejoinder.scoring.margins import NOT_CLEAR, NOT_WORSE, UNDEFINED, WORSE

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.cli.show.cells import Cell

STYLES = {WORSE: "red", UNDEFINED: "red", NOT_CLEAR: "yellow", NOT_WORSE: "green"}


def verdict_cell(row: Mapping[str, Any]) -> Cell:
    """The verdict of a row of ``compare`` with a baseline; none of a metric without better and worse."""
    verdict = row["verdict"]
    return NONE if verdict is None else styled(verdict, STYLES[verdict])


def explained(pairs: pl.DataFrame) -> str:
    """What the columns of the verdicts say."""
    words = (
        f"p worse: a is worse than the baseline b by more than {pairs['worse_by'][0]:g} (one-sided t test, "
        "without an interval a randomization test; Holm-corrected; the margin is not x100); verdict: worse "
        "where it is below 0.05, not worse where the opposite t test is, otherwise not clear"
    )
    if pairs["verdict"].is_null().any():
        words += f"; {NONE}: the metric does not rank systems"
    return words


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
