"""What a sweep found, as tables and pictures: trials by METEOR, and METEOR against RUQ."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View, lines
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import p_is
from rejoinder.result import TableResult
from rejoinder.statistics.conventions import is_least_p
from rejoinder.statistics.correlation import reason_undefined, spearman
from rejoinder.statistics.correlation_bootstrap import bootstrap_correlation
from rejoinder.statistics.significance import permutation_p
from rejoinder.tuning.data import SweepMaterial
from rejoinder.tuning.grid import ParameterGrid
from rejoinder.tuning.sweep_tables import PERMUTATIONS
from rejoinder.tuning.trial import Trial


@dataclass(frozen=True, repr=False)
class SweepResult(TableResult):
    """What came of it.

    Attributes:
        folder: Where it stands.
        trials: A row for each, the best first; the columns are those of ``tuning.table.table``.
        correlations: Spearman's rho of pairs of measures, over the finished trials.
        notes: What was left out, and what to beware of.
        parameters: What the sweep was.
    """

    folder: Path
    trials: pl.DataFrame
    correlations: pl.DataFrame
    notes: tuple[str, ...]
    parameters: Mapping[str, Any]

    def document(self, view: View = AS_USUAL) -> Document:
        """The trials, how METEOR and RUQ go together, and the notes."""
        from rejoinder.tuning import sweep_tables as tables

        shown = tables.trials(self.trials, self.parameters)
        shown += lines(map(tables.correlation, self.correlations.iter_rows(named=True)))
        return [*shown, *lines((*tables.pruning(self.parameters), *self.notes), "note")]

    def as_json(self, figures: Iterable[Path] | None = None) -> dict[str, Any]:
        """All of it; values are 0 to 1.

        Args:
            figures: The figures that were written; None where none are asked for.
        """
        facts = self.json_of("trials", "correlations", "notes", "parameters")
        return facts if figures is None else {**facts, "figures": [*map(str, figures)]}


TOP = 20
"""The paper also correlates the best twenty of its trials by themselves."""

RUQ = {"ruq_train": "RUQ on train", "ruq_test": "RUQ on test"}
MEASURES = ("metric", *RUQ)


def table(trials: Sequence[Trial], finished: Sequence[Trial], grid: ParameterGrid) -> pl.DataFrame:
    """A row for each trial: the finished ones by METEOR, then the pruned and the failed ones.

    Args:
        trials: All trials.
        finished: Those that were trained to the end, in the order of their METEOR.
        grid: The settings that were tried.

    Returns:
        ``trial``, ``status``, the swept settings, ``epochs`` and ``bits_per_character`` (of the last
        validation), then ``metric``, ``ruq_train`` and ``ruq_test``, each with ``_low`` and ``_high``
        (95% interval over items) and ``_n``; ``distinct_replies``; ``reason`` of a failure. Null
        where there is none.
    """
    others = [each for each in trials if each.scores is None]
    others.sort(key=lambda each: (each.failed is not None, -each.epochs, each.bits, each.number))
    kinds = {
        name: pl.Float64 if isinstance(v[0], float) else pl.Int64 for name, v in grid.axes.items()
    }
    schema: dict[str, Any] = {"trial": pl.Int64, "status": pl.String, **kinds}
    schema |= {"epochs": pl.Int64, "bits_per_character": pl.Float64}
    for measure in MEASURES:
        schema |= {f"{measure}{end}": pl.Float64 for end in ("", "_low", "_high")}
        schema[f"{measure}_n"] = pl.Int64
    schema |= {"distinct_replies": pl.Int64, "reason": pl.String}
    return pl.DataFrame([_row(each) for each in (*finished, *others)], schema=schema, orient="row")


def _row(trial: Trial) -> dict[str, Any]:
    scores = trial.scores or {}
    row = {
        "trial": trial.number,
        "status": trial.status,
        **trial.setting,
        "epochs": trial.epochs or None,
        "bits_per_character": None if math.isnan(trial.bits) else trial.bits,
        "distinct_replies": scores.get("distinct_replies"),
        "reason": trial.failed,
    }
    for measure in MEASURES:
        value = scores.get(measure, {})
        ends = {"": "value", "_low": "low", "_high": "high", "_n": "n"}
        row |= {f"{measure}{end}": value.get(key) for end, key in ends.items()}
    return row


def correlations(finished: Sequence[Trial], material: SweepMaterial) -> pl.DataFrame:
    """How far the measures rank the finished trials alike.

    Args:
        finished: The best first.
        material: Whose seed and resamples are taken.

    Returns:
        ``of`` and ``with`` (measures), ``trials`` (``all`` or ``top 20``), ``n``, Spearman's ``rho``,
        ``low`` and ``high`` (95% bootstrap over trials), ``p`` (permutation, two-sided), ``reason``
        why one of these is NaN. RUQ against METEOR, and the validation loss against METEOR: near -1
        where pruning by it does no harm, and far from it where it does.
    """
    label = material.metric.label
    groups = {"all": finished, **({f"top {TOP}": finished[:TOP]} if len(finished) > TOP else {})}
    rows = []
    for trials, same_size in groups.items():
        y = np.array([each.value("metric") for each in same_size])
        asked = any(RUQ.keys() & (each.scores or {}).keys() for each in same_size)
        for key, name in RUQ.items() if asked else ():
            x = np.array([each.value(key) for each in same_size])
            rows.append(_row_of(name, label, trials, x, y, material))
        bits = np.array([each.bits for each in same_size])
        rows.append(_row_of("validation loss", label, trials, bits, y, material))
    schema: dict[str, Any] = dict.fromkeys(("of", "with", "trials"), pl.String) | {"n": pl.Int64}
    schema |= dict.fromkeys(("rho", "low", "high", "p"), pl.Float64) | {"reason": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _row_of(
    of: str, label: str, trials: str, x: Floats, y: Floats, material: SweepMaterial
) -> dict[str, Any]:
    rng = np.random.default_rng(material.seed)
    rho = float(spearman(x, y))
    reason = None
    if math.isnan(rho):
        reason = (reason_undefined(x, y) or "").replace("observations", "trials")
        for word, name in (("metric score", of), ("rating", label)):
            reason = reason.replace(f"{word}s", f"values of {name}")
            reason = reason.replace(word, f"value of {name}")
    low = high = math.nan
    if material.resamples:
        interval = bootstrap_correlation(x, y, "spearman", None, material.resamples, rng)
        low, high = interval.low, interval.high
        reason = reason or (interval.reason or "").replace("groups", "trials") or None
    p = float(permutation_p(x, y, "spearman", PERMUTATIONS, rng))
    estimate = {"n": x.size, "rho": rho, "low": low, "high": high, "p": p, "reason": reason}
    return {"of": of, "with": label, "trials": trials, **estimate}


def draw(sweep: SweepResult, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """METEOR against RUQ, a point for each finished trial: PNG and SVG, for train and for test.

    Raises:
        InputError: The folder cannot be written to.
    """
    from rejoinder.figures.scatter import Cloud, scatter
    from rejoinder.figures.style import drawing, save

    finished = sweep.trials.filter(pl.col("status") == "finished")
    label = str(sweep.parameters["metric"])
    paths: list[Path] = []
    for key, name in RUQ.items():
        row = sweep.correlations.filter((pl.col("of") == name) & (pl.col("trials") == "all"))
        x, y = (100 * finished.get_column(each).to_numpy() for each in (key, "metric"))
        title = f"{label} against {name}"
        cloud = Cloud(title, x, y, None, f"{name} (x100)", f"{label} (x100)", words=_words(row))
        with drawing():
            paths += save(scatter(cloud), folder, f"sweep-{key.replace('_', '-')}")
    return tuple(paths)


def _words(estimate: pl.DataFrame) -> str:
    from rejoinder.figures.style import told as number

    row = estimate.row(0, named=True)
    words = f"\N{GREEK SMALL LETTER RHO} = {number(row['rho'])}"
    if math.isnan(row["rho"]):
        words += f" ({row['reason']})"
    if not math.isnan(row["low"]):
        words += f" [{number(row['low'])}, {number(row['high'])}]"
    if not math.isnan(row["p"]):
        words += f", {p_is(row['p'], is_least_p(row['p'], PERMUTATIONS))}"
    return f"{words}, n = {row['n']}"
