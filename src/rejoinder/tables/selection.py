"""The rows that a call asks for: those of one criterion, and those of the systems that stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument, Placeholder, quoted


def of_criterion(table: pl.DataFrame, criterion: str | None, *, one: bool = False) -> pl.DataFrame:
    """The judgements under one criterion; None keeps all.

    Args:
        table: Ratings or preferences, checked.
        criterion: The name of the criterion; its case does not matter where one alone is called so.
        one: Whether the judgements must be of a single criterion.

    Raises:
        ParameterError: There is no such criterion, or there are several and one must be named.
    """
    criteria = table.get_column("criterion").unique(maintain_order=True).to_list()
    if criterion is None:
        if one and len(criteria) > 1:
            raise ParameterError(
                f"the ratings have several criteria; choose {one_of(criteria)} with "
                f"{Argument('criterion', Placeholder('NAME'))}"
            )
        return table
    alike = [each for each in criteria if each.casefold() == criterion.casefold()]
    if criterion not in criteria and len(alike) != 1:
        raise ParameterError(
            Argument("criterion", criterion), f" is unknown; choose {one_of(criteria)}"
        )
    return table.filter(pl.col("criterion") == (criterion if criterion in criteria else alike[0]))


def criterion_notes(selected: pl.DataFrame, criterion: str | None) -> list[str]:
    """A note where the criterion that was asked for is written in another case in the table.

    Args:
        selected: What ``of_criterion`` selected.
        criterion: What was asked for.
    """
    if criterion is None or not selected.height:
        return []
    name = selected.item(0, "criterion")
    if name == criterion:
        return []
    return [f"criterion {quoted(criterion)}: the judgements call it {quoted(name)}, which is used"]


def without_systems(
    table: pl.DataFrame, names: Sequence[str], columns: Sequence[str] = ("system",)
) -> pl.DataFrame:
    """The rows that name none of these systems.

    Args:
        table: Responses, ratings or preferences.
        names: The systems to leave out.
        columns: The columns that name systems: two where a row compares a pair.

    Raises:
        ParameterError: There is no such system, or no row is left.
    """
    if not names:
        return table
    named = pl.concat([table.get_column(column).alias("system") for column in columns])
    systems = named.unique(maintain_order=True).to_list()
    check_systems(names, systems)
    left = table.filter(~pl.any_horizontal(pl.col(list(columns)).is_in(list(names))))
    if not left.height:
        what, least = ("system", "one") if len(columns) == 1 else ("pair of systems", "two")
        raise ParameterError(
            Argument("without", list(names)),
            f": no {what} is left of {one_of(systems)}; keep {least} or more",
        )
    return left


def only_systems(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The rows of these systems, where the table has all of them; otherwise every row.

    Args:
        table: Responses, or scores in which every metric has values of some of these systems.
        names: The systems; empty keeps every row.
    """
    selected = table.filter(pl.col("system").is_in(list(names)))
    if not names or selected.get_column("system").n_unique() < len(set(names)):
        return table
    metrics = [each.get_column("name").n_unique() for each in (table, selected) if "name" in each]
    return selected if len(set(metrics)) < 2 else table


def check_systems(names: Sequence[str], systems: Sequence[str]) -> None:
    """Checks that all names to leave out are those of systems.

    Raises:
        ParameterError: One is not.
    """
    for name in names:
        if name not in systems:
            raise ParameterError(
                Argument("without", [name]),
                f": system {name!r} is unknown; choose {one_of(systems)}",
            )


def pairs_of(names: Sequence[str], a: str | None, b: str | None) -> list[tuple[int, int]]:
    """The pairs of systems to compare, by their places: all, those of one system, or one.

    The system named ``a`` stands first in its pairs, the one named ``b`` second.

    Args:
        names: The names of the systems.
        a: The first system; None: every system.
        b: The second system; None: every system.

    Raises:
        ParameterError: A system is unknown, both are the same, or there is one system alone.
    """
    if a is not None and a == b:
        raise ParameterError(
            Argument("a", a), f": '{a}' cannot be compared with itself; name two systems"
        )
    if len(names) < 2:
        raise ParameterError(f"there is one system alone, {one_of(names)}; a comparison needs two")
    if a is None and b is None:
        return list(combinations(range(len(names)), 2))
    if a is None or b is None:
        one = _place(names, "b" if a is None else "a", a or b or "")
        others = [each for each in range(len(names)) if each != one]
        return [(other, one) if a is None else (one, other) for other in others]
    return [(_place(names, "a", a), _place(names, "b", b))]


def _place(names: Sequence[str], argument: str, system: str) -> int:
    if system not in names:
        raise ParameterError(
            Argument(argument, system), f": system '{system}' is unknown; choose {one_of(names)}"
        )
    return names.index(system)
