"""What is shown of the recipe ``khayrallah2021``: the paper's tables, its figures beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable

from rejoinder.document.numbers import NONE, decimals, interval, times100, with_interval
from rejoinder.document.parts import GAP, Document, Line, lines, signed
from rejoinder.document.table import Table, key, number
from rejoinder.document.text import Cell, joined, stacked, styled
from rejoinder.recipes.khayrallah2021.tables import (
    INSTEAD,
    TIMES_100,
    TITLES,
    KhayrallahStudy,
    absent,
    cells,
)
from rejoinder.scoring import compare_tables
from rejoinder.scoring.compare import FEWEST_TRIALS
from rejoinder.scoring.rates import MCNEMAR
from rejoinder.scoring.verdict_sentences import standing
from rejoinder.statistics.conventions import is_least_p

MEANINGS = {
    "table": "Number of the paper's table.",
    "row": "What its row is of: a system, or the data.",
    "column": "What its column is of.",
    "paper": "The paper's figure; null where it has none.",
    **{name: compare_tables.MEANINGS[name] for name in MCNEMAR},
}
LEGEND = (
    "metrics and RUQ x100; [low, high]: 95% interval over prompts; dim: the paper's figure, of its own "
    "sizes and data"
)


def document(study: KhayrallahStudy) -> Document:
    """The paper's tables, BEST against BASE, and what is missing."""
    numbers, missing = cells(study), absent(study)
    keys = ("value", "low", "high", "n", "paper")
    shown: Document = []
    for (table,), frame in numbers.group_by("table", maintain_order=True):
        name = str(table)
        # Table 2 names METEOR only where it is METEOR.
        title = f"multi-reference {INSTEAD}" if name == "2" and "2" in missing else TITLES[name]
        columns = [key("", "row"), number(str, keys, _cell(name in TIMES_100), across=True)]
        shown += [
            Line(styled(f"Table {name}: {title}", "bold")),
            Table(frame, columns, above=("table",), across="column", meanings=MEANINGS),
            GAP,
        ]
    for row in study.compared().iter_rows(named=True):
        p = row["p_randomization"]
        limit = is_least_p(p, FEWEST_TRIALS)
        words = standing(row, p, with_interval(times100), limit=limit)
        shown.append(Line(joined(f"RUQ-{row['prompts']}: ", words, f", {row['n']} prompts")))
    shown.append(Line(LEGEND, "legend"))
    shown += [Line(styled(f"Table {table}: {why}", "yellow")) for table, why in missing.items()]
    return [*shown, *lines(study.notes, "note"), GAP, *signed(study.signatures())]


def _cell(shares: bool) -> Callable[..., Cell]:
    """A number, its interval, and the paper's figure below."""
    show = times100 if shares else decimals(2)

    def cell(value: float, low: float, high: float, n: int | None, paper: float | None) -> Cell:
        if math.isnan(value):
            return NONE
        if not shares and n is None:
            return f"{value:g}"
        ours = interval(value, low, high, show)
        theirs = "" if paper is None else (times100 if shares else decimals(1))(paper)
        return stacked(ours, styled(theirs, "dim")) if theirs else ours

    return cell
