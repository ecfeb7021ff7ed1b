"""What ``rejoinder sweep`` shows, to people and to machines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from rejoinder.cli.terminal.console import bare_table, console
from rejoinder.document.numbers import NONE, interval, times100
from rejoinder.document.text import Cell
from rejoinder.messages import p_is
from rejoinder.statistics.conventions import is_least_p
from rejoinder.tuning.table import PERMUTATIONS

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.tuning.result import SweepResult

SHOWN = 20  # pruned and failed trials that the table shows


def document(result: SweepResult, paths: Sequence[Path]) -> dict[str, Any]:
    """What ``--json`` prints: the trials, the correlations, and the figures written."""
    return {**result.as_json(), "figures": [str(path) for path in paths]}


def people(result: SweepResult) -> None:
    """The trials, how METEOR and RUQ go together, and the notes."""
    out = console()
    out.print(_trials(result))
    hidden = result.trials.height - _shown(result).height
    if hidden:
        out.print(f"... and {hidden} more, in trials.csv", style="dim")
    metric = result.parameters["metric"]
    out.print(
        f"{metric} and RUQ x100 [95% interval]; RUQ: the share of prompts whose first "
        f"reference is likelier than {result.parameters['generic']!r}; bits: validation loss in bits "
        f"per character; {NONE}: undefined",
        style="dim",
    )
    out.print()
    for row in result.correlations.iter_rows(named=True):
        out.print(_correlation(row))
    for note in _notes(result):
        out.print(f"note: {note}", style="yellow", soft_wrap=True)


def _shown(result: SweepResult) -> pl.DataFrame:
    """The finished trials, and some of the others."""
    finished = result.trials["status"].to_list().count("finished")
    return result.trials.head(finished + SHOWN)


def _trials(result: SweepResult) -> Table:
    swept = result.parameters["grid"]
    shown = bare_table()
    shown.add_column("trial", justify="right")
    for name in swept:
        shown.add_column(name.replace("_", " "), justify="right")
    for name in ("epochs", "bits", str(result.parameters["metric"]), "RUQ train", "RUQ test"):
        shown.add_column(name, justify="right")
    shown.add_column("")
    for row in _shown(result).iter_rows(named=True):
        bits = row["bits_per_character"]
        measures = [_cell(row, name) for name in ("metric", "ruq_train", "ruq_test")]
        state = "" if row["status"] == "finished" else row["reason"] or row["status"]
        shown.add_row(
            str(row["trial"]),
            *(f"{row[name]:g}" for name in swept),
            str(row["epochs"] or ""),
            "" if bits is None else f"{bits:.3f}",
            *measures,
            state,
        )
    return shown


def _cell(row: Mapping[str, Any], name: str) -> Cell:
    """A measure of a trial; nothing where the trial was not finished."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return ""
    low, high = (math.nan if end is None else end for end in (low, high))
    return interval(value, low, high, times100)


def _correlation(row: Mapping[str, Any]) -> str:
    words = f"{row['of']} with {row['with']}, {row['trials']} {row['n']} finished trials: "
    if math.isnan(row["rho"]):
        return f"{words}{NONE} ({row['reason']})"
    words += f"Spearman {row['rho']:.2f}"
    if not math.isnan(row["low"]):
        words += f" [{row['low']:.2f}, {row['high']:.2f}]"
    why = f" (no interval: {row['reason']})" if row["reason"] else ""
    return f"{words}, {p_is(row['p'], is_least_p(row['p'], PERMUTATIONS))}{why}"


def _notes(result: SweepResult) -> list[str]:
    """The notes, with the rule by which trials were pruned."""
    rungs = result.parameters["rungs"]
    if len(rungs) < 2:
        return list(result.notes)
    steps = ", ".join(map(str, rungs[:-1]))
    rule = "successive halving"
    if result.parameters["sampler"].startswith("optuna"):
        rule = "Optuna's asynchronous successive halving"
    reduction = result.parameters["reduction"]
    rule_of_pruning = (
        f"{rule}: after {steps} of {rungs[-1]} epochs one trial in {reduction} went on"
    )
    return [f"{rule_of_pruning}, by validation loss in bits per character", *result.notes]
