"""What people's ratings hold, and what is shown of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, decimals, has_intervals
from rejoinder.document.parts import (
    AS_USUAL,
    GAP,
    Document,
    Line,
    View,
    lines,
    reasons,
    signed,
    spaced,
)
from rejoinder.document.table import PAIR, TESTED, Column, Table, estimate, key, number
from rejoinder.human_evaluation.grades import MOST_GRADES
from rejoinder.human_evaluation.shown_judgements import (
    CRITERION,
    agreement,
    of,
    possible,
    raters,
    verdicts,
)
from rejoinder.messages import AS_JSON, counted
from rejoinder.result import PlottedResult

MOST_PAIRS = 15
"""Of more pairs of systems, the differences are in JSON and CSV alone."""


@dataclass(frozen=True, eq=False, repr=False)
class RatingSummary(PlottedResult):
    """What people's ratings hold. Undefined numbers are NaN, and ``reason`` says why.

    Attributes:
        counts: A row for each criterion: ``criterion``, ``items``, ``systems``, ``replies`` (rated),
            ``unrated`` (pairs of system and item without a rating), ``raters``, ``ratings``,
            ``means`` (of them, those of people whose single ratings are not known), ``missing``
            (replies x raters without a rating), ``fewest`` and ``most`` (ratings of a reply),
            ``low`` and ``high`` (grades given). All of them before the filter.
        agreement: ``criterion``, ``raters`` (``all``, or ``kept`` after the filter), ``measure``
            (``alpha nominal``, ``alpha ordinal``, ``alpha interval``, ``kappa``: the mean over
            raters), ``value``, ``low`` and ``high`` (95%, jackknife over items; none for kappa),
            ``n`` (replies with two ratings; raters), ``reason``.
        raters: ``criterion``, ``rater``, ``ratings``, ``mean``, ``kappa`` (linearly weighted,
            against the others), ``shared`` (replies that somebody else rated too), ``constant``
            (one value throughout), ``verdict`` (``kept``; ``below`` the threshold, or ``dropped``
            for that; ``not judged``), ``reason``.
        human: ``criterion``, ``correlation``, ``average`` and ``maximum`` ("Human (Avg)" and "Human
            (Max)" of the RUBER paper, of the raters that count), ``best`` (the rater of the
            maximum), ``raters`` (with a correlation), ``reason``.
        systems: ``criterion``, ``system``, ``mean``, ``low``, ``high`` (95%, Student's t over items),
            ``sd`` (over replies, divisor n - 1), ``median``, ``n`` (replies), ``ratings``,
            ``reason``: of the replies' aggregated ratings. With clusters also ``clusters``, how many,
            and ``design_effect``, by how much they multiply the variance of the mean.
        distribution: ``criterion``, ``system``, ``score``, ``count``, ``share``: of single ratings.
        ratings: ``schemas.RATINGS`` (and ``against``, if any has one), the ratings that count: after
            selection and filter.
        aggregated: ``schemas.RATINGS``, a row for each reply, its rater named by the aggregation.
        notes: What was left out, and what the data cannot tell.
        signature: Everything that the numbers follow from.
        differences: ``criterion``, ``a``, ``b``, ``kind`` (``paired`` over the items that both have;
            ``unpaired`` where they share none), ``shared`` (how many), ``difference`` (of the means,
            a less b), ``low``, ``high`` (95%, Student's t), ``p``, ``p_holm`` (corrected over the
            criterion's pairs), ``reason``. Empty where all systems are rated on the same items.
        verdicts: ``criterion`` and ``sentence``: which system is best by people, as
            ``rejoinder.compare(ratings=...)`` says of the raters that count. Empty without intervals.
    """

    counts: pl.DataFrame
    agreement: pl.DataFrame
    raters: pl.DataFrame
    human: pl.DataFrame
    systems: pl.DataFrame
    distribution: pl.DataFrame
    ratings: pl.DataFrame
    aggregated: pl.DataFrame
    notes: tuple[str, ...]
    signature: str
    differences: pl.DataFrame
    verdicts: pl.DataFrame

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder ratings --json`` prints."""
        tables = "counts", "agreement", "raters", "human", "systems", "distribution", "verdicts"
        more = ["differences"] * bool(self.differences.height)
        return self.json_of(*tables, "signature", "notes", *more)

    def document(self, view: View = AS_USUAL) -> Document:
        """Every criterion: what there is, how far raters agree, who does not, and the systems."""
        shown: Document = []
        for row in self.counts.iter_rows(named=True):
            shown += [Line(row["criterion"], "heading"), Line(_rated(row)), GAP]
            shown += self._criterion(row["criterion"], bool(row["raters"]))
        shown.append(Line(self._legend(), "legend"))
        differences = self.differences.filter(pl.len().over("criterion") <= MOST_PAIRS)
        if left_out := self.differences.height - differences.height:
            words = f"{counted(left_out, 'difference')} of two systems: in {AS_JSON}"
            shown.append(Line(words, "legend"))
        shown += reasons(self.agreement, self.human, self.systems, differences)
        shown += verdicts(self.verdicts)
        shown += lines(self.notes, "note")
        return [*shown, GAP, *signed({"signature": self.signature})]

    def _criterion(self, name: str, by_people: bool) -> Iterator[Table | Line]:
        if by_people:  # of means alone there is no agreement, which a note says
            yield from spaced(agreement(of(self.agreement, name)))
            yield from spaced(_human(of(self.human, name)))
            means = number("mean", "mean", decimals(2))
            yield from spaced(raters(of(self.raters, name), [number("ratings"), means]))
        distribution = of(self.distribution, name)
        yield from spaced(_systems(of(self.systems, name), distribution))
        yield _distribution(distribution)
        if (differences := of(self.differences, name)).height:
            yield from spaced(_differences(differences))

    def _legend(self) -> str:
        how = next(fact for fact in self.signature.split("|") if fact.startswith("raters:"))[7:]
        words = {"z": "mean of each rater's z-scores"}.get(how, f"{how} of its ratings")
        groups = "clusters" if "clusters" in self.counts.columns else "items"
        legend = f"[low, high]: 95% interval over {groups}; " * has_intervals(self.systems)
        single = (
            "; grades: share of single ratings; kappa: linearly weighted, against the others; human (max) is "
            f"the best of so many raters, high by selection; {NONE}: undefined"
            if self.counts.get_column("raters").sum()
            else ""
        )
        return f"{legend}mean: over replies, each the {words}{single}"


def _rated(row: Mapping[str, Any]) -> str:
    each = (
        f"{row['fewest']}" if row["fewest"] == row["most"] else f"{row['fewest']} to {row['most']}"
    )
    whole = row["replies"] + row["unrated"]
    replies = counted(row["replies"], "rated reply", "rated replies")
    if row["unrated"]:
        replies = f"{row['replies']} of {whole} replies (items x systems) rated"
    means = f" ({row['means']} of them means of people not named)" if row["means"] else ""
    given = possible(row["ratings"] - row["means"], row["missing"], "rated replies")
    return (
        f"{counted(row['items'], 'item')}, {counted(row['systems'], 'system')}, "
        f"{replies}; "
        f"{counted(row['raters'], 'rater')}, {counted(row['ratings'], 'rating')}{means} from "
        f"{row['low']:g} to {row['high']:g}, {each} for each rated reply{given}"
    )


def _human(rows: pl.DataFrame) -> Table:
    columns = [
        key("one rater and the others", "correlation"),
        number("human (avg)", "average", decimals(3)),
        number("human (max)", "maximum", decimals(3)),
        number("best"),
        number("raters"),
    ]
    meanings = {
        "average": "Mean over raters of the correlation with the mean of the others.",
        "maximum": "Greatest of these correlations.",
        "best": "Rater with the greatest correlation.",
        "raters": "Number of raters with a correlation.",
    }
    caption = "Correlation of one rater with the others"
    return Table(rows, columns, "human", above=CRITERION, caption=caption, meanings=meanings)


def _systems(rows: pl.DataFrame, distribution: pl.DataFrame) -> Table:
    grades = distribution.get_column("score").unique().sort().to_list()
    shares = {(row["system"], row["score"]): row["share"] for row in distribution.to_dicts()}

    def share(grade: float) -> Column:
        """A column of how often a grade was given: CSV has these in a table of their own."""
        return number(
            f"{grade:g}",
            "system",
            lambda system: f"{100 * shares.get((system, grade), 0.0):.0f}%",
        )

    columns = [
        key("system"),
        estimate("mean", ("mean", "low", "high"), decimals(2)),
        number("sd", "sd", decimals(2)),
        number("median", "median", decimals(2)),
        number("replies", "n"),
        # Of more grades, the distribution is in JSON and CSV alone.
        *map(share, grades if len(grades) <= MOST_GRADES else ()),
    ]
    meanings = {
        "mean": "Mean of the replies' ratings.",
        "sd": "Standard deviation over replies.",
        "median": "Median of the replies' ratings.",
        "n": "Number of rated replies.",
    }
    caption = "Ratings of the systems"
    return Table(rows, columns, above=CRITERION, caption=caption, meanings=meanings)


def _distribution(rows: pl.DataFrame) -> Table:
    """How often each grade was given: on paper it stands beside the systems."""
    columns = [key("system"), key("grade", "score"), number("count"), number("share")]
    meanings = {
        "score": "Grade.",
        "count": "How often it was given.",
        "share": "Share of the system's ratings, 0 to 1.",
    }
    return Table(
        rows, columns, "distribution", above=CRITERION, paper=rows.clear(), meanings=meanings
    )


def _differences(rows: pl.DataFrame) -> Table:
    """Pairs of systems that are rated on different items."""

    def shared(number: int, kind: str) -> str:
        return str(number) if kind == "paired" else "0 (unpaired)"

    columns = [
        *PAIR,
        number("shared items", ("shared", "kind"), shared),
        estimate("a - b", ("difference", "low", "high"), decimals(2)),
        *TESTED,
    ]
    paper = rows if rows.height <= MOST_PAIRS else rows.clear()
    meanings = {
        "shared": "Number of items with ratings of both.",
        "kind": "Whether the test is paired over shared items, or unpaired.",
    }
    return Table(rows, columns, "differences", above=CRITERION, paper=paper, meanings=meanings)
