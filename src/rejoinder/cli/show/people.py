"""Tables of systems compared by people and by judges: differences, errors of judges, ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show import people_matrix
from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.cli.terminal.showing import show
from rejoinder.document.numbers import NONE, decimals, span, starred
from rejoinder.document.text import Cell, styled
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED, PEOPLE
from rejoinder.scoring.compare_tables import ranks_of
from rejoinder.scoring.shown_values import number_of
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from rejoinder.document.numbers import Show
    from rejoinder.meta_evaluation.with_people.compare import PeopleComparison

MEANS = (
    "people: the rated items alone; corrected: people's difference, moved by what the judge's scores say "
    "of the items that are not rated"
)
COLUMNS = (
    "[low, high]: 95% interval ({intervals}); {p}: corrected {how} "
    "all pairs (of people, of each judge, and corrected), * below 0.05; rated: items with ratings of both / "
    "with scores of both; saved: share of ratings that the judge saves, 1 - (width corrected / by people)^2"
)
ONE_LOOK = "Student's t"
ANY_LOOK = (
    "a confidence sequence, which holds at every look while ratings come in; of a judge alone Student's "
    "t"
)
ERRORS = (
    "error: people's difference less the judge's, on the same rated items; where it is not 0, the judge "
    "favours a system: a below 0, b above ('judge' has the judge less people, of marks that are divided by "
    "their slope first, so that the two can name different systems)"
)


def comparison(
    result: PeopleComparison,
    ranks: bool = False,
    digits: int | None = None,
    all_pairs: bool = False,
) -> None:
    """Every pair of systems by people, by each judge and corrected, and the judges' errors.

    More than 6 systems are two matrices of signs, or where not all of their pairs are compared, the
    pairs that have an interval; ``all_pairs``: every pair in rows.
    """
    out = console()
    of_ratings = decimals(2 if digits is None else digits)
    shows = {label: number_of(each, digits) for label, each in result.metrics.items()}
    many = not all_pairs and people_matrix.are_many(result)
    matrix = many and result.ranks.height > 0
    pairs, errors, notes = result.pairs, result.errors, [*_summary(result), *result.notes]
    if many and not matrix:
        pairs, errors = (
            people_matrix.with_interval(each, result.pairs) for each in (pairs, errors)
        )
    if matrix:
        for title, each in people_matrix.matrices(result, digits):
            out.print(styled(title, "italic"))
            out.print(each)
            out.print()
        errors, words = people_matrix.significant_errors(errors, result.p_column)
        notes = [words, *notes] if result.errors.height else notes
    else:
        out.print(_pairs(pairs, of_ratings, shows, result.p_column))
        out.print()
    if errors.height:
        out.print(_errors(errors, of_ratings, result.p_column))
        out.print()
    if ranks and result.ranks.height:
        show(ranks_of(result.ranks.rename({"by": "metric"})))
        out.print()
    intervals = ANY_LOOK if result.anytime else ONE_LOOK
    columns = COLUMNS.format(
        intervals=intervals,
        p=people_matrix.P_HEADINGS[result.p_column],
        how="by the maximum over" if result.correction == "max" else "over",
    )
    out.print(f"{MEANS}; {people_matrix.legend(result) if matrix else columns}", style="dim")
    percent = [label for label in result.judges if shows[label](1.0).startswith("100")]
    if percent and not matrix:
        out.print(f"{', '.join(percent)} x100; ratings as they were given", style="dim")
    if errors.height:
        out.print(ERRORS, style="dim")
    if pairs.height < result.pairs.height:
        out.print("pairs without an interval are not listed: --all-pairs lists them", style="dim")
    print_notes(out, notes)


def _pairs(
    pairs: pl.DataFrame, of_ratings: Show, shows: Mapping[str, Show], p_column: str
) -> Table:
    """A row for each pair and each estimate."""

    def show(row: Mapping[str, Any]) -> Show:
        return of_ratings if row["by"] in (PEOPLE, CORRECTED) else shows[row["by"]]

    return table(
        _named_once(pairs),
        text("pair"),
        text("by", _by),
        number("a - b", lambda row: show(row)(row["difference"])),
        number("95% interval", lambda row: span(row["low"], row["high"], show(row))),
        number(people_matrix.P_HEADINGS[p_column], lambda row: starred(row[p_column])),
        number("saved", _saved),
        number("rated", lambda row: _of_pair(row, f"{row['rated']}/{row['items']}")),
        section=lambda row: f"{row['a']}\n{row['b']}",
    )


def _errors(errors: pl.DataFrame, of_ratings: Show, p_column: str) -> Table:
    """A row for each pair and judge."""
    return table(
        errors.iter_rows(named=True),
        text("a"),
        text("b"),
        text("judge"),
        number("error", lambda row: of_ratings(row["error"])),
        number("95% interval", lambda row: span(row["low"], row["high"], of_ratings)),
        number(people_matrix.P_HEADINGS[p_column], lambda row: starred(row[p_column])),
        title="errors of the judges",
    )


def _named_once(pairs: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows of the pairs, the two systems of a pair named in its first two."""
    place = 0
    for row in pairs.iter_rows(named=True):
        place = 0 if row["by"] == PEOPLE else place + 1
        yield row | {"pair": (row["a"], f"vs {row['b']}", "")[min(place, 2)]}


def _by(row: Mapping[str, Any]) -> Cell:
    return styled(CORRECTED, "bold") if row["by"] == CORRECTED else row["by"]


def _of_pair(row: Mapping[str, Any], shown: str) -> str:
    """What is said once of a pair, in the row of the corrected difference."""
    return shown if row["by"] == CORRECTED else ""


def _saved(row: Mapping[str, Any]) -> str:
    saved = row["saved"]
    return _of_pair(row, NONE if saved is None or math.isnan(saved) else f"{100 * saved:z.0f}%")


def _summary(result: PeopleComparison) -> list[str]:
    """In how many pairs the two agree, and how much is saved in the middle pair."""
    import polars as pl

    by = {name: result.pairs.filter(pl.col("by") == name) for name in (PEOPLE, CORRECTED)}
    saved = by[CORRECTED].get_column("saved").drop_nans()
    if not saved.len():
        return []
    significant = {
        name: int((each.get_column(result.p_column) < SIGNIFICANT).sum())
        for name, each in by.items()
    }
    alone = significant[PEOPLE]
    if by[PEOPLE].height == 1:
        (row,) = by[CORRECTED].to_dicts()
        share = round(100 * row["saved"])
        saves = f"save {share}% of the ratings" if share > 0 else "save no ratings"
        return [f"corrected by people, {_verdict(row, result.p_column)}; the judges {saves}"]
    return [
        f"of {by[PEOPLE].height} pairs, {alone} {'differs' if alone == 1 else 'differ'} significantly by "
        f"people alone and {significant[CORRECTED]} corrected; " + _middle(float(saved.median()))  # pyright: ignore[reportArgumentType]
    ]


def _verdict(row: Mapping[str, Any], p: str) -> str:
    """Which system of a pair is better."""
    if not row[p] < SIGNIFICANT:
        return f"{row['a']} and {row['b']} do not differ significantly"
    better, other = (row["a"], row["b"]) if row["difference"] > 0 else (row["b"], row["a"])
    return f"{better} is better than {other}"


def _middle(saved: float) -> str:
    """What the judges save in the pair in the middle.

    >>> _middle(0.254)
    'half of the pairs with an interval save 25% of the ratings or more'
    >>> _middle(0.001)
    'in at least half of the pairs with an interval the judges save no ratings'
    """
    share = round(100 * saved)
    if share <= 0:
        return "in at least half of the pairs with an interval the judges save no ratings"
    return f"half of the pairs with an interval save {share}% of the ratings or more"
