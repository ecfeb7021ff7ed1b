"""What is shown of a ledger: its runs, a metric through time, what changed, and a gate."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.document.numbers import decimals
from rejoinder.document.parts import Document, Line, lines, spaced
from rejoinder.document.table import Table, ends, estimate, key, number, text
from rejoinder.document.text import Cell, styled
from rejoinder.messages import counted
from rejoinder.scoring.margins import NOT_CLEAR, NOT_WORSE

MEANINGS = {
    "run": "Number of the run in its ledger.",
    "at": "When the run was recorded, in UTC.",
    "verb": "The verb of the command.",
    "version": "Version of Rejoinder.",
    "seed": "Random seed.",
    "metrics": "Metrics, measures and criteria of the main table of the run.",
    "systems": "Systems and pairs of the main table of the run.",
    "numbers": "How many numbers of the run are recorded, as narrowed by the options.",
    "baselines": "Names under which the run is frozen.",
    "command": "The command, its paths as seen from the ledger.",
    "table": "Name of the table of the result, empty for the main one.",
    "name": "Name of the column of the result, or of what changed.",
    "metric": "Metric, measure or criterion.",
    "about": "What else the number is of.",
    "line": "Values of one line have the same settings and the same data; others cannot be compared.",
    "change": "What kind of fact changed: version, verb, seed, setting, signature or input.",
    "first": "The value in the first run; null where it has none.",
    "second": "The value in the second run; null where it has none.",
    "difference": "The later value less the earlier one.",
    "baseline": "Value of the frozen run.",
    "value": "Value of the run, in its own range: not multiplied by 100.",
    "low": "Lower end of the 95% interval.",
    "high": "Upper end of the 95% interval.",
    "verdict": "worse, not worse or not clear by the margin; undefined; or not comparable.",
    "reason": "Why two values cannot be compared, or a number is undefined.",
}
FOUR = decimals(4)
NEWEST = 30
"""So many runs of a metric through time are on paper, where a row stands for each system."""
WHAT = (key("metric"), key("system"), key("about", paper=False), text("name", paper=False))
"""What a number is of; CSV has all of it."""


def runs_document(runs: pl.DataFrame, series: pl.DataFrame, notes: Sequence[str]) -> Document:
    """The runs, or the values of metrics through time.

    Args:
        runs: ``Runs.runs``.
        series: ``Runs.series``.
        notes: ``Runs.notes``.
    """
    if not series.is_empty():
        columns = [
            key("run"), key("at", show=_time), key("verb", paper=series["verb"].n_unique() > 1), *WHAT,
            key("table", paper=False), estimate("value", ("value", "low", "high"), FOUR), number("line"),
            text("version"),
        ]  # fmt: skip
        several = bool(notes)
        legend = "values in their own range, with 95% intervals"
        legend += "; values of other lines cannot be compared" if several else ""
        numbers = series["run"].unique().sort()
        paper = series.filter(pl.col("run").is_in(numbers.tail(NEWEST).implode()))
        if len(numbers) > NEWEST:
            legend += (
                f"; the newest {NEWEST} of {len(numbers)} runs: files of CSV, JSON and the figure "
            )
            legend += "have all"
        section = ("line",) if several else ()
        table = Table(series, columns, section=section, meanings=MEANINGS, paper=paper)
        return [*spaced(table), Line(legend, "legend"), *lines(notes, "note")]
    columns = [
        key("run"), key("at", show=_time), text("verb"), text("metrics", show=_list),
        text("systems", show=_list), number("numbers"), text("version"), number("seed", paper=False),
        text("frozen as", "baselines", show=_list), text("command", paper=False),
    ]  # fmt: skip
    flat = runs.with_columns(pl.col("metrics", "systems", "baselines").list.join(", "))
    return (
        [Table(flat, columns, meanings=MEANINGS)]
        if runs.height
        else [Line("The ledger has no run.")]
    )


def changes_document(
    first: int, second: int, changes: pl.DataFrame, numbers: pl.DataFrame, command: str
) -> Document:
    """What changed between two runs.

    Args:
        first: The first run.
        second: The second run.
        changes: ``RunChanges.changes``.
        numbers: ``RunChanges.numbers``.
        command: ``RunChanges.command``.
    """
    heads = (f"run {first}", f"run {second}")
    table = Table(
        changes,
        [key("change"), key("name"), text(heads[0], "first"), text(heads[1], "second")],
        meanings=MEANINGS,
    )
    same = Line("Version, settings, signatures and inputs are the same in both runs.")
    moved = numbers.filter(pl.col("difference") != 0)
    columns = [
        key("table"), key("name"), key("metric"), key("system"), key("about"),
        number(heads[0], "first", _number), number(heads[1], "second", _number),
        number("difference", show=_number), text("not comparable", "reason", paper=False),
    ]  # fmt: skip
    values = Table(numbers, columns, name="numbers", paper=moved, meanings=MEANINGS)
    of = f"{counted(moved.height, 'number')} of {numbers.height} that both runs have differ"
    apart = numbers.drop_nulls("reason").select("metric", "reason").unique(maintain_order=True)
    why = [
        f"{metric}: the values cannot be compared: {reason}" for metric, reason in apart.iter_rows()
    ]
    words = "Which setting moves the value of a metric (paths as seen from the ledger):"
    return [
        *(spaced(table) if changes.height else [same]),
        *spaced(values),
        Line(of, "legend"),
        *lines(why, "note"),
        *([Line(words), Line(command, "command")] if command else []),
    ]


def gate_document(
    table: pl.DataFrame, baseline: str, frozen: int, run: int, worse_by: float
) -> Document:
    """The values of a run beside those of a frozen baseline.

    Args:
        table: ``RunGate.table``.
        baseline: The name of the baseline.
        frozen: The run that is the baseline.
        run: The run.
        worse_by: The margin.
    """
    columns = [
        key("metric"), key("system"), key("about", paper=table["about"].n_unique() > 1),
        text("verb", paper=False), text("name", paper=False),
        number(baseline, "baseline", FOUR), number(f"run {run}", "value", _number),
        number("difference", show=_number), ends(_number), text("verdict", show=_verdict),
        text("why", "reason", paper=bool(table["reason"].drop_nulls().len())),
    ]  # fmt: skip
    legend = (
        f"run {run} beside the baseline '{baseline}', run {frozen}; worse: a loss greater than "
        f"{worse_by:g} is shown; not clear: it is not excluded. The 95% interval takes both runs for "
        "independent, and is too wide where the items are the same; 'rejoinder compare' of the replies "
        "compares them item by item"
    )
    return [*spaced(Table(table, columns, meanings=MEANINGS)), Line(legend, "legend")]


def _time(at: str) -> str:
    return at.replace("T", " ")[:16]


def _list(names: str) -> str:
    some = names.split(", ")
    return names if len(some) <= 3 else f"{', '.join(some[:3])} and {len(some) - 3} more"


def _number(value: float | None) -> str:
    return "" if value is None else FOUR(value)


def _verdict(verdict: str) -> Cell:
    colours = {NOT_WORSE: "green", NOT_CLEAR: "yellow"}
    return styled(verdict, colours.get(verdict, "red"))
