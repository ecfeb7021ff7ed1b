"""Tables that ratings and preferences share: how far raters agree, and who does not."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.document.numbers import decimals
from rejoinder.document.parts import GAP, Document, lines
from rejoinder.document.table import Column, Table, estimate, key, number, text
from rejoinder.document.text import Text, styled
from rejoinder.statistics.kappa import REASON_CONSTANT

MOST_RATERS = 20
"""Of more raters, those who are below the threshold are named alone."""

CRITERION = ("criterion",)

AGREEMENT_MEANINGS = {
    "raters": "Whose agreement it is: of all, or of those kept after the filter.",
    "measure": "Measure of agreement.",
}
RATER_MEANINGS = {
    "ratings": "Number of ratings of the rater.",
    "mean": "Mean of the rater's ratings.",
    "comparisons": "Number of comparisons of the rater.",
    "first": "How often the first reply was preferred.",
    "second": "How often the second reply was preferred.",
    "ties": "How often neither was preferred.",
    "side_p": "p-value of the sign test of first against second.",
    "kappa": "Linearly weighted kappa against the other raters.",
    "shared": "Number of replies that somebody else judged too.",
    "constant": "Whether the rater gave one value throughout.",
    "verdict": "Whether the rater is kept, below the threshold, dropped or not judged.",
}


def possible(given: int, missing: int, units: str) -> str:
    """How many judgements there are of those that all raters could have given; empty without raters.

    Args:
        given: Number of judgements.
        missing: Number of judgements that were not given.
        units: What was judged, in the plural.
    """
    if not given + missing:
        return ""
    if not missing:
        return f"; every rater judged all {units}"
    return (
        f"; {given} of {given + missing} possible judgements (raters x {units}), {missing} missing"
    )


def agreement(rows: pl.DataFrame) -> Table:
    """A row for each measure; after a filter, a column for all raters and one for those kept."""
    columns = [
        key(
            "agreement",
            "measure",
            lambda name: "mean kappa of a rater" if name == "kappa" else name,
        ),
        estimate(_raters, ("value", "low", "high"), decimals(3), across=True),
        number("n", belongs=True, across=True),
    ]
    return Table(
        rows,
        columns,
        "agreement",
        above=CRITERION,
        across="raters",
        caption="Agreement among raters",
        meanings=AGREEMENT_MEANINGS,
    )


def _raters(group: str) -> str:
    return "raters kept" if group == "kept" else f"{group} raters"


def raters(rows: pl.DataFrame, columns: Sequence[Column]) -> Table:
    """Every rater; of many, those below the threshold alone on paper, lowest first.

    Args:
        rows: The raters of a criterion.
        columns: What is counted of each.
    """
    paper, heading, fold = rows, "rater", ""
    if rows.height > MOST_RATERS:
        paper = rows.filter(rows["verdict"].is_in(["below", "dropped"])).sort("kappa")
        share = f"{paper.height} of {rows.height}"
        heading = f"rater ({share})"
        if paper.height > MOST_RATERS:
            fold = f"{share} raters below the threshold, lowest kappa first"
    facts = ("verdict", "reason", "shared", "constant")
    verdicts = any(str(_verdict(*row)) for row in paper.select(facts).iter_rows())
    shown = [
        key(heading, "rater"),
        *columns,
        number("kappa", "kappa", decimals(3)),
        number("shared"),
        text("verdict", facts, _verdict, belongs=True, paper=verdicts),
    ]
    return Table(
        rows,
        shown,
        "raters",
        above=CRITERION,
        fold=fold,
        paper=paper,
        caption="The raters",
        meanings=RATER_MEANINGS,
    )


def verdicts(rows: pl.DataFrame) -> Document:
    """Which system is best under each criterion, between empty lines: behind what tables have as captions."""
    sentences = (
        sentence if rows.height == 1 else f"{criterion}: {sentence}"
        for criterion, sentence in rows.select("criterion", "sentence").iter_rows()
    )
    return [GAP, *lines(sentences), GAP] if rows.height else []


def _verdict(verdict: str, reason: str | None, shared: int, constant: bool) -> Text:
    state = "" if verdict == "kept" else verdict
    if verdict == "not judged":  # its reason is short enough for a cell
        missing = "too few shared" if shared else "none shared"
        state = "no kappa" if reason == REASON_CONSTANT else missing
    return styled(", ".join(each for each in (state, "one value" * constant) if each), "yellow")


def of(frame: pl.DataFrame, criterion: str) -> pl.DataFrame:
    """The rows of a criterion."""
    return frame.filter(frame["criterion"] == criterion)
