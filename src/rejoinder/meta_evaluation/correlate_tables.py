"""What is shown of how far metrics agree with people: each coefficient, within systems, metrics in pairs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import polars as pl

from rejoinder.document.numbers import NONE, decimals, has_intervals, three_decimals
from rejoinder.document.parts import GAP, Document, Line, lines, reasons
from rejoinder.document.table import PAIR, Table, estimate, key, number
from rejoinder.messages import SIGNIFICANT, Argument
from rejoinder.meta_evaluation.protocols import Protocol
from rejoinder.meta_evaluation.turn_level import OTHER_SYSTEMS

RANDOM = "random"
RANDOM_ROW = (
    "random: one random draw of scores, shown for comparison; it never has a star, whatever its p; "
)
PEOPLE = (
    "human (avg), human (max): each rater against the mean of the other raters; human (max) is the "
    "best of them, so it is high by selection; where raters are places in a list (1, 2, ...) and "
    "not the same people throughout, both rows say little"
)
EPSILON = (
    "epsilon: scores that differ by no more than this are a tie for the accuracy; it is in the units "
    "of the metric's own scores"
)
CHANCE = {
    "pairwise": "chance: the mean accuracy when the ratings change places at random; with ties it is "
    "not one half, and it differs by metric: compare a value with the chance beside it; p tests that "
    "difference",
    "soft": "soft: soft pairwise accuracy, how far ratings and metric agree in how sure they are which "
    "of two systems is better (1: equally sure of every pair); chance: the mean when the systems of "
    "the ratings change names at random; p tests the difference from chance; [low, high] is a "
    "jackknife over systems, somewhat wide with few of them (simulated, it holds in 95 to 99%)",
}

MEANINGS = {
    "within": "Mean over systems of each system's own value.",
    "chance": "Mean value when the ratings change places at random.",
    "epsilon": "Largest difference of two scores that is a tie.",
    "spread_low": "Lower end of the middle 95% over assignments.",
    "spread_high": "Upper end of the middle 95% over assignments.",
    "williams_t": "Williams' t.",
    "williams_p": "p-value of Williams' t.",
}


def agreement(
    rows: pl.DataFrame, labels: Collection[str], systems: int, protocol: Protocol, groups: str
) -> Document:
    """How far every metric agrees with people: each coefficient, and with several systems within these.

    With several systems at turn level the first table is the mean within systems, which has the
    test; the table of all replies pooled has none.

    Args:
        rows: ``Agreement.table()``.
        labels: The metrics; other rows are for comparison.
        systems: How many systems are rated.
        protocol: What one observation is.
        groups: What is resampled and permuted as a whole.
    """
    several = "within" in rows.columns
    shown = _within(rows, labels, systems, groups) if several else []
    heading, p = ("pooled", "") if several else ("metric", "p")
    shown += [_coefficients(rows, labels, heading, p=p, name="pooled" * several), GAP]
    shown += lines(_legends(rows, protocol, several), "legend")
    if protocol.spread:
        middle = number(str, ("spread_low", "spread_high"), _ends, across=True)
        columns = [key("middle 95% over assignments", "metric"), middle]
        shown += [Line(protocol.spread, "legend"), GAP]
        shown.append(Table(rows, columns, "spread", across="correlation", meanings=MEANINGS))
    return shown


def comparisons(compared: pl.DataFrame, protocol: str, groups: str) -> Document:
    """Every two metrics: within systems where there are several, else with Williams' test too.

    Args:
        compared: ``Agreement.comparisons()``.
        protocol: Its name.
        groups: What is resampled and permuted as a whole.
    """
    coefficient = compared.item(0, "correlation")
    columns = [*PAIR]
    pooled = ("difference", "low", "high")
    if "within" in compared.columns:
        within = ("within", "within_low", "within_high")
        columns += [
            estimate("a - b", within, decimals(3)),
            number("p", "within_p", three_decimals, belongs=True),
            estimate("pooled", pooled, decimals(3)),
        ]
        legend = (
            f"a - b: difference of the means within systems of {coefficient}, over systems where both are "
            f"defined, with its 95% interval (jackknife over {groups}); p: permutation test in which the "
            f"two metrics' scores of randomly chosen {groups} are exchanged; * p below {SIGNIFICANT}, not "
            "corrected for the number of pairs; pooled: the difference over the replies of all systems "
            "together, which differences between systems can make large by themselves: no test"
        )
        why = reasons(compared, reason="within_reason", where=" within systems")
    else:
        swapped = "the two metrics' scores of whole systems are swapped"
        tests = swapped if protocol == "unit" else "paired permutation"
        columns += [
            estimate("a - b", pooled, decimals(3)),
            number("p", "p", three_decimals, belongs=True),
        ]
        if compared["williams_t"].is_not_nan().any():
            tests += "; Williams' t takes observations for independent and normal"
            columns += [
                number("Williams t", "williams_t", lambda t: "" if math.isnan(t) else f"{t:.2f}"),
                number("p", "williams_p", three_decimals, belongs=True),
            ]
        legend = (
            f"a - b: difference of {coefficient}; p: {tests}; * p below {SIGNIFICANT}, not corrected for "
            "the number of pairs"
        )
        why = reasons(compared)
    columns.append(number("n", paper=False))
    table = Table(compared, columns, "comparisons", above=("correlation",), meanings=MEANINGS)
    return [table, Line(legend, "legend"), *why]


def expected(rows: pl.DataFrame, value: str = "value") -> pl.DataFrame:
    """The rows but those of people with a value: these have neither interval nor test, without a reason."""
    people = pl.col("metric").str.starts_with("human")
    return rows.filter(~(people & pl.col(value).is_not_nan()))


def _within(rows: pl.DataFrame, labels: Collection[str], systems: int, groups: str) -> Document:
    """The mean within systems, with its interval, its test and the reasons of what is missing."""
    fewer = rows["within_reason"].str.contains(OTHER_SYSTEMS, literal=True).any()
    where = " (over fewer where a note says so)" if fewer else ""
    legend = (
        f"within systems: the mean over {systems} systems{where} of each system's own correlation; "
        f"[low, high]: 95% interval, jackknife over {groups}; p: {groups} permuted inside each "
        f"system; * p below {SIGNIFICANT}; {NONE}: undefined"
    )
    within = ("within", "within_low", "within_high")
    table = _coefficients(rows, labels, "within systems", within, "within_p")
    why = reasons(expected(rows, "within"), reason="within_reason", where=" within systems")
    return [table, GAP, Line(legend, "legend"), *why, GAP]


def _coefficients(
    rows: pl.DataFrame,
    labels: Collection[str],
    heading: str,
    value: tuple[str, str, str] = ("value", "low", "high"),
    p: str = "",
    name: str = "",
) -> Table:
    """A row for each metric, below a line one for chance and people, and every coefficient."""

    def starred(label: str, p: float) -> str:
        # The random row has no star: a star would call chance a finding.
        return three_decimals(p, label in labels)

    columns = [key(heading, "metric"), estimate(str, value, decimals(3), across=True)]
    if "chance" in rows.columns:
        columns.append(number("chance", "chance", decimals(3), across=True, belongs=True))
    if _with_epsilon(rows):
        of_ties = {"accuracy": "epsilon"}
        columns.append(
            number(
                lambda name: of_ties.get(name, ""),
                "epsilon",
                lambda value: NONE if math.isnan(value) else f"{value:.3g}",
                across=True,
                belongs=True,
            )
        )
    if p:
        columns.append(number("p", ("metric", p), starred, across=True, belongs=True))
    columns.append(number("n", paper=False))
    measured = rows.with_columns(measured=pl.col("metric").is_in(list(labels)))
    return Table(
        measured,
        columns,
        name,
        across="correlation",
        apart=True,
        section=("measured",),
        meanings=MEANINGS,
    )


def _with_epsilon(rows: pl.DataFrame) -> bool:
    return "epsilon" in rows.columns and bool((rows["epsilon"] != 0).any())


def _ends(low: float, high: float) -> str:
    return NONE if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def _legends(rows: pl.DataFrame, protocol: Protocol, several: bool) -> Iterator[str]:
    """What the table of coefficients holds."""
    interval = "; [low, high]: 95% interval" if has_intervals(rows) else ""
    test = "" if several else f"; p: permutation test; * p below {SIGNIFICANT}"
    pooled = "pooled: the replies of all systems together; " if several else ""
    yield f"{pooled}{_counted(rows, protocol)}{interval}{test}; {NONE}: undefined"
    if rows.filter(rows["metric"].str.starts_with("human") & rows["value"].is_not_nan()).height:
        yield PEOPLE
    if RANDOM in rows["metric"]:
        yield f"{RANDOM_ROW}{Argument('seed')} gives another draw"
    if "chance" in rows.columns:
        yield CHANCE[protocol.name]
    if _with_epsilon(rows):
        yield EPSILON


def _counted(rows: pl.DataFrame, protocol: Protocol) -> str:
    """How many observations there are; of the accuracy of decided pairs, how many were decided."""
    decided = rows["correlation"] == "decided"
    pairs = rows.filter(decided)["n"]
    numbers = rows.filter(~decided)["n"].unique().sort().to_list()
    counted = " to ".join(str(n) for n in numbers[:: max(1, len(numbers) - 1)])
    text = f"{counted} {protocol.observation[numbers != [1]]}"
    if pairs.is_empty():
        return text
    return f"{text} (accuracy), of which people rate {pairs.max()} differently (decided)"
