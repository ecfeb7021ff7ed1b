"""All pairs of many systems in one small table: a row and a column for each system, a sign for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejoinder.cli.show.cells import heading, number_of
from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.messages import counted
from rejoinder.scoring.ranks import significant_pairs
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from rejoinder.scoring.compare import Comparison

MOST_LISTED = 6
"""So many systems have a row for each pair: 15 of them."""

BETTER, WORSE, EQUIVALENT, UNCLEAR, UNTESTED, SELF = "+", "-", "=", ".", "?", "\\"

LEGEND = (
    "systems stand best first, and columns have their numbers, read downwards; +: the system of the row "
    "is significantly better than that of the column (p Holm below 0.05); -: significantly worse; .: not "
    "clear"
)


def is_wide(compared: Comparison) -> bool:
    """Whether there are more systems than a list of pairs is printed of, and all of their pairs."""
    systems = len(compared.scores.names)
    pairs = systems * (systems - 1) // 2 * len(compared.scores.measured)
    return systems > MOST_LISTED and compared.table.height == pairs


def pair_matrix(compared: Comparison, label: str, digits: int | None = None) -> Table:
    """The systems under a metric, best first, with the signs of their pairs."""
    scores = compared.scores
    pairs = compared.table.filter(compared.table["metric"] == label)
    order, signs = pair_signs(compared, label, pairs)
    show = number_of(scores.measured[label].metric, digits)
    values = scores.measured[label].scores()
    width = len(str(len(order)))
    rows = [
        *({"system": "", "value": "", "signs": digits} for digits in column_numbers(len(order))),
        *(
            {
                "system": f"{place:>{width}} {scores.names[s]}",
                "value": show(float(values[s])),
                "signs": row,
            }
            for place, (s, row) in enumerate(zip(order, signs, strict=True), start=1)
        ),
    ]
    clear = sum(row.count(BETTER) for row in signs)
    title = f"{heading(scores, label)}: {how_many_differ(clear, pairs.height)}"
    return table(rows, text("system"), number("value"), number("pairs", "signs"), title=title)


def how_many_differ(clear: int, pairs: int) -> str:
    """How many pairs of systems differ significantly.

    >>> how_many_differ(1, 3), how_many_differ(2, 3)
    ('1 of 3 pairs differs', '2 of 3 pairs differ')
    """
    return f"{clear} of {counted(pairs, 'pair')} {'differs' if clear == 1 else 'differ'}"


def pair_signs(
    compared: Comparison, label: str, pairs: pl.DataFrame
) -> tuple[list[int], list[str]]:
    """The places of the systems, best first, and for each a sign for each system in this order."""
    scores = compared.scores
    order, better = significant_pairs(scores, label, pairs)
    known: dict[tuple[int, int], str] = {}
    for row in pairs.iter_rows(named=True):
        a, b = scores.place(row["a"]), scores.place(row["b"])
        p = row["p_randomization_holm"]
        sign = UNCLEAR if p == p else UNTESTED
        if row.get("p_equivalence_holm", 1.0) < SIGNIFICANT:
            sign = EQUIVALENT
        known[a, b] = known[b, a] = sign
    rows = []
    for i in order:
        signs = (
            SELF if i == j else BETTER if better[i, j] else WORSE if better[j, i] else known[i, j]
            for j in order
        )
        rows.append("".join(signs))
    return order.tolist(), rows


def legend(compared: Comparison) -> str:
    """What the signs mean, those alone that may stand in the table."""
    words = LEGEND
    table = compared.table
    if "margin" in table.columns:
        words += f"; =: the difference is smaller than {table['margin'][0]:g} either way (p equiv)"
    if table["p_randomization_holm"].is_nan().any():
        words += "; ?: no test"
    return words + "; --all-pairs prints a row for each pair, --json all numbers"


def column_numbers(count: int) -> list[str]:
    """The numbers of the columns, one digit below the other.

    >>> column_numbers(11)
    ['         11', '12345678901']
    """
    width = len(str(count))
    numbers = [str(place).rjust(width) for place in range(1, count + 1)]
    return ["".join(each[k] for each in numbers) for k in range(width)]
