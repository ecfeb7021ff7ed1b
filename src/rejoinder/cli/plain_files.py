"""Plain files of which numbers alone are wanted: scored without tables, which take longer to import."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rejoinder.cli.inputs import note_order
from rejoinder.cli.needs import from_command_line
from rejoinder.cli.options import SamplingOptions, ScoringOptions
from rejoinder.cli.terminal.progress import Progress

if TYPE_CHECKING:
    from rejoinder.scoring.lines import LineScores

_WITHOUT_TABLES = {
    "testset", "references", "responses", "metrics", "json", "missing", "drop_unusable", "resamples", "seed",
}  # fmt: skip
"""The parameters of 'score' that ask for nothing that tables are needed for."""

_COUNTING = {
    "deltableu", "bleu", "sbleu", "ambleu", "rouge1", "rouge2", "rougel", "rougelsum", "rouge", "chrf",
    "ter", "exact", "distinct", "entropy", "length",
}  # fmt: skip
"""The metrics that count, and ask no model, in small letters."""


def scores_of_lines(given: ScoringOptions) -> LineScores | None:
    """The scores of files whose lines belong together, for a command that prints JSON alone.

    None where another option is given, systems are to be compared, or the files are to be read as
    tables. Then ``inputs.measured`` reads them.
    """
    compared = len(given.responses) > 1 and given.resamples > 0
    if given.testset is None or not given.responses or given.ledger is not None or compared:
        return None
    if not from_command_line().keys() <= _WITHOUT_TABLES:
        return None
    _start_no_threads(given.metrics)
    from rejoinder.scoring import lines

    with Progress("reading"):
        texts = lines.read([given.testset, *given.references], given.responses, given.metrics)
    if texts is None:
        return None
    note_order(given)
    with Progress("measuring") as tick:
        return lines.score_lines(texts, **given.of(SamplingOptions), progress=tick)


def _start_no_threads(metrics: Sequence[str]) -> None:
    """Has NumPy start no threads for linear algebra: they take longer to start than to count n-grams.

    Not where a metric asks a model or is the user's own: those may multiply matrices.
    """
    names = {name.partition(":")[0].strip().lower() for name in metrics}
    if names <= _COUNTING and "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
