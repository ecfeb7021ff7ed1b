"""Many systems compared with people: a matrix of signs, or the pairs that have an interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.document.numbers import decimals
from rejoinder.document.sign_matrix import (
    BETTER,
    LEGEND,
    MOST_LISTED,
    SELF,
    UNCLEAR,
    UNTESTED,
    WORSE,
    column_numbers,
    how_many_differ,
)
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED, PEOPLE
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from rejoinder.document.numbers import Show
    from rejoinder.document.text import Cell
    from rejoinder.meta_evaluation.with_people.compare import PeopleComparison


P_HEADINGS = {"p_holm": "p Holm", "p_max": "p max"}
"""What the columns of corrected p-values are called in tables."""


def are_many(result: PeopleComparison) -> bool:
    """Whether there are more systems than a list of pairs is printed of."""
    pairs = result.pairs
    return len({*pairs.get_column("a"), *pairs.get_column("b")}) > MOST_LISTED


def matrices(result: PeopleComparison, digits: int | None = None) -> Iterator[tuple[str, Table]]:
    """The systems by people alone and corrected, best first, with the signs of their pairs.

    Args:
        result: The comparison of all pairs.
        digits: The decimals of the mean differences; None: 2.

    Yields:
        How many pairs differ, and the table.
    """
    for by in (PEOPLE, CORRECTED):
        pairs = result.pairs.filter(result.pairs["by"] == by)
        ranks = result.ranks.filter(result.ranks["by"] == by)
        order = ranks.get_column("system").to_list()
        signs_of = _signs(pairs, order, result.p_column)
        rows = [
            *({"system": "", "difference": None, "signs": each} for each in column_numbers(len(order))),
            *(
                {"system": f"{place:>{len(str(len(order)))}} {name}", "difference": apart, "signs": signs}
                for place, (name, apart, signs) in enumerate(
                    zip(order, ranks.get_column("difference"), signs_of, strict=True), start=1
                )
            ),
        ]  # fmt: skip
        show = decimals(2 if digits is None else digits)
        clear = int((pairs.get_column(result.p_column) < SIGNIFICANT).sum())
        title = f"{by}: {how_many_differ(clear, pairs.height)}"
        yield (
            title,
            table(
                rows,
                text("system"),
                number("mean a - b", lambda row, show=show: _shown(row["difference"], show)),
                number("pairs", "signs"),
            ),
        )


def _shown(value: float | None, show: Show) -> Cell:
    return "" if value is None else show(value)


def legend(result: PeopleComparison) -> str:
    """What the matrices hold."""
    rows = result.pairs.filter(result.pairs["by"].is_in([PEOPLE, CORRECTED]))
    unknown = rows[result.p_column].is_nan().any()
    words = LEGEND.replace("p Holm", P_HEADINGS[result.p_column])
    return (
        f"{words}{'; ?: no interval' if unknown else ''}; mean a - b: of the system and each other; "
        "--all-pairs prints a row for each pair, --json all numbers"
    )


def with_interval(rows: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The rows of the pairs whose corrected difference has an interval."""
    ours = pairs.filter((pairs["by"] == CORRECTED) & pairs["reason"].is_null())
    return rows.join(ours.select("a", "b"), on=["a", "b"], how="semi", maintain_order="left")


def significant_errors(errors: pl.DataFrame, p_column: str) -> tuple[pl.DataFrame, str]:
    """The errors of judges that are significant, and what is said of the others."""
    shown = errors.filter(errors[p_column] < SIGNIFICANT)
    tested = int(errors[p_column].is_not_nan().sum())
    words = f"errors of the judges: {shown.height} of {tested} tested are significant"
    return shown, f"{words}, and listed" if shown.height else words


def _signs(pairs: pl.DataFrame, order: list[str], p_column: str) -> Iterator[str]:
    """For each system, in this order, a sign for each other one."""
    signs: dict[tuple[str, str], str] = {}
    for row in pairs.iter_rows(named=True):
        ends = row["a"], row["b"]
        p = row[p_column]
        if p < SIGNIFICANT:
            sign, other = (BETTER, WORSE) if row["difference"] > 0 else (WORSE, BETTER)
        else:
            sign = other = UNCLEAR if p == p else UNTESTED
        signs[ends], signs[ends[::-1]] = sign, other
    for name in order:
        yield "".join(SELF if name == other else signs[name, other] for other in order)
