"""What is shown of a sweep: its trials, how METEOR and RUQ go together, and by which rule trials ended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, times100
from rejoinder.document.parts import GAP, Document, lines
from rejoinder.document.table import Table, estimate, number, text
from rejoinder.messages import p_is
from rejoinder.statistics.conventions import is_least_p

SHOWN = 20  # pruned and failed trials that the table shows
PERMUTATIONS = 9999
MEANINGS = {
    "trial": "Number of the trial.",
    "status": "finished, pruned or failed.",
    "epochs": "Number of epochs.",
    "bits_per_character": "Validation loss in bits per character.",
    "metric": "Value of the metric.",
    "ruq_train": "RUQ on train.",
    "ruq_test": "RUQ on test.",
}


def trials(frame: pl.DataFrame, parameters: Mapping[str, Any]) -> Document:
    """The finished trials, and some of the others.

    Args:
        frame: ``SweepResult.trials``.
        parameters: What the sweep was.
    """
    metric, swept = str(parameters["metric"]), parameters["grid"]
    headings = {"metric": metric, "ruq_train": "RUQ train", "ruq_test": "RUQ test"}
    columns = [
        number("trial", key=True),
        *(number(name.replace("_", " "), name, lambda value: f"{value:g}") for name in swept),
        number("epochs", show=lambda epochs: str(epochs or "")),
        number("bits", "bits_per_character", lambda bits: "" if bits is None else f"{bits:.3f}"),
        *(
            estimate(heading, (name, f"{name}_low", f"{name}_high"), times100)
            for name, heading in headings.items()
        ),
        text(
            "",
            ("status", "reason"),
            lambda status, reason: "" if status == "finished" else reason or status,
        ),
    ]
    paper = frame.head(frame["status"].to_list().count("finished") + SHOWN)
    hidden = frame.height - paper.height
    meanings = {**MEANINGS, **dict.fromkeys(swept, "A setting that is swept.")}
    legend = (
        f"{metric} and RUQ x100 [95% interval]; RUQ: the share of prompts whose first "
        f"reference is likelier than {parameters['generic']!r}; bits: validation loss in bits "
        f"per character; {NONE}: undefined"
    )
    more = [f"... and {hidden} more, in trials.csv"] * bool(hidden)
    return [
        Table(frame, columns, paper=paper, meanings=meanings),
        *lines([*more, legend], "legend"),
        GAP,
    ]


def correlation(row: Mapping[str, Any]) -> str:
    """How two measures go together over the trials: a row of ``SweepResult.correlations``."""
    words = f"{row['of']} with {row['with']}, {row['trials']} {row['n']} finished trials: "
    if math.isnan(row["rho"]):
        return f"{words}{NONE} ({row['reason']})"
    words += f"Spearman {row['rho']:.2f}"
    if not math.isnan(row["low"]):
        words += f" [{row['low']:.2f}, {row['high']:.2f}]"
    why = f" (no interval: {row['reason']})" if row["reason"] else ""
    return f"{words}, {p_is(row['p'], is_least_p(row['p'], PERMUTATIONS))}{why}"


def pruning(parameters: Mapping[str, Any]) -> Iterator[str]:
    """A note on the rule by which trials were pruned."""
    rungs = parameters["rungs"]
    if len(rungs) < 2:
        return
    steps = ", ".join(map(str, rungs[:-1]))
    rule = "successive halving"
    if parameters["sampler"].startswith("optuna"):
        rule = "Optuna's asynchronous successive halving"
    yield (
        f"{rule}: after {steps} of {rungs[-1]} epochs one trial in {parameters['reduction']} went on, by "
        "validation loss in bits per character"
    )
